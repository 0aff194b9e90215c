// The drawer of a cashier and the tray of a live table: what goes in, out and over to another, with its slips (D27); and what
// is said of wrong ticket numbers, at the cage and at a terminal (S16).
import type { Page } from '@playwright/test';
import { expect, Person, sit, staff, tables, test } from './floor';
import {
  about,
  closeShift,
  credit,
  insert,
  leave,
  openShift,
  prepare,
  printed,
  redeem,
  sign,
  unissued,
  witness,
} from './hands';

const close = (page: Page) =>
  page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).last().click();
async function pieces(page: Page, counted: Record<string, number>): Promise<void> {
  for (const [value, many] of Object.entries(counted))
    await page.getByRole('dialog').getByLabel(value, { exact: true }).fill(String(many));
}

test('a drawer: cash back to the vault, a number of nobody and one of another floor, a second count by two', async ({
  browser,
  manager,
}) => {
  void manager;
  await openShift('cashier2', '1000.00');
  const cage = await staff(browser, 'cashier2', '/cage');
  const dialog = cage.getByRole('dialog');
  await cage.getByLabel('Amount', { exact: true }).fill('60');
  await cage.getByRole('button', { name: 'Sell and print' }).click();
  const number = await printed(cage);
  await cage.getByRole('button', { name: 'It is printed' }).click();
  await expect(dialog).toHaveCount(0);
  await redeem(cage, unissued(number));
  await expect(cage.locator('.refused')).toContainText('not known on this floor');
  const elsewhere = number.startsWith('1') ? '2222' : '1111';
  await redeem(cage, unissued(number, elsewhere));
  await expect(cage.locator('.refused')).toContainText(`issued on another floor, number ${elsewhere}`);

  await cage.getByRole('button', { name: 'Credit to the vault' }).click();
  await pieces(cage, { '100.00': 3 });
  const go = dialog.getByRole('button', { name: 'Confirm' });
  await expect(go).toBeDisabled();
  await sign(dialog, 'supervisor2');
  await go.click();
  const slip = cage.locator('.slip');
  await expect(slip).toContainText('300.00');
  await expect(slip).toContainText('supervisor 2');
  await close(cage);

  // 1,000 + 60 − 300: sixty is missing, and was in the other compartment.
  const difference = cage.locator('dl div', { hasText: 'Difference' });
  await cage.getByRole('button', { name: 'Count the drawer' }).click();
  await pieces(cage, { '100.00': 7 });
  await dialog.getByRole('button', { name: 'Record the count' }).click();
  await expect(difference).toContainText('−60.00');
  await cage.getByRole('button', { name: 'Count again' }).click();
  await pieces(cage, { '100.00': 7, '50.00': 1, '10.00': 1 });
  const again = dialog.getByRole('button', { name: 'Record the count' });
  await expect(again).toBeDisabled();
  await sign(dialog, 'supervisor2');
  await again.click();
  await expect(difference).toContainText('No difference');
  await cage.getByRole('button', { name: 'Close shift' }).click();
  await dialog.getByRole('button', { name: 'Close the shift' }).click();
  await expect(slip).toContainText('760.00');
  await close(cage);
  await expect(cage.getByText('No shift is open')).toBeVisible();
  await cage.context().close();
});

test('the drawer of a cashier who has left is counted, and passed on to another, who goes on with it', async ({
  browser,
  manager,
}) => {
  void manager;
  await openShift('cashier1', '400.00');
  const pit = await staff(browser, 'manager1', '/pit');
  const drawer = pit.getByRole('listitem').filter({ hasText: 'cashier 1' }).filter({ hasText: 'Shift' });
  const dialog = pit.getByRole('dialog');
  await drawer.getByRole('button', { name: 'Count for cashier 1' }).click();
  await pieces(pit, { '100.00': 4 });
  await sign(dialog, 'supervisor2');
  await dialog.getByRole('button', { name: 'Count for cashier 1' }).click();
  await expect(drawer).toContainText('400.00');
  await drawer.getByRole('button', { name: 'Pass on the drawer of cashier 1' }).click();
  const go = dialog.getByRole('button', { name: 'Pass on the drawer of cashier 1' });
  await expect(go).toBeDisabled();
  // Who takes it is a cashier, and another one.
  await sign(dialog, 'supervisor2');
  await go.click();
  await expect(dialog.locator('.toast.bad')).toBeVisible();
  await sign(dialog, 'cashier2');
  await go.click();
  await expect(pit.locator('.slip')).toContainText('Handover of a drawer');
  await expect(pit.locator('.slip')).toContainText('cashier 2');
  await close(pit);
  const cage = await staff(browser, 'cashier2', '/cage');
  await expect(cage.locator('dl div', { hasText: 'Float' })).toContainText('400.00');
  await expect(cage.getByLabel('Ticket number')).toBeEnabled();
  await leave(pit, cage);
  await closeShift('cashier2');
});

