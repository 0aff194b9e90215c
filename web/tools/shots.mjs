// Pictures of every page, from the program itself: npm run shots. They land in ../docs/pictures.
import { mkdirSync, writeFileSync } from 'node:fs';
import { openPage, startFloor } from './floor.mjs';

const folder = '../docs/pictures';
mkdirSync(folder, { recursive: true });
const floor = await startFloor({ deals: false });
const patience = { timeout: 90_000 };

async function shoot(page, name) {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 84 });
  const bytes = Buffer.from(data, 'base64');
  writeFileSync(`${folder}/${name}.webp`, bytes);
  console.log(`${name}: ${Math.round(bytes.length / 1024)} KiB`);
}

/** The one big action of a console. */
async function next(page, name) {
  const button = page.locator('.next .huge:enabled', { hasText: name });
  await button.waitFor(patience);
  await button.click();
}

async function bet(page, credit, spots) {
  await page.waitForSelector('.page .layout');
  await page.getByRole('button', { name: /^(Money|入钞)$/ }).click();
  await page.getByRole('button', { name: `S$ ${credit}`, exact: true }).click();
  await page.locator('.notice.open').waitFor(patience);
  for (const [chip, id] of spots) {
    await page.locator('.rack button').nth(chip).click();
    const box = await page.locator(`.layout [data-spot="${id}"]`).boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  }
}

