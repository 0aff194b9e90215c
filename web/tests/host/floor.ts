// The program itself, started on a folder of its own, and what the tests do on its floor.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  type APIRequestContext,
  type Browser,
  type BrowserContext,
  test as base,
  expect,
  type Locator,
  type Page,
  request,
} from '@playwright/test';

export const program = resolve(process.env.CROUPIER_BIN ?? '../target/debug/croupier');
// The first of the twenty ports that are this worker's: each has programs of its own (playwright.config.ts).
export const ports = Number(process.env.CROUPIER_PORT) + 20 * Number(process.env.TEST_PARALLEL_INDEX ?? 0);
const api = `http://127.0.0.1:${ports}/api/v1`;

export const tables = { mbs: 0, roulette: 1, sicbo: 2, open: 3, taisai: 4 } as const;
export const dealers = ['dealer1', 'dealer2', 'dealer3', 'dealer4', 'dealer5'] as const;

export class Host {
  constructor(
    readonly floor: 'demonstration' | 'real' = 'demonstration',
    readonly port = ports,
    readonly more: string[] = [],
  ) {}

  readonly folder = mkdtempSync(join(tmpdir(), 'croupier-pages-'));
  #process: ChildProcess | null = null;
  #said = '';

  get address(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** What it said when it started, such as the first administrator's password. */
  get said(): string {
    return this.#said;
  }

  #passed = 0;

  /** Time passes for the program that does not pass here. What is due by then has taken effect. */
  async pass(minutes: number): Promise<void> {
    const file = join(this.folder, 'moved');
    this.#passed += minutes * 60_000;
    writeFileSync(`${file}.new`, String(this.#passed));
    renameSync(`${file}.new`, file);
    const said = () =>
      existsSync(`${file}.elapsed`) ? readFileSync(`${file}.elapsed`, 'utf8') : 'nothing yet';
    await expect.poll(said, { timeout: 20_000 }).toBe(String(this.#passed));
  }

  /** What the program has in its environment from the next start on, beside the test's own. */
  environment: Record<string, string> = {};

  async start(run = program): Promise<void> {
    if (!existsSync(program)) throw new Error(`${program} is missing: build it, or set CROUPIER_BIN`);
    // People deal here, and devices are quicker than at a table; nothing else is different.
    const settings = join(this.folder, 'croupier.toml');
    writeFileSync(settings, 'demonstration_deals = false\ndemonstration_pace = 25\n');
    const words = ['serve', '--config', settings, '--data', join(this.folder, 'data')];
    words.push('--listen', `127.0.0.1:${this.port}`);
    if (this.floor === 'demonstration') words.push('--demo');
    words.push(...this.more);
    const child = spawn(run, words, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, CROUPIER_MOVED_CLOCK: join(this.folder, 'moved'), ...this.environment },
    });
    const hear = (bytes: Buffer) => {
      this.#said = (this.#said + bytes.toString()).slice(-4000);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    this.#process = child;
    await expect
      .poll(() => answers(`${this.address}/api/v1/host`), {
        // Where other work has the processors, it takes its time to begin.
        timeout: 120_000,
        message: `the program answers; it said: ${this.#said}`,
      })
      .toBe(true);
    await carriesThesePages(this.address);
  }

  /** Pulls the plug: nothing is flushed, nothing is said. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((done) => child.once('exit', done));
    child.kill('SIGKILL');
    await ended;
  }

  async end(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function answers(path: string): Promise<boolean> {
  return fetch(path).then(
    (answer) => answer.ok,
    () => false,
  );
}

/** What is tested is what is shipped: the program carries the pages as they are built now. */
async function carriesThesePages(address: string): Promise<void> {
  const built = readFileSync('dist/index.html', 'utf8');
  const carried = await fetch(address).then((answer) => answer.text());
  if (carried !== built) throw new Error('the program carries other pages than dist/: build it again');
}

/** What administrators of a real floor choose as their password. */
export const chosen = 'a password of one’s own';

/** An administrator that the first start made changes the password that it printed. */
export async function choosePassword(host: Host, login: string): Promise<void> {
  const first = new RegExp(`^ {4}${login} +(\\S+)$`, 'm').exec(host.said)?.[1] ?? '';
  const http = await request.newContext({ extraHTTPHeaders: { 'x-croupier': '1' } });
  const floor = `${host.address}/api/v1/floors/main`;
  const signed = await http.post(`${floor}/session`, { data: { login, password: first } });
  expect(signed.ok(), await signed.text()).toBe(true);
  const headers = { 'idempotency-key': String(Date.now() * 1000) };
  const changed = await http.post(`${floor}/session/password`, {
    data: { old: first, new: chosen },
    headers,
  });
  expect(changed.ok(), await changed.text()).toBe(true);
  await http.dispose();
}

/** A person of the staff over HTTP, as another system would come. */
export class Person {
  constructor(readonly http: APIRequestContext) {}

  static async signIn(login: string): Promise<Person> {
    const http = await request.newContext({ extraHTTPHeaders: { 'x-croupier': '1' } });
    const person = new Person(http);
    const answer = await http.post(`${api}/floors/demo/session`, {
      data: { login, password: 'demonstration' },
    });
    expect(answer.ok(), await answer.text()).toBe(true);
    return person;
  }

  async get<T>(path: string): Promise<T> {
    const answer = await this.http.get(`${api}/floors/demo${path}`);
    expect(answer.ok(), `${path}: ${await answer.text()}`).toBe(true);
    return (await answer.json()) as T;
  }

  async post(path: string, data: unknown = {}): Promise<void> {
    const headers = { 'idempotency-key': String(Date.now() * 1000) };
    const answer = await this.http.post(`${api}/floors/demo${path}`, { data, headers });
    expect(answer.ok(), `${path}: ${await answer.text()}`).toBe(true);
  }

  /** What the program says to something that it refuses. */
  async refusal(path: string, data: unknown = {}): Promise<string> {
    const headers = { 'idempotency-key': String(Date.now() * 1000) };
    const answer = await this.http.post(`${api}/floors/demo${path}`, { data, headers });
    return answer.ok() ? 'accepted' : (await answer.json()).error.code;
  }
}

export type Round = {
  round: {
    round: number;
    status: string;
    outcome: string | null;
    staked: string;
    returned: string;
    corrections: number;
  };
  players: {
    terminal: number;
    staked: string;
    entitled: string;
    bets: { spot: string; pieces: string | null; stake: string }[];
  }[];
  chips: { position: number; spot: string; bet: string; returned: string }[];
  lines: { code: string; staff: string | null; words: string }[];
};

export const test = base.extend<object, { host: Host; manager: Person }>({
  host: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from this pattern
    async ({}, use) => {
      const host = new Host();
      await host.start();
      await use(host);
      await host.end();
    },
    { scope: 'worker', auto: true, timeout: 150_000 },
  ],
  manager: [
    async ({ host }, use) => {
      void host;
      const manager = await Person.signIn('manager1');
      // With time enough to bet: the dealer closes.
      const settings = { betting_period: 600_000 };
      for (const table of Object.values(tables))
        await manager.post(`/tables/${table}/settings`, { settings, reason: 'browser tests' });
      await use(manager);
      await manager.http.dispose();
    },
    { scope: 'worker', auto: true, timeout: 60_000 },
  ],
});

// ---- pages

/** Who sits where: a page that is open keeps its seat, so the player of an earlier test leaves. */
const seated = new Map<number, BrowserContext>();

/** `credit`: what the player puts in, on top of nothing; without it, what another player left there stays. */
export async function sit(
  browser: Browser,
  terminal: number,
  options: { credit?: number; language?: string } = {},
): Promise<Page> {
  await seated.get(terminal)?.close();
  const context = await browser.newContext({ hasTouch: true });
  seated.set(terminal, context);
  const page = await context.newPage();
  const language = options.language ?? 'en';
  await page.addInitScript((code) => localStorage.setItem('croupier.language', code), language);
  await page.goto(`/terminal/${terminal}`);
  await page.waitForSelector('.page .layout');
  if (options.credit !== undefined) await leaveNothing(page, terminal, language);
  if (options.credit) {
    await page.getByRole('button', { name: language === 'zh' ? '入钞' : 'Money', exact: true }).click();
    await page
      .getByRole('button', { name: `S$ ${options.credit.toLocaleString('en-SG')}`, exact: true })
      .click();
    await expect(meter(page, language === 'zh' ? '余额' : 'Credit')).toHaveText(
      `${options.credit.toLocaleString('en-SG')}.00`,
    );
  }
  return page;
}

/** The player before is paid by hand, so that the next begins with what is put in. */
async function leaveNothing(page: Page, terminal: number, language: string): Promise<void> {
  const credit = meter(page, language === 'zh' ? '余额' : 'Credit');
  const left = ((await credit.textContent()) ?? '').replaceAll(',', '');
  if (left === '0.00') return;
  const manager = await Person.signIn('manager2');
  const witness = { login: 'supervisor1', password: 'demonstration' };
  await manager.post(`/terminals/${terminal}/hand-pay`, { amount: left, witness });
  await manager.http.dispose();
  await expect(credit).toHaveText('0.00');
}

export async function staff(
  browser: Browser,
  login: string,
  path: string,
  size = { width: 1366, height: 768 },
): Promise<Page> {
  const context = await browser.newContext({ viewport: size });
  const page = await context.newPage();
  await page.goto(path);
  await page.getByLabel('Login').fill(login);
  await page.getByLabel('Password').fill('demonstration');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
  return page;
}

export const meter = (page: Page, name: string): Locator =>
  page.locator('.meters div', { hasText: name }).locator('dd');
export const spot = (page: Page, id: string): Locator => page.locator(`.layout [data-spot="${id}"]`);

/** Touches a spot: a field, a line or a corner. */
export async function touch(page: Page, id: string): Promise<void> {
  const box = await spot(page, id).boundingBox();
  if (!box) throw new Error(`no place for ${id}`);
  await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
}

export async function staked(page: Page, amount: string): Promise<void> {
  await expect(meter(page, 'Total bet')).toHaveText(amount);
}

/** The one big action of the console. */
export async function next(page: Page, name: string): Promise<void> {
  const button = page.locator('.next .huge', { hasText: name });
  await expect(button).toBeEnabled({ timeout: 30_000 });
  await button.click();
}

export const notice = (page: Page): Locator => page.locator('.stage .notice');
export const roundOf = async (page: Page): Promise<number> => {
  const text = await page
    .locator('header')
    .filter({ hasText: /Round \d+/ })
    .first()
    .textContent();
  return Number(/Round (\d+)/.exec(text ?? '')?.[1]);
};

/** Signs with the key that this page keeps: no script can read it, any of the page's can use it. */
export async function signAs(page: Page, terminal: number, nonce: string): Promise<string> {
  return page.evaluate(
    async ([name, words]) => {
      const answer = <T>(request: IDBRequest<T>) =>
        new Promise<T>((done, failed) => {
          request.onsuccess = () => done(request.result);
          request.onerror = () => failed(request.error);
        });
      const opened = await answer(indexedDB.open('croupier', 1));
      const kept = await answer(opened.transaction('keys').objectStore('keys').get(name!));
      opened.close();
      const how = kept.scheme === 'ed25519' ? { name: 'Ed25519' } : { name: 'ECDSA', hash: 'SHA-256' };
      const signed = await crypto.subtle.sign(how, kept.secret, new TextEncoder().encode(words));
      return btoa(String.fromCharCode(...new Uint8Array(signed)));
    },
    [`croupier.key.demo.${terminal}`, `croupier:terminal:${terminal}:${nonce}`],
  );
}

/** A bet past the page: over HTTP, with the key this terminal proves itself with. What the program answers. */
export async function betOverHttp(page: Page, terminal: number, spot: string): Promise<[number, string]> {
  const http = await request.newContext({ extraHTTPHeaders: { 'x-croupier': '1' } });
  const post = async (path: string, data: unknown, headers: Record<string, string> = {}) =>
    http.post(`${api}/floors/demo${path}`, { data, headers });
  const { nonce } = await (await post('/keys/challenge', {})).json();
  const proof = await signAs(page, terminal, nonce);
  const { token } = await (
    await post('/keys/prove', { kind: 'terminal', id: terminal, nonce, proof })
  ).json();
  const headers = { authorization: `Bearer ${token}`, 'idempotency-key': String(Date.now() * 1000) };
  const changes = [{ add: spot, amount: '5.00' }];
  const answer = await post(`/terminals/${terminal}/bets`, { changes }, headers);
  const body = await answer.json();
  await http.dispose();
  return [answer.status(), body.error?.code ?? 'accepted'];
}

/** Takes the table over from another dealer. */
export async function dealAt(browser: Browser, table: number): Promise<Page> {
  const page = await staff(browser, dealers[table]!, `/console/${table}`);
  const take = page.locator('.next .huge', { hasText: 'Take the table' });
  const open = page.locator('.next .huge', { hasText: /Open bets|Begin round/ });
  await expect(take.or(open)).toBeVisible({ timeout: 20_000 });
  if (await take.isVisible()) await take.click();
  await expect(open).toBeVisible();
  return page;
}

/** Opens bets; where the round begins with the tumbler, it is set off first and comes to rest. */
export async function openBets(page: Page, begins = false): Promise<void> {
  if (begins) {
    await next(page, 'Begin round');
    await page.getByRole('button', { name: 'Tumble', exact: true }).click();
    await expect(page.locator('.count', { hasText: 'tumbles' })).toBeVisible({ timeout: 30_000 });
  }
  await next(page, 'Open bets');
}

/** Has the device deal, and uncovers where there is a cover; the reading then stands ready at the console. */
export async function deal(page: Page, kind: 'Tumble' | 'Spin', cover: boolean): Promise<void> {
  // Where dice are tumbled in the open, doing so before every screen shows the close is a ground for voiding (5.3.3).
  const shown = page.locator('.shown');
  if ((await shown.count()) > 0) await expect(shown).toHaveText('All live terminals show it');
  await page.getByRole('button', { name: kind, exact: true }).click();
  if (cover) {
    await expect(page.locator('.count', { hasText: 'tumbles' })).toBeVisible({ timeout: 30_000 });
    await page.getByRole('button', { name: 'Uncover', exact: true }).click();
  }
  await expect(page.locator('.question', { hasText: 'The device reads' })).toBeVisible({ timeout: 45_000 });
}

/** Enters what the device has read, and confirms: the round is settled. */
export async function settle(page: Page): Promise<string> {
  const outcome = /reads (\S+)/.exec((await page.locator('.question').textContent()) ?? '')?.[1] ?? '';
  await next(page, 'Enter the result');
  await expect(page.locator('.question')).toContainText(`The result is ${outcome}`);
  await next(page, 'Confirm and pay');
  await expect(page.locator('.question')).toContainText(`Last round: ${outcome}`);
  return outcome;
}

export async function record(
  person: Person,
  round: number,
  ready: (found: Round) => boolean,
): Promise<Round> {
  let found: Round | null = null;
  await expect
    .poll(
      async () => {
        found = await person.get<Round>(`/records/rounds/${round}`);
        return ready(found);
      },
      { timeout: 20_000 },
    )
    .toBe(true);
  return found!;
}

export const money = (text: string): number => Math.round(Number(text.replaceAll(',', '')) * 100);
/** The credit the terminal shows, in cents. */
export const credited = async (page: Page): Promise<number> =>
  money((await meter(page, 'Credit').textContent()) ?? '');
export { expect };
