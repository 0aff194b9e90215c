// Takes pictures of pages: node tools/shoot.mjs BASE FOLDER NAME=WIDTHxHEIGHT:WAIT:PATH …
import { chromium } from '@playwright/test';

const [base, folder, ...shots] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
});
for (const shot of shots) {
  const [, name, width, height, wait, path] = /^([^=]+)=(\d+)x(\d+):(\d+):(.+)$/.exec(shot);
  const page = await browser.newPage({ viewport: { width: Number(width), height: Number(height) } });
  page.on('console', (message) => {
    if (message.type() === 'error') console.log(name, message.text());
  });
  page.on('pageerror', (error) => console.log(name, error.message));
  await page.goto(base + path);
  await page.waitForTimeout(Number(wait));
  if (process.env.SCRIPT) {
    await page.evaluate(process.env.SCRIPT);
    await page.waitForTimeout(Number(process.env.AFTER ?? 700));
  }
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage: process.env.FULL === '1' });
  await page.close();
}
await browser.close();
