// Reports and the laboratory against the program itself: the figures on the pages are the program's.
import { violations } from '../axe';
import {
  deal,
  dealAt,
  expect,
  next,
  notice,
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

test('the day, a table of it, a round and its bets; papers come as files', async ({ browser, manager }) => {
  const player = await sit(browser, 28, { credit: 50 });
  const dealer = await dealAt(browser, tables.sicbo);
  await next(dealer, 'Open bets');
  await expect(notice(player)).toHaveText(/place your bets/i);
  for (const bet of ['big', 'single/2']) await touch(player, bet);
  await staked(player, '10.00');
  const round = await roundOf(dealer);
  await next(dealer, 'Close bets');
  await expect(dealer.locator('.shown')).toHaveText('All live terminals show it');
  await deal(dealer, 'Tumble', true);
  const outcome = await settle(dealer);
  await record(manager, round, (found) => found.round.status === 'settled');
  await player.context().close();

  const page = await staff(browser, 'manager1', '/reports');
  await expect(page.getByRole('heading', { name: /^Gaming day / })).toBeVisible();
  const report = await manager.get<{ tables: { table: number; name: string; win: string }[] }>(
    '/reports/day',
  );
  const first = report.tables.find((one) => one.table === tables.sicbo);
  if (!first) throw new Error('the table has not played');
  await expect(page.getByRole('link', { name: first.name, exact: true })).toBeVisible();
  expect(await violations(page)).toEqual([]);
  const pdf = page.getByRole('link', { name: /^Gaming day .* as PDF$/ });
  const answer = await page.request.get((await pdf.getAttribute('href')) ?? '');
  expect(answer.headers()['content-type']).toBe('application/pdf');
  expect((await answer.body()).subarray(0, 5).toString()).toBe('%PDF-');
  await page.getByRole('link', { name: first.name, exact: true }).click();
  await expect(page.getByRole('heading', { name: 'By hour' })).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('link', { name: String(round), exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Every event in order' })).toBeVisible();
  await expect(page.locator('.result')).toHaveText(outcome);
  await expect(page.getByRole('row', { name: /Single dice 2/ }).first()).toContainText('5.00');
  await expect(page.getByText(/Records \d+ to \d+ of the journal/)).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.context().close();
  await dealer.goto('/reports');
  await expect(dealer.getByRole('alert')).toContainText('not for your post');
  await dealer.context().close();
});

test('the laboratory works out a bet exactly', async ({ browser, manager }) => {
  void manager;
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto('/lab');
  const spot = (id: string) => page.locator(`.layout [data-spot="${id}"]`).first();
  await spot('small').hover();
  await expect(page.getByText('2.7778 %')).toBeVisible();
  await spot('small').click();
  await page.getByRole('combobox', { name: 'Rounds' }).selectOption('100');
  await page.getByLabel('Bankroll').fill('200');
  await expect(page.getByRole('heading', { name: 'After 100 rounds' })).toBeVisible();
  // Ten on small, a hundred times: ahead 35.25 times of a hundred, as the binomial distribution has it.
  await expect(page.locator('.green dd').first()).toHaveText('35.25 %');
  await expect(page.locator('.cards article', { hasText: 'Layout C' })).toContainText('27 dearer');
  expect(await violations(page)).toEqual([]);
  await context.close();
});
