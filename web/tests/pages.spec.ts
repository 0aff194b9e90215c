import { createRequire } from 'node:module';
import { expect, test } from '@playwright/test';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const pages = [
  ['/', 'landing'],
  ['/terminal/2', 'terminal with dice'],
  ['/terminal/8', 'terminal with a wheel'],
  ['/display/1', 'display'],
  ['/display/5', 'display of a wheel'],
  ['/console/1', 'console'],
  ['/console/3', 'console of a live table'],
  ['/console/5', 'console of a wheel'],
  ['/pit', 'pit'],
  ['/cage', 'cage'],
  ['/admin', 'administration'],
] as const;

for (const language of ['en', 'zh'] as const) {
  for (const [path, name] of pages) {
    test(`${name} in ${language}: accessible by axe, no horizontal scrolling`, async ({ page }) => {
      await page.addInitScript((code) => localStorage.setItem('croupier.language', code), language);
      await page.goto(`${path}?mock&staff&open=120`);
      await page.waitForSelector('main');
      await page.waitForTimeout(900);
      await page.addScriptTag({ path: axe });
      const violations = await page.evaluate(async () => {
        const run = (
          globalThis as unknown as {
            axe: {
              run: () => Promise<{
                violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
              }>;
            };
          }
        ).axe;
        const { violations } = await run.run();
        return violations.map(
          (one) =>
            `${one.id}: ${one.nodes
              .slice(0, 3)
              .map((node) => `${node.html.slice(0, 160)} ${node.failureSummary}`)
              .join(' | ')}`,
        );
      });
      expect(violations).toEqual([]);
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
      ).toBeLessThanOrEqual(0);
    });
  }
}

test('a dealer runs a round with keys alone', async ({ page }) => {
  await page.setViewportSize({ width: 1366, height: 768 });
  await page.goto('/console/1?mock&staff&open=120&hold=idle');
  await expect(page.getByRole('button', { name: 'Open bets' })).toBeEnabled();
  await page.keyboard.press('Space');
  await expect(page.getByRole('button', { name: 'Close bets' })).toBeEnabled();
  await page.keyboard.press('Space');
  await expect(page.getByText('All live terminals show it')).toBeVisible();
  for (const key of ['2', '2', '3']) await page.keyboard.press(key);
  await page.keyboard.press('Enter');
  await expect(page.getByText('The result is 2-2-3. In all')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Confirm and pay' })).toBeEnabled();
  await page.keyboard.press('Space');
  await expect(page.getByText('Last round: 2-2-3')).toBeVisible();
});

test('a dealer voids a round on a ground of the rulebook', async ({ page }) => {
  await page.goto('/console/5?mock&staff&open=120');
  await page.getByRole('button', { name: 'Void' }).click();
  await page.getByRole('radio', { name: /5\.3\.4 Ball flung out/ }).click();
  await page.getByRole('button', { name: 'Void the round' }).click();
  await expect(page.getByText('Last round: Void')).toBeVisible();
});

test('a round frozen by a device offers its two ways out', async ({ page }) => {
  await page.goto('/console/1?mock&staff&open=120&halted');
  await expect(page.getByText('Fewer than three tumbles')).toBeVisible();
  await expect(page.getByRole('button', { name: 'It is a device fault' })).toBeVisible();
  await page.getByRole('button', { name: 'Confirm: void the round' }).click();
  await expect(page.getByText('Last round: Void')).toBeVisible();
});

test('an interruption is attested with a second person', async ({ page }) => {
  await page.goto('/console/1?mock&staff&open=120&interrupted');
  await page.getByRole('button', { name: 'Attest' }).click();
  await expect(page.getByText('(D15)')).toBeVisible();
  await page.getByLabel('Login').fill('pit');
  await page.getByLabel('Password or PIN').fill('demo');
  await page.getByRole('dialog').getByRole('button', { name: 'Attest' }).click();
  await expect(page.getByText('Last round: Void')).toBeVisible();
});

test('the cage tells why a ticket is not paid', async ({ page }) => {
  await page.goto('/cage?mock&staff');
  await page.getByLabel('Ticket number (18 digits)').fill('012345678901234567');
  await page.getByRole('button', { name: 'Check and pay' }).click();
  await expect(page.getByText('This ticket was paid on')).toBeVisible();
});
