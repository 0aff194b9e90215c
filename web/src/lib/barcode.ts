// Interleaved 2 of 5: digits only, in pairs, readable by every ticket scanner on a floor.

const patterns = ['nnwwn', 'wnnnw', 'nwnnw', 'wwnnn', 'nnwnw', 'wnwnn', 'nwwnn', 'nnnww', 'wnnwn', 'nwnwn'];

export type Bar = { x: number; width: number };

/** The black bars of an even count of digits, in narrow units; the quiet zones are the caller's. */
export function interleaved(digits: string): { bars: Bar[]; width: number } {
  if (!/^(\d\d)+$/.test(digits)) throw new Error('an even count of digits is needed');
  const wide = 3;
  const bars: Bar[] = [];
  let x = 0;
  const bar = (width: number) => {
    bars.push({ x, width });
    x += width;
  };
  const gap = (width: number) => {
    x += width;
  };
  bar(1);
  gap(1);
  bar(1);
  gap(1);
  for (let i = 0; i < digits.length; i += 2) {
    const black = patterns[Number(digits[i])]!;
    const white = patterns[Number(digits[i + 1])]!;
    for (let k = 0; k < 5; k++) {
      bar(black[k] === 'w' ? wide : 1);
      gap(white[k] === 'w' ? wide : 1);
    }
  }
  bar(wide);
  gap(1);
  bar(1);
  return { bars, width: x };
}

/** An 18-digit number in groups, as it is read out. */
export function grouped(number: string): string {
  return number.replace(/(\d{2})(\d{4})(\d{4})(\d{4})(\d{4})/, '$1-$2-$3-$4-$5');
}
