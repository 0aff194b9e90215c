// Figures as people read them: shares, and the steps of an axis.

/** 0.0278 reads 2.78 %; small shares keep as many places as it takes to see them. */
export function percent(share: number | null | undefined, places = 2): string {
  if (share === null || share === undefined) return '–';
  const value = Math.abs(share) * 100;
  const sign = share < 0 ? '−' : '';
  if (value === 0) return '0 %';
  if (value < 0.5 * 10 ** -places) return value >= 1e-4 ? `${sign}${value.toFixed(4)} %` : `< 0.0001 %`;
  return `${sign}${value.toFixed(places)} %`;
}

export function count(number: number): string {
  const sign = number < 0 ? '−' : '';
  return sign + String(Math.round(Math.abs(number))).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

/** Round numbers between two ends, about as many as wanted. */
export function ticks(from: number, to: number, wanted = 5): number[] {
  const span = to - from;
  if (!(span > 0) || !Number.isFinite(span)) return [from];
  const rough = span / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((one) => one >= rough) ?? rough;
  const list: number[] = [];
  for (let n = Math.ceil(from / step - 1e-9); n * step <= to + step * 1e-9; n++) list.push(n * step || 0);
  return list;
}

/** A gaming day so many days later, as 2026-03-29. */
export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** From green over brass to red, dark enough for white print. */
export function heat(place: number): string {
  const at = Math.min(1, Math.max(0, place));
  const hue = at < 0.5 ? 158 - at * 2 * 116 : 42 - (at - 0.5) * 2 * 44;
  return `hsl(${Math.round((hue + 360) % 360)} ${Math.round(58 + at * 10)}% ${Math.round(29 - Math.abs(at - 0.5) * 4)}%)`;
}
