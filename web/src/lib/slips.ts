// A slip as the records have it, ready to be shown and printed: the same when it is made and whenever it is printed again.

import type { SlipData } from '../ui/Slip.svelte';
import type { SlipReport, SlipRow } from './contract';
import { api, host } from './host.svelte';
import { t, term } from './i18n/index.svelte';
import { cents, formatMoney } from './money';
import { toasts } from './toasts.svelte';

export function slipPlace(row: SlipRow): string {
  if (row.table_name) return row.table_name;
  const shift = row.shift == null ? '' : ` · ${t('cage.shift')} ${row.shift}`;
  return `${t('cage.title')}${shift}${row.to_shift == null ? '' : ` → ${row.to_shift}`}`;
}

export function slipOf(row: SlipRow): SlipData {
  const ends = row.kind === 'close' || row.kind === 'handover';
  const held = ends ? t('cage.expected') : t(row.kind === 'drop' ? 'slip.box' : 'slip.tray');
  const amount = (name: string, value: string | null | undefined, strong = false) =>
    value == null ? [] : [{ name, value: formatMoney(cents(value)), strong }];
  return {
    title: term('slip', row.kind),
    number: row.number,
    at: Date.parse(row.at),
    place: slipPlace(row),
    rows: [
      ...amount(t('cage.float'), ends ? row.float : null),
      ...amount(held, row.held),
      ...amount(t(ends || row.kind === 'count' ? 'cage.counted' : 'app.amount'), row.amount, true),
      ...amount(t('cage.difference'), row.difference, row.difference != null && cents(row.difference) !== 0),
    ],
    counts: row.counts,
    ...(row.reason ? { reason: row.reason } : {}),
    signs: [
      { name: t('slip.first'), who: row.by },
      ...(row.second
        ? [{ name: t(row.kind === 'handover' ? 'slip.taken' : 'slip.second'), who: row.second }]
        : []),
    ],
  };
}

const place = () => `croupier.slip.${host.floor}`;

/** The slip that was shown last in this window and not closed: after a reload it is shown again. */
export async function slipLeftOpen(): Promise<SlipData | null> {
  const number = Number(sessionStorage.getItem(place()) ?? 0);
  return number > 0 ? slipOfRecord(number) : null;
}

/** The slip on the screen was printed or put away. */
export const slipClosed = (): void => sessionStorage.removeItem(place());

/** The slip of what was just recorded. Where the records are behind, it can be printed from the reports later. */
export async function slipOfRecord(number: number): Promise<SlipData | null> {
  try {
    sessionStorage.setItem(place(), String(number));
  } catch {
    // Without room for it, it is shown until the page is left.
  }
  try {
    return slipOf((await api().get<SlipReport>(`/reports/slips/${number}`)).slip);
  } catch {
    toasts.show('bad', t('slip.later', { n: number }));
    return null;
  }
}
