// What the pit, the cage and the administration do, each by its page and read back from the program.
import { readFileSync } from 'node:fs';
import type { Browser, Page } from '@playwright/test';
import {
  credited,
  deal,
  dealAt,
  expect,
  meter,
  money,
  next,
  notice,
  openBets,
  Person,
  record,
  roundOf,
  settle,
  sit,
  staff,
  staked,
  tables,
  test,
  touch,
} from './floor';
import { closeShift, leave } from './hands';

type Floor = {
  tables: { id: number; name: string; open: boolean }[];
  terminals: { id: number; name: string; table: number; locked: string | null }[];
};
type Moved = { money: { cause: string; amount: string }[] };

/** A dialog of the pit about a table. */
async function about(pit: Page, table: string, action: string) {
  const card = pit.locator('article').filter({ has: pit.getByText(table, { exact: true }) });
  await card.getByRole('button', { name: action, exact: true }).click();
  return pit.getByRole('dialog');
}
async function done(pit: Page): Promise<void> {
  await expect(pit.locator('.toast.good')).toBeVisible();
  await expect(pit.getByRole('dialog')).toHaveCount(0);
  await pit.locator('.toast.good').click();
}
async function sign(dialog: ReturnType<Page['getByRole']>, login = 'supervisor1'): Promise<void> {
  await dialog.getByLabel('Login').fill(login);
  await dialog.getByLabel('Their password').fill('demonstration');
}
async function cashOut(player: Page): Promise<string> {
  await player.getByRole('button', { name: 'Cash out', exact: true }).click();
  await player.getByRole('dialog').getByRole('button', { name: 'Cash out', exact: true }).click();
  const number = ((await player.locator('.ticket .top').textContent()) ?? '').replaceAll(/\D/g, '');
  await player.getByRole('button', { name: 'It is printed' }).click();
  await expect(meter(player, 'Credit')).toHaveText('0.00');
  return number;
}
/** A whole round with a device; the outcome. */
async function playRound(console: Page, player: Page, bets: string[]): Promise<[number, string]> {
  await openBets(console);
  await expect(notice(player)).toHaveText(/place your bets/i);
  for (const bet of bets) await touch(player, bet);
  await staked(player, `${bets.length * 5}.00`);
  const round = await roundOf(console);
  await next(console, 'Close bets');
  await deal(console, 'Tumble', false);
  return [round, await settle(console)];
}

test('the pit puts credit in by hand, locks and unlocks a terminal, and pays by hand', async ({
  browser,
  manager,
}) => {
  const player = await sit(browser, 23, { credit: 0 });
  const pit = await staff(browser, 'supervisor2', '/pit');
  const dialog = await about(pit, 'Roulette Triple Zero', 'Terminals');
  await dialog.getByLabel('Terminal').selectOption({ label: 'Seat 24' });
  await dialog.getByRole('radio', { name: 'Put credit in by hand' }).check();
  await dialog.getByLabel('Amount').fill('40');
  await dialog.getByRole('button', { name: 'Put credit in by hand' }).click();
  await done(pit);
  await expect(meter(player, 'Credit')).toHaveText('40.00');

  await about(pit, 'Roulette Triple Zero', 'Terminals');
  await dialog.getByLabel('Terminal').selectOption({ label: 'Seat 24' });
  await dialog.getByLabel('Reason').fill('a drink on the screen');
  await dialog.getByRole('button', { name: 'Lock terminal', exact: true }).click();
  await done(pit);
  await expect(player.locator('.veil')).toContainText('a drink on the screen');
  const seat = async () => (await manager.get<Floor>('')).terminals.find((one) => one.id === 23)!;
  expect((await seat()).locked).toBe('a drink on the screen');
  await about(pit, 'Roulette Triple Zero', 'Terminals');
  await dialog.getByLabel('Terminal').selectOption({ label: 'Seat 24' });
  await dialog.getByRole('button', { name: 'Unlock terminal' }).click();
  await done(pit);
  await expect(player.locator('.veil')).toHaveCount(0);
  expect((await seat()).locked ?? null).toBe(null);

  // More than there is is refused, on the dialog, which stays as it was.
  await about(pit, 'Roulette Triple Zero', 'Terminals');
  await dialog.getByLabel('Terminal').selectOption({ label: 'Seat 24' });
  await dialog.getByLabel('Amount').fill('41');
  await dialog.getByRole('button', { name: 'Hand pay' }).click();
  await expect(dialog.locator('.toast.bad')).toContainText('40.00');
  await dialog.getByLabel('Amount').fill('40');
  await dialog.getByRole('button', { name: 'Hand pay' }).click();
  await expect(dialog.getByRole('alert')).toHaveText('Pay S$ 40.00 to the player');
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
  await done(pit);
  await expect(meter(player, 'Credit')).toHaveText('0.00');
  const moved = await manager.get<Moved>('/records/terminals/23/money');
  expect(moved.money.slice(0, 2).map((one) => one.amount)).toEqual(['40.00', '40.00']);
  await leave(pit, player);
});

