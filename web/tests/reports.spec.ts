import { expect, test } from '@playwright/test';
import { overflow, violations } from './axe';

const day = '2026-03-29';
const pages = [
  ['/reports', 'the day'],
  [`/reports/${day}/table/1`, 'a table'],
  [`/reports/${day}/table/1/round/4201`, 'a round'],
  ['/reports/2026-01-15', 'a day without play'],
  ['/reports/2025-01-15', 'no such day'],
] as const;

for (const language of ['en', 'zh', 'zh-Hant'] as const) {
  for (const [path, name] of pages) {
    test(`report of ${name} in ${language}: accessible by axe, no horizontal scrolling`, async ({ page }) => {
      await page.setViewportSize({ width: 1180, height: 820 });
      await page.addInitScript((code) => localStorage.setItem('croupier.language', code), language);
      await page.goto(`${path}?mock&staff`);
      await expect(page.locator('main .panel').first()).toBeVisible();
      expect(await violations(page)).toEqual([]);
      expect(await overflow(page)).toBeLessThanOrEqual(0);
    });
  }
}

test('from the pit to the day, a table, a round and every bet', async ({ page }) => {
  await page.goto('/pit?mock&staff');
  await page.getByRole('link', { name: 'Reports' }).click();
  await expect(page.getByRole('heading', { name: /^Gaming day / })).toBeVisible();
  await expect(page.getByText('The day is not over')).toBeVisible();
  await expect(page.getByRole('img', { name: 'Hold so far, against its band of 95 %' })).toBeVisible();
  await expect(
    page.getByRole('img', { name: /SB 01: Hold .* within the band|outside the band/ }).first(),
  ).toBeVisible();
  await page.getByRole('link', { name: 'SB 01' }).click();
  await expect(page.getByRole('heading', { name: 'By hour' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Most frequent results' })).toBeVisible();
  await page.locator('.rounds tbody a').first().click();
  await expect(page.getByRole('heading', { name: /^Round \d+$/ })).toBeVisible();
  await expect(page.getByRole('row', { name: /Single dice 2/ }).first()).toContainText('10.00 × 2 + 10.00');
  await expect(page.getByText('Records 80100 to 80103 of the journal')).toBeVisible();
  await page.goBack();
  await expect(page.getByRole('heading', { name: 'By hour' })).toBeVisible();
});

test('papers to take away, and other days', async ({ page }) => {
  await page.goto(`/reports/${day}?mock&staff`);
  const pdf = page.getByRole('link', { name: `Gaming day ${day} as PDF` });
  await expect(pdf).toHaveAttribute('href', `/api/v1/floors/demo/reports/day?day=${day}&format=pdf`);
  await expect(page.getByRole('link', { name: 'Significant events as CSV' })).toHaveAttribute(
    'href',
    `/api/v1/floors/demo/reports/events?from=${day}&to=${day}&format=csv`,
  );
  await page.getByRole('link', { name: 'The day before' }).click();
  await expect(page.getByRole('heading', { name: 'Gaming day 2026-03-28' })).toBeVisible();
  await page.goto('/reports/2026-01-15?mock&staff');
  await expect(page.getByText('Nothing was played on this day.')).toBeVisible();
  await page.goto('/reports/2025-01-15?mock&staff');
  await expect(page.getByRole('alert')).toContainText('There is no such gaming day.');
});
