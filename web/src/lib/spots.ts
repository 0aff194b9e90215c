import type { Rulebook, Spot, Text } from './contract';

/** What a kind of bet is called on a layout: by the layout's own name for it, or the document's. */
export function familyName(book: Rulebook, family: string, layout?: string | null): Text | null {
  const own = book.layouts.find((one) => one.id === layout)?.names;
  return own?.[family] ?? book.families.find((one) => one.id === family)?.name ?? null;
}

/** A spot is called by its family and its numbers: "Split 17-20". A layout may have names of its own for its bets. */
export function spotName(book: Rulebook, spot: Spot | string, layout?: string | null): Text {
  const id = typeof spot === 'string' ? spot : spot.id;
  const family =
    typeof spot === 'string' ? (id === 'triple/any' ? 'any-triple' : id.split('/')[0]) : spot.family;
  const name = familyName(book, family ?? '', layout);
  const numbers = id.includes('/') && id !== 'triple/any' ? ` ${id.slice(id.indexOf('/') + 1)}` : '';
  return name ? { en: name.en + numbers, zh: name.zh + numbers } : { en: id, zh: id };
}

/** A layout's letter or word as it is written. */
export const layoutName = (id: string): string => id.slice(0, 1).toUpperCase() + id.slice(1);

/** A table's own name; a table that is only called by its game has none. */
export const ownName = (table: { name: string; title: Text }): string =>
  table.name === table.title.en || table.name === table.title.zh ? '' : table.name;
