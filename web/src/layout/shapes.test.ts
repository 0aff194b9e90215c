import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { convert } from '../mock/rulebook';
import { places, scaled, spotAt } from './geometry';
import { fitted, least } from './print';
import { leastHeight, type Shape, shaped, shapeOf } from './shapes';

const folder = new URL('../../../rulebooks/', import.meta.url);
const books = readdirSync(folder).map((file) => convert(readFileSync(new URL(file, folder), 'utf8')));
const shapes: Shape[] = ['wide', 'short', 'tall', 'narrow'];

describe('every layout in every shape', () => {
  for (const book of books) {
    for (const layout of book.layouts) {
      for (const shape of shapes) {
        const where = shaped(layout, shape);
        it(`${book.id} ${layout.id} ${shape}: each spot once, in the picture, hit where it stands`, () => {
          expect([...where.anchors.keys()].sort()).toEqual([...places(layout).anchors.keys()].sort());
          expect(where.cells.length).toBe(places(layout).cells.length);
          for (const spot of layout.spots) {
            const { x, y } = where.anchors.get(spot.id)!;
            expect(x >= 0 && x <= where.width && y >= 0 && y <= where.height, spot.id).toBe(true);
            expect(spotAt(where, x, y)?.id).toBe(spot.id);
          }
        });
        it(`${book.id} ${layout.id} ${shape}: no field lies over another`, () => {
          for (const a of where.cells)
            for (const b of where.cells) {
              if (a === b) continue;
              const across = Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x);
              const down = Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y);
              expect(across > 1e-6 && down > 1e-6, `${a.spot.id} ${b.spot.id}`).toBe(false);
            }
        });
      }
      it(`${book.id} ${layout.id}: on a phone every field can be touched`, () => {
        const where = shaped(layout, 'narrow');
        const real = scaled(
          where,
          370 / where.width,
          leastHeight(where, book.outcomes.kind === 'wheel') / where.height,
        );
        // A field has a line of two pixels around it.
        for (const cell of real.cells)
          expect(Math.min(cell.w, cell.h) - 4, cell.spot.id).toBeGreaterThanOrEqual(44);
      });
    }
  }
});

describe('the shape of a layout', () => {
  const sicbo = books.find((book) => book.id === 'rws-sicbo')!;
  const [a, b] = [sicbo.layouts[0]!, sicbo.layouts[1]!];
  it('follows the screen', () => {
    expect(shapeOf(a, 1540, 800)).toBe('wide');
    expect(shapeOf(a, 1050, 1000)).toBe('tall');
    expect(shapeOf(b, 752, 490)).toBe('short');
    expect(shapeOf(b, 370, 420)).toBe('narrow');
  });
});

describe('printed text', () => {
  it('is never smaller than can be read: it shrinks to its room, and is left out below', () => {
    expect(fitted('SMALL', 40, 200)).toBe(40);
    expect(fitted('SMALL', 40, 60)).toBeLessThan(40);
    expect(fitted('LOSES ON ANY TRIPLE', 12, 40)).toBe(0);
    expect(fitted('17', 5, 4, true)).toBe(least);
  });
});
