import { expect, type Page, test } from '@playwright/test';
import { overflow } from './axe';
import { tooSmall, unreadable } from './geometry';

// Every state of terminal and display at every size of screen, checked by geometry: nothing runs out of the page, nothing
// covers anything else, every text can be read and every target can be touched.
const sizes = [
  [1920, 1080],
  [1366, 768],
  [1080, 1920],
  [1024, 768],
  [390, 844],
] as const;
const terminals = [
  [1, 'layout A'],
  [2, 'layout B'],
  [3, 'layout C'],
  [6, 'rapid'],
  [7, 'alfastreet'],
  [8, 'roulette'],
  [9, 'roulette without pieces'],
] as const;
const displays = [
  [1, 'Sic Bo'],
  [3, 'Tai Sai'],
  [4, 'Electronic Sic Bo'],
  [5, 'roulette'],
] as const;

/** Parts of the page that lie over each other or out of the screen. */
function colliding(page: Page, parts: string[]): Promise<string[]> {
  return page.evaluate((names) => {
    const found: string[] = [];
    const boxes = names.flatMap((name) =>
      [...document.querySelectorAll(name)].map((one, index) => ({
        name: `${name}[${index}]`,
        one,
        box: one.getBoundingClientRect(),
      })),
    );
    const tall = document.documentElement.scrollHeight;
    for (const a of boxes) {
      if (a.box.width === 0) continue;
      if (a.box.left < -1 || a.box.right > innerWidth + 1 || a.box.top < -1 || a.box.bottom > tall + 1)
        found.push(`${a.name} out of the screen`);
      for (const b of boxes) {
        if (a === b || b.box.width === 0 || a.one.contains(b.one) || b.one.contains(a.one)) continue;
        const across = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
        const down = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
        if (across > 1.5 && down > 1.5 && a.name < b.name) found.push(`${a.name} over ${b.name}`);
      }
    }
    return found;
  }, parts);
}

/** What is printed beyond the field it belongs to. */
function misprinted(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('.layout .face')].flatMap((face) => {
      const field = face.querySelector('.field')?.getBoundingClientRect();
      return [...face.querySelectorAll('text')].flatMap((text) => {
        const box = text.getBoundingClientRect();
        const beside = field && (box.left < field.left - 2 || box.right > field.right + 2);
        return beside
          ? [`${text.textContent} in a field of ${Math.round(field.width)} × ${Math.round(field.height)}`]
          : [];
      });
    }),
  );
}

/** Fields of Big, Small, Odd and Even on which it cannot be read that they lose on any triple. */
function silent(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('.layout .face')]
      .filter((one) => one.querySelector('.sign'))
      .map((one) => [...one.querySelectorAll('text')].map((text) => text.textContent).join(' '))
      .filter((words) => !/ANY TRIPLE|围骰通杀|圍骰通殺/.test(words)),
  );
}

/** What should be seen whole, but is cut by the box around it. */
function cut(page: Page, parts: string[]): Promise<string[]> {
  return page.evaluate(
    (names) =>
      names.flatMap((name) =>
        [...document.querySelectorAll<HTMLElement>(name)]
          .filter((one) => one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1)
          .map(
            (one) =>
              `${name}: ${one.scrollWidth} × ${one.scrollHeight} in ${one.clientWidth} × ${one.clientHeight}`,
          ),
      ),
    parts,
  );
}

async function sound(page: Page, parts: string[], whole: string[]): Promise<void> {
  expect(await overflow(page), 'wider than the screen').toBeLessThanOrEqual(0);
  expect(await unreadable(page), 'texts under 11 pixels').toEqual([]);
  expect(await tooSmall(page), 'too small to touch').toEqual([]);
  expect(await colliding(page, parts), 'over each other').toEqual([]);
  expect(await silent(page), 'not said to lose on any triple').toEqual([]);
  expect(await misprinted(page), 'printed beyond its field').toEqual([]);
  expect(await cut(page, whole), 'cut off').toEqual([]);
}

const terminalParts = [
  'header > *',
  '.stage',
  'aside > .panel',
  '.felt .board',
  '.felt .race',
  '.felt .info',
  '.meters > div',
  '.rack',
  '.actions .button',
  '.money .button',
];
const oddsShown = { en: 'Odds shown: ', zh: '所示赔率：', 'zh-Hant': '所示賠率：' };
const displayParts = ['header > *', '.stage', '.left > .panel', '.middle > *', '.right', 'footer'];

for (const language of ['en', 'zh', 'zh-Hant'] as const) {
  for (const [width, height] of sizes) {
    test(`terminals at ${width} × ${height} in ${language}`, async ({ page }) => {
      test.setTimeout(120_000);
      await page.setViewportSize({ width, height });
      await page.addInitScript((code) => localStorage.setItem('croupier.language', code), language);
      for (const [seat, name] of terminals) {
        await test.step(name, async () => {
          await page.goto(`/terminal/${seat}?mock&open=120`);
          await expect(page.locator('.notice.open')).toBeVisible();
          await sound(page, terminalParts, ['.page', '.page > main', 'aside', 'footer']);
          const track = page.locator('.which button').nth(1);
          if (await track.isVisible()) {
            await track.click();
            await sound(page, terminalParts, ['.page', '.page > main', 'aside', 'footer']);
          }
          await expect(page.locator('.money .button').nth(1)).toBeInViewport({ ratio: 1 });
        });
      }
    });
    test(`a settled round on terminals at ${width} × ${height} in ${language}`, async ({ page }) => {
      await page.setViewportSize({ width, height });
      await page.addInitScript((code) => localStorage.setItem('croupier.language', code), language);
      await page.goto('/terminal/2?mock&open=5&outcome=2-5-6&hold=settled&wait=2500');
      await expect(page.locator('.notice.open')).toBeVisible();
      const spot = page.locator('.layout [data-spot="total/13"]');
      await spot.scrollIntoViewIfNeeded();
      const box = (await spot.boundingBox())!;
      await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
      await expect(page.locator('.layout .won').first()).toBeAttached({ timeout: 15_000 });
      await sound(page, terminalParts, ['.page', '.page > main', 'aside', 'footer']);
    });
    test(`displays at ${width} × ${height} in ${language}`, async ({ page }) => {
      test.setTimeout(120_000);
      await page.setViewportSize({ width, height });
      await page.addInitScript((code) => localStorage.setItem('croupier.language', code), language);
      for (const [table, name] of displays) {
        await test.step(name, async () => {
          await page.goto(`/display/${table}?mock&open=120`);
          await expect(page.locator('.notice.open')).toBeVisible();
          await expect(page.locator('.whose')).toContainText(oddsShown[language]);
          await sound(page, displayParts, ['.page', '.page > main', '.left', '.middle', '.right']);
        });
      }
    });
  }
}
