// A floor of two hosts, on one nats-server: clients of a lost host continue at the other.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, Host, meter, ports, test } from './floor';

const server = process.env.NATS_SERVER ?? resolve('../target/nats/bin/nats-server');

test('a player and a display whose host is lost go on at another by themselves', async ({ browser }) => {
  const port = ports + 2;
  const folder = mkdtempSync(join(tmpdir(), 'croupier-nats-'));
  const settings = join(folder, 'nats.conf');
  writeFileSync(
    settings,
    `listen: 127.0.0.1:${port}\njetstream { store_dir: "${folder}", sync_interval: always }\n`,
  );
  const nats = spawn(server, ['-c', settings], { stdio: 'ignore' });
  const cluster = ['--journal', `nats://127.0.0.1:${port}`, '--replicas', '1', '--floor', 'demo'];
  const one = new Host('demonstration', port + 1, [...cluster, '--host', 'one']);
  const two = new Host('demonstration', port + 2, [...cluster, '--host', 'two']);
  const context = await browser.newContext({ hasTouch: true });
  try {
    await one.start();
    await two.start();
    const known = async () => {
      const answer = await fetch(`${one.address}/api/v1/floors/demo/hosts`);
      return ((await answer.json()) as { hosts: unknown[] }).hosts.length;
    };
    await expect.poll(known, { timeout: 30_000 }).toBe(2);
    const player = await context.newPage();
    await player.goto(`${one.address}/terminal/4`);
    await player.waitForSelector('.page .layout');
    await player.getByRole('button', { name: 'Money', exact: true }).click();
    await player.getByRole('button', { name: 'S$ 100', exact: true }).click();
    await expect(meter(player, 'Credit')).toHaveText('100.00');
    const display = await context.newPage();
    // A page that has not yet heard of the other host cannot go there.
    const heard = display.waitForResponse(/\/hosts$/);
    await display.goto(`${one.address}/display/0`);
    await display.waitForSelector('.layout .spot');
    await heard;

    // The printer has not reported when the host is gone: the ticket is offered again by the other one (D25).
    await player.getByRole('button', { name: 'Cash out', exact: true }).click();
    await player.getByRole('dialog').getByRole('button', { name: 'Cash out', exact: true }).click();
    const paper = player.locator('.ticket');
    await expect(paper).toContainText('100.00');
    const number = await paper.locator('.top').textContent();

    await one.kill();
    const lost = player.getByRole('alert').filter({ hasText: 'Connection lost' });
    await expect(lost).toBeVisible({ timeout: 5000 });
    await expect(lost).toHaveCount(0, { timeout: 30_000 });
    await expect(display.getByRole('alert')).not.toContainText('lost', { timeout: 30_000 });

    // The page is still the one that the lost host served; what it does is done by the other.
    await expect(meter(player, 'Credit')).toHaveText('100.00');
    await expect(paper.locator('.top')).toHaveText(number!);
    await expect(player.locator('.meters')).toContainText('100.00 is being printed');
    await player.getByRole('button', { name: 'It is printed' }).click();
    await expect(player.getByRole('dialog')).toHaveCount(0);
    await expect(meter(player, 'Credit')).toHaveText('0.00');
    expect(player.url()).toContain(one.address);
  } finally {
    await context.close();
    await one.end();
    await two.end();
    const ended = new Promise((done) => nats.once('exit', done));
    if (nats.exitCode === null && nats.kill('SIGKILL')) await ended;
    rmSync(folder, { recursive: true, force: true });
  }
});
