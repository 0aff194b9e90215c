import { expect, type Page, test } from '@playwright/test';
import { overflow, violations } from './axe';

const spot = (page: Page, id: string) => page.locator(`.layout [data-spot="${id}"]`).first();

for (const language of ['en', 'zh', 'zh-Hant'] as const) {
  for (const [width, height] of [
    [1920, 1080],
    [820, 1180],
  ] as const) {
    test(`the laboratory in ${language} at ${width}: accessible by axe, no horizontal scrolling`, async ({
      page,
    }) => {
      await page.setViewportSize({ width, height });
      await page.addInitScript((code) => localStorage.setItem('croupier.language', code), language);
      await page.goto('/lab?mock');
      await spot(page, 'small').click();
      await expect(page.locator('.answer')).toBeVisible();
      await expect(page.locator('.cards article')).toHaveCount(3);
      expect(await violations(page)).toEqual([]);
      expect(await overflow(page)).toBeLessThanOrEqual(0);
    });
  }
}

test('a layout is coloured by what the house keeps, and each bet tells its figures', async ({ page }) => {
  await page.goto('/lab?mock');
  await spot(page, 'small').hover();
  await expect(page.getByRole('heading', { name: 'Small' })).toBeVisible();
  await expect(page.getByText('2.7778 %')).toBeVisible();
  await expect(page.getByText('105 of 216')).toBeVisible();
  const colour = (id: string) =>
    page.evaluate((name) => {
      const places = [...document.querySelectorAll<SVGElement>('.layout [data-spot]')];
      const index = places.findIndex((one) => one.dataset.spot === name);
      return document.querySelectorAll<SVGElement>('.layout .face .field')[index]?.style.fill ?? '';
    }, id);
  expect(await colour('small')).toBe(await colour('big'));
  expect(await colour('small')).not.toBe(await colour('triple/1'));
  const before = await colour('triple/1');
  await page.getByText('How often it wins').click();
  await expect.poll(() => colour('single/1')).not.toBe(before);
});

test('a bet is built by taps, and by keys alone', async ({ page }) => {
  await page.goto('/lab?mock');
  await spot(page, 'small').click();
  await spot(page, 'small').click();
  await expect(page.getByText('Each round 20.00')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'After 1,000 rounds' })).toBeVisible();
  await expect(
    page.getByRole('img', { name: /Distribution of the result after 1,000 rounds/ }),
  ).toBeVisible();
  await page.getByRole('combobox', { name: 'Rounds' }).selectOption('100');
  await expect(page.getByRole('heading', { name: 'After 100 rounds' })).toBeVisible();
  await spot(page, 'small').focus();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: /^Take .* off$/ })).toHaveCount(2);
  await page.keyboard.press('Delete');
  await expect(page.getByRole('button', { name: /^Take .* off$/ })).toHaveCount(1);
  await page.getByRole('button', { name: 'Take Small off' }).click();
  await expect(page.getByText('Tap spots of the layout to build a bet')).toBeVisible();
});

test('what pay table 3 costs against pay table 1', async ({ page }) => {
  await page.goto('/lab?mock');
  const third = page.locator('.cards article', { hasText: 'Layout C' });
  await expect(third).toContainText('+2.35 %');
  await expect(third).toContainText('27 dearer, 0 cheaper, 29 alike');
  await expect(page.getByRole('row', { name: /Double 6/ })).toContainText('+3.70 %');
  await expect(page.getByRole('row', { name: /Domino/ })).toHaveCount(0);
  await page.getByLabel('Only bets that differ').uncheck();
  await expect(page.getByRole('row', { name: /Domino/ }).first()).toBeVisible();
});

test('a wheel has its heat on lines and corners too', async ({ page }) => {
  await page.goto('/lab?mock&game=rws-roulette-000');
  await expect(page.locator('.layout .dot').first()).toBeVisible();
  expect(await page.locator('.layout .dot').count()).toBeGreaterThan(90);
  await spot(page, 'straight/17').hover();
  await expect(page.getByText('1 of 39')).toBeVisible();
});
