// What a player calls for and chooses at a seat: an attendant, one of several tables, the volume, the chips.
import type { Page } from '@playwright/test';
import { violations } from '../axe';
import { expect, Person, sit, staff, tables, test } from './floor';
import { leave } from './hands';

const icon = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test('an attendant is called at a terminal, acknowledged at the pit, and the terminal says so', async ({
  browser,
  manager,
}) => {
  void manager;
  const player = await sit(browser, 40, { credit: 50 });
  const pit = await staff(browser, 'supervisor1', '/pit');
  const alert = pit.locator('.alert', { hasText: 'Seat 41 calls an attendant' });
  await icon(player, 'Attendant').click();
  const dialog = player.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Call an attendant' }).click();
  await expect(dialog).toContainText('An attendant was called at');
  expect(await violations(player)).toEqual([]);
  await player.keyboard.press('Escape');
  await expect(player.locator('.info')).toContainText('Attendant called');
  // It stands over a reload, and once is enough.
  await player.reload();
  await expect(player.locator('.info')).toContainText('Attendant called');
  await expect(alert).toHaveCount(1);
  await alert.getByRole('button', { name: 'An attendant goes' }).click();
  await expect(alert).toHaveCount(0);
  await expect(player.locator('.info')).toContainText('An attendant is coming');
  await icon(player, 'Attendant').click();
  await expect(dialog).toContainText('an attendant is coming');
  await expect(dialog.getByRole('button', { name: 'Call an attendant' })).toBeVisible();
  await leave(player, pit);
});

test('a locked terminal still calls an attendant', async ({ browser, manager }) => {
  const player = await sit(browser, 41, { credit: 0 });
  await manager.post('/terminals/41/lock', { reason: 'browser tests' });
  await player.getByRole('button', { name: 'Call an attendant' }).click();
  await player.getByRole('dialog').getByRole('button', { name: 'Call an attendant' }).click();
  await player.keyboard.press('Escape');
  await expect(player.locator('.veil')).toContainText('Attendant called');
  await manager.post('/terminals/41/unlock');
  await expect(player.locator('.veil')).toHaveCount(0);
  await leave(player);
});

test('a seat for two tables lists each once, plays at the one that is chosen, and the pit finds it there', async ({
  browser,
  manager,
}) => {
  void manager;
  const seat = 34;
  const office = await Person.signIn('administrator1');
  await office.post(`/terminals/${seat}/tables`, { tables: [tables.sicbo, tables.open] });
  const pit = await staff(browser, 'supervisor1', '/pit');
  const player = await sit(browser, seat, { credit: 0 });
  const title = player.getByRole('heading', { level: 1 });
  await expect(title).toHaveText('Sic Bo');
  await icon(player, 'Tables').click();
  // Each offer has its own list of last results.
  const dialog = player.getByRole('dialog', { name: 'Tables' });
  const offers = dialog.locator('.body > ul > li');
  await expect(offers.locator('.head b')).toHaveText(['Sic Bo', 'Sic Bo (Open Cover)']);
  await expect(offers.getByRole('status')).toHaveText([/\S/, /\S/]);
  await expect(offers.getByRole('list', { name: 'Last results' })).toHaveCount(2);
  await expect(offers.getByRole('button')).toHaveText(['You are here', 'Choose']);
  await expect(offers.getByRole('button', { name: 'You are here' })).toBeDisabled();
  expect(await violations(player)).toEqual([]);
  await offers.getByRole('button', { name: 'Choose' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(player.getByRole('dialog', { name: 'Rules' })).toBeVisible();
  await player.keyboard.press('Escape');
  await expect(title).toHaveText('Sic Bo (Open Cover)');
  await icon(player, 'Tables').click();
  await expect(offers.locator('.head b')).toHaveText(['Sic Bo', 'Sic Bo (Open Cover)']);
  await expect(offers.getByRole('button')).toHaveText(['Choose', 'You are here']);
  await player.keyboard.press('Escape');

  // The pit was open before: it finds the seat, once, at the table where it plays now.
  await icon(player, 'Attendant').click();
  await player.getByRole('dialog').getByRole('button', { name: 'Call an attendant' }).click();
  await expect(player.getByRole('dialog').getByRole('status').filter({ hasText: /\S/ })).toHaveText([
    /^An attendant was called at/,
  ]);
  const alert = pit.locator('.alert', { hasText: 'Seat 35 calls an attendant' });
  await expect(alert).toContainText('Sic Bo (Open Cover)');
  await alert.getByRole('button', { name: 'Seat 35', exact: true }).click();
  const whole = pit.getByRole('dialog', { name: 'Seat 35 · Sic Bo (Open Cover)' });
  await whole.getByRole('button', { name: 'Hand pay, credit, lock' }).click();
  const act = pit.getByRole('dialog', { name: 'Terminals · Sic Bo (Open Cover)' });
  await expect(act.getByLabel('Terminal').locator('option:checked')).toHaveText('Seat 35');
  await expect(act.getByLabel('Terminal').getByRole('option', { name: 'Seat 35' })).toHaveCount(1);
  await pit.keyboard.press('Escape');
  await pit.keyboard.press('Escape');
  await alert.getByRole('button', { name: 'An attendant goes' }).click();
  await expect(alert).toHaveCount(0);
  await player.keyboard.press('Escape');
  await icon(player, 'Tables').click();
  await offers.getByRole('button', { name: 'Choose' }).click();
  await expect(title).toHaveText('Sic Bo');
  await office.post(`/terminals/${seat}/tables`, { tables: [] });
  await office.http.dispose();
  await leave(player, pit);
});

test('volume, and the player’s own chips, which a reload keeps', async ({ browser, manager }) => {
  void manager;
  const player = await sit(browser, 29, { credit: 100 });
  await icon(player, 'Settings').click();
  const dialog = player.getByRole('dialog');
  await dialog.getByRole('slider', { name: 'Volume' }).fill('0');
  await expect(dialog.getByRole('button', { name: 'Sound off' })).toBeVisible();
  const rack = player.locator('.rack button');
  const before = await rack.count();
  await dialog.getByRole('button', { name: 'Chip of 5', exact: true }).click();
  await expect(rack).toHaveCount(before - 1);
  expect(await violations(player)).toEqual([]);
  await player.keyboard.press('Escape');
  await player.reload();
  await expect(rack).toHaveCount(before - 1);
  await expect(player.getByRole('radio', { name: 'Chip of 5', exact: true })).toHaveCount(0);
  await leave(player);
});
