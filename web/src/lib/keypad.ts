/** The digit of a key; the keypad's also where its lock is off. */
export const digitOf = (event: { key: string; code: string }): string | null =>
  /^Numpad\d$/.test(event.code) ? event.code.slice(6) : /^\d$/.test(event.key) ? event.key : null;
