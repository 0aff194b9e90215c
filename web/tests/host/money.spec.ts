// A player's money on its way to paper, the cage, and what two people do together: through the pages of the program (D25, D27).
import type { Page } from '@playwright/test';
import { violations } from '../axe';
import { expect, meter, Person, sit, staff, test } from './floor';
import {
  closeShift,
  doubts,
  finds,
  leave,
  openShift,
  prepare,
  printed,
  pull,
  redeem,
  resolve,
  sign,
} from './hands';

/** Resolved, and the dialog is closed. */
async function resolved(page: Page, seat: string, finding: string, second: string): Promise<void> {
  await resolve(page, seat, finding, second);
  await expect(page.getByRole('dialog')).toHaveCount(0);
}

test('a ticket in doubt is offered again after a reload, offline and kill -9 at each step, and paid once', async ({
  browser,
  host,
  manager,
}) => {
  void manager;
  const player = await sit(browser, 34, { credit: 50 });
  // Prepared, and the host is gone before the printer has reported.
  await prepare(player);
  await host.kill();
  await host.start();
  await expect(player.locator('.ticket')).toContainText('50.00', { timeout: 30_000 });
  const number = await printed(player);
  expect(number).toHaveLength(18);
  // Credit leaves the meter only once the ticket has been printed (S17).
  await expect(meter(player, 'Credit')).toHaveText('50.00');
  await expect(player.locator('.meters')).toContainText('50.00 is being printed');

  // No tap beside it and no key puts it away.
  await player.mouse.click(5, 400);
  await player.keyboard.press('Escape');
  await expect(player.locator('.ticket')).toBeVisible();
  await player.reload();
  await expect(player.locator('.ticket')).toBeVisible({ timeout: 20_000 });
  expect(await printed(player)).toBe(number);

  // Sent to the printer, and the plug is pulled.
  await pull(host, player);
  await expect(player.locator('.ticket')).toBeVisible();
  await player.context().setOffline(true);
  await expect(player.getByRole('alert').filter({ hasText: '50.00' })).toBeVisible({ timeout: 20_000 });
  await expect(player.getByRole('button', { name: 'It is printed' })).toBeDisabled();
  await player.context().setOffline(false);
  await expect(player.getByRole('button', { name: 'It is printed' })).toBeEnabled({ timeout: 20_000 });

  // It is visible everywhere meanwhile: the pit, the cage, the reports.
  const pit = await staff(browser, 'supervisor1', '/pit');
  await expect(doubts(pit, 'Seat 35')).toContainText('50.00');
  const cage = await staff(browser, 'cashier1', '/cage');
  await expect(doubts(cage, 'Seat 35')).toContainText('50.00');
  await cage.goto('/reports');
  await expect(cage.locator('.panel', { hasText: 'Tickets in doubt' }).last()).toContainText('50.00');
  await pit.goto('/reports');
  await expect(pit.locator('section', { hasText: 'Tickets in doubt' }).last()).toContainText('Seat 35');

  await player.getByRole('button', { name: 'It is printed' }).click();
  await expect(player.getByRole('dialog')).toHaveCount(0);
  await expect(meter(player, 'Credit')).toHaveText('0.00');
  // Reported: nothing is offered again.
  await pull(host, player);
  await player.reload();
  await expect(meter(player, 'Credit')).toHaveText('0.00');
  await expect(player.getByRole('dialog')).toHaveCount(0);

  await player.getByRole('button', { name: 'Money', exact: true }).click();
  await player.getByLabel('Ticket number').fill(number);
  await player.getByRole('button', { name: 'Redeem into credit' }).click();
  await expect(meter(player, 'Credit')).toHaveText('50.00');
  await player.getByRole('button', { name: 'Money', exact: true }).click();
  await player.getByLabel('Ticket number').fill(number);
  await player.getByRole('button', { name: 'Redeem into credit' }).click();
  await expect(player.locator('.toast.bad')).toBeVisible();
  await leave(player, pit, cage);
});

