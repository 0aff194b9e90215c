import { readFileSync } from 'node:fs';
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
  it('have words for every finding and every movement of the audit of people', () => {
    const read = (name: string) =>
      readFileSync(new URL(`../../../../crates/floor/src/${name}.rs`, import.meta.url), 'utf8');
    const source = read('people') + read('offices');
    const codes = [
      ...source.matchAll(/code: "([a-z-]+)"|\("([a-z-]+)", ", which|\("(threshold[a-z-]*)",/g),
    ].map((found) => found[1] ?? found[2] ?? found[3] ?? '');
    const acts = [
      ...source.matchAll(/act: (?:if of_vault \{ )?"([a-z-]+)"(?: \} else \{ "([a-z-]+)")?/g),
    ].flatMap((found) => [found[1], found[2]]);
    expect(codes.length).toBeGreaterThan(15);
    for (const code of codes) expect(keys, code).toContain(`finding.${code}`);
    for (const act of acts) if (act) expect(keys, act).toContain(`moved.${act}`);
  });
});
