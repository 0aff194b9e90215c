// The table is the authority: devices in and out of service, second tumbles, interruptions, grounds, past rounds, and who
// deals.
import type { Page } from '@playwright/test';
import {
  deal,
  dealAt,
  expect,
  meter,
  next,
  notice,
  Person,
  record,
  roundOf,
  sit,
  staff,
  staked,
  tables,
  test,
  touch,
} from './floor';
import { dealing, finds, leave, witness } from './hands';

async function sign(page: Page, login = 'supervisor1'): Promise<void> {
  const dialog = page.getByRole('dialog').last();
  await dialog.getByLabel('Login').fill(login);
  await dialog.getByLabel('Their password').fill('demonstration');
}

/** Keys in a result, instead of what may stand there. */
async function key(page: Page, dice: string): Promise<void> {
  for (let i = 0; i < 3; i++) await page.keyboard.press('Backspace');
  for (const face of dice.split('-')) await page.keyboard.press(face);
}

const fault = (page: Page, words: string) => async () => {
  const menu = page.locator('details', { hasText: 'Fault' });
  if (!(await menu.evaluate((one: HTMLDetailsElement) => one.open))) await menu.locator('summary').click();
  await menu.getByRole('button', { name: words }).click();
};

const ended = (page: Page, outcome: string) =>
  expect(page.locator('.question')).toContainText(`Last round: ${outcome}`);