try {
  const landing = await openPage(floor, '/');
  await landing.waitForSelector('.rooms');
  await shoot(landing, 'landing');
  await landing.context().close();

  // A person deals at two tables, so that each picture is taken at its moment; the others deal by themselves.
  for (const [table, login] of [
    [0, 'dealer1'],
    [1, 'dealer2'],
    [3, 'dealer4'],
  ]) {
    const page = await openPage(floor, `/console/${table}`, { login });
    await page.getByLabel('Automatic dealer').check(patience);
    await page.context().close();
  }
  const hands = [];
  for (const [table, login] of [
    [2, 'dealer3'],
    [4, 'dealer5'],
  ]) {
    const page = await openPage(floor, `/console/${table}`, { login, width: 1366, height: 768 });
    hands.push(page);
  }
  const [dealer, taisai] = hands;
  const begin = async (page) => {
    const take = page.locator('.next .huge', { hasText: 'Take the table' });
    await page.locator('.next .huge').waitFor(patience);
    if (await take.isVisible()) await take.click();
    await next(page, 'Open bets');
  };

  const sicbo = await openPage(floor, '/terminal/28');
  const roulette = await openPage(floor, '/terminal/16');
  const rapid = await openPage(floor, '/terminal/4', { language: 'zh' });
  await begin(dealer);
  await bet(sicbo, '1,000', [
    [3, 'big'],
    [2, 'single/5'],
    [1, 'double/6'],
    [1, 'domino/2-5'],
    [2, 'total/11'],
    [1, 'triple/any'],
    [1, 'four/2-3-4-5'],
    [2, 'odd'],
  ]);
  await shoot(sicbo, 'terminal-sicbo');
  await bet(roulette, '1,000', [
    [2, 'straight/17'],
    [1, 'split/17-20'],
    [2, 'corner/25-26-28-29'],
    [1, 'street/1-2-3'],
    [3, 'red'],
    [3, 'dozen/2'],
    [1, 'sixline/31-36'],
  ]);
  await roulette.locator('[data-bet="tiers"]').click();
  await roulette.locator('[data-bet="neighbours/21/2"]').hover();
  await roulette.waitForTimeout(500);
  await shoot(roulette, 'terminal-roulette');
  await bet(rapid, '500', [
    [2, 'small'],
    [1, 'three/1-2-3'],
    [1, 'pair/2-2-5'],
    [2, 'total/9'],
  ]);
  await shoot(rapid, 'terminal-rapid-chinese');

  await next(dealer, 'Close bets');
  await dealer.getByRole('button', { name: 'Tumble', exact: true }).click();
  await dealer.locator('aside section', { hasText: 'tumbles' }).waitFor(patience);
  await dealer.getByRole('button', { name: 'Uncover', exact: true }).click();
  await dealer.locator('.question', { hasText: 'The device reads' }).waitFor(patience);
  await next(dealer, 'Enter the result');
  await dealer.locator('.question', { hasText: 'The result is' }).waitFor(patience);
  await shoot(dealer, 'console');
  await next(dealer, 'Confirm and pay');
  await sicbo.locator('.layout .won').first().waitFor(patience);
  await sicbo.waitForTimeout(700);
  await shoot(sicbo, 'terminal-result');

  await begin(taisai);
  await taisai.locator('.boxes .layout').waitFor(patience);
  for (const [position, chip, id] of [
    [1, 1, 'big'],
    [2, 2, 'small'],
    [3, 2, 'big'],
    [3, 1, 'total/9'],
    [4, 1, 'single/4'],
    [5, 1, 'domino/2-5'],
    [6, 1, 'double/3'],
  ]) {
    await taisai
      .locator('.positions button')
      .nth(position - 1)
      .click();
    await taisai.locator('.rack button').nth(chip).click();
    const box = await taisai.locator(`.layout [data-spot="${id}"]`).boundingBox();
    await taisai.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await taisai.waitForTimeout(400);
  }
  await shoot(taisai, 'console-taisai');

  const display = await openPage(floor, '/display/1', { width: 1600, height: 900 });
  await display.waitForSelector('.layout');
  await display.locator('.notice.open').waitFor(patience);
  await shoot(display, 'display');
  await display.context().close();

  const pit = await openPage(floor, '/pit', { login: 'manager1' });
  await pit.waitForSelector('article');
  await pit.waitForTimeout(1500);
  await shoot(pit, 'pit');
  await pit.getByRole('button', { name: 'Search rounds' }).click();
  await pit.getByLabel('State').selectOption('settled');
  await pit.getByRole('dialog').getByRole('button', { name: 'Search' }).click();
  await pit.waitForTimeout(800);
  await pit.getByRole('dialog').locator('.link').first().click();
  await pit.getByRole('heading', { name: 'Every event in order' }).waitFor(patience);
  await shoot(pit, 'pit-round');
  await pit.context().close();

  const cage = await openPage(floor, '/cage', { login: 'cashier1', width: 1280, height: 800 });
  await cage.getByRole('button', { name: 'Open shift' }).click();
  await cage.getByRole('button', { name: '500', exact: true }).click();
  await cage.getByRole('button', { name: 'Sell and print' }).click();
  await cage.locator('.ticket').waitFor(patience);
  const number = ((await cage.locator('.ticket .top').textContent()) ?? '').replaceAll(/\D/g, '');
  await shoot(cage, 'ticket');
  await cage.keyboard.press('Escape');
  await cage.getByLabel('Ticket number').fill(number);
  await cage.getByRole('button', { name: 'Check and pay' }).click();
  await cage.locator('.paid').waitFor(patience);
  await shoot(cage, 'cage');
  await cage.context().close();

  const admin = await openPage(floor, '/admin', { login: 'administrator1', width: 1280, height: 800 });
  await admin.getByRole('button', { name: 'Rulebooks' }).click();
  await admin.waitForTimeout(1200);
  await shoot(admin, 'admin');
  await admin.context().close();

  const lab = await openPage(floor, '/lab', { width: 1920, height: 1080 });
  for (const spot of ['small', 'total/9']) await lab.locator(`.layout [data-spot="${spot}"]`).first().click();
  await lab.locator('.answer').waitFor(patience);
  await lab.waitForTimeout(600);
  await shoot(lab, 'lab');
  await lab.context().close();

  const reports = await openPage(floor, '/reports', { login: 'manager1', width: 1920, height: 1080 });
  await reports.locator('tbody a').first().waitFor(patience);
  await reports.waitForTimeout(600);
  await shoot(reports, 'reports');
} finally {
  await floor.end();
}
