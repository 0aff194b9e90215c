import type { Text } from '../contract';
import type { Key } from './en-staff';
import { fill, isLanguage, type Language, languages, preferred, type Spoken } from './languages';

export type { Key, Language };

const storage = 'croupier.language';

function initial(): Language {
  const kept = typeof localStorage === 'undefined' ? null : localStorage.getItem(storage);
  if (isLanguage(kept)) return kept;
  return preferred(typeof navigator === 'undefined' ? 'en' : navigator.language);
}

class Words {
  language: Language = $state(initial());
  spoken: Spoken | null = $state.raw(null);
  #asked = this.language;
  /** A staff page is open, or was. */
  #staff = false;

  /** The page changes when the dictionary is there; of several languages asked for, the last one counts. */
  async set(language: Language): Promise<void> {
    this.#asked = language;
    const { load, staff } = languages[language];
    const [spoken, more] = await Promise.all([load(), this.#staff ? staff() : null]);
    if (this.#asked !== language) return;
    if (more) Object.assign(spoken, { texts: { ...spoken.texts, ...more } });
    this.spoken = spoken;
    this.language = language;
    localStorage.setItem(storage, language);
    document.documentElement.lang = languages[language].tag;
  }

  /** A page of staff, with its texts. */
  async staff<T>(page: Promise<T>): Promise<T> {
    const texts = this.#staff ? null : languages[this.#asked].staff();
    this.#staff = true;
    if (texts) await Promise.all([texts, page]).then(() => this.set(this.#asked));
    return page;
  }

  /** The dictionary that the first page needs; asked for again as long as the host does not answer. */
  async start(): Promise<void> {
    while (!this.spoken) {
      try {
        await this.set(this.language);
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 2000));
      }
    }
  }
}

export const words = new Words();

/** A message of the dictionary of the page's language, with its places filled. */
export function t(key: Key, values: Record<string, string | number> = {}): string {
  return fill(words.spoken?.texts[key] ?? key, values);
}

/** The word for one of the host's names, such as a post or a cause; the name itself where there is none. */
export function term(kind: string, name: string | null | undefined): string {
  const key = `${kind}.${name}`;
  if (words.spoken && key in words.spoken.texts) return t(key as Key);
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
  return text ? (words.spoken?.host(text) ?? text.en) : '';
}