async function reported(page: Page, what: string): Promise<void> {
  await page.getByRole('button', { name: 'Report an interruption' }).click();
  await page.getByRole('radio', { name: what }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Report', exact: true }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
}

test('a dead device: two of the pit take it out of service, the dealer affirms and enters in one step', async ({
  browser,
  manager,
}) => {
  const { console, round } = await dealing(browser, tables.sicbo);
  await next(console, 'Close bets');
  // Nothing is heard of the tumbler: the console says so, and what to do.
  await expect(console.getByRole('status').filter({ hasText: 'no lawful tumble' })).toContainText(
    'Call the Pit Supervisor',
  );
  await expect(console.locator('.next .huge')).toBeDisabled();

  const pit = await staff(browser, 'supervisor2', '/pit');
  const card = pit.locator('article').filter({ has: pit.getByText('Sic Bo', { exact: true }) });
  await card.getByRole('button', { name: 'Table', exact: true }).click();
  await pit.getByRole('button', { name: 'Take out of service' }).click();
  await pit.getByRole('dialog').last().getByLabel('Reason').fill('It reports nothing');
  await sign(pit, 'manager2');
  await pit.getByRole('dialog').last().getByRole('button', { name: 'Confirm' }).click();
  await expect(pit.getByRole('dialog').getByText('Out of service', { exact: true })).toBeVisible();
  await expect(pit.getByRole('dialog').first()).toContainText('supervisor 2 + manager 2: It reports nothing');

  const service = console.locator('aside section');
  await expect(service).toContainText('Out of service');
  await key(console, '6-5-4');
  const points = console.getByRole('group', { name: 'Affirm with this step' }).getByRole('checkbox');
  await expect(points.first()).toBeVisible();
  await expect(console.locator('.next .huge')).toBeDisabled();
  for (const point of await points.all()) await point.check();
  await next(console, 'Enter the result');
  await next(console, 'Confirm and pay');
  await ended(console, '6-5-4');
  const whole = await record(manager, round, (found) => found.round.status === 'settled');
  expect(whole.round.outcome).toBe('6-5-4');

  await pit.getByRole('button', { name: 'Put back in service' }).click();
  await pit.getByRole('dialog').last().getByLabel('Reason').fill('It is repaired');
  await sign(pit, 'manager2');
  await pit.getByRole('dialog').last().getByRole('button', { name: 'Confirm' }).click();
  await expect(service).not.toContainText('Out of service');
  await finds(browser, manager, 'Device out of service', 'supervisor 2');
  await leave(pit, console);
});

test('a result against the device is held until a Pit Supervisor confirms it with a reason', async ({
  browser,
  manager,
}) => {
  const { console, round } = await dealing(browser, tables.open);
  await next(console, 'Close bets');
  await deal(console, 'Tumble', false);
  const read = /reads (\S+)/.exec((await console.locator('.question').textContent()) ?? '')?.[1] ?? '';
  const entered = read === '1-1-1' ? '2-2-2' : '1-1-1';
  await key(console, entered);
  await next(console, 'Enter the result');
  await expect(console.locator('.question')).toContainText(`entered ${entered}, the device read ${read}`);
  await next(console, 'Confirm and pay');
  const go = console.getByRole('dialog').getByRole('button', { name: 'Confirm and pay' });
  await expect(go).toBeDisabled();
  await sign(console);
  await expect(go).toBeDisabled();
  // The Supervisor signs for the reason that stands there, and so signs again.
  await console.getByRole('dialog').getByLabel('Reason').fill('The lens is dirty');
  await expect(go).toBeDisabled();
  await sign(console);
  await go.click();
  await ended(console, entered);
  await record(manager, round, (found) => found.round.status === 'settled');
  await console.context().close();
});

test('a second tumble: both outcomes are shown, and the round ends with the first', async ({
  browser,
  manager,
}) => {
  const { console, round } = await dealing(browser, tables.open);
  await next(console, 'Close bets');
  await deal(console, 'Tumble', false);
  const first = /reads (\S+)/.exec((await console.locator('.question').textContent()) ?? '')?.[1] ?? '';
  await fault(console, 'A second tumble or spin')();
  await expect(console.getByRole('heading', { name: 'Second tumble or spin' })).toBeVisible({
    timeout: 30_000,
  });
  await expect(console.locator('.first')).toContainText(first);
  await console.getByRole('button', { name: `End the round with ${first}` }).click();
  await sign(console);
  await console.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click();
  await ended(console, first);
  const whole = await record(manager, round, (found) => found.round.status === 'settled');
  expect(whole.round.outcome).toBe(first);
  await console.context().close();
});

test('a short tumble and then a second one: the ground comes first, and its confirmation voids the round', async ({
  browser,
  manager,
}) => {
  const { console, round } = await dealing(browser, tables.open);
  await next(console, 'Close bets');
  await expect(console.locator('.shown')).toHaveText('All live terminals show it');
  await fault(console, 'Too few tumbles')();
  await console.getByRole('button', { name: 'Tumble', exact: true }).click();
  const ground = console.getByRole('heading', { name: '5.3.1' });
  await expect(ground).toBeVisible({ timeout: 30_000 });
  await fault(console, 'A second tumble or spin')();
  // The second tumble ends too and is read; the floor waits for the ground first, and so do the console and the pit.
  await expect
    .poll(async () => JSON.stringify(await manager.get(`/records/rounds/${round}`)), { timeout: 30_000 })
    .toMatch(/second/i);
  await expect(ground).toBeVisible();
  await console.getByRole('button', { name: 'Confirm: void the round' }).click();
  await ended(console, 'Void');
  await record(manager, round, (found) => found.round.status === 'void');
  await console.context().close();
});

test('a second spin at a wheel that is out of service: the first outcome is ended with what the dealer affirms', async ({
  browser,
  manager,
}) => {
  const { console, round } = await dealing(browser, tables.roulette);
  await next(console, 'Close bets');
  await deal(console, 'Spin', false);
  const first = /reads (\S+)/.exec((await console.locator('.question').textContent()) ?? '')?.[1] ?? '';
  await fault(console, 'A second tumble or spin')();
  await expect(console.getByRole('heading', { name: 'Second tumble or spin' })).toBeVisible({
    timeout: 30_000,
  });
  const pit = await staff(browser, 'supervisor2', '/pit');
  const service = async (button: string, reason: string) => {
    await pit.getByRole('button', { name: button }).click();
    await pit.getByRole('dialog').last().getByLabel('Reason').fill(reason);
    await sign(pit, 'manager2');
    await pit.getByRole('dialog').last().getByRole('button', { name: 'Confirm' }).click();
  };
  const card = pit.locator('article').filter({ hasText: 'Roulette' });
  await card.getByRole('button', { name: 'Table', exact: true }).click();
  await service('Take out of service', 'It spins by itself');
  await expect(console.locator('aside section')).toContainText('Out of service');

  await console.getByRole('button', { name: `End the round with ${first}` }).click();
  const dialog = console.getByRole('dialog');
  const go = dialog.getByRole('button', { name: 'Confirm' });
  await sign(console);
  await expect(go).toBeDisabled();
  for (const point of await dialog.getByRole('checkbox').all()) await point.check();
  // The Supervisor signs for what is affirmed, and so signs last.
  await expect(go).toBeDisabled();
  await sign(console);
  await go.click();
  await ended(console, first);
  const whole = await record(manager, round, (found) => found.round.status === 'settled');
  expect(whole.round.outcome).toBe(first);
  await service('Put back in service', 'It is repaired');
  await leave(pit, console);
});

test('a wheel out of service: the dealer states that the ball rested early, and two Shift Managers decide', async ({
  browser,
  manager,
}) => {
  const pit = await staff(browser, 'supervisor2', '/pit');
  const service = async (button: string, reason: string) => {
    await pit.getByRole('button', { name: button }).click();
    await pit.getByRole('dialog').last().getByLabel('Reason').fill(reason);
    await sign(pit, 'manager2');
    await pit.getByRole('dialog').last().getByRole('button', { name: 'Confirm' }).click();
  };
  const card = pit.locator('article').filter({ hasText: 'Roulette' });
  await card.getByRole('button', { name: 'Table', exact: true }).click();
  await service('Take out of service', 'It reports nothing');
  await expect(pit.getByRole('dialog').getByText('Out of service', { exact: true })).toBeVisible();
  const { console, round } = await dealing(browser, tables.roulette);
  await console.getByRole('button', { name: 'Ball at rest' }).click();
  const dialog = console.getByRole('dialog');
  const go = dialog.getByRole('button', { name: 'It has come to rest' });
  await expect(go).toBeDisabled();
  // It affirms how the ball was spun, and not that it came to rest after the close.
  await expect(dialog.getByRole('checkbox')).toHaveCount(2);
  for (const point of await dialog.getByRole('checkbox').all()) await point.check();
  await go.click();
  await expect(dialog).toHaveCount(0);
  await next(console, 'Close bets');
  await expect(
    console.getByRole('status').filter({ hasText: 'came to rest before the close' }),
  ).toBeVisible();
  await expect(console.locator('.next .huge')).toBeDisabled();
  const shift = await Person.signIn('shift1');
  const decided = { ruling: 'outcome', round, outcome: '17', reason: 'Seen by the whole table' };
  expect(await shift.refusal(`/tables/${tables.roulette}/decide`, decided)).toBe('second_person');
  await shift.post(`/tables/${tables.roulette}/decide`, { ...decided, witness: witness('shift2') });
  const whole = await record(manager, round, (found) => found.round.status === 'settled');
  expect(whole.round.outcome).toBe('17');
  await finds(browser, manager, 'An outcome was chosen', String(round));
  await service('Put back in service', 'It is repaired');
  await shift.http.dispose();
  await leave(console, pit);
});

test('an interruption is reported at the console: terminals alone never stop a round, power does', async ({
  browser,
}) => {
  const { console } = await dealing(browser, tables.open);
  await next(console, 'Close bets');
  await reported(console, 'Some terminals');
  await expect(console.getByText('Reported: Some terminals. The round continues.')).toBeVisible();
  await deal(console, 'Tumble', false);
  await reported(console, 'Power at the table');
  await expect(console.getByRole('heading', { name: 'Technical interruption' })).toBeVisible();
  // The dice were read after the close: that none is established is refused (D22).
  const none = console.locator('li', { hasText: 'no outcome established' });
  await expect(none).toContainText('5.1.2');
  await expect(none.getByRole('button')).toBeDisabled();
  const established = console.locator('li', { hasText: 'Affected, an outcome is established' });
  await expect(established).toContainText('5.1.1');
  await established.getByRole('button', { name: 'Attest' }).click();
  await sign(console);
  await console.getByRole('dialog').getByRole('button', { name: 'Attest' }).click();
  await expect(console.getByRole('heading', { name: 'Technical interruption' })).toHaveCount(0);
  await next(console, 'Enter the result');

  // A ground is declared even now, with a Pit Supervisor: the dice can be seen (D23).
  await console.getByRole('button', { name: 'Void', exact: true }).click();
  const dialog = console.getByRole('dialog');
  await expect(dialog.getByRole('radio')).toHaveCount(4);
  await dialog.getByRole('radio', { name: /5\.4/ }).click();
  const go = dialog.getByRole('button', { name: 'Void the round' });
  await expect(go).toBeDisabled();
  await sign(console);
  await go.click();
  await ended(console, 'Void');
  await console.context().close();
});

test('another dealer takes the table over with one button, and the first can do no more', async ({
  browser,
}) => {
  const first = await dealAt(browser, tables.open);
  const second = await staff(browser, 'dealer1', `/console/${tables.open}`);
  await next(second, 'Take over the table');
  await expect(second.locator('.dealer')).toContainText('dealer 1');
  await expect(second.locator('.next .huge', { hasText: 'Open bets' })).toBeEnabled();
  await next(first, 'Take over the table');
  await expect(first.locator('.dealer')).toContainText('dealer 4');
  await expect(second.locator('.next .huge', { hasText: 'Take over the table' })).toBeVisible();
  await leave(first, second);
});

/** Calls a second person who is to take the table's device out of service. */
async function callFor(page: Page, reason: string) {
  const dialog = page.getByRole('dialog');
  const call = dialog.getByRole('button', { name: 'Call a second person' });
  await dialog.getByLabel('What for').fill(reason);
  await expect(call, 'a call is for one act').toBeDisabled();
  await dialog.getByLabel('For what act').selectOption('take_out_of_service');
  // The words of the acts are part of their own label, and some name a device.
  const device = dialog.locator('label', { has: page.locator('span', { hasText: /^Device$/ }) });
  await device.locator('select').selectOption({ index: 1 });
  await call.click();
}

test('a second person is called, and the pit sees it', async ({ browser }) => {
  const console = await dealAt(browser, tables.roulette);
  const pit = await staff(browser, 'shift1', '/pit');
  await console.getByRole('button', { name: 'Call a second person' }).click();
  await callFor(console, 'The ball was touched');
  await expect(console.getByRole('button', { name: /^Called at/ })).toBeDisabled();
  await expect(pit.getByRole('heading', { name: 'A second person is called' })).toBeVisible();
  await expect(pit.getByText('The ball was touched')).toBeVisible();
  await leave(console, pit);
});

test('a player chooses another table at the same seat; its rules are shown before the first bet', async ({
  browser,
}) => {
  const office = await staff(browser, 'administrator1', '/admin');
  await office.getByRole('navigation').getByRole('button', { name: 'Terminals', exact: true }).click();
  await office
    .getByRole('row', { name: /Seat 41/ })
    .getByRole('button', { name: 'Tables' })
    .click();
  const dialog = office.getByRole('dialog');
  await dialog.getByLabel('Sic Bo (Open Cover)').selectOption('yes');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);

  const player = await sit(browser, 40, { credit: 100 });
  await player.getByRole('button', { name: 'Tables', exact: true }).click();
  await player
    .locator('li', { hasText: 'Sic Bo (Open Cover)' })
    .getByRole('button', { name: 'Choose' })
    .click();
  await expect(player.getByRole('heading', { name: 'Sic Bo (Open Cover)' })).toBeVisible();
  await expect(player.getByRole('dialog', { name: 'Rules' })).toBeVisible();
  await player.keyboard.press('Escape');
  await expect(meter(player, 'Credit')).toHaveText('100.00');

  // While a bet stands in a round, the seat stays at its table.
  const { console } = await dealing(browser, tables.open);
  await expect(notice(player)).toHaveText(/place your bets/i);
  await touch(player, 'big');
  await staked(player, '5.00');
  await player.getByRole('button', { name: 'Tables', exact: true }).click();
  await expect(player.getByRole('dialog').getByRole('button', { name: 'Choose' })).toBeDisabled();
  const supervisor = await Person.signIn('dealer4');
  await supervisor.post(`/tables/${tables.open}/void`, { ground: 'dice-damaged' });
  await expect(player.getByRole('dialog').getByRole('button', { name: 'Choose' })).toBeEnabled();
  await supervisor.http.dispose();
  await leave(office, player, console);
});

