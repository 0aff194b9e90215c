// A simulated cabinet beside the demonstration: notes, a ticket on paper that an independent reader reads, the ticket in again, a
// jam, a door, and a host that dies. The validator, the printer and the agent are programs of their own.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, meter, ports, program, test } from './floor';

const address = `http://127.0.0.1:${ports + 15}`;
const folder = mkdtempSync(join(tmpdir(), 'croupier-cabinet-'));
let agent: ChildProcess | null = null;
let screen = '';

test.beforeAll(async ({ host }) => {
  const words = ['cabinet', '--simulated', '--json', '--host', host.address, '--data', folder];
  agent = spawn(program, [...words, '--listen', address.slice(7)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const said = await new Promise<string>((done) =>
    agent?.stdout?.once('data', (bytes: Buffer) => done(bytes.toString())),
  );
  screen = `${address}/terminal/${(JSON.parse(said) as { terminal: number }).terminal}`;
});

test.afterAll(async () => {
  const child = agent;
  const ended = new Promise((done) => child?.once('exit', done));
  child?.kill('SIGTERM');
  await ended;
  rmSync(folder, { recursive: true, force: true });
});

async function order(device: string, text: string): Promise<void> {
  const answer = await fetch(`${address}/cabinet/simulated/${device}`, { method: 'POST', body: text });
  expect(answer.status).toBe(204);
}

type State = { refuses: string | null; ready: boolean };
const state = async () => (await (await fetch(`${address}/cabinet/state`)).json()) as State;
const takesMoney = () => expect.poll(async () => (await state()).ready, { timeout: 20_000 }).toBe(true);

async function papers(): Promise<{ barcode: string; complete: boolean }[]> {
  const holds = await (await fetch(`${address}/cabinet/simulated/holds`)).json();
  return holds.printer?.papers ?? [];
}

/** What an independent reader reads on the picture of the paper. */
async function readBack(page: Page): Promise<string> {
  const file = join(folder, 'paper.png');
  await page.goto(`${address}/cabinet/simulated/ticket.svg`);
  await page.locator('svg').screenshot({ path: file });
  return execFileSync('zbarimg', ['-q', '--raw', '-Sdisable', '-Si25.enable', file]).toString().trim();
}

test('a note, a ticket on paper, the ticket in again, a jam, a door and a lost host', async ({
  page,
  context,
  host,
}) => {
  await page.goto(screen);
  await takesMoney();
  await order('validator', 'insert 50');
  await expect(meter(page, 'Credit')).toHaveText('50.00');
  await expect(page.getByText('50.00 added to your credit.')).toBeVisible();

  // The page has no key and no ticket number: the agent prints, and the printer reports.
  await page.getByRole('button', { name: 'Cash out' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cash out' }).click();
  await expect(meter(page, 'Credit')).toHaveText('0.00', { timeout: 20_000 });
  await expect(page.getByRole('dialog')).toHaveCount(0);
  const [paper] = await papers();
  expect(paper?.complete).toBe(true);
  const window = await context.newPage();
  expect(await readBack(window)).toBe(paper?.barcode);

  await takesMoney();
  await order('validator', `ticket ${paper?.barcode}`);
  await expect(meter(page, 'Credit')).toHaveText('50.00', { timeout: 20_000 });
  await takesMoney();
  // A second time it comes out again.
  await order('validator', `ticket ${paper?.barcode}`);
  await expect(page.getByText('The note or ticket was returned.')).toBeVisible({ timeout: 20_000 });
  await expect(meter(page, 'Credit')).toHaveText('50.00');

  // A jam before the barcode is on paper: nothing is lost.
  await order('printer', 'jam before-barcode');
  await page.getByRole('button', { name: 'Cash out' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cash out' }).click();
  await expect(page.getByText('50.00 is back in your credit')).toBeVisible({ timeout: 20_000 });
  await expect(meter(page, 'Credit')).toHaveText('50.00');
  await order('printer', 'clear');

  await order('door', 'open');
  await expect(page.getByText('A door of this terminal is open.')).toBeVisible();
  expect((await state()).refuses).toBe('door');
  await order('door', 'close');
  await expect(page.getByText('A door of this terminal is open.')).toBeHidden();

  await host.kill();
  await expect.poll(async () => (await state()).refuses, { timeout: 20_000 }).toBe('host');
  await host.start();
  await takesMoney();
  await order('validator', 'insert 10');
  await expect(meter(page, 'Credit')).toHaveText('60.00', { timeout: 20_000 });
});

test('the window of a simulated cabinet has notes, faults and what happened', async ({ page }) => {
  await page.goto(`${address}/cabinet/simulated`);
  await expect(page.getByRole('button', { name: 'S$ 100', exact: true })).toBeVisible();
  await expect(page.getByRole('status').first()).toHaveText('Takes notes and tickets', { timeout: 20_000 });
  await expect(page.frameLocator('iframe').getByRole('button', { name: 'Cash out' })).toBeVisible({
    timeout: 20_000,
  });
  if (process.env.CABINET_SHOT) await page.screenshot({ path: process.env.CABINET_SHOT });
});
