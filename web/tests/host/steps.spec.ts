// The console says what comes next. Someone who knows no game and does only what stands on the screen deals a whole round of each,
// with the table's device in service and out of service.
import type { Browser, Page } from '@playwright/test';
import { dealAt, expect, record, staff, tables, test } from './floor';
import { about, leave, sign } from './hands';

const dice = { asks: /Enter the three dice/, keys: ['2', '3', '5'], outcome: '2-3-5' };
const wheel = { asks: /Choose the compartment/, keys: ['17'], outcome: '17' };
const end = ['Enter the result', 'Confirm and pay'];
const affirmed = ['Affirm with this step', 'Type the result', ...end];
const games = [
  {
    name: 'Electronic Sic Bo',
    table: tables.mbs,
    device: dice,
    served: ['Begin round', 'Tumble', 'Open bets', 'Close bets', 'Uncover', ...end],
    alone: ['Begin round', 'Affirm with this step', 'Open bets', 'Close bets', ...affirmed],
  },
  {
    name: 'Roulette Triple Zero',
    table: tables.roulette,
    device: wheel,
    served: ['Open bets', 'Close bets', 'Spin', ...end],
    alone: ['Open bets', 'Close bets', ...affirmed],
  },
  {
    name: 'Sic Bo',
    table: tables.sicbo,
    device: dice,
    served: ['Open bets', 'Close bets', 'Tumble', 'Uncover', ...end],
    alone: ['Open bets', 'Close bets', ...affirmed],
  },
  {
    name: 'Sic Bo (Open Cover)',
    table: tables.open,
    device: dice,
    served: ['Open bets', 'Close bets', 'Tumble', ...end],
    alone: ['Open bets', 'Close bets', ...affirmed],
  },
  {
    name: 'Tai Sai',
    table: tables.taisai,
    device: dice,
    served: ['Open bets', 'Close bets', 'Tumble', 'Uncover', ...end],
    alone: ['Open bets', 'Close bets', 'Dice uncovered', ...affirmed],
  },
] as const;
type Game = (typeof games)[number];

/** What stands on the desk. Seconds that run are left out. */
type Told = {
  step: string;
  next: string;
  ready: boolean;
  open: number;
  says: string;
  out: boolean;
  ended: string;
};
const told = (page: Page): Promise<Told> =>
  page.evaluate(() => {
    const text = (selector: string) =>
      [...document.querySelectorAll(selector)].map((one) => one.textContent?.trim() ?? '').join(' ');
    const next = document.querySelector<HTMLButtonElement>('.next .huge');
    return {
      step: text('.phases [aria-current]'),
      next: next?.textContent?.trim() ?? '',
      ready: next?.disabled === false,
      open: document.querySelectorAll('.notes input[type=checkbox]:not(:checked)').length,
      says: `${text('.notes')} ${text('.question')} ${text('.why')} ${text('.recording').replace(/\d+ s:/, '')}`,
      out: /Out of service/.test(text('aside section .state')),
      ended: /Last round: .*/.exec(text('.question'))?.[0] ?? '',
    };
  });

/** Does what the screen says, and answers what it was; null where it says to wait. */
async function follow(page: Page, game: Game, now: Told): Promise<string | null> {
  const press = async (name: string) => {
    await page.getByRole('button', { name, exact: true }).click();
    return name;
  };
  if (now.ready) {
    expect(now.step, 'the step that is marked is the one of the big button').toBe(now.next);
    await page.locator('.next .huge').click();
    return now.next;
  }
  if (/is running|have not shown the close/.test(now.says)) return null;
  if (/: tumble them/.test(now.says)) return press('Tumble');
  if (/: spin it/.test(now.says)) return press('Spin');
  if (/: uncover them/.test(now.says)) return press('Uncover');
  if (/until the dice can be seen/.test(now.says)) return press('Dice uncovered');
  if (now.open > 0) {
    const group = page.getByRole('group', { name: 'Affirm with this step' });
    for (const point of await group.getByRole('checkbox').all()) await point.check();
    return 'Affirm with this step';
  }
  // One that is in service reads the result itself, a moment after the cover is off.
  if (now.out && game.device.asks.test(now.says)) {
    for (const key of game.device.keys)
      await page.locator('.entry').getByRole('button', { name: key, exact: true }).click();
    return 'Type the result';
  }
  return null;
}

/** From no round to a settled one. What was done, and which round it was. */
async function play(page: Page, game: Game): Promise<{ done: string[]; round: number; outcome: string }> {
  const done: string[] = [];
  const { ended } = await told(page);
  for (;;) {
    const now = await told(page);
    const over = /Last round: (\S+) Round (\d+)/.exec(now.ended);
    if (over && now.ended !== ended) return { done, round: Number(over[2]), outcome: over[1]! };
    const did = await follow(page, game, now);
    if (did !== null) done.push(did);
    // Nothing is done twice because the screen has not changed yet.
    const words = `after ${done.join(', ')} the console says: ${now.says}`;
    await expect
      .poll(async () => JSON.stringify(await told(page)), { timeout: 30_000, message: words })
      .not.toBe(JSON.stringify(now));
    // The marked step, the words and the button change with different messages: the next step is read when all have.
    let last = '';
    const still = async () => {
      const before = last;
      last = JSON.stringify(await told(page));
      return last === before;
    };
    await expect.poll(still, { timeout: 30_000, intervals: [400] }).toBe(true);
  }
}

/** Two of the pit take the device out of service or put it back. */
async function serve(browser: Browser, game: Game, button: string): Promise<void> {
  const pit = await staff(browser, 'supervisor2', '/pit');
  const dialog = await about(pit, game.name, 'Table');
  await dialog.getByRole('button', { name: button }).click();
  await dialog.last().getByLabel('Reason').fill('browser tests');
  await sign(dialog.last(), 'manager2');
  await dialog.last().getByRole('button', { name: 'Confirm' }).click();
  await expect(dialog).toHaveCount(1);
  await leave(pit);
}

for (const game of games) {
  test(`${game.name}: the console leads through a round, its device in service`, async ({
    browser,
    manager,
  }) => {
    const console = await dealAt(browser, game.table);
    const { done, round, outcome } = await play(console, game);
    expect(done).toEqual(game.served);
    const whole = await record(manager, round, (found) => found.round.status === 'settled');
    expect(whole.round.outcome).toBe(outcome);
    await leave(console);
  });

  test(`${game.name}: the console leads through a round, its device out of service`, async ({
    browser,
    manager,
  }) => {
    const console = await dealAt(browser, game.table);
    await serve(browser, game, 'Take out of service');
    await expect(console.locator('aside section')).toContainText('Out of service');
    const { done, round, outcome } = await play(console, game);
    expect(done).toEqual(game.alone);
    expect(outcome).toBe(game.device.outcome);
    const whole = await record(manager, round, (found) => found.round.status === 'settled');
    expect(whole.round.outcome).toBe(outcome);
    await serve(browser, game, 'Put back in service');
    await expect(console.locator('aside section')).not.toContainText('Out of service');
    await leave(console);
  });
}
