// The languages of the pages. A language is a dictionary, loaded when it is chosen, and how it shows a text of the host,
// which writes English and Simplified Chinese. The texts of staff pages are a part of their own, which players do not load.

import type { Text } from '../contract';
import type { Key } from './en-staff';

export type Language = 'en' | 'zh' | 'zh-Hant';
export type Dictionary = Partial<Record<Key, string>>;
export type Spoken = { texts: Dictionary; host: (text: Text) => string };

type Entry = {
  /** On the switch, in the language itself. */
  name: string;
  /** What the page declares as its language. */
  tag: string;
  load: () => Promise<Spoken>;
  staff: () => Promise<Dictionary>;
};

export const languages: Record<Language, Entry> = {
  en: {
    name: 'EN',
    tag: 'en',
    load: async () => ({ texts: (await import('./en')).en, host: (text) => text.en }),
    staff: async () => (await import('./en-staff')).enStaff,
  },
  zh: {
    name: '简体',
    tag: 'zh-Hans',
    load: async () => ({ texts: (await import('./zh')).zh, host: (text) => text.zh || text.en }),
    staff: async () => (await import('./zh-staff')).zhStaff,
  },
  'zh-Hant': {
    name: '繁體',
    tag: 'zh-Hant',
    load: async () => {
      const [{ zhHant }, { traditional }] = await Promise.all([import('./zh-hant'), import('./host-words')]);
      return { texts: zhHant, host: (text) => (text.zh ? traditional(text.zh) : text.en) };
    },
    staff: async () => (await import('./zh-hant-staff')).zhHantStaff,
  },
};

export const isLanguage = (name: string | null): name is Language => name !== null && name in languages;

/** Of what the browser prefers: Chinese as written in Hong Kong, Macau and Taiwan is traditional. */
export function preferred(browser: string): Language {
  if (!/^zh\b/i.test(browser)) return 'en';
  return /-hant\b|^zh-(hk|mo|tw)\b/i.test(browser) ? 'zh-Hant' : 'zh';
}

/** A message with its places filled: `{n}` is the value, `{n|round|rounds}` a word for one or for another number of them. */
export function fill(template: string, values: Record<string, string | number>): string {
  return template.replace(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (whole, name: string, one, many) => {
    const value = values[name];
    if (value === undefined) return whole;
    return one === undefined ? String(value) : String(value) === '1' ? one : many;
  });
}
