// Terminal and display at every size of screen, from the scripted host: node tools/sizes.mjs FOLDER [NAME] [LANGUAGE].
// The pages are built and served here; SETTLED=1 takes the result too.
import { mkdirSync } from 'node:fs';
import { chromium } from '@playwright/test';
import { build, preview } from 'vite';

const [folder = 'sizes', only = '', language = 'en'] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const sizes = [
  [1920, 1080],
  [1366, 768],
  [1080, 1920],
  [1024, 768],
  [390, 844],
];
const pages = {
  a: ['/terminal/1', 'big=2 single/5 triple/any total/11 domino/2-5'],
  b: ['/terminal/2', 'big=2 three/2-5-6 pair/6-6-2 total/13'],
  c: ['/terminal/3', 'small=2 double/6 total/13'],
  rapid: ['/terminal/6', 'big=2 four/2-3-5-6 domino/2-5'],
  alfastreet: ['/terminal/7', 'small=2 domino/5-6 total/11'],
  roulette: ['/terminal/8', 'red=2 split/17-20 corner/25-26-28-29 straight/17 dozen/2 topline'],
  standard: ['/terminal/9', 'red=2 straight/17'],
  'display-sicbo': ['/display/1', ''],
  'display-taisai': ['/display/3', ''],
  'display-mbs': ['/display/4', ''],
  'display-roulette': ['/display/5', ''],
};
const outDir = 'node_modules/.sizes';
await build({ mode: 'mock', logLevel: 'warn', build: { outDir } });
const server = await preview({
  logLevel: 'silent',
  build: { outDir },
  preview: { host: '127.0.0.1', port: 0 },
});
const base = `http://127.0.0.1:${server.httpServer.address().port}`;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
for (const [name, [path, bets]] of Object.entries(pages)) {
  if (only && !name.match(only)) continue;
  for (const [width, height] of sizes) {
    const context = await browser.newContext({ viewport: { width, height }, hasTouch: width < 1100 });
    await context.addInitScript((code) => localStorage.setItem('croupier.language', code), language);
    const page = await context.newPage();
    const open = name.startsWith('display') ? 2 : 5;
    await page.goto(
      `${base}${path}?mock&open=${open}&outcome=${/roulette|standard|\/5/.test(name + path) ? '17' : '2-5-6'}&hold=settled&wait=${open * 1000}`,
    );
    await page.waitForSelector('.notice.open');
    for (const bet of bets.split(' ').filter(Boolean)) {
      const [spot, chip] = bet.split('=');
      if (chip) await page.locator('.rack button').nth(Number(chip)).click();
      const at = page.locator(`.layout [data-spot="${spot}"]`);
      if ((await at.count()) === 0) continue;
      await at.scrollIntoViewIfNeeded().catch(() => {});
      const box = await at.boundingBox();
      if (box) await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    }
    await page.mouse.move(5, 5);
    await page.screenshot({ path: `${folder}/${name}-${width}-open.png` });
    if (process.env.SETTLED) {
      await page.waitForSelector('.layout .won', { timeout: 20_000 });
      await page.waitForTimeout(1200);
      await page.screenshot({ path: `${folder}/${name}-${width}-settled.png` });
    }
    await context.close();
  }
}
await browser.close();
await new Promise((done) => server.httpServer.close(done));
