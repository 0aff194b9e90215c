// What one person may do alone, and how two change it (D27); a player's own limit; large cash; and what the reports make of it.
import type { Page } from '@playwright/test';
import {
  deal,
  dealAt,
  expect,
  meter,
  money,
  next,
  notice,
  type Person,
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
import { about, credit, leave, prepare, sign, witness } from './hands';

const wheel = 'Roulette Triple Zero';
const day = async (person: Person) =>
  (await person.get<{ period: { first: string } }>('/reports/people')).period.first;
/** Credit put in by hand, up to the answer. */
async function putIn(pit: Page, seat: string, amount: string): Promise<void> {
  const dialog = await about(pit, wheel, 'Terminals');
  await dialog.getByLabel('Terminal').selectOption({ label: seat });
  await dialog.getByRole('radio', { name: 'Put credit in by hand' }).check();
  await dialog.getByLabel('Amount').fill(amount);
  await dialog.getByRole('button', { name: 'Put credit in by hand' }).click();
}
const office = async (page: Page, tab: string) =>
  page.getByRole('navigation').getByRole('button', { name: tab, exact: true }).click();

test('small amounts of one person add up over the floor, until a second one signs for them', async ({
  browser,
  manager,
}) => {
  const pit = await staff(browser, 'casino2', '/pit');
  const players = [await sit(browser, 16, { credit: 0 }), await sit(browser, 17, { credit: 0 })] as const;
  const dialog = pit.getByRole('dialog');
  const own = pit.getByRole('listitem').filter({ hasText: 'casino 2' }).filter({ hasText: '·' });
  await putIn(pit, 'Seat 17', '4000');
  await expect(dialog).toHaveCount(0);
  await expect(own).toContainText('4,000.00 · 4,000.00');
  await putIn(pit, 'Seat 18', '4000');
  await expect(dialog).toHaveCount(0);
  await expect(own).toContainText('8,000.00 · 8,000.00');
  // Each is below the threshold, all of them are not.
  await putIn(pit, 'Seat 18', '3000');
  await expect(dialog.locator('.toast.bad')).toContainText('second person');
  await expect(dialog).toContainText('8,000.00');
  await expect(credit(players[1])).toHaveText('4,000.00');
  await sign(dialog, 'supervisor1');
  await dialog.getByRole('button', { name: 'Put credit in by hand' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(credit(players[1])).toHaveText('7,000.00');
  // The count begins again; what was moved alone that day is kept.
  await expect(own).toContainText('0.00 · 8,000.00');
  for (const [seat, amount] of [
    [16, '4000.00'],
    [17, '7000.00'],
  ] as const)
    await manager.post(`/terminals/${seat}/hand-pay`, { amount, witness: witness('supervisor2') });
  await leave(pit, ...players);
});

test('a threshold is lowered by two and counts at once; changed back, the reports of people and of the day name it', async ({
  browser,
  manager,
}) => {
  const desk = await staff(browser, 'administrator1', '/admin');
  const form = desk.getByRole('dialog');
  const shown = desk.locator('dl div', { hasText: 'One person alone' });
  await office(desk, 'Two people');
  const was = (await shown.locator('dd').textContent()) ?? '';
  const set = async (amount: string, reason: string) => {
    await desk.getByRole('button', { name: 'Change the thresholds' }).click();
    await form.getByLabel('One person alone').fill(amount);
    await form.getByLabel('Reason').fill(reason);
    await sign(form, 'administrator2');
    await form.getByRole('button', { name: 'Save' }).click();
    await expect(form).toHaveCount(0);
  };
  await set('500', 'A theft last night');
  await expect(shown).toContainText('500.00');
  const pit = await staff(browser, 'shift2', '/pit');
  await expect(pit.getByText('A second person signs above 500')).toBeVisible();
  await putIn(pit, 'Seat 23', '600');
  await expect(pit.getByRole('dialog').locator('.toast.bad')).toContainText('second person');
  await pit.keyboard.press('Escape');
  await set(was.replaceAll(',', ''), 'It was found');
  await expect(shown).toContainText(was);

  const today = await day(manager);
  const report = await staff(browser, 'manager1', `/reports/${today}/people`);
  await expect(report.getByRole('row', { name: /changed and changed back/ })).toContainText(
    'administrator 1',
  );
  await report.goto(`/reports/${today}`);
  const findings = report
    .locator('section')
    .filter({ has: report.getByRole('heading', { name: 'deserves' }) });
  await expect(findings).toContainText('changed and changed back');
  await leave(desk, pit, report);
});

test('an acting post is given by two, and ends', async ({ browser, manager }) => {
  void manager;
  const desk = await staff(browser, 'administrator1', '/admin');
  const form = desk.getByRole('dialog');
  const row = desk.getByRole('row', { name: /dealer 5/ });
  await office(desk, 'Staff');
  const act = async (post: string) => {
    await row.getByRole('button', { name: 'Change', exact: true }).click();
    await form.getByLabel('Acting as').selectOption({ label: post });
  };
  await act('Pit Supervisor');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form.locator('.toast.bad')).toContainText('Two people who may assign a post');
  await sign(form, 'administrator2');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form).toHaveCount(0);
  await expect(row).toContainText('Pit Supervisor');
  const pit = await staff(browser, 'dealer5', '/pit');
  await expect(pit.getByText('dealer 5 · ')).toBeVisible();
  await pit.context().close();
  await act('None');
  await sign(form, 'administrator2');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form).toHaveCount(0);
  await expect(row).not.toContainText('Pit Supervisor');
  await desk.context().close();
});

