import { expect, type Page, test } from '@playwright/test';
import { overflow, violations } from './axe';
import { runsOut, tooSmall, unreadable } from './geometry';

// Every page at every size of screen in every language, checked by geometry and by axe. `make test` takes each page once at
// three sizes, a language with each; SWEEP=full takes the whole matrix (`make test-deep`).
const sizes = [
  [1920, 1080],
  [1366, 768],
  [1080, 1920],
  [1024, 768],
  [390, 844],
] as const;
const languages = ['en', 'zh', 'zh-Hant'] as const;
const full = process.env.SWEEP === 'full';

type Sight = {
  path: string;
  name: string;
  there: string;
  /** Opens what is looked at. */
  open?: (page: Page) => Promise<void>;
};
/** The pages of the staff: what they show first. */
const staff: Sight[] = [
  { path: '/', name: 'landing', there: '.rooms .room' },
  { path: '/console/1', name: 'console', there: '.next .huge' },
  { path: '/console/3', name: 'console of a live table', there: '.boxes .layout .spot' },
  { path: '/console/5', name: 'console of a wheel', there: '.next .huge' },
  { path: '/pit', name: 'pit', there: 'article .buttons' },
  { path: '/cage', name: 'cage', there: '.redeem .echo' },
  { path: '/admin', name: 'administration', there: 'tbody tr' },
];
/** Links in the tables of these stand in lines of text, as a reader of reports expects them. */
const tables: Sight[] = [
  { path: '/reports', name: 'reports', there: 'tbody a' },
  { path: '/lab', name: 'lab', there: '.layout .spot' },
];
/** Terminal and display are measured in sizes.spec.ts; here axe looks at them. */
const players: Sight[] = [
  { path: '/terminal/2', name: 'terminal with dice', there: '.page .layout .spot' },
  { path: '/terminal/8', name: 'terminal with a wheel', there: '.page .layout .spot' },
  { path: '/display/1', name: 'display', there: '.layout .spot' },
  { path: '/display/5', name: 'display of a wheel', there: '.layout .spot' },
];
const asked = (button: number) => async (page: Page) => {
  await page.locator('aside .foot button:enabled').nth(button).click();
  await expect(page.getByRole('dialog')).toBeVisible();
};
/** Dialogs of the staff. */
const dialogs: Sight[] = [
  { path: '/console/1', name: 'interruption', there: '.foot button', open: asked(0) },
  { path: '/console/5', name: 'grounds', there: '.foot button', open: asked(1) },
  {
    path: '/pit',
    name: 'limits of a table',
    there: 'article .who button',
    open: async (page) => {
      await page.locator('article .who button').first().click();
      await expect(page.getByRole('dialog').locator('tbody tr').first()).toBeVisible();
    },
  },
  {
    path: '/pit',
    name: 'terminals of a table',
    there: 'article .buttons',
    open: async (page) => {
      await page.locator('article .buttons button').nth(2).click();
      await expect(page.getByRole('dialog').locator('select').first()).toBeVisible();
    },
  },
  {
    path: '/pit',
    name: 'past rounds',
    there: 'article .buttons',
    open: async (page) => {
      await page.locator('article .buttons button').nth(1).click();
      await page.getByRole('dialog').getByRole('radio').nth(1).check();
      await expect(page.getByRole('dialog').locator('.entry').first()).toBeVisible();
    },
  },
];

async function look(page: Page, sight: Sight, size: readonly [number, number], language: string) {
  await page.setViewportSize({ width: size[0], height: size[1] });
  await page.addInitScript((code) => localStorage.setItem('croupier.language', code), language);
  await page.goto(`${sight.path}?mock&staff&open=120`);
  await expect(page.locator(sight.there).first()).toBeVisible();
  await sight.open?.(page);
}

for (const [index, size] of sizes.entries()) {
  for (const [turn, language] of languages.entries()) {
    // The small screens and the upright one, in a language each.
    if (!full && (index < 2 || turn !== index - 2)) continue;
    const where = `at ${size[0]} × ${size[1]} in ${language}`;
    for (const sight of [...staff, ...dialogs, ...tables, ...players]) {
      if (!full && players.includes(sight)) continue;
      test(`sweep: ${sight.name} ${where}`, async ({ page }) => {
        await look(page, sight, size, language);
        expect(await overflow(page), 'wider than the screen').toBeLessThanOrEqual(0);
        if (!players.includes(sight)) {
          expect(await runsOut(page), 'runs out of its box').toEqual([]);
          expect(await unreadable(page), 'texts under 11 pixels').toEqual([]);
        }
        if (staff.includes(sight) || dialogs.includes(sight))
          expect(await tooSmall(page), 'too small to touch').toEqual([]);
        if (full || size[0] === 390) expect(await violations(page)).toEqual([]);
      });
    }
  }
}