test('live chips: recorded after the close they are marked, and a wrong record is removed by two', async ({
  browser,
  manager,
}) => {
  const console = await dealAt(browser, tables.taisai);
  await manager.post(`/tables/${tables.taisai}/recording-period`, {
    period: 60_000,
    reason: 'browser tests',
    witness: { login: 'shift1', password: 'demonstration' },
  });
  await next(console, 'Open bets');
  const round = await roundOf(console);
  // A Pit Employee who places for a player is named (5.13); every position of the table can be chosen.
  const dealer = await Person.signIn('dealer5');
  const chips = (position: number, spot: string, more = {}) =>
    dealer.post(`/tables/${tables.taisai}/chips`, { position, spot, amount: '50.00', ...more });
  await chips(40, 'small', { for_player: true });
  const late = console.getByRole('button', { name: 'Late bet refused' });
  await expect(late).toBeDisabled();
  await next(console, 'Close bets');
  await expect(late).toBeEnabled();
  await chips(2, 'big');
  await expect(console.getByText('Recorded after the close:')).toBeVisible();
  await console.getByRole('button', { name: 'Remove a wrong record' }).click();
  const dialog = console.getByRole('dialog');
  await dialog.getByLabel('Which record').selectOption('2 big');
  await expect(dialog.getByLabel('Amount')).toHaveValue('50.00');
  await dialog.getByLabel('Reason').fill('It stood on Small');
  await sign(console);
  await dialog.getByRole('button', { name: 'Remove a wrong record' }).click();
  await expect(console.locator('aside .terminals li', { hasText: 'Big' })).toHaveCount(0);
  await deal(console, 'Tumble', true);
  await next(console, 'Enter the result');
  await next(console, 'Confirm and pay');
  const whole = await record(manager, round, (found) => found.round.status === 'settled');
  expect(whole.chips.map((one) => [one.position, one.spot])).toEqual([[40, 'small']]);
  expect(whole.lines.some((line) => line.words.includes('for the player by dealer 5'))).toBe(true);
  await dealer.http.dispose();
  await console.context().close();
});

