// From areas and rows to places: cells are rectangles, joints are points on the lines and corners between cells.

import type { LayoutData, Spot, SpotId } from '../lib/contract';

export type Rect = { x: number; y: number; w: number; h: number };
export type Cell = Rect & { spot: Spot; area: string };
export type Joint = { x: number; y: number; spot: Spot; along: 'x' | 'y' | null };
export type Places = {
  width: number;
  height: number;
  cells: Cell[];
  joints: Joint[];
  /** Where chips stand: once per spot. */
  anchors: Map<SpotId, { x: number; y: number }>;
};

export function places(layout: LayoutData): Places {
  const spots = new Map(layout.spots.map((spot) => [spot.id, spot]));
  const cells: Cell[] = [];
  const jointed: Spot[] = [];
  for (const area of layout.areas) {
    area.rows.forEach((row, r) => {
      row.forEach((id, c) => {
        const spot = id ? spots.get(id) : undefined;
        if (!spot) return;
        if (!area.at) {
          jointed.push(spot);
          return;
        }
        const [x = 0, y = 0, w = 0, h = 0] = area.at;
        const width = w / row.length;
        const height = h / area.rows.length;
        cells.push({ x: x + c * width, y: y + r * height, w: width, h: height, spot, area: area.id });
      });
    });
  }
  const straight = new Map<string, Cell>();
  for (const cell of cells) {
    if (cell.spot.id.startsWith('straight/')) straight.set(cell.spot.id.slice(9), cell);
  }
  const [x, y, w, h] = layout.areas.find((area) => area.id === 'numbers')?.at ?? [];
  const numbers: Rect | null =
    x === undefined || y === undefined || w === undefined || h === undefined ? null : { x, y, w, h };
  const joints: Joint[] = [];
  for (const spot of jointed) {
    const joint = jointOf(spot, straight, numbers);
    if (joint) joints.push(joint);
  }
  // The green bet has a field of its own and stands, besides, where its three numbers touch.
  for (const cell of cells) {
    if (cell.spot.id === 'green') {
      const point = jointOf(cell.spot, straight, numbers);
      if (point) joints.push(point);
    }
  }
  const anchors = new Map<SpotId, { x: number; y: number }>();
  for (const joint of joints) anchors.set(joint.spot.id, { x: joint.x, y: joint.y });
  for (const cell of cells) anchors.set(cell.spot.id, { x: cell.x + cell.w / 2, y: cell.y + cell.h / 2 });
  return { width: layout.canvas[0] ?? 1, height: layout.canvas[1] ?? 1, cells, joints, anchors };
}

/** The same places in another measure: pixels, for one. */
export function scaled(where: Places, x: number, y: number): Places {
  const anchors = new Map<SpotId, { x: number; y: number }>();
  for (const [id, at] of where.anchors) anchors.set(id, { x: at.x * x, y: at.y * y });
  return {
    width: where.width * x,
    height: where.height * y,
    cells: where.cells.map((cell) => ({
      ...cell,
      x: cell.x * x,
      y: cell.y * y,
      w: cell.w * x,
      h: cell.h * y,
    })),
    joints: where.joints.map((joint) => ({ ...joint, x: joint.x * x, y: joint.y * y })),
    anchors,
  };
}

/** Where chips stand in a field, so that its print stays readable: in the middle, or where nothing is printed. */
export function standing(cell: Cell, wheel: boolean, edge = 0.72): { x: number; y: number } {
  const middle = { x: cell.x + cell.w / 2, y: cell.y + cell.h / 2 };
  const kind = cell.spot.id.split('/')[0] ?? '';
  if (wheel) return cell.w / cell.h > 1.5 ? { x: cell.x + cell.w - edge, y: middle.y } : middle;
  if (['big', 'small', 'odd', 'even'].includes(kind) && cell.w / cell.h <= 1.45)
    return { x: cell.x + cell.w - edge, y: cell.y + edge };
  if (['big', 'small', 'odd', 'even', 'single'].includes(kind))
    return { x: cell.x + edge, y: cell.y + cell.h - edge };
  // A little below the middle, where the odds are not.
  return { x: middle.x, y: middle.y + cell.h * 0.1 };
}

const near = 1e-6;

function jointOf(spot: Spot, straight: Map<string, Cell>, numbers: Rect | null): Joint | null {
  const covered = spot.covers.map((number) => straight.get(number)).filter((cell) => cell !== undefined);
  if (covered.length < 2) return null;
  const left = Math.max(...covered.map((cell) => cell.x));
  const right = Math.min(...covered.map((cell) => cell.x + cell.w));
  const top = Math.max(...covered.map((cell) => cell.y));
  const bottom = Math.min(...covered.map((cell) => cell.y + cell.h));
  if (right >= left - near && bottom >= top - near) {
    const along = right - left > near ? 'x' : bottom - top > near ? 'y' : null;
    // Three in one row share a line's width but no place of their own: they stand at the end of the row.
    if (!(covered.length === 3 && right - left > near)) {
      return { x: (left + right) / 2, y: (top + bottom) / 2, spot, along };
    }
  }
  if (!numbers) return null;
  const inGrid = covered.filter((cell) => cell.area === 'numbers');
  const foot = numbers.y + numbers.h;
  const from = Math.min(...inGrid.map((cell) => cell.x));
  const to = Math.max(...inGrid.map((cell) => cell.x + cell.w));
  const x = inGrid.length < covered.length ? numbers.x : (from + to) / 2;
  return { x, y: foot, spot, along: null };
}

/** The spot under a point of the canvas: a joint within reach wins over the cell it lies on. */
export function spotAt(where: Places, x: number, y: number, reach = 0.5): Spot | null {
  let best: Spot | null = null;
  let nearest = Number.POSITIVE_INFINITY;
  for (const joint of where.joints) {
    // A line is easier to hit along than across.
    const dx = Math.abs(x - joint.x) * (joint.along === 'x' ? 0.62 : 1);
    const dy = Math.abs(y - joint.y) * (joint.along === 'y' ? 0.62 : 1);
    const distance = Math.hypot(dx, dy);
    if (distance < reach && distance < nearest) {
      nearest = distance;
      best = joint.spot;
    }
  }
  if (best) return best;
  for (const cell of where.cells) {
    if (x >= cell.x && x < cell.x + cell.w && y >= cell.y && y < cell.y + cell.h) return cell.spot;
  }
  return null;
}

/** The nearest spot in a direction, for the arrow keys: straight ahead counts more than aside. */
export function neighbour(where: Places, from: SpotId, dx: number, dy: number): SpotId | null {
  const origin = where.anchors.get(from);
  if (!origin) return null;
  let best: SpotId | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const [id, point] of where.anchors) {
    if (id === from) continue;
    const ahead = (point.x - origin.x) * dx + (point.y - origin.y) * dy;
    const aside = Math.abs((point.x - origin.x) * dy) + Math.abs((point.y - origin.y) * dx);
    if (ahead <= 0.05 || aside > ahead * 2.2) continue;
    const effort = ahead + aside * 2.5;
    if (effort < least) {
      least = effort;
      best = id;
    }
  }
  return best;
}
