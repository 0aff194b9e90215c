// Limits of a table in words: what holds now, and what holds from the next round on.

import type { Limit, Rulebook, TableSection } from './contract';
import { say, t } from './i18n/index.svelte';
import { cents, formatMoney } from './money';

type Limits = Pick<TableSection, 'limits' | 'announced'>;

export const maximumOf = (one: Limit): string =>
  one.maximum ? formatMoney(cents(one.maximum), true) : t('game.unlimited');

export const rangeOf = (one: Limit): string => `${formatMoney(cents(one.minimum), true)} – ${maximumOf(one)}`;

/** The limits that change with the next round. */
export function changesOf(table: Limits | undefined): Limit[] {
  const same = (a: Limit | undefined, b: Limit) => a?.minimum === b.minimum && a.maximum === b.maximum;
  return (table?.announced ?? []).filter(
    (one) =>
      !same(
        table?.limits.find((now) => now.family === one.family),
        one,
      ),
  );
}

/** What changes, in one line: one range for all is said once, else each kind of bet with its own, as far as there is room. */
export function announcedOf(table: Limits | undefined, book: Rulebook | null, most = 4): string {
  const changed = changesOf(table);
  if (changed.length === 0) return '';
  const ranges = [...new Set(changed.map(rangeOf))];
  if (ranges.length === 1 && changed.length > 3) return ranges[0]!;
  const named = (one: Limit) =>
    say(book?.families.find((family) => family.id === one.family)?.name) || one.family;
  return changed
    .slice(0, most)
    .map((one) => `${named(one)} ${rangeOf(one)}`)
    .join(' · ');
}
