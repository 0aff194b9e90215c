import type { Outcomes, ResultEntry } from '../lib/contract';
import { colour, half, parity, total, triple } from '../lib/outcome';

export const tones: Record<string, string> = {
  big: '#b3202a',
  small: '#1f5fae',
  odd: '#b3202a',
  even: '#1f5fae',
  triple: '#16804f',
  red: '#b3202a',
  black: '#1c232b',
  green: '#16804f',
};

/** The outcomes, oldest first; void rounds have none and are not among them. */
export function valid(results: readonly ResultEntry[]): string[] {
  return results.map((entry) => entry.outcome);
}

export const halves = (outcomes: readonly string[]) => outcomes.map(half);
export const parities = (outcomes: readonly string[]) => outcomes.map(parity);
export const colours = (outcomes: readonly string[], kinds: Outcomes) =>
  outcomes.map((one) => colour(one, kinds));

/** A bead for an outcome: the total on its side's colour, or the number on its own. */
export function bead(outcome: string, kinds: Outcomes): { mark: string; tone: string } {
  if (kinds.kind === 'wheel') return { mark: outcome, tone: tones[colour(outcome, kinds)]! };
  return { mark: String(total(outcome)), tone: tones[triple(outcome) ? 'triple' : half(outcome)]! };
}
