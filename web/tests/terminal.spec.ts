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
