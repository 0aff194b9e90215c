import type { Text } from '../contract';
import { en, type Key } from './en';
import type { Language } from './signs';
import { zh } from './zh';

export type { Key, Language };

const storage = 'croupier.language';

function initial(): Language {
  const kept = typeof localStorage === 'undefined' ? null : localStorage.getItem(storage);
  if (kept === 'en' || kept === 'zh') return kept;
  return typeof navigator !== 'undefined' && navigator.language.startsWith('zh') ? 'zh' : 'en';
}

class Words {
  language: Language = $state(initial());

  set(language: Language): void {
    this.language = language;
    localStorage.setItem(storage, language);
    document.documentElement.lang = language === 'zh' ? 'zh-Hans' : 'en';
  }
}

export const words = new Words();

/** A message of the dictionaries; `{name}` is replaced. */
export function t(key: Key, values: Record<string, string | number> = {}): string {
  const template: string = (words.language === 'zh' ? zh : en)[key];
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** The word for one of the host's names, such as a post or a cause; the name itself where there is none. */
export function term(kind: string, name: string | null | undefined): string {
  const key = `${kind}.${name}`;
  if (key in en) return t(key as Key);
  return (name ?? '').replaceAll(/[-_]/g, ' ');
}

/** What the host refused, as a sentence that begins like one. */
export function refusalWords(text: Text): string {
  const words = say(text);
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** An announcement in the document's own words, whichever language is selected; the other language beside them (3.5, MBS 3.2). */
export function verbatim(text: Text | null | undefined): string {
  const own = say(text);
  return text && own !== text.en ? `${text.en} · ${own}` : own;
}

/** A text of the host, in the language of the page. */
export function say(text: Text | null | undefined): string {
  return text ? text[words.language] || text.en : '';
}
