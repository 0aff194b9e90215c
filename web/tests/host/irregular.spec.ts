// What goes wrong on a floor, and how the pages and the program put it right.
import {
  credited,
  deal,
  dealAt,
  expect,
  meter,
  money,
  next,
  notice,
  Person,
  record,
  settle,
  sit,
  staff,
  staked,
  tables,
  test,
  touch,
} from './floor';
import { betting, dealing, finds, leave, witness } from './hands';

test('void: every bet comes back, with the ground on the player’s screen, also after a reload', async ({
  browser,
  manager,
}) => {
  const { console, player, round } = await betting(browser, tables.sicbo, 29, 100);
  await touch(player, 'big');
  await staked(player, '5.00');
  await next(console, 'Close bets');
  await console.getByRole('button', { name: 'Void', exact: true }).click();
  const ground = console.getByRole('dialog').getByRole('radio').first();
  const paragraph = (await ground.locator('b').textContent()) ?? '';
  await ground.click();
  await console.getByRole('button', { name: 'Void the round' }).click();
  await expect(console.locator('.question')).toContainText('Void');
  await expect(player.locator('.outcome.void')).toContainText('all bets returned');
  await expect(player.locator('.outcome.void')).toContainText(paragraph);
  await expect(meter(player, 'Credit')).toHaveText('100.00');
  const whole = await record(manager, round, (found) => found.round.status === 'void');
  expect(whole.round.returned).toBe(whole.round.staked);
  await player.reload();
  await expect(player.locator('.outcome.void')).toContainText('all bets returned');
  await expect(player.locator('.outcome.void')).toContainText(paragraph);
  await leave(player, console);
});

test('a device’s report freezes the round until it is decided', async ({ browser }) => {
  const { console } = await dealing(browser, tables.open);
  await next(console, 'Close bets');
  await console.getByText('Fault', { exact: true }).click();
  await console.getByRole('button', { name: 'Too few tumbles' }).click();
  await console.getByRole('button', { name: 'Tumble', exact: true }).click();
  await expect(console.getByRole('heading', { name: /Round frozen · 5\.3\.1/ })).toBeVisible({
    timeout: 30_000,
  });
  await console.getByRole('button', { name: 'Confirm: void the round' }).click();
  await expect(console.locator('.question')).toContainText('Void');
  await console.context().close();
});

test('a wrong result is put right by the pit with a witness, and the player is paid', async ({
  browser,
  manager,
}) => {
  const { console, player, round } = await betting(browser, tables.open, 46, 100);
  // Whatever falls, one of these two has not.
  for (const triple of ['triple/5', 'triple/6']) await touch(player, triple);
  await staked(player, '10.00');
  await next(console, 'Close bets');
  await deal(console, 'Tumble', false);
  const shown = (await settle(console)) === '6-6-6' ? '5-5-5' : '6-6-6';
  const before = await record(manager, round, (found) => found.round.status === 'settled');
  const credit = 9000 + money(before.players.find((one) => one.terminal === 46)!.entitled);
  await expect.poll(() => credited(player)).toBe(credit);

  const pit = await staff(browser, 'manager1', '/pit');
  await pit.getByLabel('Round number').fill(String(round));
  await pit.getByRole('button', { name: 'Search', exact: true }).click();
  await expect(pit.getByRole('heading', { name: 'Every event in order' })).toBeVisible();
  await pit.getByRole('button', { name: 'Correct result' }).click();
  await pit.getByLabel('What the dice or wheel showed').fill(shown);
  // Before the confirmation, the preview shows what would move (D24).
  await pit.getByRole('button', { name: 'Preview' }).click();
  await expect(pit.getByRole('row', { name: new RegExp(`^${round} .* ${shown} 1 `) })).toBeVisible();
  await pit.getByLabel('Reason').fill('The camera shows three sixes');
  await pit.getByLabel('Login').fill('supervisor1');
  await pit.getByLabel('Their password').fill('demonstration');
  await pit.getByRole('button', { name: 'Confirm as previewed' }).click();
  await expect(pit.locator('.toast.good')).toBeVisible();
  await expect(pit.locator('.record .result')).toHaveText(shown);
  // 5 on the specific triple returns 980.
  await expect.poll(() => credited(player)).toBe(9000 + 98_000);
  const after = await record(manager, round, (found) => found.round.corrections === 1);
  expect(after.lines.some((line) => line.words.includes(shown))).toBe(true);

  // Once more to the same player, by the same person: the audit of people names it.
  const again = { reason: 'Back and forth', witness: witness('supervisor1') };
  await manager.post(`/rounds/${round}/correct`, { outcome: '1-2-3', ...again });
  await manager.post(`/rounds/${round}/correct`, { outcome: shown, ...again });
  await finds(browser, manager, 'Correction that favours one visit', /terminal 46 2 times/);

  // For a dispute: the whole record, saved.
  const saved = pit.waitForEvent('download');
  await pit.getByRole('button', { name: 'Export for a dispute' }).click();
  expect((await saved).suggestedFilename()).toBe(`round-${round}.json`);
  await leave(pit, player, console);
});

