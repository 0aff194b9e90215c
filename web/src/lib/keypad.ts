/** The digit of a key; the keypad's also where its lock is off. */
export const digitOf = (event: { key: string; code: string }): string | null =>
  /^Numpad\d$/.test(event.code) ? event.code.slice(6) : /^\d$/.test(event.key) ? event.key : null;

/** Whether a key is meant for something that is typed in, or with another key. */
export const isTyped = (event: KeyboardEvent): boolean =>
  event.ctrlKey ||
  event.metaKey ||
  event.altKey ||
  (event.target as Element).matches('input:not([type=checkbox], [type=radio]), select, textarea');

/** A digit goes to the choice with that number, of those marked `data-key`; Enter then takes it. Says whether one was there. */
export function goTo(event: KeyboardEvent): boolean {
  const digit = digitOf(event);
  if (digit === null || isTyped(event)) return false;
  const found = document.querySelector<HTMLElement>(`[data-key="${digit}"]:not(:disabled)`);
  found?.focus();
  return found !== null;
}
