// One player at one terminal: places and takes chips, keeps what is pending, and knows the way back.

import { cost, difference, type OnSpot, onSpots, reverse, type Shelf, UndoStack } from './bets';
import type { Bet, Change, OwnSection, PlacedPieces, Rulebook, SpotId } from './contract';
import { Refused, Unanswered } from './feed';
import { say, t } from './i18n/index.svelte';
import type { Live } from './live.svelte';
import { type Cents, cents, formatMoney, wire } from './money';
import { sound } from './sound.svelte';
import { spotName } from './spots';
import { toasts } from './toasts.svelte';

type Placed = { bets: readonly Bet[]; pieces: readonly PlacedPieces[] };
/** Bets whose answer was lost with the connection: what stood on the layout before them. */
type Unsure = {
  round: number | null;
  changes: readonly Change[];
  before: ReadonlyMap<SpotId, Cents>;
  groups: number;
};
const nothing: Placed = { bets: [], pieces: [] };

function shelf(name: string): Shelf {
  const place = `croupier.undo.${name}`;
  return {
    read: () => sessionStorage.getItem(place),
    write: (text) => {
      try {
        sessionStorage.setItem(place, text);
      } catch {
        // Without room for it, the way back lives as long as the page.
      }
    },
  };
}

export class Play {
  #live: Live;
  #book: () => Rulebook | null;
  #undo: UndoStack;
  #outstanding: Promise<unknown> = Promise.resolve();
  pending: Change[][] = $state.raw([]);
  steps = $state(0);
  #refusedAt: Cents | null = null;
  #unsure: Unsure[] = [];
  /** The connection is back, and what became of those bets is not told yet. */
  #returning = false;
  /** Bets that were touched while the host was away and are not registered. The player sends them or drops them. */
  unregistered: Change[] = $state.raw([]);
  /** The time that the player set for the visit is over. */
  stopped = $state(false);
  /** Whether the player is asked about them: the connection is back and their round still takes bets. */
  asking = $state(false);

  /** `name`: what the way back is kept under, so that it is still there after a reload. */
  constructor(live: Live, book: () => Rulebook | null, name: string) {
    this.#live = live;
    this.#book = book;
    this.#undo = new UndoStack(shelf(name));
    this.steps = this.#undo.length;
  }

  get own(): OwnSection | undefined {
    return this.#live.view.own;
  }

  get bets(): Bet[] {
    return this.#live.view.bets ?? [];
  }

  /** Whether the last round's bets can be placed again. */
  get repeatable(): boolean {
    return this.open && this.bets.length === 0 && cents(this.own?.last?.staked) > 0;
  }

  get open(): boolean {
    const { round } = this.#live.view;
    const usable = this.own?.usable ?? false;
    return (
      this.#live.connection === 'live' &&
      usable &&
      !this.stopped &&
      round?.phase === 'open' &&
      !round.halted &&
      !round.interrupted
    );
  }

  piecesOf = (bet: string) => this.#book()?.pieces.find((one) => one.bet === bet)?.pieces ?? [];

  /** Registered and pending chips on every spot. */
  get stakes(): Map<SpotId, OnSpot> {
    const own = this.own;
    return onSpots(this.bets, this.pending.flat(), this.piecesOf, own?.pieces ?? []);
  }

  get credit(): Cents {
    return cents(this.own?.credit) - cost(this.pending.flat(), this.piecesOf, this.own?.pieces ?? []);
  }

  get staked(): Cents {
    return cents(this.own?.staked) + cost(this.pending.flat(), this.piecesOf, this.own?.pieces ?? []);
  }

  /** Called with each round: undo reaches back to its opening only. */
  round(id: number | null): void {
    this.#undo.round(id);
    this.steps = this.#undo.length;
  }

  add(spot: SpotId, amount: Cents): void {
    void this.apply([{ add: spot, amount: wire(amount) }]);
  }

  pieces(bet: string, unit: Cents): void {
    void this.apply([{ pieces: bet, unit: wire(unit) }]);
  }

  /** Takes everything of the player's own hand off a spot; a multi-piece bet goes as a whole. */
  async take(spot: SpotId): Promise<void> {
    await this.#outstanding;
    const changes: Change[] = [];
    for (const bet of this.bets) {
      if (bet.spot !== spot) continue;
      changes.push(bet.group === 0 ? { take: spot, amount: bet.stake } : { take_pieces: bet.group });
    }
    if (changes.length > 0) void this.apply(changes);
  }

