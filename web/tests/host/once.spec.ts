// What a person means once is done once: two touches, a lost answer, a reload; what was typed is read or refused; a paper is
// called printed only after it was sent to the printer (D25, D27).
import type { Page, Route } from '@playwright/test';
import { expect, meter, Person, sit, staff, test } from './floor';
import { closeShift, leave, openShift } from './hands';

const second = { login: 'supervisor2', password: 'demonstration' };
type Tickets = { outstanding: { count: number }; in_doubt: { amount: string }[]; sold: { count: number } };

/** Where the page would call the printer: counted, and nothing is printed. */
async function countPrints(page: Page): Promise<void> {
  const count = () => {
    Object.assign(window, { prints: 0 });
    window.print = () => Object.assign(window, { prints: Number(Reflect.get(window, 'prints')) + 1 });
  };
  await page.addInitScript(count);
  await page.evaluate(count);
}
const prints = (page: Page) => page.evaluate(() => Number(Reflect.get(window, 'prints')));
/** The numbers under which a page sends what it changes, by path. */
function numbers(page: Page, path: string): string[] {
  const seen: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && new URL(request.url()).pathname.endsWith(path))
      seen.push(request.headers()['idempotency-key'] ?? '');
  });
  return seen;
}
/** The host does it, and its answer is lost so often. */
async function lose(page: Page, path: string, times: number): Promise<void> {
  let left = times;
  await page.route(`**${path}`, async (route: Route) => {
    if (left <= 0) return route.continue();
    left -= 1;
    await route.fetch();
    await route.abort();
  });
}
const sold = async (manager: Person) => (await manager.get<Tickets>('/reports/tickets')).sold.count;
async function becomes(manager: Person, count: number): Promise<void> {
  await expect.poll(() => sold(manager), { timeout: 20_000 }).toBe(count);
}

test('two touches and lost answers sell one ticket, and the paper is called printed after it was printed', async ({
  browser,
  manager,
}) => {
  await openShift('cashier1', '2000.00');
  const before = await sold(manager);
  const cage = await staff(browser, 'cashier1', '/cage');
  await countPrints(cage);
  const sent = numbers(cage, '/cage/sell');
  const go = cage.getByRole('button', { name: 'Sell and print' });
  const done = cage.getByRole('button', { name: 'It is printed' });

  // A double tap.
  await cage.getByLabel('Amount', { exact: true }).fill('70');
  await go.dblclick();
  await expect(cage.locator('.ticket')).toContainText('70.00');
  expect(sent).toHaveLength(1);
  await expect(cage.locator('.toast.bad')).toHaveCount(0);
  // It prints by itself, once, and only then can a person say so.
  await expect(done).toBeEnabled();
  expect(await prints(cage)).toBe(1);
  // In doubt until a person says what the printer did, also after a reload.
  await cage.reload();
  await expect(cage.locator('li', { hasText: 'Ticket no.' })).toContainText('70.00');
  await becomes(manager, before + 1);
  await expect(cage.locator('.lasts')).toContainText('Ticket sold');
  // The paper is on the screen again, the same one, and is not printed a second time by itself; put away, it can be shown again.
  await expect(cage.locator('.ticket')).toContainText('70.00');
  expect(await prints(cage)).toBe(0);
  await cage.getByRole('dialog').getByRole('button', { name: 'It was not printed' }).click();
  await expect(cage.getByRole('dialog')).toHaveCount(0);
  await cage.locator('li', { hasText: 'Ticket no.' }).getByRole('button', { name: 'Print again' }).click();
  await expect(cage.locator('.ticket')).toContainText('70.00');
  await done.click();
  await expect(cage.locator('li', { hasText: 'Ticket no.' })).toHaveCount(0);

  // The host does it, and the answer is lost three times: one ticket, and the page says how it stands.
  await lose(cage, '/cage/sell', 3);
  sent.length = 0;
  await cage.getByLabel('Amount', { exact: true }).fill('80');
  await go.dblclick();
  await expect(cage.getByText('Not confirmed: retrying')).toBeVisible();
  await expect(go).toBeDisabled();
  await expect(cage.locator('.ticket')).toContainText('80.00', { timeout: 20_000 });
  await expect(cage.locator('.toast.good', { hasText: 'it was done, once' })).toBeVisible();
  expect(new Set(sent).size).toBe(1);
  await done.click();
  await expect(cage.getByRole('dialog')).toHaveCount(0);
  await becomes(manager, before + 2);

  // The page is gone while it does not know: the ticket that was sold comes back by itself, and is sold once.
  await cage.unroute('**/cage/sell');
  await lose(cage, '/cage/sell', 1000);
  await cage.getByLabel('Amount', { exact: true }).fill('90');
  await go.click();
  await expect(cage.getByText('Not confirmed: retrying')).toBeVisible();
  await cage.reload();
  await cage.unroute('**/cage/sell');
  await expect(cage.locator('.ticket')).toContainText('90.00');
  await done.click();
  await expect(cage.getByRole('dialog')).toHaveCount(0);
  await becomes(manager, before + 3);
  await cage.context().close();
  await closeShift('cashier1');
});

