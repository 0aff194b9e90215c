// The program and the pages as they are built now, for scripts: start it, and end it again.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium } from '@playwright/test';
import { build, preview } from 'vite';

const program = resolve(process.env.CROUPIER_BIN ?? '../target/debug/croupier');

/** With `deals: false` no table deals by itself until it is told to. */
export async function startFloor({ deals = true } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'croupier-tools-'));
  const port = 20_000 + (process.pid % 20_000);
  const settings = join(folder, 'croupier.toml');
  writeFileSync(settings, `demonstration_deals = ${deals}\n`);
  const words = ['serve', '--demo', '--config', settings, '--data', join(folder, 'data')];
  const child = spawn(program, [...words, '--listen', `127.0.0.1:${port}`], { stdio: 'ignore' });
  const api = `http://127.0.0.1:${port}`;
  await build({ logLevel: 'warn', build: { outDir: 'node_modules/.tools' } });
  const proxy = { '/api': { target: api, ws: true } };
  const server = await preview({
    logLevel: 'silent',
    build: { outDir: 'node_modules/.tools' },
    preview: { host: '127.0.0.1', port: port + 1, strictPort: true, proxy },
  });
  for (let tries = 0; !(await fetch(`${api}/api/v1/host`).catch(() => null))?.ok; tries++) {
    if (tries > 200) throw new Error(`${program} does not answer`);
    await new Promise((done) => setTimeout(done, 200));
  }
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
    ],
  });
  return {
    base: `http://127.0.0.1:${port + 1}`,
    browser,
    async end() {
      await browser.close();
      await new Promise((done) => server.httpServer.close(done));
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A page, signed in where a login is given. */
export async function openPage(
  floor,
  path,
  { login, width = 1440, height = 900, language = 'en', touch = false } = {},
) {
  const context = await floor.browser.newContext({
    viewport: { width, height },
    locale: 'en-SG',
    hasTouch: touch,
  });
  if (login) {
    const answer = await context.request.post(`${floor.base}/api/v1/floors/demo/session`, {
      data: { login, password: 'demonstration' },
      headers: { 'x-croupier': '1' },
    });
    if (!answer.ok()) throw new Error(await answer.text());
  }
  const page = await context.newPage();
  await page.addInitScript((code) => localStorage.setItem('croupier.language', code), language);
  page.on('pageerror', (error) => console.error(path, error.message));
  await page.goto(floor.base + path);
  return page;
}