  async move(from: SpotId, to: SpotId | null): Promise<void> {
    await this.#outstanding;
    const bet = this.bets.find((one) => one.spot === from && one.group === 0);
    if (!bet) return;
    const changes: Change[] = [{ take: from, amount: bet.stake }];
    if (to) changes.push({ add: to, amount: bet.stake });
    void this.apply(changes);
  }

  async apply(changes: Change[], remember = true): Promise<PlacedPieces[] | null> {
    if (!this.open) {
      sound.refuse();
      toasts.show(
        'bad',
        t(this.stopped ? 'visit.limit.over' : 'terminal.bets.closed'),
        null,
        false,
        'closed',
      );
      return null;
    }
    if (cost(changes, this.piecesOf, this.own?.pieces ?? []) > this.credit) {
      sound.refuse();
      this.#refusedAt = this.credit;
      toasts.show('bad', t('terminal.credit.low'), null, false, 'credit');
      return null;
    }
    sound.chip();
    const before = this.own?.pieces ?? [];
    const stood = this.#standing();
    const round = this.#live.view.round?.id ?? null;
    this.pending = [...this.pending, changes];
    const sent = this.#live.send({ type: 'bet', changes });
    this.#outstanding = Promise.allSettled([this.#outstanding, sent]);
    try {
      await sent;
      const after = this.own?.pieces ?? [];
      if (remember) {
        const revives = [...changes]
          .reverse()
          .flatMap((change) => ('take_pieces' in change ? [change.take_pieces] : []));
        this.#undo.push(reverse(changes, before, after), revives);
      }
      return after.filter((one) => !before.some((old) => old.group === one.group));
    } catch (error) {
      sound.refuse();
      const late = error instanceof Refused && error.refusal.code === 'late';
      if (late || error instanceof Unanswered)
        this.#doubt({ round, changes, before: stood, groups: before.length });
      else toasts.error(error);
      // The refusal came over a link that works: the player is asked now.
      if (late && this.#live.connection === 'live') this.back();
      return null;
    } finally {
      this.pending = this.pending.filter((one) => one !== changes);
      this.steps = this.#undo.length;
    }
  }

  #standing(): Map<SpotId, Cents> {
    const sums = new Map<SpotId, Cents>();
    for (const bet of this.bets) sums.set(bet.spot, (sums.get(bet.spot) ?? 0) + cents(bet.stake));
    return sums;
  }

