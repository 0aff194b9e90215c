// The same layout for every screen. A wide screen shows the arrangement of the rulebook. An upright one turns the wheel's
// layout by a quarter and sets the fields of dice in more and shorter rows, so that no field becomes too small to touch.

import type { LayoutData, Spot, SpotId } from '../lib/contract';
import { type Cell, type Places, places } from './geometry';

export type Shape = 'wide' | 'short' | 'tall' | 'narrow';

/** What a finger needs, in pixels: 44, and the line around a field. */
const finger = 48.5;

function leastField(where: Places, width: number, height: number): number {
  const [x, y] = [width / where.width, height / where.height];
  return Math.min(...where.cells.map((cell) => Math.min(cell.w * x, cell.h * y)));
}

/** Which shape suits a room of this many pixels: the first one whose fields can all be touched, or the best. */
export function shapeOf(layout: LayoutData, width: number, height: number): Shape {
  if (width < 560) return 'narrow';
  const upright = width / height < 1.2;
  const order: Shape[] = upright ? ['tall', 'short', 'wide'] : ['wide', 'short', 'tall'];
  const sizes = order.map((shape) => leastField(shaped(layout, shape), width, height));
  const fits = sizes.findIndex((size) => size >= finger);
  return order[fits >= 0 ? fits : sizes.indexOf(Math.max(...sizes))] ?? 'wide';
}

/** The least height in pixels at which every field of a narrow layout can be touched; it scrolls where there is less. */
export function leastHeight(where: Places, wheel: boolean): number {
  return wheel ? where.height * 27 : where.height * 23;
}

export function shaped(layout: LayoutData, shape: Shape): Places {
  const where = places(layout);
  if (shape === 'wide') return where;
  if (where.joints.length > 0) return shape === 'short' ? where : turned(where);
  return stacked(where, shape);
}

/** A quarter turn to the right: what stood at the left stands on top, what stood at the foot stands at the left. */
function turned(where: Places): Places {
  const { width, height } = where;
  const anchors = new Map<SpotId, { x: number; y: number }>();
  for (const [id, { x, y }] of where.anchors) anchors.set(id, { x: height - y, y: x });
  return {
    width: height,
    height: width,
    cells: where.cells.map((cell) => ({
      ...cell,
      x: height - cell.y - cell.h,
      y: cell.x,
      w: cell.h,
      h: cell.w,
    })),
    joints: where.joints.map((joint) => ({
      ...joint,
      x: height - joint.y,
      y: joint.x,
      along: joint.along === 'x' ? 'y' : joint.along === 'y' ? 'x' : null,
    })),
    anchors,
  };
}

const across = 28;
type Run = { cells: Cell[]; width: number };

function kindOf(spot: Spot): string {
  return spot.id === 'triple/any' ? 'any' : (spot.id.split('/')[0] ?? '');
}

/** Fields of dice in rows of full width; each kind keeps the order it has in the rulebook. */
function stacked(where: Places, shape: Shape): Places {
  const of = (...kinds: string[]) => where.cells.filter((cell) => kinds.includes(kindOf(cell.spot)));
  const cells: Cell[] = [];
  let y = 0;
  const row = (height: number, ...runs: Run[]) => {
    const present = runs.filter((run) => run.cells.length > 0);
    const whole = present.reduce((sum, run) => sum + run.width, 0);
    if (whole === 0) return;
    let x = 0;
    for (const run of present) {
      const w = ((run.width / whole) * across) / run.cells.length;
      for (const cell of run.cells) {
        cells.push({ ...cell, x, y, w, h: height });
        x += w;
      }
    }
    y += height;
  };
  const rows = (height: number, all: Cell[], most: number) => {
    for (let from = 0; from < all.length; from += most)
      row(height, { cells: all.slice(from, from + most), width: 1 });
  };
  const byX = (all: Cell[]) => [...all].sort((a, b) => a.x - b.x);
  const halves = byX(of('big', 'small'));
  const parities = byX(of('odd', 'even'));
  const triples = of('triple');
  const [left, right] = [halves.slice(0, 1), halves.slice(1)];
  const [first, second] = [parities.slice(0, 1), parities.slice(1)];
  const one = (all: Cell[], width: number): Run => ({ cells: all, width });
  if (shape === 'narrow') {
    row(3.4, one(left, 1), one(first, 1), one(second, 1), one(right, 1));
    row(2.6, one(triples, 6));
    row(2.2, one(of('any'), 1));
    row(2.6, one(of('double'), 1));
  } else if (shape === 'short') {
    row(3, one(left, 6), one(first, 5), one(of('any'), 6), one(second, 5), one(right, 6));
    row(2.6, one(triples, 1), one(of('double'), 1));
  } else {
    row(3.4, one(left, 9), one(of('any'), 10), one(right, 9));
    row(2.7, one(first, 5), one(triples, 18), one(second, 5));
    row(2.2, one(of('double'), 1));
  }
  if (shape === 'short') {
    rows(2.6, of('total'), 14);
    rows(2.6, of('domino'), 15);
    row(2.4, one(of('four'), 14), one(of('single'), 14));
    rows(2.3, of('pair'), 14);
    rows(2.3, of('three'), 10);
  } else {
    rows(2.4, of('total'), 7);
    rows(2.1, of('domino'), 5);
    rows(2.1, of('four'), 4);
    rows(2.6, of('single'), 6);
    rows(2.1, of('pair'), 7);
    rows(2.1, of('three'), shape === 'narrow' ? 5 : 10);
  }
  const anchors = new Map<SpotId, { x: number; y: number }>();
  for (const cell of cells) anchors.set(cell.spot.id, { x: cell.x + cell.w / 2, y: cell.y + cell.h / 2 });
  return { width: across, height: y, cells, joints: [], anchors };
}
