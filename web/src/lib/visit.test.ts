import { describe, expect, it } from 'vitest';
import type { OwnSection } from './contract';
import { Visit } from './visit.svelte';

const at = (visit: number | null, credit: string): OwnSection =>
  ({ visit, credit, staked: '0.00', printing: '0.00', doubt: null, last: null }) as unknown as OwnSection;
const hour = 3_600_000;

describe('a visit as its page sees it', () => {
  it('begins with the money, and its beginning is known', () => {
    const visit = new Visit('t1');
    visit.follow(at(null, '0.00'), 1000);
    expect(visit.kept).toBe(null);
    visit.follow(at(7, '50.00'), 2000);
    expect(visit.kept?.since).toBe(2000);
  });

  it('is told its beginning by the host where the page was opened in the middle of it', () => {
    const visit = new Visit('t2');
    visit.follow(at(7, '50.00'), 5000);
    expect(visit.kept?.since).toBe(null);
    visit.begun(1500);
    expect(visit.kept?.since).toBe(1500);
  });

  it('has nothing of the one before, also where the page was away between them', () => {
    const visit = new Visit('t3');
    visit.follow(at(null, '0.00'), 1000);
    visit.follow(at(7, '50.00'), 2000);
    visit.remind(15, 2000);
    visit.follow(at(9, '20.00'), hour);
    expect(visit.kept).toMatchObject({ visit: 9, since: hour, spent: 0, won: 0 });
    expect(visit.due(2 * hour)).toBe(false);
  });

  it('reminds of the time when the player has asked for it, again and again', () => {
    const visit = new Visit('t4');
    visit.follow(at(7, '50.00'), 0);
    expect(visit.due(hour)).toBe(false);
    visit.remind(30, 0);
    expect([hour / 2 - 1, hour / 2].map((now) => visit.due(now))).toEqual([false, true]);
    visit.remind(30, hour / 2);
    expect(visit.due(hour / 2 + 1)).toBe(false);
    expect(visit.due(hour)).toBe(true);
    visit.remind(0, hour);
    expect(visit.due(9 * hour)).toBe(false);
  });
});
