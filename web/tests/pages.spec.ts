import { expect, test } from '@playwright/test';
import { overflow, violations } from './axe';
import { ofOtherScript } from './script';

/** Every page, and what stands on it once it has heard from the host. */
const pages = [
  ['/', 'landing', '.rooms .room'],
  ['/terminal/2', 'terminal with dice', '.page .layout .spot'],
  ['/terminal/8', 'terminal with a wheel', '.page .race .pocket'],
  ['/display/1', 'display', '.layout .spot'],
  ['/display/5', 'display of a wheel', '.layout .spot'],
  ['/console/1', 'console', '.next .huge'],
  ['/console/3', 'console of a live table', '.boxes .layout .spot'],
  ['/console/5', 'console of a wheel', '.next .huge'],
  ['/pit', 'pit', 'article .buttons'],
  ['/cage', 'cage', '.redeem .echo'],
  ['/admin', 'administration', 'tbody tr'],
] as const;

for (const language of ['en', 'zh', 'zh-Hant'] as const) {
  for (const [path, name, there] of pages) {
    test(`${name} in ${language}: accessible by axe, no horizontal scrolling`, async ({ page }) => {
      await page.addInitScript((code) => localStorage.setItem('croupier.language', code), language);
      await page.goto(`${path}?mock&staff&open=120`);
      await expect(page.locator(there).first()).toBeVisible();
      expect(await violations(page)).toEqual([]);
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      if (language !== 'en') expect(await ofOtherScript(page, language)).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await overflow(page)).toBeLessThanOrEqual(0);
    });
  }
}

test('a player chooses Traditional Chinese: one dictionary is loaded, and the language is kept', async ({
  page,
}) => {
  const loaded: string[] = [];
  page.on('request', (request) => {
    const name = /\/assets\/(en|zh|zh-hant|host-words)-[\w-]{8}\.js$/.exec(request.url());
    if (name?.[1]) loaded.push(name[1]);
  });
  await page.goto('/terminal/2?mock&open=120');
  await expect(page.getByText('Touch a spot to bet.')).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  expect(loaded).toEqual(['en']);
  await page.getByRole('button', { name: '繁體' }).click();
  await expect(page.getByRole('button', { name: '兌現出票' })).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh-Hant');
  await expect(page.locator('.notice')).toHaveText('Place your bets · 請下注');
  expect([...loaded].sort()).toEqual(['en', 'host-words', 'zh-hant']);
  loaded.length = 0;
  await page.reload();
  await expect(page.getByRole('button', { name: '兌現出票' })).toBeVisible();
  expect([...loaded].sort()).toEqual(['host-words', 'zh-hant']);
  await page.getByRole('button', { name: '简体' }).click();
  await expect(page.getByRole('button', { name: '兑现出票' })).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh-Hans');
});

test('a page whose host stays away says where to go on', async ({ page }) => {
  await page.goto('/pit?mock&staff&open=120&away=3000,60000');
  await expect(page.locator('article .buttons').first()).toBeVisible();
  await expect(page.getByRole('alert')).toContainText('Connection to the host lost', { timeout: 9000 });
  const link = page.getByRole('link', { name: 'Go on at two' });
  await expect(link).toBeVisible({ timeout: 9000 });
  await expect(link).toHaveAttribute('href', /^https:\/\/two\.example:8443\/pit\?/);
  await expect(page.getByRole('link', { name: 'Go on at one' })).toHaveCount(0);
  expect(await violations(page)).toEqual([]);
});