test('live chips: those of a player who has left are taken back by two only', async ({ browser }) => {
  const { console } = await dealing(browser, tables.taisai);
  const dealer = await Person.signIn('dealer5');
  await dealer.post(`/tables/${tables.taisai}/chips`, { position: 3, spot: 'big', amount: '75.00' });
  const box = console.locator('aside .terminals li', { hasText: 'Big' });
  await expect(box).toContainText('75');
  await console.getByRole('radio', { name: 'Position 3' }).click();
  await console.getByRole('button', { name: 'Player left' }).click();
  await expect(console.getByRole('radio', { name: 'Position 3' })).toHaveAttribute(
    'title',
    'The player has left',
  );
  await console.locator('.layout [data-spot="big"]').press('Delete');
  const dialog = console.getByRole('dialog');
  await expect(dialog).toContainText('settled as it stands (5.3)');
  await dialog.getByLabel('Amount').fill('75.00');
  const go = dialog.getByRole('button', { name: 'Take the chips back' });
  await expect(go).toBeDisabled();
  await sign(console);
  await go.click();
  await expect(console.getByRole('dialog')).toHaveCount(0);
  await expect(box).toHaveCount(0);
  await next(console, 'Close bets');
  await deal(console, 'Tumble', true);
  await next(console, 'Enter the result');
  await next(console, 'Confirm and pay');
  await dealer.http.dispose();
  await console.context().close();
});