test('a password is reset in halves and changed before anything else; who was reset does not sign for who did it', async ({
  browser,
  manager,
}) => {
  void manager;
  const desk = await staff(browser, 'administrator1', '/admin');
  const form = desk.getByRole('dialog');
  const save = form.getByRole('button', { name: 'Save' });
  await office(desk, 'Staff');
  const row = desk.getByRole('row', { name: /casino 2/ });
  await row.getByRole('button', { name: 'Password', exact: true }).click();
  await form.getByLabel('First half of the password').fill('the first half');
  await form.getByLabel('Login').last().fill('administrator2');
  await form.getByLabel('Their password').fill('demonstration');
  await form.getByLabel('Their half').fill('and the second');
  await save.click();
  await expect(form).toHaveCount(0);
  await expect(row).toContainText('Must change password');

  // One half opens nothing.
  const page = await (await browser.newContext()).newPage();
  const enter = async (password: string) => {
    await page.getByLabel('Login').fill('casino2');
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  };
  await page.goto('/pit');
  await enter('the first half');
  await expect(page.locator('.toast.bad')).toBeVisible();
  await enter('the first halfand the second');
  await expect(page.getByRole('heading', { name: 'Choose a new password' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Choose a new password' })).toBeVisible();
  await page.getByLabel('Current password').fill('the first halfand the second');
  for (const label of ['New password', 'New password again'])
    await page.getByLabel(label, { exact: true }).fill('a password of one’s own');
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(page.getByRole('heading', { name: 'Staff at tables' })).toBeVisible();

  // Neither for the one nor for the other; anyone else may.
  await office(desk, 'Terminals');
  await desk
    .getByRole('row', { name: /Seat 53/ })
    .getByRole('button', { name: 'Make code' })
    .click();
  await form.getByLabel('Login').fill('casino2');
  await form.getByLabel('Their password').fill('a password of one’s own');
  await save.click();
  await expect(form.locator('.toast.bad')).toContainText('reset the password');
  await sign(form, 'manager1');
  await save.click();
  await expect(desk.locator('.code')).toHaveText(/\S{6,}/);
  await desk.getByRole('button', { name: 'I have written it down' }).click();
  await office(desk, 'Staff');
  await expect(row).toBeVisible();
  await expect(row).not.toContainText('Must change password');
  await leave(desk, page);
});

test('a player’s loss limit: what is left falls with a loss, a bet past it is refused, the next visit may have more', async ({
  browser,
  manager,
}) => {
  const console = await dealAt(browser, tables.open);
  const player = await sit(browser, 52, { credit: 50 });
  const dialog = player.getByRole('dialog');
  const left = meter(player, 'Loss limit left');
  const set = async (amount: string) => {
    await player.getByRole('button', { name: 'Loss limit', exact: true }).click();
    await dialog.getByLabel('Amount').fill(amount);
    await dialog.getByRole('button', { name: 'Set limit' }).click();
    await expect(dialog).toHaveCount(0);
  };
  await set('10');
  await expect(left).toHaveText('10.00');
  await next(console, 'Open bets');
  await expect(notice(player)).toHaveText(/place your bets/i);
  const round = await roundOf(console);
  for (const [spot, rest] of [
    ['triple/5', '5.00'],
    ['triple/6', '0.00'],
  ] as const) {
    await touch(player, spot);
    await expect(left).toHaveText(rest);
  }
  await touch(player, 'big');
  await expect(player.locator('.toast.bad')).toContainText('loss limit');
  await staked(player, '10.00');
  await expect(credit(player)).toHaveText('40.00');
  await next(console, 'Close bets');
  await deal(console, 'Tumble', false);
  await settle(console);
  const whole = await record(manager, round, (found) => found.round.status === 'settled');
  const returned = money(whole.players.find((one) => one.terminal === 52)!.entitled);
  await expect.poll(async () => money((await left.textContent()) ?? '')).toBe(returned);

  await prepare(player);
  await player.getByRole('button', { name: 'It is printed' }).click();
  await expect(player.locator('.meters')).not.toContainText('Loss limit left');
  await player.getByRole('button', { name: 'Money', exact: true }).click();
  await player.getByRole('button', { name: 'S$ 50', exact: true }).click();
  await expect(credit(player)).toHaveText('50.00');
  await set('30');
  await expect(left).toHaveText('30.00');
  await leave(console, player);
});

test('the cash of one visit adds up to large cash: an alert at the pit, and a line in the report', async ({
  browser,
  manager,
}) => {
  const player = await sit(browser, 34, { credit: 1000 });
  const pit = await staff(browser, 'supervisor2', '/pit');
  const alert = pit.locator('.alert', { hasText: 'Large cash of 10,000.00 at Seat 35' });
  for (let notes = 2; notes <= 10; notes += 1) {
    await expect(alert).toHaveCount(0);
    await player.getByRole('button', { name: 'Money', exact: true }).click();
    await player.getByRole('button', { name: 'S$ 1,000', exact: true }).click();
    await expect(credit(player)).toHaveText(`${(notes * 1000).toLocaleString('en-SG')}.00`);
  }
  await expect(alert).toBeVisible();
  await pit.goto(`/reports/${await day(manager)}/people`);
  const visits = pit.locator('section').filter({ has: pit.getByRole('heading', { name: /^Large cash/ }) });
  await expect(visits.getByRole('row', { name: /Seat 35/ })).toContainText('10,000.00');
  await leave(player, pit);
});