test('a second person signs for what stands there: what changes takes the signature back, and so does each answer', async ({
  browser,
  manager,
}) => {
  void manager;
  const pit = await staff(browser, 'supervisor1', '/pit');
  const dialog = await about(pit, 'Tai Sai', 'Float and drop');
  const login = dialog.getByLabel('Login');
  const password = dialog.getByLabel('Their password');
  const go = dialog.getByRole('button', { name: /^Confirm/ });
  const changed = dialog.getByRole('alert').filter({ hasText: 'signs again' });
  const signed = async () => {
    await sign(dialog, 'supervisor2');
    await expect(go).toBeEnabled();
    await expect(changed).toHaveCount(0);
  };
  const takenBack = async () => {
    await expect(password).toHaveValue('');
    await expect(go).toBeDisabled();
    // Who signs is written there still, and only signs again.
    await expect(login).toHaveValue('supervisor2');
  };
  await dialog.getByLabel('Movement').selectOption({ label: 'Drop counted' });
  const fields = dialog.locator('input:not([data-signature] *)');
  // Notes of eight denominations, and why the count differs.
  await expect(fields).toHaveCount(9);
  for (const field of await fields.all()) {
    await signed();
    await field.fill('1');
    await expect(changed).toBeVisible();
    await takenBack();
  }
  await signed();
  await dialog.getByLabel('Movement').selectOption({ label: 'Credit' });
  await expect(changed).toBeVisible();
  await takenBack();
  // Back again is a change too.
  await dialog.getByLabel('10,000.00', { exact: true }).fill('30');
  await signed();
  await dialog.getByLabel('10,000.00', { exact: true }).fill('3');
  await dialog.getByLabel('10,000.00', { exact: true }).fill('30');
  await takenBack();

  // The tray holds less: refused, and the signature was for that one attempt.
  await signed();
  await go.click();
  await expect(dialog.locator('.toast.bad')).toContainText('tray holds');
  await takenBack();
  await expect(changed).toHaveCount(0);
  await sign(dialog, 'supervisor1');
  await go.click();
  await expect(password).toHaveValue('');
  await expect(login).toHaveValue('supervisor1');
  await dialog.getByLabel('10,000.00', { exact: true }).fill('');
  await dialog.getByLabel('100.00', { exact: true }).fill('1');
  await signed();
  await go.click();
  await expect(pit.locator('.slip')).toContainText('supervisor 2');
  await pit.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).last().click();
  await expect(dialog).toHaveCount(0);
  await leave(pit);
});

test('the cage: a shift with its float, a ticket sold, compared and paid once, wrong numbers told apart', async ({
  browser,
}) => {
  const cage = await staff(browser, 'cashier2', '/cage');
  await expect(cage.getByText('Open a shift first')).toBeVisible();
  await cage.getByLabel('Float').fill('1000');
  await cage.getByRole('button', { name: 'Open shift' }).click();
  await cage.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).click();
  const drawer = cage.locator('dl div', { hasText: 'Float' }).locator('dd');
  await expect(drawer).toHaveText('1,000.00');

  await cage.getByLabel('Amount', { exact: true }).fill('120.50');
  await cage.getByRole('button', { name: 'Sell and print' }).click();
  const paper = cage.locator('.ticket');
  await expect(paper).toContainText('120.50');
  const number = ((await paper.locator('.top').textContent()) ?? '').replaceAll(/\D/g, '');
  // A sold ticket is not put away by a key.
  await cage.keyboard.press('Escape');
  await expect(paper).toBeVisible();
  await cage.getByRole('button', { name: 'It is printed' }).click();
  await expect(cage.getByRole('dialog')).toHaveCount(0);

  const redeem = async (what: string, printed = '') => {
    await cage.getByLabel('Ticket number').fill(what);
    await cage.getByLabel('Amount on the ticket').fill(printed);
    await cage.getByRole('button', { name: 'Check and pay' }).click();
  };
  const refused = cage.locator('.refused');
  await redeem(number, '999.00');
  await expect(refused).toContainText('The amount is not the ticket');
  // Its number was on this cashier's screen: a second person signs for paying it (D27).
  await redeem(number, '120.50');
  await expect(refused).toContainText('second person');
  await cage.getByLabel('Login').last().fill('supervisor1');
  await cage.getByLabel('Their password').last().fill('demonstration');
  await cage.getByRole('button', { name: 'Check and pay' }).click();
  await expect(cage.locator('.paid')).toContainText('120.50');
  await redeem(number);
  await expect(refused).toContainText(/paid|redeemed/);
  const paid = await refused.textContent();
  // Another number of this floor, and a number of another.
  const unknown = number.slice(0, -6) + String((Number(number.slice(-6)) + 7) % 1_000_000).padStart(6, '0');
  await redeem(unknown);
  await expect(refused).not.toHaveText(paid!);
  await expect(refused).toContainText(/mistyped/i);
  const elsewhere = String((Number(number[0]) + 1) % 10) + number.slice(1);
  await redeem(elsewhere);
  await expect(refused).toContainText(/mistyped|another floor/);

  await cage.getByRole('button', { name: 'Count the drawer' }).click();
  await cage.getByLabel('1,000.00', { exact: true }).fill('1');
  await cage.getByRole('button', { name: 'Record the count' }).click();
  await cage.getByRole('button', { name: 'Close shift' }).click();
  await expect(cage.getByRole('dialog')).toContainText('No difference');
  await cage.getByRole('button', { name: 'Close the shift' }).click();
  await expect(cage.locator('.slip')).toContainText('1,000.00');
  await cage.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).click();
  await expect(cage.getByText('No shift is open')).toBeVisible();
  await cage.context().close();
});

