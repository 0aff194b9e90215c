// For the mock host only: what a spot pays. The pages never compute this; the host sends it.

import type { Spot } from '../lib/contract';

/** Odds won, or null for a loss. */
export function pays(spot: Spot, outcome: string): number | null {
  const odds = (index = 0) => Number(spot.odds[index]);
  if (!/^\d-\d-\d$/.test(outcome)) return spot.covers.includes(outcome) ? odds() : null;
  const faces = outcome.split('-').map(Number);
  const sum = faces.reduce((a, b) => a + b, 0);
  const alike = new Set(faces).size;
  const shows = (face: number) => faces.filter((one) => one === face).length;
  const [family = '', rest = ''] = spot.id.split('/');
  const named = rest.split('-').map(Number);
  const first = named[0] ?? 0;
  const won = (yes: boolean) => (yes ? odds() : null);
  switch (family) {
    case 'big':
      return won(alike > 1 && sum >= 11);
    case 'small':
      return won(alike > 1 && sum <= 10);
    case 'odd':
      return won(alike > 1 && sum % 2 === 1);
    case 'even':
      return won(alike > 1 && sum % 2 === 0);
    case 'single':
      return shows(first) === 0 ? null : odds(shows(first) - 1);
    case 'double':
      return won(shows(first) >= 2);
    case 'triple':
      return won(rest === 'any' ? alike === 1 : shows(first) === 3);
    case 'total':
      return won(sum === first);
    case 'domino':
      return won(named.every((face) => shows(face) > 0));
    case 'four':
      return won(alike === 3 && faces.every((face) => named.includes(face)));
    case 'three':
    case 'pair':
      return won([...faces].sort().join() === [...named].sort().join());
    default:
      return null;
  }
}