test('two people resolve a ticket in doubt without its terminal: in hand, credit back, paid by hand; each is paid once', async ({
  browser,
  manager,
}) => {
  void manager;
  await openShift('cashier1', '2000.00');
  const [inHand, back, byHand] = [
    await sit(browser, 28, { credit: 50 }),
    await sit(browser, 29, { credit: 50 }),
    await sit(browser, 35, { credit: 50 }),
  ];
  const numbers = [await prepare(inHand), await prepare(back), await prepare(byHand)] as const;
  await leave(inHand, byHand);
  const pit = await staff(browser, 'supervisor1', '/pit');
  const cage = await staff(browser, 'cashier1', '/cage');

  await resolved(pit, 'Seat 29', 'The player has the ticket', 'supervisor2');
  await expect(doubts(cage, 'Seat 29')).toHaveCount(0);
  await redeem(cage, numbers[0]);
  await expect(cage.locator('.paid')).toContainText('50.00');
  await redeem(cage, numbers[0]);
  await expect(cage.locator('.refused')).toContainText('paid');

  await resolved(pit, 'Seat 30', 'the credit goes back', 'supervisor2');
  await expect(back.getByRole('dialog')).toHaveCount(0);
  await expect(meter(back, 'Credit')).toHaveText('50.00');
  await redeem(cage, numbers[1]);
  await expect(cage.locator('.refused')).toContainText('not printed');

  await resolved(cage, 'Seat 36', 'paid by hand', 'cashier2');
  await expect(doubts(pit, 'Seat 36')).toHaveCount(0);
  await redeem(cage, numbers[2]);
  await expect(cage.locator('.refused')).toContainText('not printed');
  const again = await sit(browser, 35);
  await expect(meter(again, 'Credit')).toHaveText('0.00');
  await finds(browser, manager, 'Ticket in doubt', 'supervisor 1');
  await leave(back, again, pit, cage);
  await closeShift('cashier1');
});

test('a reprint is a duplicate with a number of its own, by two people, as is a large ticket paid', async ({
  browser,
  manager,
}) => {
  void manager;
  await openShift('cashier1', '500.00');
  const cage = await staff(browser, 'cashier1', '/cage');
  await cage.getByLabel('Amount', { exact: true }).fill('60');
  await cage.getByRole('button', { name: 'Sell and print' }).click();
  const old = await printed(cage);
  const sequence = /Ticket no\. (\d+)/.exec((await cage.locator('.ticket').textContent()) ?? '')![1]!;
  await cage.getByRole('button', { name: 'It is printed' }).click();
  await expect(cage.getByRole('dialog')).toHaveCount(0);

  await cage.getByRole('button', { name: 'Reprint a ticket' }).click();
  const dialog = cage.getByRole('dialog');
  await dialog.getByLabel('Ticket no.').fill(sequence);
  await dialog.getByLabel('Reason').fill('The printer tore it');
  const go = dialog.getByRole('button', { name: 'Reprint', exact: true });
  await expect(go).toBeDisabled();
  // One person never supplies both signatures.
  await sign(dialog, 'cashier1');
  await go.click();
  await expect(dialog.locator('.toast.bad')).toBeVisible();
  await sign(dialog, 'cashier2');
  await go.click();
  await expect(cage.locator('.ticket')).toContainText('REPRINT');
  const number = await printed(cage);
  expect(number).not.toBe(old);
  await expect(doubts(cage, 'duplicate')).toContainText('60.00');
  await cage.getByRole('button', { name: 'It is printed' }).click();
  await expect(doubts(cage, 'duplicate')).toHaveCount(0);
  await redeem(cage, old);
  await expect(cage.locator('.refused')).toContainText('duplicate');
  // Its number was on this cashier's screen: a second person signs for paying it (D27).
  await redeem(cage, number);
  await expect(cage.locator('.refused')).toContainText('second person');
  await sign(cage.locator('.redeem'), 'supervisor1');
  await cage.getByRole('button', { name: 'Check and pay' }).click();
  await expect(cage.locator('.paid')).toContainText('60.00');
  await redeem(cage, number);
  await expect(cage.locator('.refused')).toContainText('paid');
  await finds(browser, manager, 'Reprint later redeemed', 'cashier 1');
  await finds(browser, manager, 'Cashier paid a ticket of their own', 'cashier 1');

  // A large ticket is paid by two.
  await cage.getByLabel('Amount', { exact: true }).fill('10000.50');
  await expect(cage.getByRole('button', { name: 'Sell and print' })).toBeDisabled();
  await sign(cage.locator('.sell'), 'supervisor2');
  await cage.getByRole('button', { name: 'Sell and print' }).click();
  const large = await printed(cage);
  await cage.getByRole('button', { name: 'It is printed' }).click();
  await expect(cage.getByRole('dialog')).toHaveCount(0);
  await redeem(cage, large);
  await expect(cage.locator('.refused')).toContainText('second person');
  await sign(cage.locator('.redeem'), 'supervisor1');
  await cage.getByRole('button', { name: 'Check and pay' }).click();
  await expect(cage.locator('.paid')).toContainText('10,000.50');
  await cage.context().close();
  await closeShift('cashier1');
});

