// What the pit finds quickly: every seat on one map, a seat as a whole, what a player disputes, who dealt, and the handover.
import { violations } from '../axe';
import { deal, expect, next, settle, sit, staff, staked, tables, test, touch } from './floor';
import { betting, leave, sign } from './hands';

test('the floor map shows each seat by its state, and a touch opens it', async ({ browser, manager }) => {
  const player = await sit(browser, 40, { credit: 50 });
  const pit = await staff(browser, 'supervisor1', '/pit');
  await pit.getByRole('button', { name: 'Floor map' }).click();
  const map = pit.getByRole('dialog', { name: 'Floor map' });
  await expect(map.getByRole('button', { name: 'Seat 41: Occupied' })).toBeVisible();
  expect(await violations(pit)).toEqual([]);
  await player.getByRole('button', { name: 'Attendant', exact: true }).click();
  await player.getByRole('dialog').getByRole('button', { name: 'Call an attendant' }).click();
  await expect(map.getByRole('button', { name: 'Seat 41: Calls an attendant' })).toBeVisible();
  await map.getByRole('button', { name: 'Seat 41: Calls an attendant' }).click();
  const seat = pit.getByRole('dialog', { name: /^Seat 41 · / });
  await expect(seat).toContainText('50.00');
  await expect(seat).toContainText('Calls an attendant');
  await seat.getByRole('tab', { name: 'Money' }).click();
  await expect(seat).toContainText('+50.00');
  expect(await violations(pit)).toEqual([]);
  // The pit acts on this very seat.
  await seat.getByRole('button', { name: 'Hand pay, credit, lock' }).click();
  const act = pit.getByRole('dialog').last();
  await expect(act.getByLabel('Terminal').locator('option:checked')).toHaveText('Seat 41');
  await act.getByLabel('Reason').last().fill('browser tests');
  await act.getByRole('button', { name: 'Lock terminal', exact: true }).click();
  await expect(act.getByLabel('Terminal')).toHaveCount(0);
  await pit.keyboard.press('Escape');
  await pit.getByRole('dialog', { name: 'Floor map' }).waitFor();
  await pit.keyboard.press('Escape');
  // From the alert one comes to the seat as well.
  const alert = pit.locator('.alert', { hasText: 'Seat 41 calls an attendant' });
  await expect(alert.locator('.grave')).toHaveText('Soon');
  await alert.getByRole('button', { name: 'Seat 41', exact: true }).click();
  await expect(seat).toContainText('browser tests');
  await pit.keyboard.press('Escape');
  await alert.getByRole('button', { name: 'An attendant goes' }).click();
  await expect(alert).toHaveCount(0);
  await manager.post('/terminals/40/unlock');
  await leave(player, pit);
});

test('a dispute is found by seat and amount, down to the bets of the round', async ({ browser, manager }) => {
  void manager;
  const { console, player, round } = await betting(browser, tables.sicbo, 35, 100);
  for (const spot of ['big', 'small', 'odd']) await touch(player, spot);
  await staked(player, '15.00');
  await next(console, 'Close bets');
  await deal(console, 'Tumble', true);
  await settle(console);
  const pit = await staff(browser, 'supervisor2', '/pit');
  await pit.getByRole('button', { name: 'Dispute' }).click();
  const dialog = pit.getByRole('dialog', { name: 'Dispute' });
  const search = dialog.getByRole('button', { name: 'Search' });
  await dialog.getByLabel('Terminal').selectOption({ label: 'Seat 36' });
  await dialog.getByLabel('Amount').fill('abc');
  await expect(search).toBeDisabled();
  await dialog.getByLabel('Amount').fill('15');
  await search.click();
  const row = dialog.getByRole('row', { name: new RegExp(`Seat 36 .*15\\.00.*${round}`) });
  await expect(row).toBeVisible();
  expect(await violations(pit)).toEqual([]);
  await row.getByRole('button', { name: String(round), exact: true }).click();
  const whole = pit.getByRole('dialog').last();
  await expect(whole).toContainText(`Round ${round}`);
  await expect(whole).toContainText('Seat 36');
  await leave(console, player, pit);
});

test('who dealt and how fast, and the sheet for the next shift', async ({ browser, manager }) => {
  void manager;
  const pit = await staff(browser, 'manager1', '/pit');
  await pit.getByRole('button', { name: 'Dealers', exact: true }).click();
  const dealers = pit.getByRole('dialog', { name: 'Dealers' });
  await expect(dealers.getByRole('row', { name: /dealer \d/ }).first()).toBeVisible();
  expect(await violations(pit)).toEqual([]);
  await pit.keyboard.press('Escape');
  await pit.getByRole('button', { name: 'Shift handover' }).click();
  const sheet = pit.getByRole('dialog', { name: 'Shift handover' });
  await sheet.getByLabel('Notes for the next shift').fill('Seat 12 waits for a technician');
  await expect(sheet.locator('.sheet')).toContainText('Seat 12 waits for a technician');
  await expect(sheet.locator('.sheet')).toContainText('Handed over by: manager 1');
  await expect(sheet.locator('tbody tr')).toHaveCount(5);
  expect(await violations(pit)).toEqual([]);
  await leave(pit);
});

test('the office: search, who changed what, permissions by document, codes for a whole table', async ({
  browser,
  manager,
}) => {
  await manager.post(`/tables/${tables.roulette}/settings`, {
    settings: { betting_period: 599_000 },
    reason: 'a shorter round for the test',
  });
  const desk = await staff(browser, 'administrator1', '/admin');
  const office = (name: string) =>
    desk.getByRole('navigation').getByRole('button', { name, exact: true }).click();
  await office('Staff');
  await desk.getByRole('searchbox', { name: 'Search' }).fill('dealer 3');
  await expect(desk.getByRole('row')).toHaveCount(2);
  await office('History');
  await desk.getByLabel('Search').fill('shorter round');
  await expect(desk.getByRole('row', { name: /a shorter round for the test/ })).toContainText('manager 1');
  expect(await violations(desk)).toEqual([]);
  await office('Powers');
  const permissions = desk.getByRole('table', { name: 'Permissions by document' });
  await expect(permissions.getByRole('row', { name: /^Correct after settlement/i })).toContainText(
    'Shift Manager',
  );
  expect(await violations(desk)).toEqual([]);

  await office('Terminals');
  await desk.getByRole('button', { name: 'Codes for many' }).click();
  const dialog = desk.getByRole('dialog', { name: 'Codes for many' });
  await dialog.getByLabel('Table').selectOption(String(tables.mbs));
  await dialog.getByLabel('Only terminals').uncheck();
  await sign(dialog, 'administrator2');
  await dialog.getByRole('button', { name: 'Make code' }).click();
  const papers = dialog.locator('article');
  await expect(papers.first().locator('code')).toHaveText(/\S{6,}/, { timeout: 30_000 });
  const codes = await papers.locator('code').allTextContents();
  expect(new Set(codes).size).toBe(codes.length);
  expect(await violations(desk)).toEqual([]);
  await dialog.getByRole('button', { name: 'I have written it down' }).click();
  await expect(dialog).toHaveCount(0);
  await leave(desk);
});
