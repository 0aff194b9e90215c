// Money is whole cents in a number: the largest amount on a floor is far below 2^53.

export type Cents = number;

export function cents(amount: string | null | undefined): Cents {
  if (!amount) return 0;
  const match = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(amount);
  if (!match) return 0;
  const whole = Number(match[2]) * 100 + Number((match[3] ?? '').padEnd(2, '0'));
  return match[1] ? -whole : whole;
}

/** An amount as people type it: 5000, 5000.5 or 5,000.00. Everything else is no amount: null, never nothing. */
export function typed(text: string): Cents | null {
  const plain = /^(\d{1,12}|\d{1,3}(,\d{3}){1,3})(\.\d{1,2})?$/.test(text.trim());
  return plain ? cents(text.trim().replaceAll(',', '')) : null;
}

/** The amount typed, where it is more than nothing. */
export const typedAmount = (text: string): Cents | null => typed(text) || null;

/** The host's words with its amounts written as the pages write them: 10,255.00. */
export const amountsGrouped = (words: string): string =>
  words.replace(/(?<![\d.,#])\d{4,}\.\d{2}(?![\d.])/g, (amount) => formatMoney(cents(amount)));

export function wire(amount: Cents): string {
  const sign = amount < 0 ? '-' : '';
  const whole = Math.abs(amount);
  return `${sign}${Math.floor(whole / 100)}.${String(whole % 100).padStart(2, '0')}`;
}

/** "1,234.50"; whole dollars lose their decimals with `short`. */
export function formatMoney(amount: Cents, short = false): string {
  const sign = amount < 0 ? '−' : '';
  const whole = Math.abs(amount);
  const dollars = String(Math.floor(whole / 100)).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
  const rest = whole % 100;
  if (short && rest === 0) return sign + dollars;
  return `${sign}${dollars}.${String(rest).padStart(2, '0')}`;
}

/** On a chip or a stack: 950, 1.2K, 25K, 1M. */
export function formatCompact(amount: Cents): string {
  const dollars = amount / 100;
  const cut = (value: number) => String(Math.floor(value * 10) / 10);
  if (dollars >= 1_000_000) return `${cut(dollars / 1_000_000)}M`;
  if (dollars >= 10_000) return `${cut(dollars / 1000)}K`;
  if (Number.isInteger(dollars)) return String(dollars);
  return dollars.toFixed(2);
}
