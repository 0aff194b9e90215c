import type { Rulebook, Spot, Text } from './contract';

/** A spot is called by its family and its numbers: "Split 17-20". */
export function spotName(book: Rulebook, spot: Spot | string): Text {
  const id = typeof spot === 'string' ? spot : spot.id;
  const family =
    typeof spot === 'string' ? (id === 'triple/any' ? 'any-triple' : id.split('/')[0]) : spot.family;
  const name = book.families.find((one) => one.id === family)?.name;
  const numbers = id.includes('/') && id !== 'triple/any' ? ` ${id.slice(id.indexOf('/') + 1)}` : '';
  return name ? { en: name.en + numbers, zh: name.zh + numbers } : { en: id, zh: id };
}

/** A layout's letter or word as it is written. */
export const layoutName = (id: string): string => id.slice(0, 1).toUpperCase() + id.slice(1);

/** A table's own name; a table that is only called by its game has none. */
export const ownName = (table: { name: string; title: Text }): string =>
  table.name === table.title.en || table.name === table.title.zh ? '' : table.name;
