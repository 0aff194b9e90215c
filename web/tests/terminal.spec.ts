import { expect, type Page, test } from '@playwright/test';

async function sit(page: Page, terminal: number, flags = ''): Promise<void> {
  await page.goto(`/terminal/${terminal}?mock&open=120${flags}`);
  await expect(page.getByRole('status').filter({ hasText: 'Place your bets' })).toBeVisible();
}

async function touch(page: Page, spot: string): Promise<void> {
  const box = await page.locator(`.layout [data-spot="${spot}"]`).boundingBox();
  if (!box) throw new Error(`no place for ${spot}`);
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
}

const meter = (page: Page, name: string) => page.locator('.meters div', { hasText: name }).locator('dd');
const spot = (page: Page, id: string) => page.locator(`.layout [data-spot="${id}"]`);

test('every kind of roulette bet by touching lines, corners and fields', async ({ page }) => {
  await sit(page, 8);
  const kinds = [
    'straight/17',
    'straight/000',
    'split/1-2',
    'split/17-20',
    'split/0-00',
    'split/00-2',
    'street/1-2-3',
    'street/0-00-2',
    'corner/25-26-28-29',
    'sixline/31-36',
    'topline',
    'green',
    'column/2',
    'dozen/3',
    'red',
    'high',
  ];
  for (const kind of kinds) await touch(page, kind);
  for (const kind of kinds) await expect(spot(page, kind)).toHaveAttribute('aria-label', /your bet 5/);
  await expect(meter(page, 'Total bet')).toHaveText('80.00');
  await expect(meter(page, 'Credit')).toHaveText('420.00');
});

