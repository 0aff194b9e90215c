// What an administrator does together with a second person when something went wrong with the host: a clock that was set,
// records that are lost, a rulebook to be installed; and a login that waits, which a Pit Manager unlocks.
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type Page, request } from '@playwright/test';
import { choosePassword, chosen, expect, Host, ports, test } from './floor';
import { leave } from './hands';

const port = ports + 10;

/** Signed in at a host of its own, by name, so that passkeys work. */
async function signIn(
  browser: Browser,
  host: Host,
  login: string,
  path: string,
  password = 'demonstration',
): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await enter(page, host, login, path, password);
  return page;
}
async function enter(
  page: Page,
  host: Host,
  login: string,
  path: string,
  password = 'demonstration',
): Promise<void> {
  await page.goto(`http://localhost:${host.port}${path}`);
  await page.getByLabel('Login').fill(login);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
}
async function authenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** Eight days on the system clock, as the program sees it: the machine's own stays as it is. */
const shim = `#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
int clock_gettime(clockid_t id, struct timespec *at) {
  static int (*own)(clockid_t, struct timespec *);
  if (!own) own = dlsym(RTLD_NEXT, "clock_gettime");
  int failed = own(id, at);
  if (id == CLOCK_REALTIME) at->tv_sec += 8 * 86400;
  return failed;
}
`;

test('two people accept a clock that was set ahead, and install a rulebook', async ({ browser }) => {
  const host = new Host('real', port);
  await host.start();
  try {
    await choosePassword(host, 'administrator');
    await choosePassword(host, 'administrator2');
    await host.kill();
    // More than a week after the last record: the clock is not believed.
    const library = join(host.folder, 'ahead.so');
    execFileSync('cc', ['-shared', '-fPIC', '-x', 'c', '-o', library, '-', '-ldl'], { input: shim });
    host.environment = { LD_PRELOAD: library };
    await host.start();
    const office = await signIn(browser, host, 'administrator', '/admin', chosen);
    const warning = office.getByRole('alert').filter({ hasText: 'The clock was set' });
    await expect(warning).toBeVisible();
    await warning.getByRole('button', { name: 'Accept the clock' }).click();
    const dialog = office.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog.locator('.toast.bad')).toContainText('second person');
    await dialog.getByLabel('Login').fill('administrator2');
    await dialog.getByLabel('Their password').fill(chosen);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog).toHaveCount(0);
    await expect(warning).toHaveCount(0);

    // The floor's time is eight days on, and the sessions of before it are over.
    await enter(office, host, 'administrator', '/admin', chosen);
    const canonical = readFileSync('../rulebooks/roulette-single-zero.toml', 'utf8');
    await office.getByRole('navigation').getByRole('button', { name: 'Rulebooks', exact: true }).click();
    await expect(office.getByRole('row', { name: /rws-sicbo-open/ })).toBeVisible();
    const row = office.getByRole('row', { name: /roulette-single-zero/ });
    await expect(row).toHaveCount(0);
    await office.getByRole('button', { name: 'Install a rulebook' }).click();
    await dialog.getByLabel('Rulebook').fill(canonical);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog.locator('.toast.bad')).toContainText('Two people');
    await dialog.getByLabel('Login').fill('administrator2');
    await dialog.getByLabel('Their password').fill(chosen);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog).toHaveCount(0);
    await expect(row).toBeVisible();
    await office.context().close();
  } finally {
    await host.end();
  }
});

test('records are lost: an administrator and a Shift Manager, with a passkey, state what was lost', async ({
  browser,
}) => {
  const host = new Host('demonstration', port + 1);
  const data = join(host.folder, 'data');
  await host.start();
  try {
    const office = await (await browser.newContext()).newPage();
    await authenticator(office);
    await enter(office, host, 'shift1', '/pit');
    await office.getByRole('button', { name: 'Account' }).click();
    await office.getByLabel('Name of the passkey').fill('the key of the shift');
    await office.getByLabel('Your password').fill('demonstration');
    await office.getByRole('button', { name: 'Add a passkey' }).click();
    await expect(office.getByRole('dialog').getByText('the key of the shift', { exact: true })).toBeVisible();
    await office.keyboard.press('Escape');
    await office.getByRole('button', { name: 'Sign out' }).click();

    // A backup; play goes on; then the disk is lost and the backup restored.
    const player = await (await browser.newContext({ hasTouch: true })).newPage();
    await player.goto(`http://localhost:${host.port}/terminal/4`);
    await player.waitForSelector('.page .layout');
    await host.kill();
    cpSync(data, join(host.folder, 'backup'), { recursive: true });
    await host.start();
    await expect(player.getByRole('alert').filter({ hasText: 'Connection lost' })).toHaveCount(0, {
      timeout: 30_000,
    });
    await player.getByRole('button', { name: 'Money', exact: true }).click();
    await player.getByRole('button', { name: 'S$ 100', exact: true }).click();
    await expect(player.locator('.meters div', { hasText: 'Credit' }).locator('dd')).toHaveText('100.00');
    await host.kill();
    rmSync(data, { recursive: true });
    renameSync(join(host.folder, 'backup'), data);
    await host.start();

    await enter(office, host, 'administrator1', '/admin');
    const warning = office.getByRole('alert').filter({ hasText: 'Records are missing' });
    await expect(warning).toBeVisible({ timeout: 30_000 });
    await warning.getByRole('button', { name: 'State what was lost' }).click();
    const dialog = office.getByRole('dialog');
    await dialog.getByLabel('What was lost').fill('A hundred dollars put in at seat 5, paid back by hand');
    await dialog.getByLabel('Login').fill('shift1');
    await dialog.getByRole('button', { name: 'Use a passkey' }).click();
    await expect(
      dialog.getByRole('button', { name: 'Their passkey is asked for when this is sent' }),
    ).toBeVisible();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog).toHaveCount(0);
    await expect(warning).toHaveCount(0);
    await leave(office, player);
  } finally {
    await host.end();
  }
});

test('a Pit Manager unlocks a login at the pit; a Pit Supervisor is not offered it', async ({ browser }) => {
  const host = new Host('demonstration', port + 2);
  await host.start();
  try {
    const http = await request.newContext({ extraHTTPHeaders: { 'x-croupier': '1' } });
    const session = `${host.address}/api/v1/floors/demo/session`;
    for (let tries = 0; tries < 5; tries++)
      await http.post(session, { data: { login: 'dealer1', password: 'a wrong guess' } });
    const right = { login: 'dealer1', password: 'demonstration' };
    expect((await http.post(session, { data: right })).status()).toBe(429);

    const supervisor = await signIn(browser, host, 'supervisor1', '/pit');
    await expect(supervisor.getByRole('heading', { name: 'Staff at tables' })).toBeVisible();
    await expect(supervisor.getByRole('button', { name: 'Locked sign-ins' })).toHaveCount(0);
    const manager = await signIn(browser, host, 'manager1', '/pit');
    await manager.getByRole('button', { name: 'Locked sign-ins' }).click();
    const waiting = manager.getByRole('dialog').getByRole('listitem').filter({ hasText: 'dealer1' });
    await expect(waiting).toContainText('127.0.0.1');
    await waiting.getByRole('button', { name: 'Unlock' }).click();
    await expect(manager.getByRole('dialog')).toContainText('No login waits.');
    expect((await http.post(session, { data: right })).ok()).toBe(true);
    await http.dispose();
    await leave(supervisor, manager);
  } finally {
    await host.end();
  }
});
