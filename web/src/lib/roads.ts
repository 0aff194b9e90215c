// Roads: the patterns players read. A big road starts a new column whenever the side changes and turns right (the
// "dragon tail") when it runs out of rows or into an older column. Triples are marked on the entry they follow.

export type RoadCell<S extends string> = {
  column: number;
  row: number;
  side: S;
  ties: number;
  index: number;
};

export function bigRoad<S extends string>(
  sides: readonly S[],
  rows: number,
  neutral: S | null = null,
): RoadCell<S>[] {
  const cells: RoadCell<S>[] = [];
  const taken = new Set<number>();
  const key = (column: number, row: number) => column * 64 + row;
  let start = -1;
  let last: RoadCell<S> | null = null;
  let leading = 0;
  sides.forEach((side, index) => {
    if (side === neutral) {
      if (last) last.ties += 1;
      else leading += 1;
      return;
    }
    let column: number;
    let row: number;
    if (last === null || last.side !== side) {
      start += 1;
      while (taken.has(key(start, 0))) start += 1;
      column = start;
      row = 0;
    } else {
      const below = last.row + 1;
      const straight = below < rows && !taken.has(key(last.column, below)) && !turned(cells, last);
      column = straight ? last.column : last.column + 1;
      row = straight ? below : last.row;
    }
    taken.add(key(column, row));
    last = { column, row, side, ties: leading, index };
    leading = 0;
    cells.push(last);
  });
  return cells;
}

/** Whether the run this cell belongs to has already turned right. */
function turned<S extends string>(cells: RoadCell<S>[], last: RoadCell<S>): boolean {
  const before = cells[cells.length - 2];
  return (
    before !== undefined &&
    before.side === last.side &&
    before.column !== last.column &&
    before.row === last.row
  );
}

/** A bead road fills column by column, whatever came. */
export function beadRoad<T>(
  entries: readonly T[],
  rows: number,
): { column: number; row: number; entry: T }[] {
  return entries.map((entry, index) => ({ column: Math.floor(index / rows), row: index % rows, entry }));
}

export type Count = { key: string; count: number; share: number; since: number };

/** How often each key came, and how many rounds ago it came last (-1: never). */
export function frequencies(keys: readonly string[], entries: readonly string[]): Count[] {
  const counts = new Map(keys.map((key) => [key, { count: 0, since: -1 }]));
  entries.forEach((entry, index) => {
    const found = counts.get(entry);
    if (!found) return;
    found.count += 1;
    found.since = entries.length - 1 - index;
  });
  return keys.map((key) => {
    const { count, since } = counts.get(key)!;
    return { key, count, since, share: entries.length === 0 ? 0 : count / entries.length };
  });
}

const away = (count: Count) => (count.since < 0 ? Number.MAX_SAFE_INTEGER : count.since);

/** The hottest (most often) and the coldest (least often, then longest away) keys; no key is both. */
export function extremes(counts: readonly Count[], most: number): { hot: Count[]; cold: Count[] } {
  const hot = [...counts]
    .filter((one) => one.count > 0)
    .sort((a, b) => b.count - a.count || away(a) - away(b))
    .slice(0, Math.min(most, Math.floor(counts.length / 2)));
  const cold = counts
    .filter((one) => !hot.includes(one))
    .sort((a, b) => a.count - b.count || away(b) - away(a))
    .slice(0, most)
    // As often as the hottest is not cold.
    .filter((one) => hot.every((other) => one.count < other.count));
  return { hot, cold };
}