test('the Shift Manager decides, and it is recorded', async ({ browser }) => {
  const player = await sit(browser, 17, { credit: 100 });
  const pit = await staff(browser, 'shift1', '/pit');
  const table = pit.locator('article', { hasText: 'Roulette Triple Zero' });
  await table.getByRole('button', { name: 'Decision' }).click();
  await pit.getByRole('combobox', { name: 'Decision' }).selectOption('pay');
  await pit.getByRole('combobox', { name: 'Terminal' }).selectOption({ label: 'Seat 18' });
  await pit.getByRole('textbox', { name: 'Amount' }).fill('25');
  await pit.getByLabel('Reason').fill('Goodwill for a misread announcement');
  await pit.getByLabel('Login').fill('supervisor1');
  await pit.getByLabel('Their password').fill('demonstration');
  await pit.getByRole('button', { name: 'Confirm' }).click();
  await expect(meter(player, 'Credit')).toHaveText('125.00');
  await pit.getByRole('button', { name: 'Significant events' }).click();
  await pit.getByLabel('Kind').selectOption('discretion');
  await pit.getByRole('button', { name: 'Search', exact: true }).last().click();
  await expect(pit.getByRole('dialog')).toContainText('Goodwill');
  await leave(pit, player);
});

test('limits are announced before they hold, a closing before it comes', async ({ browser, manager }) => {
  const player = await sit(browser, 10);
  const display = await (await browser.newContext({ viewport: { width: 1920, height: 1080 } })).newPage();
  await display.goto(`/display/${tables.mbs}`);
  const console = await dealAt(browser, tables.mbs);
  await next(console, 'Begin round');
  // With a round on, what is changed holds from the next one.
  await expect(notice(player)).toHaveText('Tumbling');
  await manager.post(`/tables/${tables.mbs}/settings`, {
    settings: { limit: { minimum: '5.00', maximum: '200.00' } },
    reason: 'busy evening',
  });
  for (const page of [player, display]) await expect(page.locator('.announcements')).toContainText('5 – 200');
  await console.getByRole('button', { name: 'Void', exact: true }).click();
  await console.getByRole('dialog').getByRole('radio').first().click();
  await console.getByRole('button', { name: 'Void the round' }).click();
  await expect(console.locator('.question')).toContainText('Void');
  // Closing a table is for the pit: the dealer's button is grey, with the reason.
  await expect(console.getByRole('button', { name: 'Announce closing' })).toBeDisabled();
  const settings = { closing_notice: 1000 };
  await manager.post(`/tables/${tables.mbs}/settings`, { settings, reason: 'a short evening' });
  await manager.post(`/tables/${tables.mbs}/announce-closing`);
  for (const page of [player, display])
    await expect(page.locator('.announcements .closing')).toContainText(/closes in|about to close/);
  await expect(() => manager.post(`/tables/${tables.mbs}/close`)).toPass();
  for (const page of [player, display]) await expect(notice(page)).toHaveText('This table is closed');
  await manager.post(`/tables/${tables.mbs}/open`);
  await expect(notice(player)).not.toHaveText('This table is closed');
  await leave(player, display, console);
});

test('killed in the middle of a round: the pages recover by themselves, the round is attested and ends', async ({
  browser,
  host,
  manager: before,
}) => {
  // However short it was, a stoppage is to be attested here.
  await before.post(`/tables/${tables.roulette}/settings`, {
    settings: { grace: 0 },
    reason: 'browser tests',
  });
  const { console, player, round } = await betting(browser, tables.roulette, 22, 100);
  await touch(player, 'red');
  await staked(player, '5.00');
  const marks = async (page: typeof player) => page.evaluate(() => Object.assign(globalThis, { same: true }));
  await marks(player);
  await marks(console);

  await host.kill();
  await expect(player.getByRole('alert')).toContainText('Connection lost', { timeout: 4000 });
  await expect(console.getByRole('alert').filter({ hasText: 'reconnecting' })).toBeVisible({ timeout: 4000 });
  await host.start();
  await expect(player.locator('.page.lost')).toHaveCount(0, { timeout: 30_000 });
  await staked(player, '5.00');

  // What an interruption did is attested by the dealer and a witness; here it was only the host.
  await console.locator('li', { hasText: 'not affected' }).getByRole('button', { name: 'Attest' }).click();
  const dialog = console.getByRole('dialog');
  await dialog.getByLabel('Login').fill('supervisor1');
  await dialog.getByLabel('Their password').fill('mistyped');
  await dialog.getByRole('button', { name: 'Attest' }).click();
  await expect(dialog.locator('.toast.bad')).toBeVisible();
  await dialog.getByLabel('Their password').fill('demonstration');
  await dialog.getByRole('button', { name: 'Attest' }).click();
  await expect(dialog).toHaveCount(0);
  await next(console, 'Close bets');
  await deal(console, 'Spin', false);
  await settle(console);
  // The session has ended.
  const manager = await Person.signIn('manager1');
  const ended = await record(manager, round, (found) => found.round.status !== 'open');
  const mine = ended.players.find((one) => one.terminal === 22)!;
  expect(mine.staked).toBe('5.00');
  const credit = 10_000 - 500 + money(mine.entitled);
  await expect.poll(() => credited(player), { timeout: 20_000 }).toBe(credit);
  for (const page of [player, console]) expect(await page.evaluate(() => 'same' in globalThis)).toBe(true);
  await leave(player, console);
});
