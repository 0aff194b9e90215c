// Every spot of every picture of a layout is reached by touch, and exactly that spot is registered with exactly that
// stake; where a layout has the picture of another, one of every kind. So are the multi-piece bets of the racetrack, piece by
// piece. What is registered is read from the program, not from the page.
import type { Page } from '@playwright/test';
import { expect, meter, type Person, record, tables, test } from './floor';
import { betting, leave } from './hands';

type Spot = { id: string; family: string };
type Layout = { id: string; spots: Spot[] };
type Pieces = { bet: string; pieces: { spot: string; count: number }[] };
type Book = { layouts: Layout[]; pieces: Pieces[] };

async function bookOf(person: Person, table: number): Promise<Book> {
  const floor = await person.get<{ tables: { id: number; rulebook: string }[] }>('');
  const hash = floor.tables.find((one) => one.id === table)!.rulebook;
  return person.get<Book>(`/rulebooks/${hash}`);
}

/** Touches the middle of every field, line and corner, one after the other as fast as a hand could not. */
async function touchAll(page: Page, ids: readonly string[]): Promise<void> {
  const middles = await page.evaluate(
    (wanted) =>
      wanted.map((id) => {
        const found = document.querySelector(`.layout [data-spot="${id}"]`);
        const box = found?.getBoundingClientRect();
        return box && ([box.x + box.width / 2, box.y + box.height / 2] as const);
      }),
    [...ids],
  );
  for (const [index, middle] of middles.entries()) {
    if (!middle) throw new Error(`no place for ${ids[index]}`);
    await page.touchscreen.tap(middle[0], middle[1]);
  }
}

/** Voids the round that is open, and everything goes back. */
async function putBack(console: Page, player: Page, credit: string): Promise<void> {
  await console.getByRole('button', { name: 'Void', exact: true }).click();
  await console.getByRole('dialog').getByRole('radio').last().click();
  await console.getByRole('button', { name: 'Void the round' }).click();
  await expect(meter(player, 'Credit')).toHaveText(credit);
}

const layouts = [
  { name: 'Sic Bo, Appendix A', table: tables.sicbo, terminal: 28, layout: 'a', spots: 56 },
  { name: 'Sic Bo, Appendix B', table: tables.sicbo, terminal: 34, layout: 'b', spots: 104 },
  { name: 'Sic Bo, Appendix C', table: tables.sicbo, terminal: 40, layout: 'c', spots: 104, like: 'b' },
  {
    name: 'Electronic Sic Bo, rapid',
    table: tables.mbs,
    terminal: 4,
    layout: 'rapid',
    spots: 104,
    like: 'b',
  },
  { name: 'Electronic Sic Bo, alfastreet', table: tables.mbs, terminal: 10, layout: 'alfastreet', spots: 50 },
  { name: 'Roulette Triple Zero', table: tables.roulette, terminal: 16, layout: 'a', spots: 165 },
] as const;

for (const one of layouts) {
  test(`${one.name}: every ${'like' in one ? 'kind of bet' : 'spot'} by touch`, async ({
    browser,
    manager,
  }) => {
    // Up to two hundred touches.
    test.slow();
    const book = await bookOf(manager, one.table);
    const layout = book.layouts.find((each) => each.id === one.layout)!;
    expect(layout.spots).toHaveLength(one.spots);
    const first = (spot: Spot) => layout.spots.find((each) => each.family === spot.family) === spot;
    const spots = layout.spots.filter((spot) => !('like' in one) || first(spot)).map((spot) => spot.id);
    const { console, player, round } = await betting(
      browser,
      one.table,
      one.terminal,
      500,
      one.table === tables.mbs,
    );
    await player.getByRole('radio', { name: 'Chip of 1', exact: true }).click();
    await touchAll(player, spots);
    await expect(meter(player, 'Total bet')).toHaveText(`${spots.length}.00`);
    await expect(player.locator('.chips .stack.pending')).toHaveCount(0);
    await putBack(console, player, '500.00');
    const whole = await record(manager, round, (found) => found.round.status === 'void');
    const mine = whole.players.find((each) => each.terminal === one.terminal)!;
    const registered = mine.bets.map((bet) => `${bet.spot}=${bet.stake}`).sort();
    expect(registered).toEqual(spots.map((spot) => `${spot}=1.00`).sort());
    await leave(player, console);
  });
}

test('racetrack: every named bet, every finale and neighbours round the wheel, piece by piece', async ({
  browser,
  manager,
}) => {
  const { pieces } = await bookOf(manager, tables.roulette);
  const { console, player, round } = await betting(browser, tables.roulette, 17, 500);
  await player.getByRole('radio', { name: 'Chip of 1', exact: true }).click();
  const placed: Pieces[] = [];
  const place = async (wanted: (bet: string) => boolean) => {
    for (const bet of pieces.filter((each) => wanted(each.bet))) {
      await player.locator(`[data-bet="${bet.bet}"]`).tap();
      placed.push(bet);
    }
  };
  await place((bet) => !bet.includes('/'));
  await place((bet) => bet.startsWith('finale/'));
  // All round the wheel, each reach in its turn; a round takes forty such bets.
  const order = (await player.locator('.race .pocket').allTextContents()).map((text) => text.trim());
  for (const reach of [1, 2, 3]) {
    await player.getByRole('radio', { name: `±${reach}` }).tap();
    await place((bet) => {
      const [kind, centre, wide] = bet.split('/');
      return kind === 'neighbours' && Number(wide) === reach && order.indexOf(centre!) % 9 === reach * 3 - 3;
    });
  }
  expect(placed.filter((bet) => bet.bet.startsWith('neighbours/'))).toHaveLength(13);
  const pieceList = placed.flatMap((bet) =>
    bet.pieces.map((piece) => `${bet.bet}: ${piece.spot}=${piece.count}.00`),
  );
  const total = placed.flatMap((bet) => bet.pieces).reduce((sum, piece) => sum + piece.count, 0);
  await expect(meter(player, 'Total bet')).toHaveText(`${total}.00`);
  await putBack(console, player, '500.00');
  const whole = await record(manager, round, (found) => found.round.status === 'void');
  const mine = whole.players.find((each) => each.terminal === 17)!;
  expect(mine.bets.map((bet) => `${bet.pieces}: ${bet.spot}=${bet.stake}`).sort()).toEqual(pieceList.sort());
  await leave(player, console);
});
