// Tickets in doubt, in every way such a ticket can end (D25): by the printer, by the paper, by two people, and past a host
// that is gone before its answer is known.
import type { Page } from '@playwright/test';
import {
  deal,
  expect,
  type Host,
  money,
  next,
  record,
  settle,
  sit,
  staff,
  staked,
  tables,
  test,
  touch,
} from './floor';
import {
  betting,
  type Cable,
  cable,
  closeShift,
  credit,
  doubts,
  insert,
  leave,
  openShift,
  prepare,
  printed,
  pullAt,
  redeem,
  resolve,
  sign,
} from './hands';

/** The host does it, and is gone before the terminal has its answer; it begins again. */
async function unheard(host: Host, player: Page, link: Cable, act: () => Promise<void>): Promise<void> {
  const before = link.heard;
  link.deaf = true;
  await act();
  await expect.poll(() => link.heard).toBe(before + 1);
  await host.kill();
  await expect(player.locator('.page.lost')).toHaveCount(1, { timeout: 10_000 });
  link.deaf = false;
  await host.start();
  await expect(player.locator('.page.lost')).toHaveCount(0, { timeout: 30_000 });
}
const said = (page: Page, words: string) => page.getByText(words).first();

test('the printer failed: the credit is back, and bets stand and are settled while a ticket is in doubt', async ({
  browser,
  manager,
}) => {
  const { console, player, round } = await betting(browser, tables.open, 46, 50);
  for (const spot of ['small', 'big']) await touch(player, spot);
  await staked(player, '10.00');
  await prepare(player);
  await expect(player.locator('.ticket')).toContainText('40.00');
  await player.getByRole('button', { name: 'It was not printed' }).click();
  await expect(player.getByRole('dialog')).toHaveCount(0);
  await expect(credit(player)).toHaveText('40.00');
  await staked(player, '10.00');

  // Once more, and the round goes on beneath the ticket.
  await prepare(player);
  await next(console, 'Close bets');
  await deal(console, 'Tumble', false);
  await settle(console);
  const whole = await record(manager, round, (found) => found.round.status === 'settled');
  const own = whole.players.find((one) => one.terminal === 46)!;
  expect(own.staked).toBe('10.00');
  await expect(player.locator('.ticket')).toContainText('40.00');
  await player.getByRole('button', { name: 'It is printed' }).click();
  await expect(player.getByRole('dialog')).toHaveCount(0);
  const left = money(own.entitled);
  await expect.poll(async () => money((await credit(player).textContent()) ?? '')).toBe(left);
  await leave(console, player);
});

test('the paper presented at the cage, or at another terminal, settles the doubt; it is paid once', async ({
  browser,
  manager,
}) => {
  void manager;
  await openShift('cashier1', '500.00');
  const first = await sit(browser, 40, { credit: 50 });
  const second = await sit(browser, 41, { credit: 50 });
  const cage = await staff(browser, 'cashier1', '/cage');
  const numbers = [await prepare(first), await prepare(second)] as const;
  await expect(doubts(cage, 'Seat 41')).toContainText('50.00');

  await redeem(cage, numbers[0]);
  await expect(cage.locator('.paid')).toContainText('50.00');
  await expect(first.getByRole('dialog')).toHaveCount(0);
  await expect(said(first, 'is no longer open here: it was printed or presented')).toBeVisible();
  await expect(credit(first)).toHaveText('0.00');

  await insert(first, numbers[1]);
  await expect(credit(first)).toHaveText('50.00');
  await expect(second.getByRole('dialog')).toHaveCount(0);
  await expect(credit(second)).toHaveText('0.00');
  await expect(doubts(cage, 'Seat 4')).toHaveCount(0);
  for (const number of numbers) {
    await redeem(cage, number);
    await expect(cage.locator('.refused')).toContainText(/paid|redeemed/);
  }
  await leave(first, second, cage);
  await closeShift('cashier1');
});

test('a terminal is locked with a ticket in doubt: the pit sees the money and pays it by hand', async ({
  browser,
  manager,
}) => {
  const player = await sit(browser, 35, { credit: 50 });
  await prepare(player);
  await manager.post('/terminals/35/lock', { reason: 'browser tests' });
  const pit = await staff(browser, 'supervisor1', '/pit');
  const held = pit.getByRole('listitem').filter({ hasText: 'Seat 36' }).filter({ hasText: 'Locked' });
  await expect(held).toContainText('Ticket in doubt');
  await expect(held).toContainText('50.00');
  // The player sees it still.
  await expect(player.locator('.ticket')).toContainText('50.00');
  await resolve(pit, 'Seat 36', 'paid by hand', 'supervisor2');
  await expect(pit.getByRole('alert').filter({ hasText: 'Pay S$ 50.00 to the player' })).toBeVisible();
  await expect(held).toHaveCount(0);
  await expect(player.getByRole('dialog')).toHaveCount(0);
  await manager.post('/terminals/35/unlock');
  await expect(player.locator('.veil')).toHaveCount(0);
  await expect(credit(player)).toHaveText('0.00');
  await leave(player, pit);
});