test('the drawer is counted blind, handed over with a slip, and closed with its difference', async ({
  browser,
  manager,
}) => {
  void manager;
  const cage = await staff(browser, 'cashier1', '/cage');
  await cage.getByLabel('Float').fill('15000');
  await expect(cage.getByRole('button', { name: 'Open shift' })).toBeDisabled();
  await cage.getByLabel('Float').fill('1000');
  await cage.getByRole('button', { name: 'Open shift' }).click();
  const slip = cage.locator('.slip');
  await expect(slip).toContainText('1,000.00');
  await cage.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).click();

  const count = async (page: Page, pieces: Record<string, number>) => {
    await page.getByRole('button', { name: /Count the drawer|Count again/ }).click();
    for (const [value, many] of Object.entries(pieces))
      await page.getByLabel(value, { exact: true }).fill(String(many));
    await page.getByRole('button', { name: 'Record the count' }).click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
  };
  await expect(cage.getByText('Should hold', { exact: true })).toHaveCount(0);
  // Nor does the box of the second person say what was moved, which adds up to it (D27).
  await cage.getByRole('button', { name: 'Fill from the vault' }).click();
  await expect(cage.getByRole('group', { name: 'Second person' })).toBeVisible();
  await expect(cage.getByRole('dialog')).not.toContainText('1,000.00');
  await cage.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).click();
  const cashier = await Person.signIn('cashier1');
  expect((await cashier.get<{ moved_alone: string | null }>('/session')).moved_alone).toBeNull();
  const shifts = await cashier.get<{ shifts: { closed: string | null }[] }>('/reports/shift');
  expect(shifts.shifts.filter((one) => one.closed === null)).toEqual([]);
  await cashier.http.dispose();
  await count(cage, { '100.00': 9, '50.00': 1, '5.00': 9, '1.00': 4, '0.50': 1 });
  await expect(cage.locator('dl div', { hasText: 'Should hold' })).toContainText('1,000.00');
  await expect(cage.locator('dl div', { hasText: 'Difference' })).toContainText('−0.50');
  // A counted drawer pays and sells nothing more.
  await expect(cage.getByLabel('Ticket number')).toBeDisabled();

  await cage.getByRole('button', { name: 'Hand over to another cashier' }).click();
  const dialog = cage.getByRole('dialog');
  await dialog.getByLabel('Reason for the difference').fill('A coin is missing');
  await sign(dialog, 'cashier2');
  await dialog.getByRole('button', { name: 'Hand the drawer over' }).click();
  await expect(slip).toContainText('Handover of a drawer');
  await expect(slip).toContainText('A coin is missing');
  await expect(slip).toContainText('999.50');
  await dialog.getByRole('button', { name: 'Close', exact: true }).click();
  await expect(cage.getByText('No shift is open')).toBeVisible();

  const other = await staff(browser, 'cashier2', '/cage');
  await expect(other.locator('dl div', { hasText: 'Float' })).toContainText('999.50');
  await count(other, { '100.00': 7 });
  await other.getByRole('button', { name: 'Close shift' }).click();
  const close = other.getByRole('dialog');
  const go = close.getByRole('button', { name: 'Close the shift' });
  await expect(go).toBeDisabled();
  await close.getByLabel('Reason for the difference').fill('Three notes are missing');
  await go.click();
  await expect(close.locator('.toast.bad')).toBeVisible();
  await sign(close, 'supervisor1');
  await go.click();
  await expect(other.locator('.slip')).toContainText('−299.50');
  await leave(cage, other);
});

