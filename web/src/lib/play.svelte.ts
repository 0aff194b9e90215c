// One player at one terminal: places and takes chips, keeps what is pending, and knows the way back.

import { cost, difference, type OnSpot, onSpots, reverse, UndoStack } from './bets';
import type { Bet, Change, OwnSection, PlacedPieces, Rulebook, SpotId } from './contract';
import { t } from './i18n/index.svelte';
import type { Live } from './live.svelte';
import { type Cents, cents, wire } from './money';
import { sound } from './sound.svelte';
import { toasts } from './toasts.svelte';

type Placed = { bets: readonly Bet[]; pieces: readonly PlacedPieces[] };
const nothing: Placed = { bets: [], pieces: [] };

export class Play {
  #live: Live;
  #book: () => Rulebook | null;
  #undo = new UndoStack();
  #outstanding: Promise<unknown> = Promise.resolve();
  pending: Change[][] = $state.raw([]);
  steps = $state(0);

  constructor(live: Live, book: () => Rulebook | null) {
    this.#live = live;
    this.#book = book;
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
      toasts.show('bad', t('terminal.bets.closed'));
      return null;
    }
    if (cost(changes, this.piecesOf, this.own?.pieces ?? []) > this.credit) {
      sound.refuse();
      toasts.show('bad', t('terminal.credit.low'));
      return null;
    }
    sound.chip();
    const before = this.own?.pieces ?? [];
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
      toasts.error(error);
      return null;
    } finally {
      this.pending = this.pending.filter((one) => one !== changes);
      this.steps = this.#undo.length;
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
    // Whoever comes next, an undo above all, waits until this step is answered and kept.
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
