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
