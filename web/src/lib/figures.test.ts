import { describe, expect, it } from 'vitest';
import { count, dayAfter, heat, percent, ticks } from './figures';

describe('figures', () => {
  it('reads shares with as many places as it takes to see them', () => {
    expect(percent(1 / 36)).toBe('2.78 %');
    expect(percent(-0.5)).toBe('−50.00 %');
    expect(percent(0.000_02)).toBe('0.0020 %');
    expect(percent(1e-9)).toBe('< 0.0001 %');
    expect(percent(null)).toBe('–');
    expect(count(-1_234_567)).toBe('−1,234,567');
  });
  it('puts round numbers on an axis', () => {
    expect(ticks(0, 10)).toEqual([0, 2, 4, 6, 8, 10]);
    expect(ticks(-0.31, 0.29, 4).map((one) => Math.round(one * 10) / 10)).toEqual([-0.2, 0, 0.2]);
    expect(ticks(3, 3)).toEqual([3]);
  });
  it('goes from day to day over the end of a month', () => {
    expect(dayAfter('2026-02-28', 1)).toBe('2026-03-01');
    expect(dayAfter('2026-01-01', -1)).toBe('2025-12-31');
  });
  it('colours from green to red', () => {
    expect(heat(0)).toMatch(/^hsl\(158 /);
    expect(heat(2)).toBe(heat(1));
    expect(heat(1)).toMatch(/^hsl\(358 /);
  });
});