test('a correction finds the player gone: it is paid at the cage with the round as evidence', async ({
  browser,
  manager,
}) => {
  const console = await dealAt(browser, tables.open);
  const player = await sit(browser, 47, { credit: 50 });
  const [round, outcome] = await playRound(console, player, ['triple/5', 'triple/6']);
  const before = await record(manager, round, (found) => found.round.status === 'settled');
  const had = 4000 + money(before.players.find((one) => one.terminal === 47)!.entitled);
  await expect.poll(() => credited(player)).toBe(had);
  await cashOut(player);

  const pit = await staff(browser, 'manager2', '/pit');
  await pit.getByLabel('Round number').fill(String(round));
  await pit.getByRole('button', { name: 'Search', exact: true }).click();
  await pit.getByRole('button', { name: 'Correct result' }).click();
  await pit.getByLabel('What the dice or wheel showed').fill(outcome === '6-6-6' ? '5-5-5' : '6-6-6');
  await pit.getByRole('button', { name: 'Preview', exact: true }).click();
  await pit.getByLabel('Reason').fill('The recording shows a triple');
  await sign(pit.getByRole('dialog'));
  await pit.getByRole('button', { name: 'Confirm as previewed' }).click();
  await expect(pit.locator('.record .result')).not.toHaveText(outcome);

  // One player's part of it, for a dispute.
  await pit.getByLabel('Of whom').selectOption({ label: 'Seat 48' });
  const saving = pit.waitForEvent('download');
  await pit.getByRole('button', { name: 'Export for a dispute' }).click();
  const file = JSON.parse(readFileSync((await (await saving).path())!, 'utf8'));
  expect(file.players.map((one: { terminal: number }) => one.terminal)).toEqual([47]);
  await pit.keyboard.press('Escape');
  await expect(pit.locator('.totals')).toContainText('980.00');

  const cage = await staff(browser, 'cashier2', '/cage');
  await cage.getByLabel('Float').fill('5000');
  await cage.getByRole('button', { name: 'Open shift' }).click();
  await cage.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).click();
  const line = cage.locator('.wide li', { hasText: 'Seat 48' });
  await line.getByRole('button', { name: 'Pay out' }).click();
  const dialog = cage.getByRole('dialog');
  const pay = dialog.getByRole('button', { name: 'Pay out' });
  await dialog.getByLabel('Round on the player’s record').fill(String(round + 1));
  await expect(pay).toBeDisabled();
  await dialog.getByLabel('Round on the player’s record').fill(String(round));
  await sign(dialog);
  await pay.click();
  await expect(line).toHaveCount(0);
  await expect(pit.locator('.totals')).not.toContainText('980.00');
  await leave(cage, pit, player, console);
  await closeShift('cashier2');
});

