import { expect, it } from 'vitest';
import { perHour, stints } from './stints';

const hour = 3_600_000;
const change = (at: number, table: number, staff: string | null) => ({
  at,
  table,
  staff,
  code: 'dealer-changed',
});

it('finds who dealt where, how long and how many rounds', () => {
  const events = [
    change(2 * hour, 1, 'Ben'),
    change(0, 1, 'Ann'),
    change(hour, 2, 'Ann'),
    { at: hour, table: 1, staff: 'Ann', code: 'table-opened' },
  ];
  const rounds = [0.5, 1, 1.5, 2, 2.5].map((at) => ({ table: 1, begun_at: at * hour }));
  const found = stints(events, rounds, 0, 3 * hour);
  expect(found.map((one) => [one.table, one.dealer, one.from / hour, one.to, one.rounds])).toEqual([
    [1, 'Ben', 2, null, 2],
    [2, 'Ann', 1, null, 0],
    [1, 'Ann', 0, 2 * hour, 3],
  ]);
  expect(perHour(found)).toEqual([
    { dealer: 'Ben', time: hour, rounds: 2, pace: 2 },
    { dealer: 'Ann', time: 4 * hour, rounds: 3, pace: 1 },
  ]);
});

it('cuts what began before, and gives no pace for a few minutes', () => {
  const found = stints([change(0, 1, 'Ann')], [], 10 * hour, 10 * hour + 60_000);
  expect(found).toMatchObject([{ from: 10 * hour, to: null, time: 60_000 }]);
  expect(perHour(found)[0]?.pace).toBeNull();
  expect(stints([change(0, 1, 'Ann'), change(1, 1, null)], [], 2, 3)).toEqual([]);
});