  #doubt(one: Unsure): void {
    this.#unsure.push(one);
    // Taking chips off is not repeated: what stands is seen from the next snapshot.
    const placing = one.changes.filter((change) => 'add' in change || 'pieces' in change);
    this.unregistered = [...this.unregistered, ...placing];
  }

  /** What lies on the layout without being registered, by spot. */
  get lost(): Map<SpotId, Cents> {
    const sums = new Map<SpotId, Cents>();
    const found = onSpots([], this.unregistered, this.piecesOf, []);
    for (const [spot, { pending }] of found) sums.set(spot, pending);
    return sums;
  }

  #name(change: Change): string {
    const book = this.#book();
    if ('add' in change) {
      const name = book ? say(spotName(book, change.add, this.own?.layout)) : change.add;
      return `${name} ${formatMoney(cents(change.amount), true)}`;
    }
    if (!('pieces' in change)) return '';
    const name = say(book?.pieces.find((one) => one.bet === change.pieces)?.name) || change.pieces;
    return `${name} ${formatMoney(cents(change.unit), true)}`;
  }

  /** The bets the player is asked about, in words. */
  get lostWords(): string {
    return this.unregistered.map((change) => this.#name(change)).join(', ');
  }

  /** The connection is back: says which of the bets that were on their way are registered, and which are not (D14). */
  back(): void {
    this.#returning = this.#unsure.length > 0;
    this.#tell();
  }

  #tell(): void {
    if (!this.#returning) return;
    const { round: current } = this.#live.view;
    const round = current?.id ?? null;
    // The first picture after a break may still show this terminal as lost: that it is back follows a moment later.
    if (current?.phase === 'open' && !this.own?.usable) return;
    this.#returning = false;
    if (this.#unsure.some((one) => one.round !== round)) {
      this.#forget();
      toasts.show('note', t('terminal.back.over'), null, false, 'visit');
      return;
    }
    const { registered, missing } = this.#compare();
    this.unregistered = missing;
    this.asking = missing.length > 0 && this.open;
    if (registered.length > 0) {
      const bets = registered.map((change) => this.#name(change)).join(', ');
      toasts.show('note', t('terminal.back.registered', { bets }), null, false, 'visit');
    }
    if (missing.length === 0) this.#unsure = [];
    else if (!this.asking) {
      toasts.show('bad', t('terminal.back.not', { bets: this.lostWords }), null, true, 'visit');
      this.#forget();
    }
  }

  /** Which of the bets in doubt stand on the layout. */
  #compare(): { registered: Change[]; missing: Change[] } {
    const now = this.#standing();
    const expected = new Map(this.#unsure[0]?.before);
    let groups = (this.own?.pieces.length ?? 0) - (this.#unsure[0]?.groups ?? 0);
    const registered: Change[] = [];
    const missing: Change[] = [];
    for (const change of this.#unsure.flatMap((one) => one.changes)) {
      if ('pieces' in change) {
        (groups > 0 ? registered : missing).push(change);
        groups -= 1;
      } else if ('add' in change) {
        const sum = (expected.get(change.add) ?? 0) + cents(change.amount);
        const stands = (now.get(change.add) ?? 0) >= sum;
        if (stands) expected.set(change.add, sum);
        (stands ? registered : missing).push(change);
      }
    }
    return { registered, missing };
  }

  #forget(): void {
    this.#unsure = [];
    this.#returning = false;
    this.unregistered = [];
    this.asking = false;
  }

  /** The player wants the bets that were not registered. */
  confirmLost(): void {
    const { missing } = this.#compare();
    this.#forget();
    if (missing.length > 0) void this.apply(missing);
  }

  /** The player does not want them. */
  dropLost(): void {
    this.#forget();
  }

  /** Called with every view: bets of a round that no longer takes any are not asked about, and not kept. */
  settleLost(): void {
    // Why a touch was refused is over once bets are open again, or there is other credit.
    if (this.open) toasts.ended('closed');
    if (!this.open || this.credit !== this.#refusedAt) toasts.ended('credit');
    if (this.#unsure.length === 0 || this.#live.connection !== 'live') return;
    if (this.#returning) {
      this.#tell();
      return;
    }
    const round = this.#live.view.round;
    if (this.#unsure.some((one) => one.round !== (round?.id ?? null)) || round?.phase !== 'open') {
      toasts.show('bad', t('terminal.back.dropped', { bets: this.lostWords }), null, true, 'visit');
      this.#forget();
    }
  }

  async undo(): Promise<void> {
    await this.#outstanding;
    const back = this.#undo.pop();
    this.steps = this.#undo.length;
    if (!back) return;
    const fresh = await this.apply(back.changes, false);
    fresh?.forEach((one, index) => {
      const old = back.revives[index];
      if (old !== undefined) this.#undo.rename(old, one.group);
    });
  }

  clear(): Promise<void> {
    return this.#whole({ type: 'clear' }, () => difference(this.#placed(), nothing));
  }

  /** Whether what lies on the layout can be doubled. */
  get doublable(): boolean {
    return this.open && this.bets.length > 0 && this.staked <= this.credit;
  }

  /** Every bet on the layout once more. */
  async double(): Promise<void> {
    await this.#outstanding;
    const changes: Change[] = [
      ...this.bets.filter((bet) => bet.group === 0).map((bet) => ({ add: bet.spot, amount: bet.stake })),
      ...(this.own?.pieces ?? []).map((one) => ({ pieces: one.bet, unit: one.unit })),
    ];
    if (changes.length > 0) void this.apply(changes);
  }

  repeat(doubled: boolean): Promise<void> {
    return this.#whole({ type: 'repeat', doubled }, () => []);
  }

  #placed(): Placed {
    return { bets: this.bets, pieces: this.own?.pieces ?? [] };
  }

  /** A command about the whole layout: what it did is seen from before and after. */
  async #whole(
    command: { type: 'clear' } | { type: 'repeat'; doubled: boolean },
    guess: () => Change[],
  ): Promise<void> {
    await this.#outstanding;
    if (!this.open) return;
    // Later steps, above all an undo, wait until this step is answered and kept.
    let finished = () => {};
    const done = new Promise<void>((resolve) => {
      finished = resolve;
    });
    this.#outstanding = Promise.allSettled([this.#outstanding, done]);
    const before = this.#placed();
    const shown = guess();
    this.pending = [...this.pending, shown];
    sound.chip();
    try {
      await this.#live.send(command);
      const after = this.#placed();
      const gone = before.pieces.filter((one) => !after.pieces.some((now) => now.group === one.group));
      this.#undo.push(
        difference(after, before),
        gone.map((one) => one.group),
      );
    } catch (error) {
      sound.refuse();
      toasts.error(error);
    } finally {
      this.pending = this.pending.filter((one) => one !== shown);
      this.steps = this.#undo.length;
      finished();
    }
  }
}