test('a ticket is put in while the link breaks, offline and by kill -9: the credit is there once', async ({
  browser,
  host,
  manager,
}) => {
  void manager;
  const player = await sit(browser, 28, { credit: 50 });
  const number = await prepare(player);
  await player.getByRole('button', { name: 'It is printed' }).click();
  await expect(credit(player)).toHaveText('0.00');

  // Offline: nothing is sent, and nothing is done later by itself.
  await player.getByRole('button', { name: 'Money', exact: true }).click();
  await player.getByLabel('Ticket number').fill(number);
  await player.context().setOffline(true);
  await expect(player.locator('.page.lost')).toHaveCount(1, { timeout: 10_000 });
  await expect(player.getByRole('button', { name: 'Redeem into credit' })).toBeDisabled();
  await player.context().setOffline(false);
  await expect(player.locator('.page.lost')).toHaveCount(0, { timeout: 30_000 });
  await expect(credit(player)).toHaveText('0.00');

  // The host takes it in and is gone before the terminal has its answer.
  const link = await cable(player);
  await expect(credit(player)).toHaveText('0.00');
  await player.getByRole('button', { name: 'Money', exact: true }).click();
  await player.getByLabel('Ticket number').fill(number);
  await unheard(host, player, link, () => player.getByRole('button', { name: 'Redeem into credit' }).click());
  await expect(credit(player)).toHaveText('50.00');
  await insert(player, number);
  await expect(player.locator('.toast.bad')).toBeVisible();
  await expect(credit(player)).toHaveText('50.00');
  await player.context().close();
});

test('a cash-out and the report of its printer, each with the host gone before its answer: one ticket, reported once', async ({
  browser,
  host,
  manager,
}) => {
  void manager;
  const player = await sit(browser, 29, { credit: 50 });
  const link = await cable(player);
  await player.getByRole('button', { name: 'Cash out', exact: true }).click();
  const dialog = player.getByRole('dialog');
  await unheard(host, player, link, () =>
    dialog.getByRole('button', { name: 'Cash out', exact: true }).click(),
  );
  // It is offered by itself; whether the paper came is not known to this window.
  await expect(player.locator('.ticket')).toContainText('50.00', { timeout: 20_000 });
  await expect(player.locator('.meters')).toContainText('50.00 is being printed');
  const number = await printed(player);
  const done = player.getByRole('button', { name: 'It is printed' });
  await expect(done).toBeDisabled();
  await player.getByRole('button', { name: 'Print', exact: true }).click();
  await unheard(host, player, link, () => done.click());
  await expect(dialog).toHaveCount(0);
  await expect(credit(player)).toHaveText('0.00');
  await insert(player, number);
  await expect(credit(player)).toHaveText('50.00');
  await player.context().close();
});

test('a sold ticket that the cashier left in doubt is resolved by two people of the pit', async ({
  browser,
  manager,
}) => {
  void manager;
  await openShift('cashier1', '500.00');
  const cage = await staff(browser, 'cashier1', '/cage');
  const sell = async (amount: string) => {
    await cage.getByLabel('Amount', { exact: true }).fill(amount);
    await cage.getByRole('button', { name: 'Sell and print' }).click();
    await expect(cage.locator('.ticket')).toContainText(`${amount}.00`);
    const number = await printed(cage);
    await cage.getByRole('button', { name: 'It was not printed' }).click();
    await expect(cage.getByRole('dialog')).toHaveCount(0);
    return number;
  };
  const [byHand, inHand] = [await sell('61'), await sell('62')];
  const pit = await staff(browser, 'supervisor1', '/pit');
  const line = (amount: string) => pit.locator('li', { hasText: 'Ticket no.' }).filter({ hasText: amount });
  const dialog = pit.getByRole('dialog');
  const found = async (amount: string, finding: string) => {
    await line(amount).getByRole('button', { name: 'Resolve' }).click();
    // It came from a counter: there is no terminal that its money could go back to.
    await expect(dialog.getByLabel('the credit goes back')).toHaveCount(0);
    await dialog.getByLabel(finding).check();
    await dialog.getByLabel('How that is known').fill('The cashier has gone home');
    await sign(dialog, 'supervisor2');
    await dialog.getByRole('button', { name: 'Resolve' }).click();
    await expect(dialog).toHaveCount(0);
    await expect(line(amount)).toHaveCount(0);
  };
  await found('61.00', 'paid by hand');
  await expect(pit.getByRole('alert').filter({ hasText: 'Pay S$ 61.00' })).toBeVisible();
  await found('62.00', 'The player has the ticket');
  await redeem(cage, byHand);
  await expect(cage.locator('.refused')).toContainText('not printed');
  await redeem(cage, inHand);
  await expect(cage.locator('.refused')).toContainText('second person');
  await sign(cage.locator('.redeem'), 'supervisor1');
  await cage.getByRole('button', { name: 'Check and pay' }).click();
  await expect(cage.locator('.paid')).toContainText('62.00');
  await leave(cage, pit);
  await closeShift('cashier1');
});