test('a live table: credit, drop and closer with their slips, a tray that never goes below zero, and the opener', async ({
  browser,
  manager,
}) => {
  void manager;
  const pit = await staff(browser, 'supervisor1', '/pit');
  const dialog = pit.getByRole('dialog');
  const slip = pit.locator('.slip');
  const holds = async (what: string) => {
    const text = await dialog.locator('dl div', { hasText: what }).locator('dd').textContent();
    return Math.round(Number((text ?? '').replaceAll(',', '')) * 100);
  };
  const move = async (movement: string, counted: Record<string, number>, reason = '') => {
    await dialog.getByLabel('Movement').selectOption({ label: movement });
    await pieces(pit, counted);
    if (reason !== '') await dialog.getByLabel('Why it differs').fill(reason);
    await sign(dialog, 'supervisor2');
    await dialog.getByRole('button', { name: /^Confirm/ }).click();
  };
  /** So many pieces of each denomination make an amount. */
  const counted = (amount: number, denominations: number[]) => {
    const found: Record<string, number> = {};
    for (const one of denominations) {
      const many = Math.floor(amount / one);
      if (many > 0) found[(one / 100).toLocaleString('en-SG', { minimumFractionDigits: 2 })] = many;
      amount %= one;
    }
    return found;
  };
  const chips = [1_000_000, 100_000, 10_000, 2500, 500, 100];
  const open = () => about(pit, 'Tai Sai', 'Float and drop');
  const put = async (title: string) => {
    await expect(slip).toContainText(title);
    await expect(slip).toContainText('supervisor 2');
    await close(pit);
    await expect(dialog).toHaveCount(0);
  };

  await open();
  const tray = await holds('In the tray');
  await move('Credit', counted(tray + 100, chips));
  await expect(dialog.locator('.toast.bad')).toContainText('tray holds');
  await pit.keyboard.press('Escape');
  await open();
  await move('Credit', { '1,000.00': 2 });
  await put('Credit');
  await open();
  expect(await holds('In the tray')).toBe(tray - 200_000);
  // There is an opener already.
  await move('Opener', { '1,000.00': 2 });
  await expect(dialog.locator('.toast.bad')).toContainText('table has its opener');
  await pit.keyboard.press('Escape');

  // What players gave for chips is in the box.
  await open();
  await dialog.getByLabel('Movement').selectOption({ label: 'Buy-in' });
  await dialog.getByLabel('Amount').fill('300');
  await dialog.getByRole('button', { name: /^Confirm/ }).click();
  await expect(dialog).toHaveCount(0);
  await open();
  const box = await holds('In the drop box');
  expect(box).toBeGreaterThanOrEqual(30_000);
  await move('Drop counted', counted(box - 5000, [100_000, 10_000, 5000, 1000, 500, 200, 100]));
  await expect(dialog.locator('.toast.bad')).toBeVisible();
  await dialog.getByLabel('Why it differs').fill('A note was torn');
  await sign(dialog, 'supervisor2');
  await dialog.getByRole('button', { name: /^Confirm/ }).click();
  await expect(slip).toContainText('A note was torn');
  await put('Drop');
  await open();
  const rest = await holds('In the tray');
  await move('Closer', counted(rest, chips));
  await put('Closer');
  await open();
  expect(await holds('In the tray')).toBe(0);
  await move('Opener', counted(tray, chips));
  await put('Opener');
  await open();
  expect(await holds('In the tray')).toBe(tray);
  await pit.context().close();
});

test('five unknown ticket numbers stop a terminal, the right one too, until the pit lifts it', async ({
  browser,
  manager,
}) => {
  void manager;
  const first = await sit(browser, 58, { credit: 50 });
  const number = await prepare(first);
  await first.getByRole('button', { name: 'It is printed' }).click();
  await expect(credit(first)).toHaveText('0.00');
  const player = await sit(browser, 59, { credit: 0 });
  const refused = player.locator('.toast.bad');
  for (const nth of [1, 2, 3, 4, 5]) {
    await insert(player, unissued(number, number.slice(0, 4), nth));
    await expect(refused).toContainText('not known on this floor');
  }
  await insert(player, number);
  await expect(refused).toContainText('too many wrong ticket numbers', { ignoreCase: true });
  const pit = await staff(browser, 'supervisor1', '/pit');
  const stop = pit
    .getByRole('listitem')
    .filter({ hasText: 'Seat 60' })
    .filter({ hasText: 'unknown numbers' });
  await expect(stop).toContainText('5 unknown numbers');
  await expect(pit.locator('.alert', { hasText: 'Many wrong ticket numbers: Seat 60' })).toBeVisible();
  await stop.getByRole('button', { name: 'Lift the stop' }).click();
  await expect(stop).toHaveCount(0);
  await insert(player, number);
  await expect(credit(player)).toHaveText('50.00');
  await leave(first, player, pit);
});

test('money of a correction above the threshold is paid at the cage by two, from a float for which two have signed', async ({
  browser,
  manager,
}) => {
  void manager;
  const cage = await staff(browser, 'cashier1', '/cage');
  await cage.getByLabel('Float').fill('15000');
  await sign(cage.locator('form'), 'supervisor2');
  await cage.getByRole('button', { name: 'Open shift' }).click();
  await expect(cage.locator('.slip')).toContainText('15,000.00');
  await expect(cage.locator('.slip')).toContainText('supervisor 2');
  await close(cage);
  const shift = await Person.signIn('shift1');
  const seat = 23;
  const player = await sit(browser, seat, { credit: 50 });
  await prepare(player);
  await player.getByRole('button', { name: 'It is printed' }).click();
  await expect(credit(player)).toHaveText('0.00');
  const decided = { ruling: 'pay', terminal: seat, amount: '12000.00', reason: 'The recording shows a win' };
  await shift.post(`/tables/${tables.roulette}/decide`, { ...decided, witness: witness('casino1') });
  await shift.http.dispose();
  const row = cage.getByRole('listitem').filter({ hasText: 'Seat 24' }).filter({ hasText: '12,000.00' });
  await row.getByRole('button', { name: 'Pay out' }).click();
  const dialog = cage.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Pay out' }).click();
  await expect(dialog.locator('.toast.bad')).toContainText('second person');
  await sign(dialog, 'supervisor1');
  await dialog.getByRole('button', { name: 'Pay out' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(cage.locator('.paid')).toContainText('12,000.00');
  await expect(row).toHaveCount(0);
  await leave(player, cage);
  await closeShift('cashier1');
});