test('credit by hand above the threshold and a fill need a second person; a threshold is raised by two', async ({
  browser,
  manager,
}) => {
  const player = await sit(browser, 41, { credit: 0 });
  const pit = await staff(browser, 'supervisor1', '/pit');
  const dialog = pit.getByRole('dialog');
  const about = (table: string, action: string) =>
    pit
      .locator('article')
      .filter({ has: pit.getByText(table, { exact: true }) })
      .getByRole('button', { name: action, exact: true })
      .click();
  await about('Sic Bo', 'Terminals');
  await dialog.getByLabel('Terminal').selectOption({ label: 'Seat 42' });
  await dialog.getByRole('radio', { name: 'Put credit in by hand' }).check();
  await dialog.getByLabel('Amount').fill('12000');
  await dialog.getByRole('button', { name: 'Put credit in by hand' }).click();
  await expect(dialog.locator('.toast.bad')).toContainText('second person');
  await sign(dialog, 'supervisor2');
  await dialog.getByRole('button', { name: 'Put credit in by hand' }).click();
  await expect(meter(player, 'Credit')).toHaveText('12,000.00');
  // Large cash is reported at the pit.
  await expect(pit.locator('.alert', { hasText: '12' })).not.toHaveCount(0);

  await expect(dialog).toHaveCount(0);
  await about('Tai Sai', 'Float and drop');
  const go = dialog.getByRole('button', { name: /^Confirm/ });
  await dialog.getByLabel('100.00', { exact: true }).fill('20');
  await dialog.getByLabel('25.00', { exact: true }).fill('4');
  await expect(go).toBeDisabled();
  await sign(dialog, 'supervisor2');
  await go.click();
  await expect(pit.locator('.slip')).toContainText('2,100.00');
  await expect(pit.locator('.slip')).toContainText('supervisor 2');
  await dialog.last().getByRole('button', { name: 'Close', exact: true }).last().click();
  await expect(dialog).toHaveCount(0);

  const office = await staff(browser, 'administrator1', '/admin');
  await office.getByRole('navigation').getByRole('button', { name: 'Two people' }).click();
  await office.getByRole('button', { name: 'Change the thresholds' }).click();
  const form = office.getByRole('dialog');
  await form.getByLabel('A difference at the cage').fill('150');
  await form.getByLabel('Reason').fill('More change in the drawers');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form.locator('.toast.bad')).toContainText('administrators');
  await sign(form, 'administrator2');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(office.locator('dl div', { hasText: 'A difference at the cage' })).toContainText('150.00');

  // Who moved what is on the page of the day.
  const day = (await manager.get<{ period: { first: string } }>('/reports/people')).period.first;
  await pit.goto(`/reports/${day}`);
  await pit.getByRole('link', { name: /Who moved what alone/ }).click();
  await expect(pit.getByRole('row', { name: /Credit put in by hand/ }).first()).toContainText('12,000.00');
  await expect(pit.locator('section', { hasText: 'Large cash' })).toContainText('Seat 42');
  expect(await violations(pit)).toEqual([]);
  await leave(player, pit, office);
});

