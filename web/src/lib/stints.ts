// Who dealt at which table from when to when, made from the records.

import type { PastRounds, SignificantEvents } from './contract';

type Event = Pick<SignificantEvents['events'][number], 'at' | 'code' | 'table' | 'staff'>;
type Round = Pick<PastRounds['rounds'][number], 'table' | 'begun_at'>;
/** `to`: none while the dealer is still there. */
export type Stint = {
  table: number;
  dealer: string;
  from: number;
  to: number | null;
  rounds: number;
  time: number;
};

/** The stints since a moment, the newest first. Both lists may come in any order. */
export function stints(
  events: readonly Event[],
  rounds: readonly Round[],
  since: number,
  now: number,
): Stint[] {
  const changes = events
    .filter((one) => ['dealer-changed', 'table-closed'].includes(one.code) && one.table != null)
    .sort((a, b) => a.at - b.at);
  const found: Stint[] = [];
  for (const [index, change] of changes.entries()) {
    const to = changes.slice(index + 1).find((one) => one.table === change.table)?.at ?? null;
    const end = to ?? now;
    if (change.code !== 'dealer-changed' || !change.staff || end <= since) continue;
    const from = Math.max(change.at, since);
    const dealt = rounds.filter(
      (one) => one.table === change.table && one.begun_at >= from && one.begun_at < end,
    );
    found.push({
      table: change.table!,
      dealer: change.staff,
      from,
      to,
      rounds: dealt.length,
      time: end - from,
    });
  }
  return found.reverse();
}

export type Pace = { dealer: string; time: number; rounds: number; pace: number | null };
/** Rounds an hour of each dealer; none for less than five minutes. */
export function perHour(all: readonly Stint[]): Pace[] {
  const least = 5 * 60_000;
  const sums = new Map<string, { time: number; rounds: number }>();
  for (const one of all) {
    const sum = sums.get(one.dealer) ?? { time: 0, rounds: 0 };
    sums.set(one.dealer, { time: sum.time + one.time, rounds: sum.rounds + one.rounds });
  }
  return [...sums].map(([dealer, { time, rounds }]) => ({
    dealer,
    time,
    rounds,
    pace: time < least ? null : Math.round((rounds * 3_600_000) / time),
  }));
}