test('a reprint and a finding whose host is gone before its answer are done once; offline nothing is done', async ({
  browser,
  host,
  manager,
}) => {
  void manager;
  await openShift('cashier1', '500.00');
  const cage = await staff(browser, 'cashier1', '/cage');
  await cage.getByLabel('Amount', { exact: true }).fill('63');
  await cage.getByRole('button', { name: 'Sell and print' }).click();
  const old = await printed(cage);
  const sequence = /Ticket no\. (\d+)/.exec((await cage.locator('.ticket').textContent()) ?? '')![1]!;
  await cage.getByRole('button', { name: 'It is printed' }).click();
  await expect(cage.getByRole('dialog')).toHaveCount(0);

  await cage.getByRole('button', { name: 'Reprint a ticket' }).click();
  const dialog = cage.getByRole('dialog');
  await dialog.getByLabel('Ticket no.').fill(sequence);
  await dialog.getByLabel('Reason').fill('The printer tore it');
  await sign(dialog, 'cashier2');
  await pullAt(host, cage, '/reprint', () =>
    dialog.getByRole('button', { name: 'Reprint', exact: true }).click(),
  );
  await expect(cage.locator('.ticket')).toContainText('REPRINT', { timeout: 40_000 });
  const number = await printed(cage);
  expect(number).not.toBe(old);
  // One duplicate, and it is in doubt until it is printed; it is found in hand by two while the host falls once more.
  await expect(doubts(cage, 'duplicate')).toHaveCount(1);
  await cage.getByRole('button', { name: 'It was not printed' }).click();
  await expect(dialog).toHaveCount(0);
  await pullAt(host, cage, '/resolve', () =>
    resolve(cage, 'duplicate', 'The player has the ticket', 'cashier2'),
  );
  await expect(dialog).toHaveCount(0, { timeout: 40_000 });
  await expect(doubts(cage, 'duplicate')).toHaveCount(0, { timeout: 30_000 });

  // Offline: what is asked for is not done, and the page says that it is not known.
  await cage.getByLabel('Amount', { exact: true }).fill('64');
  await cage.getByRole('button', { name: 'Sell and print' }).click();
  await cage.getByRole('button', { name: 'It was not printed' }).click();
  await expect(doubts(cage, '64.00')).toHaveCount(1);
  await cage.context().setOffline(true);
  await resolve(cage, '64.00', 'The player has the ticket', 'cashier2');
  await expect(cage.getByText('Not confirmed: retrying')).toBeVisible({ timeout: 20_000 });
  await expect(dialog).toBeVisible();
  const pit = await staff(browser, 'supervisor1', '/pit');
  await expect(doubts(pit, '64.00')).toHaveCount(1);
  await cage.context().setOffline(false);
  await expect(dialog).toHaveCount(0, { timeout: 40_000 });
  await expect(doubts(cage, '64.00')).toHaveCount(0, { timeout: 30_000 });
  await expect(doubts(pit, '64.00')).toHaveCount(0);

  await redeem(cage, old);
  await expect(cage.locator('.refused')).toContainText('duplicate');
  await redeem(cage, number);
  await expect(cage.locator('.refused')).toContainText('second person');
  await sign(cage.locator('.redeem'), 'supervisor1');
  await cage.getByRole('button', { name: 'Check and pay' }).click();
  await expect(cage.locator('.paid')).toContainText('63.00');
  await leave(cage, pit);
  await closeShift('cashier1');
});
