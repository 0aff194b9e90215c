// What hands do with money in these tests: at a terminal, at the cage, at the pit, and when the host is gone.
import type { Browser, Locator, Page, Route } from '@playwright/test';
import { dealAt, expect, type Host, meter, notice, openBets, Person, roundOf, sit, staff } from './floor';

/** A dealer at a table whose bets are open. */
export async function dealing(browser: Browser, table: number): Promise<{ console: Page; round: number }> {
  const console = await dealAt(browser, table);
  await openBets(console);
  return { console, round: await roundOf(console) };
}
/** A dealer and a player with credit at a table whose bets are open; `begins`: the round begins with the tumbler. */
export async function betting(
  browser: Browser,
  table: number,
  terminal: number,
  money: number,
  begins = false,
): Promise<{ console: Page; player: Page; round: number }> {
  const console = await dealAt(browser, table);
  const player = await sit(browser, terminal, { credit: money });
  await openBets(console, begins);
  await expect(notice(player)).toHaveText(/place your bets/i);
  return { console, player, round: await roundOf(console) };
}
/** Everyone leaves. */
export async function leave(...pages: Page[]): Promise<void> {
  for (const page of pages) await page.context().close();
}

export const witness = (login: string) => ({ login, password: 'demonstration' });
/** The second person signs in a dialog or form. */
export async function sign(where: Locator, login: string): Promise<void> {
  await where.getByLabel('Login').last().fill(login);
  await where.getByLabel('Their password').last().fill('demonstration');
}
const digits = (text: string | null) => (text ?? '').replaceAll(/\D/g, '');
/** The number of the ticket that lies on the screen. */
export const printed = async (page: Page) => digits(await page.locator('.ticket .top').textContent());

/** Asks for the ticket and leaves it at that: the printer has not reported. Its number. */
export async function prepare(player: Page): Promise<string> {
  await player.getByRole('button', { name: 'Cash out', exact: true }).click();
  await player.getByRole('dialog').getByRole('button', { name: 'Cash out', exact: true }).click();
  await expect(player.locator('.ticket')).toBeVisible();
  return printed(player);
}
/** Puts a ticket into a terminal. */
export async function insert(player: Page, number: string): Promise<void> {
  const field = player.getByLabel('Ticket number');
  if (!(await field.isVisible())) await player.getByRole('button', { name: 'Money', exact: true }).click();
  await field.fill(number);
  await player.getByRole('button', { name: 'Redeem into credit' }).click();
}
export const lost = (page: Page) => page.getByRole('alert').filter({ hasText: 'Connection lost' });
/** The plug is pulled, and the host begins again. */
export async function pull(host: Host, page: Page): Promise<void> {
  await host.kill();
  await expect(page.locator('.page.lost')).toHaveCount(1, { timeout: 10_000 });
  await host.start();
  await expect(page.locator('.page.lost')).toHaveCount(0, { timeout: 30_000 });
}
/** The host does it, and then the plug is pulled before the page has the answer; the host begins again. */
export async function pullAt(host: Host, page: Page, path: string, act: () => Promise<void>): Promise<void> {
  let done = false;
  await page.route(`**${path}`, async (route: Route) => {
    if (done) return route.continue();
    done = true;
    await route.fetch();
    await host.kill();
    await route.abort();
    await host.start();
  });
  await act();
  await expect.poll(() => done).toBe(true);
}

/** `there`, `back`: which way it carries; `deaf`: only the host's ticks come back; `heard`: its answers that did not arrive. */
export type Cable = { there: boolean; back: boolean; deaf: boolean; heard: number };
/** The cable between this terminal and the host: whole, or cut in one direction or both. */
export async function cable(page: Page): Promise<Cable> {
  const state: Cable = { there: true, back: true, deaf: false, heard: 0 };
  await page.routeWebSocket(/feed\/terminal/, (link) => {
    if (!state.there) {
      void link.close();
      return;
    }
    const host = link.connectToServer();
    link.onMessage((text) => {
      if (state.there) host.send(text);
    });
    host.onMessage((text) => {
      const kind = /"type":"(\w+)"/.exec(String(text))?.[1];
      if (state.back && (!state.deaf || kind === 'tick')) link.send(text);
      else if (kind === 'answer') state.heard += 1;
    });
  });
  await page.reload();
  await page.waitForSelector('.page .layout');
  return state;
}

export async function openShift(login: string, float: string): Promise<void> {
  const cashier = await Person.signIn(login);
  await cashier.post('/cage/shift/open', { float, witness: witness('supervisor2') });
  await cashier.http.dispose();
}
export async function closeShift(login: string): Promise<void> {
  const cashier = await Person.signIn(login);
  await cashier.post('/cage/shift/count', { counts: [] });
  const closed = { counted: '0.00', reason: 'browser tests', witness: witness('supervisor2') };
  await cashier.post('/cage/shift/close', closed);
  await cashier.http.dispose();
}
export async function redeem(cage: Page, number: string): Promise<void> {
  await cage.getByLabel('Ticket number').fill(number);
  await cage.getByRole('button', { name: 'Check and pay' }).click();
}
/** The line of a ticket in doubt, by what its place is called. */
export const doubts = (page: Page, seat: string) =>
  page.locator('li', { hasText: seat }).filter({ hasText: 'Ticket no.' });
/** Two people say what became of a ticket in doubt. */
export async function resolve(page: Page, seat: string, finding: string, second: string): Promise<void> {
  await doubts(page, seat).getByRole('button', { name: 'Resolve' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(finding).check();
  await dialog.getByLabel('How that is known').fill('Looked at the printer together');
  const go = dialog.getByRole('button', { name: 'Resolve' });
  await expect(go).toBeDisabled();
  await sign(dialog, second);
  await go.click();
}
/** What the report of people of this gaming day says of it, as an auditor reads it (D27). */
export async function finds(
  browser: Browser,
  manager: Person,
  what: string,
  words: string | RegExp,
): Promise<void> {
  const day = (await manager.get<{ period: { first: string } }>('/reports/people')).period.first;
  const report = await staff(browser, 'auditor1', `/reports/${day}/people`);
  await expect(
    report.getByRole('row').filter({ hasText: what }).filter({ hasText: words }).first(),
  ).toBeVisible();
  await report.context().close();
}
/** A dialog of the pit about a table. */
export async function about(pit: Page, table: string, action: string): Promise<Locator> {
  const card = pit.locator('article').filter({ has: pit.getByText(table, { exact: true }) });
  await card.getByRole('button', { name: action, exact: true }).click();
  return pit.getByRole('dialog');
}
export const credit = (player: Page) => meter(player, 'Credit');

/** A ticket number with right check digits (ISO/IEC 7064, MOD 97-10) that was never printed. */
export function unissued(likeIt: string, floor = likeIt.slice(0, 4), nth = 1): string {
  const random = String((BigInt(likeIt.slice(4, 16)) + BigInt(nth) * 7_919n) % 1_000_000_000_000n);
  const first = floor + random.padStart(12, '0');
  const check = 98n - ((BigInt(first) * 100n) % 97n);
  return first + String(check).padStart(2, '0');
}