test('a dealer runs a round with keys alone', async ({ page }) => {
  await page.setViewportSize({ width: 1366, height: 768 });
  await page.goto('/console/1?mock&staff&open=120&hold=idle');
  await expect(page.getByRole('button', { name: 'Open bets' })).toBeEnabled();
  await page.keyboard.press('Space');
  await expect(page.getByRole('button', { name: 'Close bets' })).toBeEnabled();
  await page.keyboard.press('Space');
  await expect(page.getByText('All live terminals show it')).toBeVisible();
  for (const key of ['2', '2', '3']) await page.keyboard.press(key);
  await page.keyboard.press('Enter');
  await expect(page.getByText('The result is 2-2-3. In all')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Confirm and pay' })).toBeEnabled();
  await page.keyboard.press('Space');
  await expect(page.getByText('Last round: 2-2-3')).toBeVisible();
});

test('a dealer voids a round on a ground of the rulebook', async ({ page }) => {
  await page.goto('/console/5?mock&staff&open=120');
  await page.getByRole('button', { name: 'Void' }).click();
  await page.getByRole('radio', { name: /5\.3\.4 Ball flung out/ }).click();
  await page.getByRole('button', { name: 'Void the round' }).click();
  await expect(page.getByText('Last round: Void')).toBeVisible();
});

test('a round frozen by a device offers its two ways out', async ({ page }) => {
  await page.goto('/console/1?mock&staff&open=120&halted');
  await expect(page.getByText('Fewer than three tumbles')).toBeVisible();
  await expect(page.getByRole('button', { name: 'It is a device fault' })).toBeVisible();
  await page.getByRole('button', { name: 'Confirm: void the round' }).click();
  await expect(page.getByText('Last round: Void')).toBeVisible();
});

test('an interruption is attested with a second person', async ({ page }) => {
  await page.goto('/console/1?mock&staff&open=120&interrupted');
  await page
    .locator('li', { hasText: 'no outcome established' })
    .getByRole('button', { name: 'Attest' })
    .click();
  await expect(page.getByText('(D6)')).toBeVisible();
  await page.getByLabel('Login').fill('pit');
  await page.getByLabel('Their password').fill('demo');
  await page.getByRole('dialog').getByRole('button', { name: 'Attest' }).click();
  await expect(page.getByText('Last round: Void')).toBeVisible();
});

test('a signature is taken back when the act changes after it', async ({ page }) => {
  await page.goto('/cage?mock&staff');
  const sell = page.locator('.sell');
  await sell.getByLabel('Amount').fill('11000');
  await sell.getByLabel('Login').fill('pit');
  await sell.getByLabel('Their password').fill('demo');
  await expect(sell.getByText('This changed after the signature')).toHaveCount(0);
  await sell.getByLabel('Amount').fill('9000000');
  await expect(sell.getByText('This changed after the signature')).toBeVisible();
  await expect(sell.getByLabel('Their password')).toHaveValue('');
});

test('the cage tells why a ticket is not paid', async ({ page }) => {
  await page.goto('/cage?mock&staff');
  await page.getByLabel('Ticket number (18 digits)').fill('012345678901234567');
  await page.getByRole('button', { name: 'Check and pay' }).click();
  await expect(page.getByText('This ticket was paid on')).toBeVisible();
});

test('dice tumbled in the open: the console says not to tumble again, and names the ground', async ({
  page,
}) => {
  await page.goto('/console/1?mock&staff&open=120&hold=closed&bare');
  const waiting = page.locator('.notes [role=status]');
  await expect(waiting).toContainText('Do not tumble or spin again');
  await expect(waiting).toContainText('declare 5.3.3');
  await expect(waiting).not.toContainText('Tumble or spin;');
});

test('the step bar stands on the step that is to be done', async ({ page }) => {
  await page.goto('/console/5?mock&staff&open=120&hold=idle');
  const now = page.locator('.phases [aria-current=step]');
  await expect(now).toHaveText('Open bets');
  await page.keyboard.press('Space');
  await expect(now).toHaveText('Close bets');
  await page.keyboard.press('NumpadAdd');
  await expect(page.getByText('All live terminals show it')).toBeVisible();
  await expect(now).toHaveText('Enter the result');
  // A compartment by its digits: 1 and 7 are 17, and 9 begins anew, as there is no 179.
  for (const key of ['1', '7']) await page.keyboard.press(`Numpad${key}`);
  await expect(page.getByRole('button', { name: '17', exact: true })).toHaveAttribute('aria-pressed', 'true');
  await page.keyboard.press('Numpad9');
  await expect(page.getByRole('button', { name: '9', exact: true })).toHaveAttribute('aria-pressed', 'true');
  await page.keyboard.press('NumpadEnter');
  await expect(now).toHaveText('Confirm and pay');
});

test('a fault that the next tumble will show is seen on the console', async ({ page }) => {
  await page.goto('/console/1?mock&staff&open=120&armed=not_flat');
  await expect(page.locator('.armed')).toHaveText('The next tumble or spin shows: A die is not flat');
});

test('a second person is called by the name of the seat, for an amount that is one', async ({ page }) => {
  await page.goto('/console/1?mock&staff&open=120');
  await page.getByRole('button', { name: 'Call a second person' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('For what act').selectOption('attendant_pay');
  await dialog.getByRole('combobox', { name: /^Terminal/ }).selectOption({ label: 'T01' });
  await dialog.getByLabel('What for').fill('The printer is out of paper');
  const call = dialog.getByRole('button', { name: 'Call a second person' });
  for (const wrong of ['abc', '2,50', '1e3']) {
    await dialog.getByLabel('The most it may move').fill(wrong);
    await expect(dialog.getByRole('alert')).toBeVisible();
    await expect(call).toBeDisabled();
  }
  await dialog.getByLabel('The most it may move').fill('2.50');
  await expect(call).toBeEnabled();
});

test('rounds of the past are picked from the list, and older ones typed', async ({ page }) => {
  await page.goto('/pit?mock&staff&open=120');
  await page.getByRole('button', { name: 'Past rounds' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('First round').selectOption({ index: 1 });
  await expect(dialog.getByRole('button', { name: 'Preview' })).toBeEnabled();
  await dialog.getByRole('combobox', { name: 'First round' }).selectOption('older');
  await dialog.getByRole('textbox', { name: 'First round' }).fill('abc');
  await expect(dialog.getByRole('button', { name: 'Preview' })).toBeDisabled();
  await dialog.getByRole('textbox', { name: 'First round' }).fill('12');
  await expect(dialog.getByRole('button', { name: 'Preview' })).toBeEnabled();
});

test('a ground is chosen on the keypad', async ({ page }) => {
  await page.goto('/console/1?mock&staff&open=120');
  await expect(page.getByRole('button', { name: 'Close bets' })).toBeEnabled();
  await page.keyboard.press('NumpadMultiply');
  await page.keyboard.press('Numpad2');
  await expect(page.getByRole('radio').nth(1)).toHaveAttribute('aria-checked', 'true');
  await page.getByRole('button', { name: 'Void the round' }).click();
  await expect(page.getByText('Last round: Void')).toBeVisible();
});

test.describe('on a touch screen', () => {
  test.use({ hasTouch: true });
  test('a tap beside a dialog closes it and goes no further', async ({ page }) => {
    await page.goto('/console/1?mock&staff&open=120');
    await expect(page.getByRole('button', { name: 'Close bets' })).toBeEnabled();
    const under = (await page.getByRole('button', { name: 'Close bets' }).boundingBox())!;
    await page.getByRole('button', { name: 'Close the table' }).tap();
    await expect(page.getByRole('dialog')).toContainText('takes no more bets until it is opened again');
    await page.touchscreen.tap(under.x + 20, under.y + under.height - 8);
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(page.locator('.phases [aria-current=step]')).toHaveText('Close bets');
  });
});

for (const [width, height] of [
  [1920, 1080],
  [1366, 768],
] as const) {
  test(`what a live table waits for is read whole at ${width} × ${height}`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await page.goto('/console/3?mock&staff&open=120&hold=closed&steps');
    const waiting = page.locator('.notes [role=status]', { hasText: 'under the cover' });
    await expect(waiting.getByRole('listitem')).toHaveCount(4);
    const [box, band, question] = await Promise.all(
      [waiting, page.locator('.band'), page.locator('.question')].map((one) => one.boundingBox()),
    );
    expect(box!.y).toBeGreaterThanOrEqual(band!.y);
    expect(box!.y + box!.height).toBeLessThanOrEqual(question!.y + 1);
    // Nothing of it is cut off, and the next step does not lie over it.
    expect(await waiting.evaluate((one) => one.scrollHeight <= one.clientHeight + 1)).toBe(true);
    const [seen, next] = await Promise.all([waiting, page.locator('.next')].map((one) => one.boundingBox()));
    expect(seen!.y + seen!.height).toBeLessThanOrEqual(next!.y + 1);
  });
}

test('the key that opens the report of an interruption is not typed into it, and digits choose', async ({
  page,
}) => {
  await page.goto('/console/1?mock&staff&open=120');
  await expect(page.getByRole('button', { name: 'Close bets' })).toBeEnabled();
  for (const key of ['i', '-']) {
    await page.keyboard.press(key === '-' ? 'NumpadSubtract' : key);
    const dialog = page.getByRole('dialog');
    await expect(dialog).toBeVisible();
    await expect(dialog.getByLabel('What was seen')).toHaveValue('');
    await page.keyboard.press('2');
    await expect(dialog.getByRole('radio').nth(1)).toBeChecked();
    await expect(dialog.getByLabel('What was seen')).toHaveValue('');
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
  }
});

test('past rounds: below a Shift Manager a ground of the document is chosen, and no decision is offered', async ({
  page,
}) => {
  await page.goto('/pit?mock&staff&open=120');
  await page.getByRole('button', { name: 'Past rounds' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('First round').selectOption({ index: 1 });
  await dialog.getByRole('button', { name: 'Preview' }).click();
  const ground = dialog.getByLabel('Ground');
  await expect(ground.locator('option').first()).toHaveText('Choose the ground of the document');
  await expect(ground.locator('option', { hasText: 'Decision' })).toHaveCount(0);
  await expect(dialog.getByText('only a Shift Manager or above can void the round')).toBeVisible();
  await dialog.getByLabel('Reason').fill('A die was found chipped');
  const sign = async () => {
    await dialog.getByLabel('Login').fill('manager2');
    await dialog.getByLabel('Their password').fill('demo');
  };
  await sign();
  const confirm = dialog.getByRole('button', { name: 'Confirm as previewed' });
  await expect(confirm).toBeDisabled();
  // The signature is for what stands in the dialog: the ground is chosen, and signed for again.
  await ground.selectOption({ index: 1 });
  await expect(dialog.getByLabel('Their password')).toHaveValue('');
  await expect(confirm).toBeDisabled();
  await sign();
  await expect(confirm).toBeEnabled();
});

test('a second tumble whose first outcome was not read: the Shift Manager is called from the console', async ({
  page,
}) => {
  await page.goto('/console/1?mock&staff&open=120&second');
  await expect(page.getByRole('heading', { name: 'Second tumble or spin' })).toBeVisible();
  await expect(page.getByText('First: this outcome stands')).toHaveCount(0);
  await expect(page.getByText('First: its outcome was not completely read')).toBeVisible();
  await expect(page.getByText('Bets are being taken')).toHaveCount(0);
  await expect(page.getByText('Decide what the round waits for')).toBeVisible();
  await page.locator('section.desk').getByRole('button', { name: 'Call a second person' }).click();
  await expect(page.getByRole('dialog', { name: 'Call a second person' })).toBeVisible();
});

test('right after the close of a live table, nobody is at fault: the dice are tumbled first', async ({
  page,
}) => {
  await page.goto('/console/3?mock&staff&open=120&hold=closed&steps=silent');
  await expect(page.getByText('Record what stood on the layout')).toBeVisible();
  await expect(page.locator('.why')).toHaveText(/tumble them under the cover, once/);
  await expect(page.locator('.band')).not.toContainText('out of service');
});
