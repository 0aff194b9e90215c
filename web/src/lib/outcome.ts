// What the pages say about an outcome. Which bets win is the host's to say; these are names only.

import type { Outcomes } from './contract';

export function dice(outcome: string): [number, number, number] | null {
  const match = /^([1-6])-([1-6])-([1-6])$/.exec(outcome);
  return match ? [Number(match[1]), Number(match[2]), Number(match[3])] : null;
}

export function total(outcome: string): number {
  return dice(outcome)?.reduce((sum, face) => sum + face, 0) ?? 0;
}

export function triple(outcome: string): boolean {
  const faces = dice(outcome);
  return faces !== null && faces[0] === faces[1] && faces[1] === faces[2];
}

export type Side = 'big' | 'small' | 'odd' | 'even' | 'triple';

/** How a road shows the dice: a triple is neither big nor small, neither odd nor even (they all lose). */
export function half(outcome: string): Side {
  if (triple(outcome)) return 'triple';
  return total(outcome) >= 11 ? 'big' : 'small';
}

export function parity(outcome: string): Side {
  if (triple(outcome)) return 'triple';
  return total(outcome) % 2 === 1 ? 'odd' : 'even';
}

export type Colour = 'red' | 'black' | 'green';

export function colour(pocket: string, outcomes: Outcomes): Colour {
  if (outcomes.kind !== 'wheel' || outcomes.zeros.includes(pocket)) return 'green';
  return outcomes.red.includes(pocket) ? 'red' : 'black';
}

/** Odds as the layouts print them: 8.5 reads 8½. */
export function oddsText(odds: string): string {
  return odds.endsWith('.5') ? `${odds.slice(0, -2)}½` : odds;
}

/** The odds a winning spot is paid at: several where they depend on how many dice show its number. Which spots win is the host's to say. */
export function oddsOf(spot: { id: string; odds: readonly string[] }, outcome: string): number {
  const face = Number(spot.id.split('/')[1]);
  const shown = (dice(outcome) ?? []).filter((one) => one === face).length;
  const odds = spot.odds.length > 1 ? spot.odds[shown - 1] : spot.odds[0];
  return Number(odds ?? 0);
}
