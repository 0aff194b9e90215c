// The window of a simulated cabinet: what a hand in front of a real one would do.
const element = (id) => document.getElementById(id);
const order = (device, text) => fetch(`/cabinet/simulated/${device}`, { method: 'POST', body: text });
const button = (parent, words, act) => {
  const made = document.createElement('button');
  made.textContent = words;
  made.onclick = act;
  element(parent).append(made);
};
for (const note of [2, 5, 10, 50, 100, 1000]) button('notes', `S$ ${note}`, () => order('validator', `insert ${note}`));
element('in').onclick = () => order('validator', `ticket ${element('number').value}`);
for (const [words, device, text] of [
  ['Open the door', 'door', 'open'],
  ['Close the door', 'door', 'close'],
  ['Call an attendant', 'attendant', ''],
  ['Validator jams', 'validator', 'fault jam_acceptor'],
  ['Stacker full', 'validator', 'fault stacker_full'],
  ['Validator cleared', 'validator', 'clear'],
  ['Validator loses power', 'validator', 'power'],
  ['Validator silent', 'validator', 'silent'],
  ['Validator speaks', 'validator', 'speak'],
  ['Printer jams', 'printer', 'jam'],
  ['Jam before the barcode', 'printer', 'jam before-barcode'],
  ['Jam after the barcode', 'printer', 'jam after-barcode'],
  ['Printer cleared', 'printer', 'clear'],
  ['Paper low', 'printer', 'paper low'],
  ['Paper full', 'printer', 'paper full'],
]) button('faults', words, () => order(device, text));

let papers = -1;
async function look() {
  try {
    const state = await (await fetch('/cabinet/state')).json();
    const holds = await (await fetch('/cabinet/simulated/holds')).json();
    const screen = element('screen');
    if (!screen.getAttribute('src')) screen.src = `/terminal/${state.terminal}`;
    element('state').textContent = state.refuses ? `Takes no money: ${state.refuses}` : 'Takes notes and tickets';
    element('events').replaceChildren(...state.events.slice(0, 30).map((event) => {
      const row = document.createElement('li');
      row.textContent = `${event.kind.replaceAll('_', ' ')}${event.about ? ` (${event.about})` : ''}`;
      if (event.alert) row.className = 'alert';
      return row;
    }));
    const printed = holds.printer ? holds.printer.papers : [];
    const complete = printed.filter((paper) => paper.complete).length * 1000 + printed.length;
    if (complete !== papers && printed.length > 0) {
      papers = complete;
      element('paper').src = `/cabinet/simulated/ticket.svg?${papers}`;
      element('number').value = printed.at(-1).barcode ?? '';
    }
  } catch {
    element('state').textContent = 'The agent does not answer';
  }
  setTimeout(look, 500);
}
look();
