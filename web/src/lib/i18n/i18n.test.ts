import { describe, expect, it } from 'vitest';
import { en, type Key } from './en';
import { zh } from './zh';

const keys = Object.keys(en) as Key[];
const places = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort();

describe('the dictionaries', () => {
  it('have the same keys and the same places to fill', () => {
    expect(Object.keys(zh).sort()).toEqual([...keys].sort());
    for (const key of keys) expect(places(zh[key]), key).toEqual(places(en[key]));
  });
  it('are translated', () => {
    const same = keys.filter(
      (key) => zh[key] === en[key] && /[A-Za-z]/.test(en[key].replace(/\{\w+\}/g, '')),
    );
    expect(same).toEqual(['app.name']);
  });
});