test('a ticket is paid once, and what to pay is still said after a lost answer and a reload', async ({
  browser,
  manager,
}) => {
  void manager;
  await openShift('cashier1', '2000.00');
  const cage = await staff(browser, 'cashier1', '/cage');
  await cage.getByLabel('Amount', { exact: true }).fill('65');
  await cage.getByRole('button', { name: 'Sell and print' }).click();
  const number = ((await cage.locator('.ticket .top').textContent()) ?? '').replaceAll(/\D/g, '');
  await cage.getByRole('button', { name: 'It is printed' }).click();
  await expect(cage.getByRole('dialog')).toHaveCount(0);

  // Who sold it pays it with a second person (D27).
  await cage.getByLabel('Ticket number').fill(number);
  await cage.getByRole('button', { name: 'Check and pay' }).click();
  await expect(cage.locator('.refused')).toContainText('second person');
  await cage.locator('.redeem').getByLabel('Login').fill('supervisor1');
  await cage.locator('.redeem').getByLabel('Their password').fill('demonstration');
  const sent = numbers(cage, '/cage/redeem');
  await lose(cage, '/cage/redeem', 3);
  await cage.getByRole('button', { name: 'Check and pay' }).dblclick();
  await expect(cage.locator('.paid')).toHaveText('Pay S$ 65.00 to the player', { timeout: 20_000 });
  await expect(cage.locator('.refused')).toHaveCount(0);
  expect(new Set(sent).size).toBe(1);
  await cage.reload();
  await expect(cage.locator('.lasts li').first()).toContainText('Ticket paid to the player');
  await expect(cage.locator('.lasts li').first()).toContainText('65.00');
  const kept = await cage.evaluate(() => JSON.stringify({ ...sessionStorage }));
  expect(kept).not.toContain(number);

  // An old refusal goes when the next number is typed.
  await cage.getByLabel('Ticket number').fill(number);
  await cage.getByRole('button', { name: 'Check and pay' }).click();
  await expect(cage.locator('.refused')).toContainText('paid');
  await cage.getByLabel('Ticket number').fill('1');
  await expect(cage.locator('.refused')).toHaveCount(0);
  await cage.context().close();
  await closeShift('cashier1');
});

test('a float is read as it is typed or refused, pieces are whole, and nothing adds up before the count', async ({
  browser,
  manager,
}) => {
  void manager;
  const cage = await staff(browser, 'cashier1', '/cage');
  const open = cage.getByRole('button', { name: 'Open shift' });
  for (const wrong of ['5000,50', '5o00', 'abc', '50,00', '-5']) {
    await cage.getByLabel('Float').fill(wrong);
    await expect(cage.getByText('No amount.')).toBeVisible();
    await expect(open).toBeDisabled();
  }
  await cage.getByLabel('Float').fill('');
  await expect(open).toBeDisabled();
  await cage.getByLabel('Float').fill('1,000.50');
  await open.dblclick();
  const dialog = cage.getByRole('dialog');
  await expect(cage.locator('.slip')).toContainText('1,000.50');
  await expect(cage.locator('.toast.bad')).toHaveCount(0);
  await dialog.getByRole('button', { name: 'Close', exact: true }).click();
  await expect(cage.getByText('Moved alone today')).toHaveCount(0);

  await cage.getByRole('button', { name: 'Fill from the vault' }).click();
  // Each time for what is counted then.
  const signs = async () => {
    await dialog.getByLabel('Login').fill('cashier2');
    await dialog.getByLabel('Their password').fill('demonstration');
  };
  await expect(dialog).toContainText('Another cashier, or a Pit Supervisor or above');
  const go = dialog.getByRole('button', { name: 'Confirm' });
  for (const wrong of ['1.5', '-1', 'x', '1e2']) {
    await dialog.getByLabel('100.00', { exact: true }).fill(wrong);
    await dialog.getByLabel('50.00', { exact: true }).fill('1');
    await expect(dialog.getByText('whole numbers')).toBeVisible();
    await signs();
    await expect(go).toBeDisabled();
  }
  const sent = numbers(cage, '/cage/shift/fill');
  await dialog.getByLabel('100.00', { exact: true }).fill('2');
  await signs();
  await go.dblclick();
  await expect(cage.locator('.slip')).toContainText('250.00');
  expect(sent).toHaveLength(1);
  await dialog.getByRole('button', { name: 'Close', exact: true }).click();

  await cage.getByRole('button', { name: 'Count the drawer' }).click();
  await dialog.getByRole('button', { name: /Record the count/ }).click();
  await expect(cage.getByText('Moved alone today')).toBeVisible();
  await expect(cage.getByText('The drawer is counted: nothing is paid or sold').first()).toBeVisible();
  const cashier = await Person.signIn('cashier1');
  const closing = { counted: '0.00', reason: 'browser tests', witness: second };
  await cashier.post('/cage/shift/close', closing);
  await cashier.http.dispose();
  await cage.context().close();
});