test('announcements stand in the document’s own words in every language of the pages', async ({
  browser,
}) => {
  const console = await dealAt(browser, tables.sicbo);
  const chinese = async (path: string) => {
    const page = await (await browser.newContext()).newPage();
    await page.addInitScript(() => localStorage.setItem('croupier.language', 'zh'));
    await page.goto(path);
    return page;
  };
  const display = await chinese(`/display/${tables.sicbo}`);
  const terminals = [await sit(browser, 28), await sit(browser, 29, { language: 'zh' })];
  await next(console, 'Open bets');
  await expect(notice(terminals[0]!)).toHaveText('Place your bets');
  for (const page of [display, terminals[1]!])
    await expect(notice(page)).toHaveText('Place your bets · 请下注');
  await expect(console.locator('.question')).toHaveText('“Place your bets”');
  await next(console, 'Close bets');
  await expect(notice(terminals[0]!)).toHaveText('No More Bets');
  for (const page of [display, terminals[1]!]) {
    await expect(notice(page)).toHaveText('No More Bets · 停止下注');
    const cut = await notice(page).evaluate(
      (one) => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight,
    );
    expect(cut, 'all of it can be read').toBe(false);
  }
  await expect(console.locator('.question')).toHaveText('“No More Bets”');
  await console.getByRole('button', { name: '简体' }).click();
  await expect(console.locator('.question')).toHaveText('“No More Bets · 停止下注”');
  await console.getByRole('button', { name: 'EN', exact: true }).click();
  await deal(console, 'Tumble', true);
  await next(console, 'Enter the result');
  await next(console, 'Confirm and pay');
  await leave(console, display, ...terminals);
});
