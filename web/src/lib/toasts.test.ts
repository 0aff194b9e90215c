import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { toasts } from './toasts.svelte';

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  toasts.clear();
  vi.useRealTimers();
});

it('what was registered over a lost link is told, and goes by itself', () => {
  toasts.show('note', 'The connection is back. Registered: Red 5.', null, false, 'visit');
  vi.advanceTimersByTime(7000);
  expect(toasts.list).toHaveLength(1);
  vi.advanceTimersByTime(1500);
  expect(toasts.list).toHaveLength(0);
});

it('a refusal names a paragraph of a document, and nothing that is no rule to a person', () => {
  const named = (rule: string) => {
    toasts.clear();
    toasts.show('bad', 'No', rule);
    return toasts.list[0]?.rule;
  };
  expect(named('5.3.2')).toBe('5.3.2');
  for (const rule of ['S8', 'D27', 'the request']) expect(named(rule)).toBeNull();
});
