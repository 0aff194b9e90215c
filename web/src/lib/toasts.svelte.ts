import type { Text } from './contract';
import { Refused, Unanswered } from './feed';
import { refusalWords, say, t } from './i18n/index.svelte';

export type Toast = { id: number; tone: 'bad' | 'good' | 'note'; words: string; rule: string | null };

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

  away(place: number): void {
    this.#over = this.#over.filter((one) => one !== place);
  }

  show(tone: Toast['tone'], words: string | Text, rule: string | null = null): void {
    const text = typeof words === 'string' ? words : say(words);
    const again = this.list.find((toast) => toast.words === text);
    if (again) return;
    const id = this.#next++;
    this.list = [...this.list.slice(-2), { id, tone, words: text, rule }];
    setTimeout(() => this.dismiss(id), 4500);
  }

  /** What went wrong, in the host's words and with its rule. */
  error(error: unknown): void {
    if (error instanceof Refused) this.show('bad', refusalWords(error.refusal.message), error.refusal.rule);
    else if (error instanceof Unanswered) this.show('bad', t('link.lost'));
    else this.show('bad', t('app.failed'));
  }

  dismiss(id: number): void {
    this.list = this.list.filter((toast) => toast.id !== id);
  }
}

export const toasts = new Toasts();