test('the covered numbers are lit while a line is touched', async ({ page }) => {
  await sit(page, 8);
  const box = (await spot(page, 'corner/1-2-4-5').boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  for (const number of [1, 2, 4, 5]) await expect(spot(page, `straight/${number}`)).toHaveClass(/touched/);
  await expect(spot(page, 'straight/3')).not.toHaveClass(/touched/);
  await page.mouse.up();
});

test('multi-piece bets, undo without limit, clear and its undo', async ({ page }) => {
  await sit(page, 8);
  await page.getByRole('button', { name: /^Tiers 6 pieces/ }).click();
  await expect(meter(page, 'Total bet')).toHaveText('30.00');
  await page.getByRole('button', { name: /^Neighbours 21 ±2/ }).click();
  await expect(meter(page, 'Total bet')).toHaveText('55.00');
  for (let i = 0; i < 12; i++) await touch(page, 'red');
  await expect(meter(page, 'Total bet')).toHaveText('115.00');
  await page.getByRole('button', { name: 'Clear' }).click();
  await expect(meter(page, 'Total bet')).toHaveText('0.00');
  const undo = page.getByRole('button', { name: 'Undo' });
  await undo.click();
  await expect(meter(page, 'Total bet')).toHaveText('115.00');
  for (let i = 0; i < 14; i++) {
    await undo.click();
    await expect(meter(page, 'Total bet')).toHaveText(`${i < 12 ? 110 - i * 5 : i === 12 ? 30 : 0}.00`);
  }
  await expect(undo).toBeDisabled();
});

test('chips are dragged from the rack and between spots, and taken off', async ({ page }) => {
  await sit(page, 1);
  const chip = (await page.getByRole('radio', { name: 'Chip of 25' }).boundingBox())!;
  const small = (await spot(page, 'small').boundingBox())!;
  const big = (await spot(page, 'big').boundingBox())!;
  const middle = (box: typeof small) => [box.x + box.width / 2, box.y + box.height / 2] as const;
  await page.mouse.move(...middle(chip));
  await page.mouse.down();
  await page.mouse.move(...middle(small), { steps: 6 });
  await page.mouse.up();
  await expect(spot(page, 'small')).toHaveAttribute('aria-label', /your bet 25/);
  await page.mouse.move(...middle(small));
  await page.mouse.down();
  await page.mouse.move(...middle(big), { steps: 6 });
  await page.mouse.up();
  await expect(spot(page, 'big')).toHaveAttribute('aria-label', /your bet 25/);
  await expect(spot(page, 'small')).not.toHaveAttribute('aria-label', /your bet/);
  await page.getByRole('button', { name: 'Remove' }).click();
  await touch(page, 'big');
  await expect(meter(page, 'Total bet')).toHaveText('0.00');
});

test('the layout is played with keys alone', async ({ page }) => {
  await sit(page, 1);
  await spot(page, 'even').focus();
  await page.keyboard.press('ArrowRight');
  await expect(spot(page, 'triple/6')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(spot(page, 'triple/6')).toHaveAttribute('aria-label', /your bet 5/);
  await page.keyboard.press('Delete');
  await expect(spot(page, 'triple/6')).not.toHaveAttribute('aria-label', /your bet/);
});

test('a chip is on the felt, pending, in the frame after the touch', async ({ page }) => {
  await sit(page, 1, '&delay=1500');
  const frames = await page.evaluate(async () => {
    const box = document.querySelector('.layout [data-spot="big"]')!.getBoundingClientRect();
    const at = {
      clientX: box.x + 20,
      clientY: box.y + 20,
      bubbles: true,
      pointerId: 1,
      button: 0,
      pointerType: 'touch',
    };
    const layout = document.querySelector('svg.layout')!;
    (layout as SVGElement).setPointerCapture = () => {};
    layout.dispatchEvent(new PointerEvent('pointerdown', at));
    layout.dispatchEvent(new PointerEvent('pointerup', at));
    let count = 0;
    while (!document.querySelector('.chips .stack.pending')) {
      await new Promise(requestAnimationFrame);
      count += 1;
      if (count > 60) break;
    }
    return count;
  });
  expect(frames).toBeLessThanOrEqual(1);
  await expect(page.locator('.chips .stack.pending')).toHaveCount(0, { timeout: 5000 });
  await expect(spot(page, 'big')).toHaveAttribute('aria-label', /your bet 5/);
});

test('nothing moves at the close, a late touch is refused, the win is shown and can be repeated', async ({
  page,
}) => {
  await page.goto('/terminal/1?mock&open=5&outcome=2-5-6');
  await expect(page.getByText('Place your bets')).toBeVisible();
  await touch(page, 'big');
  const places = () =>
    page.evaluate(() =>
      [...document.querySelectorAll('.layout, .notice, .meters, .actions, .rack, aside > *')].map((one) => {
        const { x, y, width, height } = one.getBoundingClientRect();
        return [x, y, width, height].map(Math.round).join();
      }),
    );
  const before = await places();
  await expect(page.getByRole('status').filter({ hasText: 'No More Bets' })).toBeVisible({ timeout: 8000 });
  expect(await places()).toEqual(before);
  await touch(page, 'small');
  await expect(page.getByText('Bets are closed.')).toBeVisible();
  await expect(spot(page, 'big')).toHaveClass(/won/, { timeout: 9000 });
  await expect(spot(page, 'small')).toHaveClass(/lost/);
  await expect(meter(page, 'Last win')).toHaveText('10.00');
  await expect(meter(page, 'Credit')).toHaveText('505.00');
  const repeat = page.getByRole('button', { name: 'Repeat ×2' });
  await expect(repeat).toBeEnabled({ timeout: 15_000 });
  await repeat.click();
  await expect(spot(page, 'big')).toHaveAttribute('aria-label', /your bet 10/);
});

test('a void round says so, with its reason, and gives everything back', async ({ page }) => {
  await page.goto('/terminal/1?mock&hold=void&wait=3000');
  await expect(page.getByText('Place your bets')).toBeVisible();
  await touch(page, 'odd');
  await expect(page.locator('.outcome.void')).toContainText('A die does not lie flat (5.3.2)', {
    timeout: 12_000,
  });
  await expect(meter(page, 'Credit')).toHaveText('500.00');
});

test('a lost host is seen within two seconds, takes no bets, and comes back by itself', async ({ page }) => {
  await sit(page, 1, '&away=4000,8000');
  await expect(page.getByRole('alert')).toContainText('Connection lost', { timeout: 9000 });
  await expect(page.getByRole('button', { name: 'Undo' })).toBeDisabled();
  await expect(page.getByRole('alert')).not.toContainText('Connection lost', { timeout: 12_000 });
  await touch(page, 'big');
  await expect(spot(page, 'big')).toHaveAttribute('aria-label', /your bet 5/);
});

test('cash out prints a ticket and takes the credit only when it is printed', async ({ page }) => {
  await sit(page, 2);
  await page.getByRole('button', { name: 'Cash out' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cash out' }).click();
  await expect(page.getByText('73-0048-2119-0663-5174')).toHaveCount(2);
  await expect(page.getByText('Singapore dollars five hundred and 00/100')).toBeVisible();
  await expect(meter(page, 'Credit')).toHaveText('500.00');
  await page.getByRole('button', { name: 'It is printed' }).click();
  await expect(meter(page, 'Credit')).toHaveText('0.00');
});

test('a bet touched while the host is away stays unregistered and is sent only if the player confirms', async ({
  page,
}) => {
  for (const [choice, expected] of [
    ['Place them', '5.00'],
    ['Drop them', '0.00'],
  ] as const) {
    await sit(page, 1);
    const pull = (away: boolean) => page.evaluate((yes) => Object.assign(globalThis, { away: yes }), away);
    // Silent, but not yet counted as lost.
    await pull(true);
    await touch(page, 'big');
    await expect(page.locator('.unregistered')).toHaveCount(1, { timeout: 6000 });
    await pull(false);
    const ask = page.getByRole('alertdialog', { name: 'Bets not registered' });
    await expect(ask).toContainText('Big 5', { timeout: 12_000 });
    await expect(meter(page, 'Total bet')).toHaveText('0.00');
    await ask.getByRole('button', { name: choice }).click();
    await expect(page.locator('.unregistered')).toHaveCount(0);
    await expect(meter(page, 'Total bet')).toHaveText(expected);
  }
});

test('the uppermost faces of the dice are the result, and words, lights and meters come with it', async ({
  page,
}) => {
  await page.goto('/terminal/1?mock&open=4&outcome=2-5-6&hold=settled&wait=3500');
  await expect(page.getByText('Place your bets')).toBeVisible();
  await touch(page, 'big');
  // Whatever is seen first of the result, all of it is seen.
  await page.waitForFunction(
    () => document.querySelector('.said b') || document.querySelector('.layout .won'),
    null,
    { timeout: 15_000, polling: 'raf' },
  );
  const seen = await page.evaluate(() => ({
    total: document.querySelector('.said b')?.textContent,
    lit: document.querySelectorAll('.layout .spot.won').length > 0,
    win: [...document.querySelectorAll('.meters dd')].at(-1)?.textContent,
    newest: document.querySelector('.results li .visually-hidden')?.textContent,
  }));
  expect(seen).toEqual({ total: '13', lit: true, win: '10.00', newest: '2-5-6' });
  const tops = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('.dome .cube')].map((cube) => {
      const turn = new DOMMatrix(getComputedStyle(cube).transform);
      const faces = [...cube.children].map((side, index) => {
        const own = turn.multiply(new DOMMatrix(getComputedStyle(side).transform));
        // The way out of the face, as the camera sees it: up is towards the top of the screen and the viewer.
        const out = own.transformPoint(new DOMPoint(0, 0, 1, 0));
        const up = -out.y * Math.cos((64 * Math.PI) / 180) + out.z * Math.sin((64 * Math.PI) / 180);
        return { face: index + 1, up };
      });
      return faces.sort((a, b) => b.up - a.up)[0]!.face;
    }),
  );
  expect(tops).toEqual([2, 5, 6]);
  // Total bet and chips agree with the last bet until the next round.
  await expect(meter(page, 'Total bet')).toHaveText('5.00');
  await expect(meter(page, 'Last bet')).toHaveText('5.00');
  await expect(page.locator('.layout .paid')).toContainText('+10');
});

test('a return below the stake is no win', async ({ page }) => {
  await page.goto('/terminal/1?mock&open=4&outcome=2-5-6&hold=settled&wait=3500');
  await expect(page.getByText('Place your bets')).toBeVisible();
  for (const one of ['big', 'small', 'even']) await touch(page, one);
  await expect(page.locator('.outcome.part')).toContainText('10.00', { timeout: 15_000 });
  await expect(page.locator('.outcome.part')).toContainText('of 15.00 bet');
  await expect(page.getByText('You win')).toHaveCount(0);
  await expect(meter(page, 'Last return')).toHaveText('10.00');
});

test('the bets on the layout are doubled, and the last spot touched does not stay lit', async ({ page }) => {
  await sit(page, 8);
  await touch(page, 'red');
  await touch(page, 'split/17-20');
  await page.mouse.move(5, 5);
  await expect(page.locator('.layout .touched')).toHaveCount(0);
  await page.getByRole('button', { name: 'Double' }).click();
  await expect(meter(page, 'Total bet')).toHaveText('20.00');
});

test('the history shows the countdown, and favourites end with the visit', async ({ page }) => {
  await sit(page, 2);
  await touch(page, 'big');
  await page.getByRole('button', { name: 'Favourites' }).click();
  await page.getByRole('button', { name: 'Keep the bets on the layout' }).click();
  await page.keyboard.press('Escape');
  expect(await page.evaluate(() => Object.keys(localStorage).some((one) => one.includes('favourites')))).toBe(
    true,
  );
  await page.getByRole('button', { name: 'History' }).click();
  await expect(page.getByRole('dialog').getByRole('timer')).toBeVisible();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Clear' }).click();
  await expect(meter(page, 'Total bet')).toHaveText('0.00');
  await page.getByRole('button', { name: 'Cash out' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cash out' }).click();
  await page.getByRole('button', { name: 'It is printed' }).click();
  await expect(meter(page, 'Credit')).toHaveText('0.00');
  expect(await page.evaluate(() => Object.keys(localStorage).some((one) => one.includes('favourites')))).toBe(
    false,
  );
});

/** Where the felt and everything that is touched lies. The felt takes the size of its room with the next frame. */
const laidOut = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    return [
      ...document.querySelectorAll(
        '.layout, .meters, .rack, footer .actions .button, footer .money .button, aside > *',
      ),
    ].map((one) => {
      const { x, y, width, height } = one.getBoundingClientRect();
      return [x, y, width, height].map(Math.round).join();
    });
  });

/** The same, once fonts and the parts that are fetched later are there and nothing moves any more. */
async function atRest(page: Page, parts: string[]): Promise<string[]> {
  for (const part of parts) await expect(page.locator(part).first()).toBeVisible();
  await page.evaluate(() => document.fonts.ready);
  let seen = await laidOut(page);
  await expect(async () => {
    const before = seen;
    seen = await laidOut(page);
    expect(seen).toEqual(before);
  }).toPass({ intervals: [200] });
  return seen;
}

for (const [width, height, ...parts] of [
  [1920, 1080, '.race .pocket', '.shares'],
  [1366, 768, '.race .pocket'],
  [1080, 1920, '.race .pocket', '.shares'],
  [1024, 768, '.which'],
] as const) {
  test(`a loss limit is typed on the screen, and moves nothing at ${width} × ${height}`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await sit(page, 8);
    const before = await atRest(page, parts);
    const menu = page.getByRole('button', { name: 'Menu' });
    if (await menu.isVisible()) await menu.click();
    await page.getByRole('button', { name: 'Loss limit' }).first().click();
    const keypad = page.getByRole('group', { name: 'Keypad' });
    for (const key of ['5', '0', '7', '.', '5'])
      await keypad.getByRole('button', { name: key, exact: true }).click();
    await expect(page.getByLabel('Amount')).toHaveValue('507.5');
    for (let i = 0; i < 3; i++) await keypad.getByRole('button', { name: 'Delete the last' }).click();
    await expect(page.getByLabel('Amount')).toHaveValue('50');
    await page.getByRole('button', { name: 'Set limit' }).click();
    await expect(meter(page, 'Loss limit left')).toHaveText('50.00');
    expect(await laidOut(page)).toEqual(before);
    // A ticket that is being printed is named in the meter, and moves nothing either.
    await page.getByRole('button', { name: 'Cash out' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cash out' }).click();
    await expect(page.locator('.meters')).toContainText('500.00 is being printed');
    expect(await laidOut(page)).toEqual(before);
  });
}

test('the number of a ticket is typed on the screen', async ({ page }) => {
  await page.setViewportSize({ width: 1080, height: 1920 });
  await sit(page, 2);
  await page.getByRole('button', { name: 'Money' }).click();
  const keypad = page.getByRole('group', { name: 'Keypad' });
  for (let i = 0; i < 18; i++)
    await keypad.getByRole('button', { name: String(i % 10), exact: true }).click();
  await expect(page.getByLabel('Ticket number')).toHaveValue('012345678901234567');
  await expect(page.getByRole('button', { name: 'Redeem into credit' })).toBeEnabled();
});

test('a terminal of its own is enrolled with a code, in one panel in the middle', async ({ page }) => {
  for (const [width, height] of [
    [1366, 768],
    [1920, 1080],
    [1080, 1920],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.goto('/terminal/2?mock&enrol');
    await expect(page.getByRole('heading', { name: 'Enrol this terminal' })).toBeVisible();
    await expect(page.getByText('needs a code')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Sit down' })).toHaveCount(0);
    await expect(page.locator('.toast')).toHaveCount(0);
    const panel = (await page.getByRole('main').boundingBox())!;
    expect(panel.width).toBeLessThanOrEqual(460);
    expect(Math.abs(panel.x + panel.width / 2 - width / 2)).toBeLessThan(2);
    const parts = page.getByRole('main').locator('svg, h1, input, button');
    for (const part of await parts.all()) {
      const box = (await part.boundingBox())!;
      expect(box.x >= panel.x && box.x + box.width <= panel.x + panel.width).toBe(true);
      expect(box.y >= panel.y && box.y + box.height <= panel.y + panel.height).toBe(true);
    }
  }
});

test('the address without a number offers the terminals of the floor', async ({ page }) => {
  await page.goto('/terminal?mock&open=120');
  await page.getByRole('link', { name: /T02/ }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Place your bets' })).toBeVisible();
});

test('the limits of a terminal name the bets of its layout only', async ({ page }) => {
  await page.setViewportSize({ width: 1366, height: 768 });
  await sit(page, 7);
  await page.locator('button.limits').click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('rowheader', { name: 'Big' })).toBeVisible();
  for (const other of ['Odd', 'Even', 'Three dice from four', 'Three single dice', 'Double with single'])
    await expect(dialog.getByRole('rowheader', { name: other, exact: true })).toHaveCount(0);
});
