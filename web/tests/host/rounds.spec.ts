// A whole round on each of the five games, from a player's and a dealer's page at once.
import {
  betOverHttp,
  credited,
  deal,
  expect,
  money,
  next,
  notice,
  record,
  roundOf,
  settle,
  spot,
  staked,
  tables,
  test,
  touch,
} from './floor';
import { betting, dealing, leave } from './hands';

const games = [
  {
    name: 'Sic Bo',
    table: tables.sicbo,
    terminal: 28,
    cover: true,
    kind: 'Tumble',
    bets: [
      'big',
      'small',
      'odd',
      'even',
      'single/2',
      'double/5',
      'triple/3',
      'triple/any',
      'total/10',
      'domino/1-2',
      'four/3-4-5-6',
    ],
  },
  {
    name: 'Sic Bo, open cover, layout B',
    table: tables.open,
    terminal: 52,
    cover: false,
    kind: 'Tumble',
    bets: ['big', 'even', 'single/6', 'three/1-2-3', 'pair/1-1-3', 'total/17'],
  },
  {
    name: 'Electronic Sic Bo',
    table: tables.mbs,
    terminal: 4,
    cover: true,
    kind: 'Tumble',
    begins: true,
    bets: ['small', 'odd', 'single/1', 'pair/6-6-4', 'three/4-5-6', 'four/1-2-3-4'],
  },
  {
    name: 'Roulette',
    table: tables.roulette,
    terminal: 16,
    cover: false,
    kind: 'Spin',
    bets: [
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
    ],
  },
] as const;

for (const game of games) {
  test(`${game.name}: a whole round`, async ({ browser, manager }) => {
    const { console, player, round } = await betting(
      browser,
      game.table,
      game.terminal,
      500,
      'begins' in game,
    );
    for (const bet of game.bets) await touch(player, bet);
    await staked(player, `${game.bets.length * 5}.00`);
    await expect(spot(player, game.bets[0])).toHaveAttribute('aria-label', /your bet 5/);
    await expect(player.locator('.chip.pending')).toHaveCount(0);

    // Undo, remove, clear, and their undo.
    await player.getByRole('button', { name: 'Undo', exact: true }).click();
    await staked(player, `${(game.bets.length - 1) * 5}.00`);
    await player.getByRole('button', { name: 'Clear', exact: true }).click();
    await staked(player, '0.00');
    await player.getByRole('button', { name: 'Undo', exact: true }).click();
    await staked(player, `${(game.bets.length - 1) * 5}.00`);
    await touch(player, game.bets.at(-1)!);
    await staked(player, `${game.bets.length * 5}.00`);

    await next(console, 'Close bets');
    await expect(notice(player)).toHaveText(/no more bets/i);
    await expect(console.locator('.shown')).toHaveText('All live terminals show it');
    // Too late: the page says so. Beside its link, not even the terminal's own key moves anything.
    await touch(player, game.bets[0]);
    await expect(player.locator('.toast.bad')).toBeVisible();
    expect(await betOverHttp(player, game.terminal, game.bets[0])).toEqual([403, 'second_link']);

    if ('begins' in game) {
      await console.getByRole('button', { name: 'Uncover', exact: true }).click();
      await expect(console.locator('.question', { hasText: 'The device reads' })).toBeVisible({
        timeout: 45_000,
      });
    } else await deal(console, game.kind, game.cover);
    const outcome = await settle(console);

    const whole = await record(manager, round, (found) => found.round.status === 'settled');
    expect(whole.round.outcome).toBe(outcome);
    const own = whole.players.find((one) => one.terminal === game.terminal)!;
    expect(own.bets.map((bet) => bet.spot).sort()).toEqual([...game.bets].sort());
    expect(own.bets.every((bet) => bet.stake === '5.00')).toBe(true);
    const credit = 50_000 - game.bets.length * 500 + money(own.entitled);
    await expect.poll(() => credited(player), { timeout: 15_000 }).toBe(credit);
    // What is no more than the stake is a return, and no win.
    const last = player.locator('.meters div', { hasText: /Last (win|return)/ }).locator('dd');
    expect(money((await last.textContent()) ?? '')).toBe(money(own.entitled));

    if (game.table === tables.roulette) {
      // Again, doubled, with multi-piece bets on top; each piece counts on its own spot.
      await next(console, 'Open bets');
      await expect(notice(player)).toHaveText(/place your bets/i);
      await player.getByRole('button', { name: 'Repeat ×2' }).click();
      await staked(player, '160.00');
      await player.locator('[data-bet="tiers"]').click();
      await staked(player, '190.00');
      await player.locator('[data-bet="neighbours/21/2"]').click();
      await staked(player, '215.00');
      await player.locator('[data-bet="finale/4"]').click();
      await staked(player, '235.00');
      await player.getByRole('button', { name: 'Undo', exact: true }).click();
      await staked(player, '215.00');
      const again = await roundOf(console);
      await next(console, 'Close bets');
      await deal(console, 'Spin', false);
      await settle(console);
      const second = await record(manager, again, (found) => found.round.status === 'settled');
      const mine = second.players.find((one) => one.terminal === game.terminal)!;
      expect(mine.staked).toBe('215.00');
      expect(
        mine.bets
          .filter((bet) => bet.pieces === 'tiers')
          .map((bet) => bet.spot)
          .sort(),
      ).toEqual(
        ['split/10-11', 'split/13-16', 'split/23-24', 'split/27-30', 'split/33-36', 'split/5-8'].sort(),
      );
      expect(mine.bets.find((bet) => bet.spot === 'straight/17' && !bet.pieces)?.stake).toBe('10.00');
    }
    await leave(player, console);
  });
}

test('Tai Sai: chips on the boxes, excess rejected, paid by position', async ({ browser, manager }) => {
  const { console, round } = await dealing(browser, tables.taisai);
  const place = async (id: string) => {
    const box = (await spot(console, id).boundingBox())!;
    await console.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  };
  await console.getByRole('radio', { name: 'Position 1', exact: true }).click();
  await place('small');
  const small = console.locator('aside .terminals li', { hasText: 'Small' });
  await expect(small).toContainText('25');
  await console.getByRole('radio', { name: 'Position 2', exact: true }).click();
  await console.getByRole('radio', { name: 'Chip of 500' }).click();
  await place('big');
  await place('big');
  // 1,000 against 25: more than the differential allows.
  const excess = console.locator('.differential .bad');
  await expect(excess).toContainText('Excess 475');
  await console.getByRole('button', { name: 'Reject excess' }).first().click();
  await expect(excess).toHaveCount(0);
  await next(console, 'Close bets');
  await deal(console, 'Tumble', true);
  const outcome = await settle(console);
  const whole = await record(manager, round, (found) => found.round.status === 'settled');
  expect(whole.round.outcome).toBe(outcome);
  expect(whole.chips.find((one) => one.position === 1 && one.spot === 'small')?.bet).toBe('25.00');
  expect(whole.chips.find((one) => one.position === 2 && one.spot === 'big')?.bet).toBe('525.00');
  await leave(console);
});
