import { Unknown, type Unsure } from './api';
import type { Text } from './contract';
import { Refused, Unanswered } from './feed';
import { refusalWords, say, t } from './i18n/index.svelte';
import { quoted } from './paragraphs';

/** What a message is about: it ends when that is over. `closed`: no bets are taken; `visit`: of this player only; `left`: of the
 * player before, until the next one comes. */
export type Cause = 'link' | 'closed' | 'credit' | 'visit' | 'left';

export type Toast = {
  id: number;
  tone: 'bad' | 'good' | 'note';
  words: string;
  rule: string | null;
  stays: boolean;
  cause: Cause | null;
  /** The dialog it was said on. */
  place: number | null;
};

class Toasts {
  list: Toast[] = $state([]);
  /** Dialogs that lie over the page, the topmost last. */
  #over: number[] = $state([]);
  #next = 1;

  /** Where they are shown: on the topmost dialog, or on the page itself. */
  get place(): number | null {
    return this.#over.at(-1) ?? null;
  }

  /** A dialog lies over the page now. */
  over(): number {
    const place = this.#next++;
    this.#over.push(place);
    return place;
  }

  /** A dialog is gone, and with it what was refused in it. */
  away(place: number): void {
    this.#over = this.#over.filter((one) => one !== place);
    this.list = this.list.filter((one) => one.place !== place || one.tone !== 'bad' || one.stays);
  }

  /** What a message was about is over. */
  ended(...causes: Cause[]): void {
    if (this.list.some((one) => one.cause !== null && causes.includes(one.cause)))
      this.list = this.list.filter((one) => one.cause === null || !causes.includes(one.cause));
  }

  /** Another page, or another person at it. */
  clear(): void {
    this.list = [];
  }

  /** It goes by itself, unless it stays until it is taken away by its number. */
  show(
    tone: Toast['tone'],
    words: string | Text,
    rule: string | null = null,
    stays = false,
    cause: Cause | null = null,
  ): number {
    const text = typeof words === 'string' ? words : say(words);
    const again = this.list.find((toast) => toast.words === text);
    if (again) return again.id;
    const id = this.#next++;
    // Only paragraphs of a document are named: decisions, standards and requests have no meaning to the person who reads it.
    const named = quoted(rule) || null;
    // What was refused before is over once something was done.
    const rest = tone === 'good' ? this.list.filter((one) => one.tone !== 'bad' || one.stays) : this.list;
    this.list = [...rest.slice(-2), { id, tone, words: text, rule: named, stays, cause, place: this.place }];
    if (!stays) setTimeout(() => this.dismiss(id), tone === 'bad' || cause !== null ? 8000 : 4500);
    return id;
  }

  /** What went wrong, in the host's words and with its rule. */
  error(error: unknown): void {
    if (error instanceof Unknown) {
      if (trying !== null) this.dismiss(trying);
      trying = null;
      this.show('bad', t('act.unknown'), null, true);
    } else if (error instanceof Refused) {
      this.show('bad', refusalWords(error.refusal.message), error.refusal.rule);
    } else if (error instanceof Unanswered) this.show('bad', t('link.lost'), null, false, 'link');
    else this.show('bad', t('app.failed'));
  }

  /** The next act begins: what was refused before is no longer of interest. */
  fresh(): void {
    this.list = this.list.filter((toast) => toast.tone !== 'bad');
  }

  dismiss(id: number): void {
    this.list = this.list.filter((toast) => toast.id !== id);
  }
}

export const toasts = new Toasts();

let trying: number | null = null;

/** A command whose answer was lost is sent again: people are told so, and what was found. */
export const unsure: Unsure = {
  trying: () => {
    trying = toasts.show('note', t('act.trying'), null, true);
  },
  found: (done) => {
    if (trying !== null) toasts.dismiss(trying);
    trying = null;
    toasts.show(done ? 'good' : 'note', t(done ? 'act.found.done' : 'act.found.not'));
  },
};