test('several settled rounds are void together, on the ground of damage, with a witness', async ({
  browser,
  manager,
}) => {
  const console = await dealAt(browser, tables.open);
  const player = await sit(browser, 53, { credit: 100 });
  const rounds: number[] = [];
  for (let i = 0; i < 2; i++) rounds.push((await playRound(console, player, ['small', 'odd']))[0]);
  const pit = await staff(browser, 'manager2', '/pit');
  const dialog = await about(pit, 'Sic Bo (Open Cover)', 'Past rounds');
  await dialog.getByLabel('First round').selectOption(String(rounds[0]));
  await dialog.getByLabel('Last round').selectOption(String(rounds[1]));
  await dialog.getByRole('button', { name: 'Preview' }).click();
  // A preview shows what would move before the confirmation (D24).
  await expect(dialog.locator('tbody tr')).toHaveCount(2);
  await expect(dialog.locator('tfoot')).toContainText('Rounds: 2');
  await dialog.getByLabel('Ground').selectOption({ index: 1 });
  const ground = await dialog.getByLabel('Ground').locator('option:checked').textContent();
  expect(ground).toContain('5.4');
  await dialog.getByLabel('Reason').fill('A die was found chipped');
  // One below cannot stand by.
  await sign(dialog, 'supervisor1');
  await dialog.getByRole('button', { name: 'Confirm as previewed' }).click();
  await expect(dialog.locator('.toast.bad')).toBeVisible();
  await sign(dialog, 'manager1');
  await dialog.getByRole('button', { name: 'Confirm as previewed' }).click();
  await done(pit);
  for (const round of rounds) {
    const whole = await record(manager, round, (found) => found.round.status === 'void');
    expect(whole.round.returned).toBe(whole.round.staked);
  }
  // Everything lost comes back, everything won goes: as if nothing had been played.
  await expect.poll(() => credited(player)).toBe(10_000);
  await leave(pit, player, console);
});

/** Fills the administration's form and saves it. */
async function add(office: Page, tab: string, button: string, given: Record<string, string>): Promise<void> {
  await office.getByRole('navigation').getByRole('button', { name: tab, exact: true }).click();
  await office.getByRole('button', { name: button }).click();
  const dialog = office.getByRole('dialog');
  for (const [label, value] of Object.entries(given)) {
    const field = dialog.getByLabel(new RegExp(`^\\s*${label}`));
    if ((await field.evaluate((one) => one.tagName)) === 'SELECT') await field.selectOption({ label: value });
    else await field.fill(value);
  }
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);
}
const named = async (browser: Browser, id: number): Promise<Page> => {
  const page = await (await browser.newContext({ hasTouch: true })).newPage();
  await page.goto(`/terminal/${id}`);
  return page;
};

test('administration: a new table with a terminal that enrols with its code, and a round on it', async ({
  browser,
  manager,
}) => {
  const office = await staff(browser, 'administrator1', '/admin');
  await add(office, 'Tables', 'Add a table', {
    Name: 'Salon',
    Rulebook: 'Sic Bo (Open Cover) unnumbered',
    Login: 'administrator2',
    'Their password': 'demonstration',
  });
  await expect(office.getByRole('cell', { name: 'Salon', exact: true })).toBeVisible();
  await add(office, 'Terminals', 'Add a terminal', {
    Name: 'Salon 1',
    Table: 'Salon',
    Kind: 'standard · Layout C',
  });
  await add(office, 'Devices', 'Add a device', { Name: 'Spare tumbler', Kind: 'Tumbler' });
  await expect(office.getByRole('row', { name: /Spare tumbler/ })).toBeVisible();
  await office.getByRole('navigation').getByRole('button', { name: 'Terminals', exact: true }).click();
  await office
    .getByRole('row', { name: /Salon 1/ })
    .getByRole('button', { name: 'Make code' })
    .click();
  await sign(office.getByRole('dialog'), 'administrator2');
  await office.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  const code = ((await office.locator('.code').textContent()) ?? '').trim();
  const floor = await manager.get<Floor>('');
  const table = floor.tables.find((one) => one.name === 'Salon')!.id;
  const id = floor.terminals.find((one) => one.name === 'Salon 1')!.id;

  const player = await named(browser, id);
  await player.getByLabel('One-time code from the administrator').fill(code);
  await player.getByRole('button', { name: 'Enrol this terminal' }).click();
  await expect(notice(player)).toHaveText('This table is closed');
  const pit = await staff(browser, 'manager2', '/pit');
  const dialog = await about(pit, 'Salon', 'Table');
  await dialog.getByRole('button', { name: 'Open the table' }).click();
  await done(pit);
  await about(pit, 'Salon', 'Terminals');
  await dialog.getByLabel('Terminal').selectOption({ label: 'Salon 1' });
  await dialog.getByRole('radio', { name: 'Put credit in by hand' }).check();
  await dialog.getByLabel('Amount').fill('20');
  await dialog.getByRole('button', { name: 'Put credit in by hand' }).click();
  await done(pit);

  // A dealer from another table takes it; the salon has no device, so the dealer affirms the tumble and keys the result in.
  const console = await staff(browser, 'dealer4', `/console/${table}`);
  await next(console, 'Take the table');
  await next(console, 'Open bets');
  await expect(notice(player)).toHaveText(/place your bets/i);
  await touch(player, 'big');
  await staked(player, '5.00');
  const round = await roundOf(console);
  await next(console, 'Close bets');
  await expect(console.locator('.shown')).toHaveText('All live terminals show it');
  const points = console.getByRole('group', { name: 'Affirm' }).getByRole('checkbox');
  await expect(points).not.toHaveCount(0);
  for (const point of await points.all()) await point.check();
  // Keys count from the moment the console may enter a result, which it hears a little after the close.
  const enter = console.locator('.next .huge', { hasText: 'Enter the result' });
  await expect(async () => {
    for (const key of ['6', '5', '4']) await console.keyboard.press(key);
    await expect(enter).toBeEnabled({ timeout: 500 });
  }).toPass({ timeout: 20_000 });
  await next(console, 'Enter the result');
  await next(console, 'Confirm and pay');
  const whole = await record(manager, round, (found) => found.round.status === 'settled');
  expect(whole.players.map((one) => [one.terminal, one.entitled])).toEqual([[id, '10.00']]);
  await expect.poll(() => credited(player)).toBe(2500);
  await leave(office, pit, player, console);
});