test('credit by hand is put in once however often it is touched, and a hand pay says what to pay', async ({
  browser,
  manager,
}) => {
  void manager;
  const player = await sit(browser, 40, { credit: 50 });
  const pit = await staff(browser, 'supervisor1', '/pit');
  const dialog = pit.getByRole('dialog');
  const about = async () => {
    await pit
      .locator('article')
      .filter({ has: pit.getByText('Sic Bo', { exact: true }) })
      .getByRole('button', { name: 'Terminals', exact: true })
      .click();
    await dialog.getByLabel('Terminal').selectOption({ label: 'Seat 41' });
  };
  await about();
  await expect(dialog.locator('dd')).toContainText('50.00');
  await expect(dialog.getByRole('button', { name: 'Unlock terminal' })).toHaveCount(0);
  const into = numbers(pit, '/attendant-in');
  await dialog.getByRole('radio', { name: 'Put credit in by hand' }).check();
  await dialog.getByLabel('Amount').fill('5o');
  await expect(dialog.getByRole('button', { name: 'Put credit in by hand' })).toBeDisabled();
  await dialog.getByLabel('Amount').fill('25');
  await dialog.getByRole('button', { name: 'Put credit in by hand' }).dblclick();
  await expect(dialog).toHaveCount(0);
  await expect(meter(player, 'Credit')).toHaveText('75.00');
  expect(into).toHaveLength(1);
  await expect(pit.locator('.toast.bad')).toHaveCount(0);

  await about();
  const out = numbers(pit, '/hand-pay');
  await lose(pit, '/hand-pay', 2);
  await dialog.getByLabel('Amount').fill('75');
  await dialog.getByRole('button', { name: 'Hand pay' }).dblclick();
  await expect(dialog.getByText('Pay S$ 75.00 to the player')).toBeVisible({ timeout: 20_000 });
  await expect(meter(player, 'Credit')).toHaveText('0.00');
  expect(new Set(out).size).toBe(1);
  await leave(player, pit);
});

test('a player says that the ticket is printed only after it was sent to the printer', async ({
  browser,
  manager,
}) => {
  void manager;
  const player = await sit(browser, 52, { credit: 50 });
  await countPrints(player);
  await player.getByRole('button', { name: 'Cash out', exact: true }).click();
  await player.getByRole('dialog').getByRole('button', { name: 'Cash out', exact: true }).click();
  const done = player.getByRole('button', { name: 'It is printed' });
  await expect(done).toBeEnabled();
  expect(await prints(player)).toBe(1);
  // After a reload it is known that it was sent, and no second paper comes by itself.
  await player.reload();
  await expect(done).toBeEnabled({ timeout: 20_000 });
  expect(await prints(player)).toBe(0);
  // A window that has sent nothing to the printer says so.
  await player.evaluate(() => sessionStorage.clear());
  await player.reload();
  await expect(player.locator('.ticket')).toBeVisible({ timeout: 20_000 });
  await expect(done).toBeDisabled();
  await player.getByRole('button', { name: 'Print', exact: true }).click();
  await done.click();
  await expect(meter(player, 'Credit')).toHaveText('0.00');
  await player.context().close();
});
