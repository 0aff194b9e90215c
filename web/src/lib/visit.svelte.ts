// A player's visit as this terminal's page sees it: it begins when money is put in and ends when nothing is left (D7).
// With it end the favourites, and what the history shows.

import type { OwnSection } from './contract';
import { type Cents, cents } from './money';
import { toasts } from './toasts.svelte';

/**
 * `remind`: after so many minutes the player wants to be told the time; `next`: when that is. `limit`: after so many minutes
 * the player wants to place no more bets; `from`: since when they are counted; `told`: that it was reached has been said.
 */
type Kept = {
  remind?: number;
  next?: number;
  limit?: number;
  from?: number;
  told?: boolean;
  visit?: number;
  since: number | null;
  round: number | null;
  spent: Cents;
  won: Cents;
};

const favourites = 'croupier.favourites.';

export class Visit {
  kept: Kept | null = $state.raw(null);
  #place: string;
  #seen = false;

  constructor(name: string) {
    this.#place = `croupier.visit.${name}`;
    try {
      this.kept = JSON.parse(localStorage.getItem(this.#place) ?? 'null') as Kept | null;
    } catch {
      this.kept = null;
    }
  }

  /** The host has said when it began, which a page opened in the middle of it has not seen. */
  begun(at: number | null | undefined): void {
    if (at != null && this.kept && this.kept.since !== at) this.#keep({ ...this.kept, since: at });
  }

  /** The player asks to be reminded every so many minutes; 0: no more. */
  remind(minutes: number, now: number): void {
    if (this.kept) this.#keep({ ...this.kept, remind: minutes, next: now + minutes * 60_000 });
  }

  /** The player's own limit of time for this visit, in minutes. Once set it is only lowered. */
  limit(minutes: number, now: number): void {
    if (!this.kept || !this.allows(minutes)) return;
    this.#keep({ ...this.kept, limit: minutes, from: this.kept.since ?? this.kept.from ?? now });
  }

  allows(minutes: number): boolean {
    return minutes > 0 && (this.kept?.limit === undefined || minutes <= this.kept.limit);
  }

  /** Whether the time that the player set is over: this page places no more bets of the visit. */
  over(now: number): boolean {
    const { limit, from } = this.kept ?? {};
    return limit !== undefined && from !== undefined && now >= from + limit * 60_000;
  }

  /** Whether the player is to be told so now. */
  ending(now: number): boolean {
    return this.over(now) && !this.kept?.told;
  }

  told(now: number): void {
    if (this.kept && this.over(now)) this.#keep({ ...this.kept, told: true });
  }

  /** Whether the player is to be told the time now. */
  due(now: number): boolean {
    const { remind = 0, next = 0 } = this.kept ?? {};
    return remind > 0 && now >= next;
  }

  get net(): Cents {
    return (this.kept?.won ?? 0) - (this.kept?.spent ?? 0);
  }

  /** Called with every view of a live feed. */
  follow(own: OwnSection, now: number): void {
    const number = own.visit ?? undefined;
    // Another visit than the one that is kept here: this page was away between them.
    if (this.kept && number !== undefined && this.kept.visit !== number) this.#end();
    const there = cents(own.credit) + cents(own.staked) + cents(own.printing) > 0 || own.doubt != null;
    const first = !this.#seen;
    this.#seen = true;
    if (!there) {
      if (this.kept || first) this.#end();
      return;
    }
    const last = own.last ?? null;
    const kept = this.kept;
    if (!kept) {
      toasts.ended('left');
      // A page opened in the middle of a visit does not know its beginning.
      this.#keep({ visit: number, since: first ? null : now, round: last?.round ?? null, spent: 0, won: 0 });
    } else if (last && last.round !== kept.round) {
      this.#keep({
        ...kept,
        round: last.round,
        spent: kept.spent + cents(last.staked),
        won: kept.won + cents(last.returned),
      });
    }
  }

  #keep(kept: Kept): void {
    this.kept = kept;
    try {
      localStorage.setItem(this.#place, JSON.stringify(kept));
    } catch {
      // Without room for it, the visit is known as long as the page lives.
    }
  }

  #end(): void {
    this.kept = null;
    toasts.ended('visit');
    try {
      localStorage.removeItem(this.#place);
      for (const name of Object.keys(localStorage))
        if (name.startsWith(favourites)) localStorage.removeItem(name);
    } catch {
      // Nothing is kept then.
    }
  }
}

/** The chips that the player wants in the rack, until the visit ends; none: the usual ones. */
export const ownChips = {
  read(terminal: string): Cents[] {
    try {
      const found: unknown = JSON.parse(localStorage.getItem(`${favourites}chips.${terminal}`) ?? '[]');
      return Array.isArray(found) ? found.filter((one): one is Cents => typeof one === 'number') : [];
    } catch {
      return [];
    }
  },
  keep(terminal: string, chips: Cents[]): void {
    try {
      localStorage.setItem(`${favourites}chips.${terminal}`, JSON.stringify(chips));
    } catch {
      // Without room for it, they are there as long as the page lives.
    }
  },
};

/** Where the favourites of a terminal's layout are kept until the visit ends. */
export function favouritesAt(terminal: string, book: string, layout: string): string {
  return `${favourites}${terminal}.${book}.${layout}`;
}