test('administration: powers are raised and lowered by two; a program is approved by two before it is started', async ({
  browser,
  manager,
}) => {
  void manager;
  const office = await staff(browser, 'administrator2', '/admin');
  const go = (tab: string) =>
    office.getByRole('navigation').getByRole('button', { name: tab, exact: true }).click();
  const dialog = office.getByRole('dialog');
  const save = dialog.getByRole('button', { name: 'Save' });
  const made = office.getByRole('listitem').filter({ hasText: /acknowledge/i });
  await go('Powers');
  await expect(office.getByText('the ranks of the documents are in force')).toBeVisible();
  await office.getByLabel('Act').selectOption('acknowledge-alert');
  await office.getByLabel('At least').selectOption('pit_manager');
  await office.getByRole('button', { name: 'Raise' }).click();
  await save.click();
  await expect(dialog.locator('.toast.bad')).toContainText('Two people change a power');
  await sign(dialog, 'administrator1');
  await save.click();
  await expect(dialog).toHaveCount(0);
  await expect(made).toHaveCount(1);
  // A Pit Supervisor was enough before.
  const supervisor = await Person.signIn('supervisor1');
  const refused = await supervisor.refusal('/alerts/999999/acknowledge');
  expect(refused).toBe('rank');

  // Back to what the document has, never below it.
  await office.getByLabel('At least').selectOption('dealer');
  await office.getByRole('button', { name: 'Raise' }).click();
  await sign(dialog, 'administrator1');
  await save.click();
  await expect(dialog.locator('.toast.bad')).toBeVisible();
  await office.keyboard.press('Escape');
  await office.getByLabel('At least').selectOption('pit_supervisor');
  await office.getByRole('button', { name: 'Raise' }).click();
  await save.click();
  await expect(dialog.locator('.toast.bad')).toContainText('Two people change a power');
  await sign(dialog, 'administrator1');
  await save.click();
  await expect(dialog).toHaveCount(0);
  await expect(made).toHaveCount(2);
  expect(await supervisor.refusal('/alerts/999999/acknowledge')).not.toBe('rank');
  await supervisor.http.dispose();

  await go('Health');
  await expect(office.getByRole('button', { name: 'Accept the program' })).toBeDisabled();
  await office.getByRole('button', { name: 'Approve a program before it is started' }).click();
  const program = dialog.getByRole('textbox').first();
  await program.fill('not a hash');
  await sign(dialog, 'administrator1');
  await save.click();
  await expect(dialog.locator('.toast.bad', { hasText: '64' })).toBeVisible();
  await program.fill('ab'.repeat(32));
  await sign(dialog, 'administrator2');
  await save.click();
  await expect(dialog.locator('.toast.bad').last()).toBeVisible();
  await sign(dialog, 'administrator1');
  await save.click();
  await expect(dialog).toHaveCount(0);
  const administrator = await Person.signIn('administrator2');
  const found = await administrator.get<{ events: { words: string }[] }>(
    '/records/events?kind=configuration',
  );
  expect(found.events.map((one) => one.words).join('\n')).toMatch(/approved|abab/);
  await administrator.http.dispose();
  await office.context().close();
});
