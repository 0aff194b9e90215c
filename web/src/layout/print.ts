// How large a text can be drawn in a field: measured by the letters' usual width, without asking the browser.

/** Nothing on a screen for players is smaller than this, in pixels. */
export const least = 11;

function ems(text: string): number {
  let sum = 0;
  for (const letter of text)
    sum += letter > '\u2e7f' ? 1 : /[ ·:]/.test(letter) ? 0.26 : /[A-Z–]/.test(letter) ? 0.56 : 0.5;
  return sum;
}

/** The size at which a text fits its room; 0 where it would be too small to read and can be left out. */
export function fitted(text: string, size: number, room: number, must = false): number {
  const fits = Math.min(size, room / Math.max(0.5, ems(text)));
  // Rounded outlines: a trace below the least is not left out.
  if (fits >= least) return fits;
  return must || (size >= least - 1.5 && room / Math.max(0.5, ems(text)) >= least) ? least : 0;
}
