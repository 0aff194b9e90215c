// Money that stays in sight: at a locked terminal, in the drawer of a cashier who has left, as large cash, and on a slip (D25, D27).
import { violations } from '../axe';
import { expect, meter, Person, sit, staff, tables, test } from './floor';
import { about, leave, sign, witness } from './hands';

test('money at a locked terminal stands at the pit until it is paid', async ({ browser, manager }) => {
  const player = await sit(browser, 16, { credit: 50 });
  await expect(meter(player, 'Credit')).toHaveText('50.00');
  await manager.post('/terminals/16/lock', { reason: 'browser tests' });
  const pit = await staff(browser, 'supervisor1', '/pit');
  const { terminals } = await manager.get<{ terminals: { id: number; name: string }[] }>('');
  const seat = terminals.find((one) => one.id === 16)!.name;
  const held = pit.locator('li', { hasText: seat }).filter({ hasText: '50.00' });
  await expect(held).toBeVisible();
  await manager.post('/terminals/16/hand-pay', { amount: '50.00', witness: witness('supervisor2') });
  await expect(held).toHaveCount(0);
  await manager.post('/terminals/16/unlock');
  await leave(player, pit);
});

test('the drawer of a cashier who has left is counted and closed by two others, with a slip that a reload keeps', async ({
  browser,
  manager,
}) => {
  void manager;
  const cashier = await Person.signIn('cashier2');
  await cashier.post('/cage/shift/open', { float: '300.00' });
  await cashier.http.dispose();
  const pit = await staff(browser, 'manager1', '/pit');
  const drawer = pit.locator('li', { hasText: 'cashier 2' }).filter({ has: pit.getByRole('button') });
  await expect(drawer).not.toContainText('300.00');
  const dialog = pit.getByRole('dialog');
  await drawer.getByRole('button', { name: /^Count/ }).click();
  await dialog.getByLabel('100.00', { exact: true }).fill('3');
  await sign(dialog, 'supervisor2');
  await dialog.getByRole('button', { name: /^Count/ }).click();
  await expect(drawer).toContainText('300.00');
  await drawer.getByRole('button', { name: /^End the shift/ }).click();
  await sign(dialog, 'supervisor2');
  await dialog.getByRole('button', { name: /^End the shift/ }).click();
  await expect(pit.locator('.slip')).toContainText('300.00');
  // The page is loaded again before the slip is printed: it is there again, until it is put away.
  await pit.reload();
  await expect(pit.locator('.slip')).toContainText('300.00');
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
  await pit.reload();
  await expect(pit.getByRole('button', { name: 'Sign out' })).toBeVisible();
  await expect(pit.locator('.slip')).toHaveCount(0);
  await pit.context().close();
});

test('large cash at a live table is alerted at the pit and stands in the report', async ({
  browser,
  manager,
}) => {
  const supervisor = await Person.signIn('supervisor1');
  const sold = { movement: 'buy_in', amount: '12000.00', witness: witness('supervisor2') };
  await supervisor.post(`/tables/${tables.taisai}/float`, sold);
  await supervisor.http.dispose();
  const pit = await staff(browser, 'supervisor2', '/pit');
  await expect(pit.locator('.alert', { hasText: 'Large cash of 12,000.00' })).not.toHaveCount(0);
  const day = (await manager.get<{ period: { first: string } }>('/reports/people')).period.first;
  const report = await staff(browser, 'manager1', `/reports/${day}/people`);
  // With what else was sold there that day.
  await expect(report.getByRole('row', { name: /Tai Sai/ })).toContainText(/1\d,\d{3}\.00/);
  expect(await violations(report)).toEqual([]);
  await leave(pit, report);
});

test('a technician has devices, terminals and health, and no pit, no cage, no staff', async ({
  browser,
  manager,
}) => {
  void manager;
  const office = await staff(browser, 'technician1', '/admin');
  const tabs = office.getByRole('navigation').getByRole('button');
  await expect(tabs).toHaveText(['Terminals', 'Devices', 'Health']);
  await office.getByRole('button', { name: 'Make code' }).first().click();
  const dialog = office.getByRole('dialog');
  await sign(dialog, 'manager1');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(office.locator('.code')).toHaveText(/\S{6,}/);
  await office.getByRole('button', { name: 'I have written it down' }).click();
  expect(await violations(office)).toEqual([]);
  const technician = await Person.signIn('technician1');
  for (const path of ['/reports/people', '/records/events']) {
    expect(
      (await technician.http.get(new URL(`/api/v1/floors/demo${path}`, office.url()).href)).status(),
    ).toBe(403);
  }
  await technician.http.dispose();
  await office.context().close();
});

test('money at a terminal that is offline, or whose key is withdrawn, stands at the pit and is paid by hand', async ({
  browser,
  manager,
}) => {
  void manager;
  const pit = await staff(browser, 'supervisor1', '/pit');
  const dialog = pit.getByRole('dialog');
  const held = (seat: string) =>
    pit.getByRole('listitem').filter({ hasText: seat }).filter({ hasText: 'offline' });
  const pay = async (seat: string) => {
    await about(pit, 'Roulette Triple Zero', 'Terminals');
    await dialog.getByLabel('Terminal').selectOption({ label: seat });
    await dialog.getByLabel('Amount').fill('50');
    await dialog.getByRole('button', { name: 'Hand pay' }).click();
    await expect(dialog.getByText('Pay S$ 50.00 to the player')).toBeVisible();
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
    await expect(held(seat)).toHaveCount(0);
  };
  const away = await sit(browser, 16, { credit: 50 });
  await away.context().close();
  await expect(held('Seat 17')).toContainText('50.00');
  await pay('Seat 17');

  const player = await sit(browser, 22, { credit: 50 });
  const office = await staff(browser, 'administrator1', '/admin');
  await office.getByRole('navigation').getByRole('button', { name: 'Terminals', exact: true }).click();
  await office
    .getByRole('row', { name: /Seat 23/ })
    .getByRole('button', { name: 'Revoke' })
    .click();
  await office.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await expect(player.getByText('key was withdrawn')).toBeVisible();
  await expect(held('Seat 23')).toContainText('50.00');
  await pay('Seat 23');
  // It is enrolled again, and nobody's money is there.
  await player.reload();
  await player.getByRole('button', { name: 'Try again' }).click();
  await player.waitForSelector('.page .layout');
  await expect(meter(player, 'Credit')).toHaveText('0.00');
  await leave(pit, office, player);
});
