// A player's chips between touch and acknowledgement, and the way back. The host's bets are the truth; what was sent and
// not yet answered lies over them as pending. Undo keeps every step of the round.

import type { Bet, Change, PlacedPieces, SpotId } from './contract';
import { type Cents, cents, wire } from './money';

export type OnSpot = { registered: Cents; pending: Cents };

/** Stakes per spot over all groups: registered, and what pending changes would add or take. */
export function onSpots(
  bets: readonly Bet[],
  pending: readonly Change[],
  pieces: (bet: string) => { spot: SpotId; count: number }[],
  placed: readonly PlacedPieces[],
): Map<SpotId, OnSpot> {
  const spots = new Map<SpotId, OnSpot>();
  const at = (spot: SpotId) => {
    let found = spots.get(spot);
    if (!found) {
      found = { registered: 0, pending: 0 };
      spots.set(spot, found);
    }
    return found;
  };
  for (const bet of bets) at(bet.spot).registered += cents(bet.stake);
  for (const change of pending) {
    if ('add' in change) at(change.add).pending += cents(change.amount);
    else if ('take' in change) at(change.take).pending -= cents(change.amount);
    else if ('pieces' in change) {
      for (const { spot, count } of pieces(change.pieces)) at(spot).pending += cents(change.unit) * count;
    } else {
      const group = placed.find((one) => one.group === change.take_pieces);
      if (group)
        for (const { spot, count } of pieces(group.bet)) at(spot).pending -= cents(group.unit) * count;
    }
  }
  for (const [spot, value] of spots) if (value.registered === 0 && value.pending === 0) spots.delete(spot);
  return spots;
}

/** What changes cost (positive) or give back (negative). */
export function cost(
  changes: readonly Change[],
  pieces: (bet: string) => { spot: SpotId; count: number }[],
  placed: readonly PlacedPieces[],
): Cents {
  let sum = 0;
  const count = (bet: string) => pieces(bet).reduce((all, piece) => all + piece.count, 0);
  for (const change of changes) {
    if ('add' in change) sum += cents(change.amount);
    else if ('take' in change) sum -= cents(change.amount);
    else if ('pieces' in change) sum += cents(change.unit) * count(change.pieces);
    else {
      const group = placed.find((one) => one.group === change.take_pieces);
      if (group) sum -= cents(group.unit) * count(group.bet);
    }
  }
  return sum;
}

/** The changes that undo others. A multi-piece bet is named by the group the host gave it, known once it is placed. */
export function reverse(
  changes: readonly Change[],
  before: readonly PlacedPieces[],
  after: readonly PlacedPieces[],
): Change[] {
  const fresh = after.filter((one) => !before.some((old) => old.group === one.group));
  const back: Change[] = [];
  for (const change of [...changes].reverse()) {
    if ('add' in change) back.push({ take: change.add, amount: change.amount });
    else if ('take' in change) back.push({ add: change.take, amount: change.amount });
    else if ('pieces' in change) {
      const index = fresh.findLastIndex(
        (one) => one.bet === change.pieces && cents(one.unit) === cents(change.unit),
      );
      if (index >= 0) back.push({ take_pieces: fresh.splice(index, 1)[0]!.group });
    } else {
      const group = before.find((one) => one.group === change.take_pieces);
      if (group) back.push({ pieces: group.bet, unit: group.unit });
    }
  }
  return back;
}

/** What leads from one state of the layout to another: single spots by difference, multi-piece bets by group. */
export function difference(
  from: { bets: readonly Bet[]; pieces: readonly PlacedPieces[] },
  to: { bets: readonly Bet[]; pieces: readonly PlacedPieces[] },
): Change[] {
  const changes: Change[] = [];
  const single = (bets: readonly Bet[]) => {
    const sums = new Map<SpotId, Cents>();
    for (const bet of bets)
      if (bet.group === 0) sums.set(bet.spot, (sums.get(bet.spot) ?? 0) + cents(bet.stake));
    return sums;
  };
  const had = single(from.bets);
  const has = single(to.bets);
  for (const group of from.pieces) {
    if (!to.pieces.some((one) => one.group === group.group)) changes.push({ take_pieces: group.group });
  }
  for (const [spot, stake] of had) {
    const rest = has.get(spot) ?? 0;
    if (rest < stake) changes.push({ take: spot, amount: wire(stake - rest) });
  }
  for (const [spot, stake] of has) {
    const old = had.get(spot) ?? 0;
    if (stake > old) changes.push({ add: spot, amount: wire(stake - old) });
  }
  for (const group of to.pieces) {
    if (!from.pieces.some((one) => one.group === group.group))
      changes.push({ pieces: group.bet, unit: group.unit });
  }
  return changes;
}

/** A step back, and the groups that its multi-piece bets bring back to life under new numbers. */
export type Back = { changes: Change[]; revives: number[] };

/** Where the steps are kept over a reload. */
export type Shelf = { read: () => string | null; write: (text: string) => void };

/** Unlimited undo within one round; a new round empties it. */
export class UndoStack {
  #steps: Back[] = [];
  #round: number | null = null;
  #shelf: Shelf | null;

  constructor(shelf: Shelf | null = null) {
    this.#shelf = shelf;
    try {
      const kept = JSON.parse(shelf?.read() ?? 'null') as { round: number; steps: Back[] } | null;
      if (kept) [this.#round, this.#steps] = [kept.round, kept.steps];
    } catch {
      // It cannot be read: begin again.
    }
  }

  #keep(): void {
    this.#shelf?.write(JSON.stringify({ round: this.#round, steps: this.#steps }));
  }

  get length(): number {
    return this.#steps.length;
  }

  round(id: number | null): void {
    if (id === this.#round) return;
    this.#steps = [];
    this.#round = id;
    this.#keep();
  }

  push(changes: Change[], revives: number[] = []): void {
    if (changes.length === 0) return;
    this.#steps.push({ changes, revives });
    this.#keep();
  }

  pop(): Back | null {
    const step = this.#steps.pop() ?? null;
    this.#keep();
    return step;
  }

  /** A group that was undone and came back has a new number: older steps learn it. */
  rename(from: number, to: number): void {
    for (const step of this.#steps) {
      step.changes = step.changes.map((change) =>
        'take_pieces' in change && change.take_pieces === from ? { take_pieces: to } : change,
      );
    }
    this.#keep();
  }
}