test('sealed codes: two administrators make them, one opens one, and it serves for one act', async ({
  browser,
  manager,
}) => {
  void manager;
  const office = await staff(browser, 'administrator1', '/admin');
  const dialog = office.getByRole('dialog');
  const half = 'kept by the second person';
  await office.getByRole('navigation').getByRole('button', { name: 'Two people' }).click();
  await office.getByRole('button', { name: 'Seal new codes' }).click();
  await sign(dialog, 'administrator2');
  await dialog.getByLabel('Their half').fill(half);
  await dialog.getByRole('button', { name: 'Save' }).click();
  // A reload while they are shown: they are gone, the page says so, and new ones void them.
  const lost = (await office.locator('.codes code').first().textContent()) ?? '';
  await office.reload();
  await office.getByRole('navigation').getByRole('button', { name: 'Two people' }).click();
  await expect(office.getByRole('alert').filter({ hasText: 'not confirmed as sealed' })).toBeVisible();
  await expect(office.locator('body')).not.toContainText(lost);
  await office.getByRole('button', { name: 'Seal new codes' }).first().click();
  await sign(dialog, 'administrator2');
  await dialog.getByLabel('Their half').fill(half);
  await dialog.getByRole('button', { name: 'Save' }).click();
  const code = (await office.locator('.codes code').first().textContent()) ?? '';
  expect(code).not.toBe(lost);
  await office.getByRole('button', { name: 'They are printed and sealed' }).click();
  await expect(office.getByText('not confirmed as sealed')).toHaveCount(0);
  await expect(office.getByText('4 sealed codes')).toBeVisible();
  await expect(office.locator('body')).not.toContainText(code);

  await office.getByRole('button', { name: 'Open a sealed code' }).click();
  await dialog.getByLabel('Code on the paper').fill(`${code.toLowerCase()}${half}`);
  await dialog.getByLabel('Why there is no second person').fill('The other administrator has left');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(office.getByText('opened a sealed code')).toBeVisible();

  const employ = async (name: string, login: string) => {
    await office.getByRole('navigation').getByRole('button', { name: 'Staff', exact: true }).click();
    await office.getByRole('button', { name: 'Add a person' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill(name);
    await dialog.getByLabel('Login').first().fill(login);
    await dialog.getByLabel('First half of the password').fill('a long enough password');
    await dialog.getByRole('button', { name: 'Save' }).click();
  };
  await employ('Siti Rahman', 'siti');
  await expect(office.getByRole('cell', { name: 'Siti Rahman' })).toBeVisible();
  await employ('Nobody Else', 'nobody');
  await expect(dialog.locator('.toast.bad')).toBeVisible();
  await sign(dialog, 'administrator2');
  await dialog.getByLabel('Their half').fill('and its other half');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(office.getByRole('cell', { name: 'Nobody Else' })).toBeVisible();
  const pit = await staff(browser, 'manager1', '/pit');
  await expect(pit.locator('.alert', { hasText: 'sealed code' })).not.toHaveCount(0);
  await leave(office, pit);
});

test('a loss limit is lowered at once, never raised in the visit, and ends with it', async ({
  browser,
  manager,
}) => {
  void manager;
  const player = await sit(browser, 59, { credit: 50 });
  const dialog = player.getByRole('dialog');
  const set = async (limit: string, button: string) => {
    await player.getByRole('button', { name: 'Loss limit', exact: true }).click();
    await dialog.getByLabel('Amount').fill(limit);
    await dialog.getByRole('button', { name: button }).click();
    await expect(dialog).toHaveCount(0);
  };
  await set('30', 'Set limit');
  await expect(meter(player, 'Loss limit left')).toHaveText('30.00');
  await set('20', 'Lower limit');
  await expect(meter(player, 'Loss limit left')).toHaveText('20.00');
  await player.getByRole('button', { name: 'Loss limit', exact: true }).click();
  await expect(dialog).toContainText('ends with your visit');
  await dialog.getByLabel('Amount').fill('40');
  await expect(dialog.getByRole('button', { name: 'Lower limit' })).toBeDisabled();
  await expect(dialog).toContainText('higher limit when this visit is over');
  await player.keyboard.press('Escape');
  await prepare(player);
  await player.getByRole('button', { name: 'It is printed' }).click();
  await expect(player.locator('.meters')).not.toContainText('Loss limit left');
  await player.context().close();
});
