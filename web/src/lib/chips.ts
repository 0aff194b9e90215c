import type { Cents } from './money';

/** The denominations a rack offers, in cents. */
export const denominations: readonly Cents[] = [
  100, 500, 1000, 2500, 10_000, 50_000, 100_000, 500_000, 1_000_000,
];

export type ChipColour = { face: string; edge: string; ink: string };

const colours: Record<number, ChipColour> = {
  100: { face: '#e9e6dc', edge: '#5b7fa8', ink: '#1b2a3a' },
  500: { face: '#b3272d', edge: '#f4e9d6', ink: '#ffffff' },
  1000: { face: '#1f5fae', edge: '#f4e9d6', ink: '#ffffff' },
  2500: { face: '#1b7a4b', edge: '#f4e9d6', ink: '#ffffff' },
  10000: { face: '#20242b', edge: '#e2bd6b', ink: '#f5e6bd' },
  50000: { face: '#6a2f96', edge: '#f1dff8', ink: '#ffffff' },
  100000: { face: '#d9a521', edge: '#3b2a05', ink: '#2a1d02' },
  500000: { face: '#8d4a1c', edge: '#f6d9b8', ink: '#ffffff' },
  1000000: { face: '#0f7c85', edge: '#d8fbff', ink: '#ffffff' },
};

export function chipColour(denomination: Cents): ChipColour {
  return colours[denomination] ?? { face: '#4a5563', edge: '#d9e1ea', ink: '#ffffff' };
}

/** The chips that make up an amount, largest first; cents that no chip covers become one last odd chip. */
export function stack(amount: Cents): Cents[] {
  const chips: Cents[] = [];
  let rest = amount;
  for (let i = denominations.length - 1; i >= 0; i--) {
    const value = denominations[i]!;
    while (rest >= value) {
      chips.push(value);
      rest -= value;
    }
  }
  if (rest > 0) chips.push(rest);
  return chips;
}

/** What is drawn, bottom first: at most `most` chips of the stack, the largest on top. */
export function drawn(amount: Cents, most = 5): Cents[] {
  return stack(amount).slice(0, most).reverse();
}

/** The chips that can be bet at a table at all. */
export function usableChips(minimum: Cents, maximum: Cents | null): Cents[] {
  return denominations.filter(
    (value) => value >= Math.min(minimum, 100) && (maximum === null || value <= maximum),
  );
}

/** The racks of a table: the denominations from its smallest minimum up to its largest maximum, at most seven. */
export function rack(minimum: Cents, maximum: Cents | null): Cents[] {
  const usable = usableChips(minimum, maximum);
  const from = Math.max(0, usable.findIndex((value) => value >= minimum) - 1);
  const start = minimum <= 100 ? 0 : from;
  return usable.slice(start, start + 7);
}
