// Money through the pages, Chinese, and what a screen reader meets on every page.
import type { Page } from '@playwright/test';
import { violations } from '../axe';
import { expect, meter, sit, staff, tables, test } from './floor';
import { closeShift, leave } from './hands';

test('a ticket goes out at one terminal and in at another; the cage pays the next, once', async ({
  browser,
  manager,
}) => {
  void manager;
  const first = await sit(browser, 40, { credit: 50 });
  await first.getByRole('button', { name: 'Cash out', exact: true }).click();
  await first.getByRole('dialog').getByRole('button', { name: 'Cash out', exact: true }).click();
  const paper = first.locator('.ticket');
  await expect(paper).toContainText('fifty dollars');
  const number = ((await paper.locator('.top').textContent()) ?? '').replaceAll(/\D/g, '');
  expect(number).toHaveLength(18);
  await first.getByRole('button', { name: 'It is printed' }).click();
  await expect(meter(first, 'Credit')).toHaveText('0.00');

  const second = await sit(browser, 58, { credit: 0 });
  const insert = async () => {
    await second.getByRole('button', { name: 'Money', exact: true }).click();
    await second.getByLabel('Ticket number').fill(number);
    await second.getByRole('button', { name: 'Redeem into credit' }).click();
  };
  await insert();
  await expect(meter(second, 'Credit')).toHaveText('50.00');
  await insert();
  await expect(second.locator('.toast.bad')).toBeVisible();
  await second.keyboard.press('Escape');

  // Its own record: the last money transactions, newest first.
  await second.getByRole('button', { name: 'History' }).click();
  await second.getByRole('tab', { name: /transactions/ }).click();
  await expect(second.locator('dialog tbody tr').first()).toContainText('Ticket in');
  await second.keyboard.press('Escape');

  await second.getByRole('button', { name: 'Cash out', exact: true }).click();
  await second.getByRole('dialog').getByRole('button', { name: 'Cash out', exact: true }).click();
  const next = ((await second.locator('.ticket .top').textContent()) ?? '').replaceAll(/\D/g, '');
  await second.getByRole('button', { name: 'It is printed' }).click();
  const cage = await staff(browser, 'cashier1', '/cage');
  await cage.getByRole('button', { name: 'Open shift' }).click();
  await cage.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).click();
  const redeem = async (what: string) => {
    await cage.getByLabel('Ticket number').fill(what);
    await cage.getByRole('button', { name: 'Check and pay' }).click();
  };
  await expect(cage.getByLabel('Ticket number')).toBeEnabled();
  await redeem(next);
  await expect(cage.locator('.paid')).toContainText('50.00');
  await redeem(next);
  await expect(cage.locator('.refused')).toBeVisible();
  await redeem('000000000000000000');
  await expect(cage.locator('.refused')).toBeVisible();
  await leave(first, second, cage);
  await closeShift('cashier1');
});

test('a terminal in Chinese', async ({ browser, manager }) => {
  void manager;
  const player = await sit(browser, 11, { language: 'zh', credit: 10 });
  await expect(meter(player, '余额')).toHaveText('10.00');
  await player.getByRole('button', { name: '规则', exact: true }).click();
  await expect(player.getByRole('dialog')).toContainText('电子骰宝');
  await player.context().close();
});

const settled = (page: Page) => expect(page.locator('main')).toBeVisible();

test('no page offends axe', async ({ browser, manager }) => {
  void manager;
  const context = await browser.newContext();
  const page = await context.newPage();
  for (const path of [
    '/',
    '/lab',
    `/display/${tables.sicbo}`,
    `/display/${tables.roulette}`,
    '/terminal/41',
    '/terminal/16',
    '/terminal/5',
  ]) {
    await page.goto(path);
    await settled(page);
    await expect(page.locator('.layout, .tables').first()).toBeVisible();
    expect(await violations(page), path).toEqual([]);
  }
  await context.close();
  for (const [login, path] of [
    ['dealer3', `/console/${tables.sicbo}`],
    ['dealer2', `/console/${tables.roulette}`],
    ['dealer5', `/console/${tables.taisai}`],
    ['manager1', '/pit'],
    ['cashier2', '/cage'],
  ] as const) {
    const staffPage = await staff(browser, login, path);
    await settled(staffPage);
    expect(await violations(staffPage), path).toEqual([]);
    await staffPage.context().close();
  }
});

test('administration: a person, a terminal and a code; accessible on every tab', async ({
  browser,
  manager,
}) => {
  void manager;
  const page = await staff(browser, 'administrator1', '/admin');
  for (const tab of [
    'Terminals',
    'Devices',
    'Two people',
    'Rulebooks',
    'Powers',
    'Health',
    'Staff',
    'Tables',
  ]) {
    await page.getByRole('navigation').getByRole('button', { name: tab, exact: true }).click();
    await expect(page.getByRole('heading', { name: tab })).toBeVisible();
    expect(await violations(page), tab).toEqual([]);
  }
  await page.getByRole('navigation').getByRole('button', { name: 'Staff', exact: true }).click();
  await page.getByRole('button', { name: 'Add a person' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Name').fill('Mei Lin Tan');
  await form.getByLabel('Login').first().fill('meilin');
  await form.getByLabel('First half of the password').fill('a long enough password');
  await form.getByLabel('Their half').fill('and its other half');
  await form.getByLabel('Login').last().fill('administrator2');
  await form.getByLabel('Their password').fill('demonstration');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('cell', { name: 'Mei Lin Tan' })).toBeVisible();
  await page.getByRole('navigation').getByRole('button', { name: 'Terminals', exact: true }).click();
  await page.getByRole('button', { name: 'Add a terminal' }).click();
  await page.getByLabel('Name').fill('Window 1');
  await page.getByRole('button', { name: 'Save' }).click();
  const row = page.getByRole('row', { name: /Window 1/ });
  await expect(row).toBeVisible();
  await row.getByRole('button', { name: 'Make code' }).click();
  await form.getByLabel('Login').fill('administrator2');
  await form.getByLabel('Their password').fill('demonstration');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(page.locator('.code')).toHaveText(/\S{6,}/);
  await page.context().close();
});
