// A dialog about a round belongs to that round, and an entry against the device stays in sight and can be taken back.
import { deal, dealAt, expect, next, Person, record, roundOf, settle, staff, tables, test } from './floor';
import { dealing, leave } from './hands';

const ground = 'dice-damaged';
const note = (round: number) => new RegExp(`Round ${round} is over\\. Nothing was done`);

test('a dialog about a round is closed when the table goes on to another, and does nothing to that one', async ({
  browser,
  manager,
}) => {
  const { console, round } = await dealing(browser, tables.open);
  const pit = await staff(browser, 'manager2', '/pit');
  const card = pit.locator('article').filter({ hasText: 'Sic Bo (Open Cover)' });
  await expect(card).toContainText(`Round ${round}`);

  // Two people stand before an open dialog each, while the round is ended by another.
  await console.getByRole('button', { name: 'Void', exact: true }).click();
  await expect(console.getByRole('dialog', { name: `Round ${round}` })).toBeVisible();
  await console.getByRole('dialog').getByRole('radio').first().click();
  await card.getByRole('button', { name: 'Table', exact: true }).click();
  await pit.getByRole('button', { name: 'Void this round' }).click();
  const own = pit.getByRole('dialog', { name: `Void · Round ${round}` });
  await expect(own).toBeVisible();
  await manager.post(`/tables/${tables.open}/void`, { ground });

  await expect(console.getByRole('dialog')).toHaveCount(0);
  await expect(console.getByText(note(round))).toBeVisible();
  await expect(own).toHaveCount(0);
  await expect(pit.getByText(note(round))).toBeVisible();

  // The same for what is reported: the next round goes on.
  await next(console, 'Open bets');
  const second = await roundOf(console);
  expect(second).not.toBe(round);
  await console.getByRole('button', { name: 'Report an interruption' }).click();
  await console.getByRole('radio', { name: 'Power at the table' }).click();
  await manager.post(`/tables/${tables.open}/void`, { ground });
  const dealer = await Person.signIn('dealer4');
  await dealer.post(`/tables/${tables.open}/open-bets`);
  await expect(console.getByRole('dialog')).toHaveCount(0);
  const third = await roundOf(console);
  expect(third).not.toBe(second);
  await next(console, 'Close bets');
  await deal(console, 'Tumble', false);
  await settle(console);
  await record(manager, third, (found) => found.round.status === 'settled');
  await dealer.http.dispose();
  await leave(console, pit);
});

test('a held entry stays in sight over a reload, and can be taken back', async ({ browser, manager }) => {
  const { console, round } = await dealing(browser, tables.open);
  await next(console, 'Close bets');
  await deal(console, 'Tumble', false);
  const read = /reads (\S+)/.exec((await console.locator('.question').textContent()) ?? '')?.[1] ?? '';
  // The first outcome of all: nothing about it is "no outcome".
  const mistyped = read === '1-1-1' ? '2-2-2' : '1-1-1';
  const clear = console.getByRole('button', { name: 'Clear' });
  const type = async (dice: string) => {
    await clear.click();
    const keys = console.locator('.entry .keys');
    for (const face of dice.split('-')) await keys.getByRole('button', { name: face, exact: true }).click();
  };
  await type(mistyped);
  await next(console, 'Enter the result');
  const held = `Held: entered ${mistyped}, the device read ${read}`;
  await expect(console.locator('.question')).toContainText(held);

  await console.reload();
  await expect(console.locator('.question')).toContainText(held);
  await expect(console.locator('.next .huge')).toHaveText('Confirm and pay');
  const pit = await staff(browser, 'supervisor2', '/pit');
  const card = pit.locator('article').filter({ hasText: 'Sic Bo (Open Cover)' });
  await expect(card).toContainText(`Held: ${mistyped}. The device read something else`);
  await card.getByRole('button', { name: 'Table', exact: true }).click();
  await expect(pit.getByRole('dialog')).toContainText(held);

  await type(read);
  await expect(console.locator('.question')).toContainText(held);
  await next(console, 'Change the result');
  await expect(console.locator('.question')).toContainText(`The result is ${read}`);
  await next(console, 'Confirm and pay');
  await expect(console.locator('.question')).toContainText(`Last round: ${read}`);
  await record(manager, round, (found) => found.round.outcome === read);
  await leave(console, pit);
});

test('a settled round is corrected at the console after the preview of everything that would move', async ({
  browser,
  manager,
}) => {
  const console = await dealAt(browser, tables.open);
  // A dealer is not offered what only the pit may do.
  await expect(console.getByRole('button', { name: 'Correct a settled round' })).toHaveCount(0);
  await next(console, 'Open bets');
  const round = await roundOf(console);
  await next(console, 'Close bets');
  await deal(console, 'Tumble', false);
  const outcome = await settle(console);
  await record(manager, round, (found) => found.round.status === 'settled');

  const desk = await staff(browser, 'manager2', `/console/${tables.open}`);
  await desk.getByRole('button', { name: 'Correct a settled round' }).click();
  const dialog = desk.getByRole('dialog');
  await expect(dialog.getByLabel('Round number')).toHaveValue(String(round));
  const actual = outcome === '6-6-5' ? '6-5-4' : '6-6-5';
  await dialog.getByLabel('What the dice or wheel showed').fill(actual);
  await dialog.getByRole('button', { name: 'Preview' }).click();
  await expect(dialog.locator('tbody tr')).toContainText(outcome);
  await expect(dialog.locator('tfoot')).toBeInViewport();
  // What was typed is not thrown away by a tap beside the dialog.
  await desk.mouse.click(5, 400);
  await expect(dialog.getByLabel('What the dice or wheel showed')).toHaveValue(actual);
  await dialog.getByLabel('Reason').fill('A die was covered by the arm');
  await dialog.getByLabel('Login').fill('supervisor1');
  await dialog.getByLabel('Their password').fill('demonstration');
  await dialog.getByRole('button', { name: 'Confirm as previewed' }).click();
  await expect(dialog).toHaveCount(0);
  await record(manager, round, (found) => found.round.outcome === actual);
  await leave(console, desk);
});

test('while the host is lost nothing is sent from a dialog; it goes on with the same round', async ({
  browser,
  host,
  manager,
}) => {
  // However long the program takes to begin again, the round is not interrupted.
  const settings = { grace: 60_000 };
  await manager.post(`/tables/${tables.sicbo}/settings`, { settings, reason: 'browser tests' });
  const { console, round } = await dealing(browser, tables.sicbo);
  await console.getByRole('button', { name: 'Void', exact: true }).click();
  const dialog = console.getByRole('dialog', { name: `Void · Round ${round}` });
  await dialog.getByRole('radio').first().click();
  await host.kill();
  await expect(dialog).toContainText('The host is lost', { timeout: 6000 });
  await expect(dialog.locator('[inert]')).toHaveCount(1);
  await host.start();
  await expect(dialog.locator('[inert]')).toHaveCount(0, { timeout: 30_000 });
  await expect(dialog.getByRole('radio').first()).toBeChecked();
  const again = await Person.signIn('manager1');
  await again.post(`/tables/${tables.sicbo}/void`, { ground });
  await expect(dialog).toHaveCount(0);
  await expect(console.getByText(note(round))).toBeVisible();
  await again.http.dispose();
  await console.context().close();
});
