// When a result is shown. The host settles at once; a player sees the ball rest or the dice lie first. Ball, lit areas,
// text, history and meters all follow this one moment, and what won stays lit for four seconds, even where the next
// round begins earlier.

import type { LastRoundSection, OutcomeId, ResultEntry, SpotId, View } from './contract';

/** How long winning areas are lit at least, in milliseconds. */
export const litFor = 4000;
/** By then the ball rests or the dice lie, whether or not the picture has said so. */
const atLatest = { wheel: 6000, dice: 950 };

type Shown = { round: number; outcome: OutcomeId | null; lit: ReadonlySet<SpotId>; until: number };
type Source = () => { view: Partial<View>; wheel: boolean | null; connected: boolean };

export class Reveal {
  /** The last round whose result was shown. */
  #rested = $state<number | null>(null);
  #shown = $state.raw<Shown | null>(null);
  /** Whether what is lit has been lit long enough. */
  #over = $state(true);
  #source: Source;
  #kept: { round: number; lit: readonly SpotId[] } | null = null;

  constructor(source: Source) {
    this.#source = source;
    let seen = false;
    $effect(() => {
      const { view, connected } = source();
      const last = view.last_round ?? null;
      // The host clears what is lit with the next round; it is kept from when it was first heard.
      if (last && !view.round && view.lit) this.#kept = { round: last.round, lit: view.lit };
      // A page that opens between two rounds shows the last result as it lies, without playing it again.
      if (!seen && connected) {
        seen = true;
        if (last) this.rest(last.round, last.outcome ?? null, view.round ? 0 : litFor);
      }
    });
    $effect(() => {
      const { view, wheel } = source();
      const last = view.last_round ?? null;
      if (!last || wheel === null || this.#rested === last.round) return;
      // The next round has begun before the picture was done: the result is shown now.
      if (view.round) {
        this.rest(last.round, last.outcome ?? null);
        return;
      }
      const wait = wheel && last.outcome ? atLatest.wheel : atLatest.dice;
      const timer = setTimeout(() => this.rest(last.round, last.outcome ?? null), wait);
      return () => clearTimeout(timer);
    });
    $effect(() => {
      const shown = this.#shown;
      if (!shown) return;
      const timer = setTimeout(
        () => {
          this.#over = true;
        },
        Math.max(0, shown.until - performance.now()),
      );
      return () => clearTimeout(timer);
    });
  }

  /** The ball rests, or the dice lie. */
  rest(round: number, outcome: OutcomeId | null, lasting = litFor): void {
    if (this.#rested === round) return;
    this.#rested = round;
    this.#over = lasting === 0;
    const lit = new Set(this.#kept?.round === round ? this.#kept.lit : []);
    this.#shown = { round, outcome, lit, until: performance.now() + lasting };
  }

  /** The picture says that it is done. */
  done = (): void => {
    const last = this.#source().view.last_round;
    if (last && !this.#source().view.round) this.rest(last.round, last.outcome ?? null);
  };

  /** The round that ended last, while none is under way. */
  get ended(): LastRoundSection | null {
    const { view } = this.#source();
    return view.round ? null : (view.last_round ?? null);
  }

  /** Whether the result of the round that ended last can be seen. */
  get revealed(): boolean {
    const { ended } = this;
    return ended !== null && this.#rested === ended.round;
  }

  /** What won, as long as it is lit. */
  get showing(): { outcome: OutcomeId; lit: ReadonlySet<SpotId> } | null {
    const shown = this.#shown;
    if (!shown?.outcome) return null;
    if (!this.revealed && this.#over) return null;
    return { outcome: shown.outcome, lit: shown.lit };
  }

  /** The history without what has not been shown yet. */
  results(all: readonly ResultEntry[]): readonly ResultEntry[] {
    const { ended } = this;
    return ended && !this.revealed ? all.filter((entry) => entry.round !== ended.round) : all;
  }
}
