// What staff still have to bring home: payables, claims, stops after wrong numbers, slips to be printed again (D7, D25, D27).
import { violations } from '../axe';
import {
  credited,
  deal,
  dealAt,
  expect,
  money,
  next,
  notice,
  Person,
  type Round,
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
import { credit, leave, prepare, sign, witness } from './hands';

/** A free seat at the Sic Bo table. */
async function freeSeat(person: Person, nth: number): Promise<{ id: number; name: string }> {
  type Seat = { id: number; name: string; table: number; visited: boolean };
  const { terminals } = await person.get<{ terminals: Seat[] }>('');
  // Other tests may have left a player at a seat: what is decided would go to that visit.
  const free = (one: Seat) => one.table === tables.sicbo && one.name.startsWith('Seat') && !one.visited;
  return terminals.filter(free).at(nth)!;
}

test('the pit pays by hand what a decision left, once, with a second person', async ({
  browser,
  manager,
}) => {
  const seat = await freeSeat(manager, -1);
  const shift = await Person.signIn('shift1');
  const decided = { ruling: 'pay', terminal: seat.id, amount: '70.00', reason: 'goodwill' };
  await shift.post(`/tables/${tables.sicbo}/decide`, { ...decided, witness: witness('casino1') });
  await shift.http.dispose();

  const pit = await staff(browser, 'supervisor1', '/pit');
  const row = pit.locator('li', { hasText: 'Decision' }).filter({ hasText: seat.name });
  await expect(row).toContainText('70.00');
  await expect(row).toContainText('Sic Bo');
  await row.getByRole('button', { name: 'Pay by hand' }).click();
  const dialog = pit.getByRole('dialog');
  const go = dialog.getByRole('button', { name: 'Pay by hand' });
  await expect(go).toBeDisabled();
  // One person never supplies both signatures.
  await sign(dialog, 'supervisor1');
  await go.click();
  await expect(dialog.locator('.toast.bad')).toBeVisible();
  await sign(dialog, 'supervisor2');
  await go.click();
  await expect(dialog).toHaveCount(0);
  await expect(row).toHaveCount(0);
  // The cage has nothing left to pay.
  const cage = await staff(browser, 'cashier1', '/cage');
  await expect(cage.getByText('Nothing to pay out.')).toBeVisible();
  expect(await violations(pit)).toEqual([]);
  await leave(pit, cage);
});

test('a claim of the pit is recorded as recovered by two people', async ({ browser, manager }) => {
  void manager;
  const shift = await Person.signIn('shift1');
  const decided = { ruling: 'claim_chips', position: 1, amount: '45.00', reason: 'paid twice' };
  await shift.post(`/tables/${tables.taisai}/decide`, { ...decided, witness: witness('casino1') });
  await shift.http.dispose();

  const pit = await staff(browser, 'supervisor1', '/pit');
  const claim = pit.locator('.totals div', { hasText: 'Uncollected' });
  await expect(claim).toContainText('45.00');
  await claim.getByRole('button', { name: 'Recovered' }).click();
  const dialog = pit.getByRole('dialog');
  await dialog.getByLabel('Table').selectOption({ index: tables.taisai + 1 });
  await dialog.getByLabel('Amount').fill('45');
  await dialog.getByLabel('How it was paid').fill('The player came back');
  const go = dialog.getByRole('button', { name: 'Recovered' });
  await expect(go).toBeDisabled();
  await sign(dialog, 'supervisor2');
  await go.click();
  await expect(dialog).toHaveCount(0);
  await expect(claim).toContainText('0.00');
  await expect(claim.getByRole('button')).toHaveCount(0);
  await pit.context().close();
});

test('what a correction could not collect is recovered with its round and the player it is of', async ({
  browser,
  manager,
}) => {
  const console = await dealAt(browser, tables.open);
  const player = await sit(browser, 47, { credit: 100 });
  const own = (found: Round) => money(found.players.find((one) => one.terminal === 47)!.entitled);
  // Whatever falls but three ones wins something.
  const spots = ['small', 'big', ...[2, 3, 4, 5, 6].map((face) => `triple/${face}`)];
  const play = async (): Promise<[number, number]> => {
    await next(console, 'Open bets');
    await expect(notice(player)).toHaveText(/place your bets/i);
    for (const spot of spots) await touch(player, spot);
    await staked(player, '35.00');
    const round = await roundOf(console);
    await next(console, 'Close bets');
    await deal(console, 'Tumble', false);
    await settle(console);
    return [round, own(await record(manager, round, (found) => found.round.status === 'settled'))];
  };
  let [round, won] = await play();
  if (won === 0) [round, won] = await play();
  // The player takes it all and leaves; then the recording shows three ones.
  await expect.poll(() => credited(player)).toBeGreaterThanOrEqual(won);
  await prepare(player);
  await player.getByRole('button', { name: 'It is printed' }).click();
  await expect(credit(player)).toHaveText('0.00');
  await player.context().close();
  const shown = { outcome: '1-1-1', reason: 'The recording shows it', witness: witness('supervisor1') };
  await manager.post(`/rounds/${round}/correct`, shown);

  const pit = await staff(browser, 'supervisor1', '/pit');
  const amount = (won / 100).toLocaleString('en-SG', { minimumFractionDigits: 2 });
  const claim = pit.locator('.totals div', { hasText: 'Uncollected' });
  await expect(claim).toContainText(amount);
  await expect(pit.locator('.alert', { hasText: `of round ${round} could not be collected` })).toContainText(
    amount,
  );
  await claim.getByRole('button', { name: 'Recovered' }).click();
  const dialog = pit.getByRole('dialog');
  await dialog.getByLabel('Table').selectOption({ label: 'Sic Bo (Open Cover)' });
  await dialog.getByLabel('Amount').fill(amount);
  await dialog.getByLabel('How it was paid').fill('The player came back');
  await sign(dialog, 'supervisor2');
  const go = dialog.getByRole('button', { name: 'Recovered' });
  // It belongs to a round, and to the player who owes it: a later correction gives it back to that one.
  await go.click();
  await expect(dialog.locator('.toast.bad')).toContainText('name the round');
  await dialog.getByLabel('Round number').fill(String(round));
  await dialog.getByLabel('Collected from').selectOption({ label: 'Seat 48' });
  await sign(dialog, 'supervisor2');
  await go.click();
  await expect(dialog).toHaveCount(0);
  await expect(claim).toContainText('0.00');
  await expect(claim.getByRole('button')).toHaveCount(0);
  await leave(console, pit);
});

test('wrong ticket numbers stop a cashier, and the pit lifts the stop', async ({ browser, manager }) => {
  void manager;
  const cashier = await Person.signIn('cashier1');
  await cashier.post('/cage/shift/open', { float: '100.00' });
  const cage = await staff(browser, 'cashier1', '/cage');
  const guess = async (number: string) => {
    await cage.getByLabel('Ticket number').fill(number);
    const answered = cage.waitForResponse((answer) => answer.url().endsWith('/cage/redeem'));
    await cage.getByRole('button', { name: 'Check and pay' }).click();
    await answered;
  };
  // Their check digits are wrong: twenty slips of the finger, and the cashier has to wait.
  for (let tried = 0; tried < 22; tried += 1) await guess(`1234567890123456${String(10 + tried)}`);
  await expect(cage.locator('.refused')).toContainText('Pit Supervisor');
  const pit = await staff(browser, 'supervisor1', '/pit');
  const stop = pit.locator('li', { hasText: 'cashier 1' }).filter({ hasText: 'numbers' });
  await expect(stop).toContainText('mistyped');
  await stop.getByRole('button', { name: 'Lift the stop' }).click();
  await expect(stop).toHaveCount(0);
  await expect(pit.getByText('Stopped after wrong ticket numbers')).toHaveCount(0);
  await guess('123456789012345610');
  await expect(cage.locator('.refused')).not.toContainText('Pit Supervisor');
  await leave(cage, pit);
  await cashier.post('/cage/shift/count', { counts: [{ denomination: '100.00', pieces: 1 }] });
  await cashier.post('/cage/shift/close', {
    counted: '100.00',
    reason: 'browser tests',
    witness: witness('supervisor2'),
  });
  await cashier.http.dispose();
});

test('a slip is printed again as a copy, with its counts, reason and second person', async ({
  browser,
  manager,
}) => {
  const cashier = await Person.signIn('cashier2');
  await cashier.post('/cage/shift/open', { float: '300.00' });
  await cashier.post('/cage/shift/count', { counts: [{ denomination: '50.00', pieces: 5 }] });
  const reason = 'A note was paid twice';
  await cashier.post('/cage/shift/close', { counted: '250.00', reason, witness: witness('supervisor2') });
  await cashier.http.dispose();
  const supervisor = await Person.signIn('supervisor1');
  const fill = { movement: 'fill', amount: '500.00', counts: [{ denomination: '100.00', pieces: 5 }] };
  await supervisor.post(`/tables/${tables.taisai}/float`, { ...fill, witness: witness('supervisor2') });
  await supervisor.http.dispose();
  const day = (await manager.get<{ period: { first: string } }>('/reports/slips')).period.first;

  // The cage prints its own again, and sees none of the pit's.
  const cage = await staff(browser, 'cashier2', '/reports');
  await cage.getByRole('link', { name: 'Slips: print again' }).click();
  const row = cage.getByRole('row', { name: new RegExp(reason) });
  await expect(row).toContainText('−50.00');
  await expect(cage.locator('main')).not.toContainText('Tai Sai');
  await row.getByRole('button', { name: 'Print again' }).click();
  const slip = cage.locator('.slip');
  await expect(slip).toContainText('COPY');
  await expect(slip).toContainText('Shift close');
  await expect(slip).toContainText(reason);
  await expect(slip).toContainText('supervisor 2');
  await expect(slip.locator('table')).toContainText('50.00');
  await expect(slip.locator('table')).toContainText('250.00');

  const pit = await staff(browser, 'supervisor1', `/reports/${day}/slips`);
  const tray = pit.getByRole('row', { name: /Fill Tai Sai/ }).last();
  await tray.getByRole('button', { name: 'Print again' }).click();
  await expect(pit.locator('.slip')).toContainText('COPY');
  await expect(pit.locator('.slip')).toContainText('Tray before');
  await expect(pit.locator('.slip')).toContainText('500.00');
  await pit.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).last().click();
  expect(await violations(pit)).toEqual([]);
  await leave(cage, pit);
});
