import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { convert } from '../mock/rulebook';
import { neighbour, places, spotAt, standing } from './geometry';

const folder = new URL('../../../rulebooks/', import.meta.url);
const books = readdirSync(folder).map((file) => convert(readFileSync(new URL(file, folder), 'utf8')));
const roulette = books.find((book) => book.id === 'rws-roulette-000')!;

describe('every layout of every rulebook', () => {
  for (const book of books) {
    for (const layout of book.layouts) {
      const where = places(layout);
      it(`${book.id} ${layout.id}: every spot has a place, is hit there, and odds`, () => {
        for (const spot of layout.spots) {
          const anchor = where.anchors.get(spot.id);
          expect(anchor, spot.id).toBeDefined();
          expect(spotAt(where, anchor!.x, anchor!.y)?.id).toBe(spot.id);
          expect(Number(spot.odds[0]), spot.id).toBeGreaterThan(0);
        }
      });
      it(`${book.id} ${layout.id}: chips stand inside their own field`, () => {
        for (const cell of where.cells) {
          const { x, y } = standing(cell, book.outcomes.kind === 'wheel');
          expect(x > cell.x && x < cell.x + cell.w && y > cell.y && y < cell.y + cell.h, cell.spot.id).toBe(
            true,
          );
        }
      });
      it(`${book.id} ${layout.id}: the arrow keys reach every spot`, () => {
        const reached = new Set([layout.spots[0]!.id]);
        const open = [...reached];
        while (open.length > 0) {
          const from = open.pop()!;
          for (const [dx, dy] of [
            [1, 0],
            [-1, 0],
            [0, 1],
            [0, -1],
          ] as const) {
            const to = neighbour(where, from, dx, dy);
            if (to && !reached.has(to)) {
              reached.add(to);
              open.push(to);
            }
          }
        }
        expect(layout.spots.filter((spot) => !reached.has(spot.id)).map((spot) => spot.id)).toEqual([]);
      });
      it(`${book.id} ${layout.id}: no two spots stand on one another`, () => {
        const points = [...where.anchors.values()];
        for (let i = 0; i < points.length; i++) {
          for (let k = i + 1; k < points.length; k++) {
            expect(Math.hypot(points[i]!.x - points[k]!.x, points[i]!.y - points[k]!.y)).toBeGreaterThan(
              0.45,
            );
          }
        }
      });
    }
  }
});

describe('roulette with three zeros', () => {
  const where = places(roulette.layouts[0]!);
  it('puts bets where their numbers touch', () => {
    for (const [x, y, spot] of [
      [4, 4, 'street/0-1-2'],
      [4, 3, 'street/0-00-2'],
      [4, 2, 'street/00-2-3'],
      [2, 3, 'green'],
      [4, 6, 'topline'],
      [6, 6, 'sixline/1-6'],
      [5, 6, 'street/1-2-3'],
      [6, 4, 'corner/1-2-4-5'],
      [3, 3, 'split/0-00'],
      [4, 2.5, 'split/00-2'],
      [5, 5, 'straight/1'],
    ] as const) {
      expect(spotAt(where, x, y)?.id).toBe(spot);
    }
  });
  it('has the pieces of the document', () => {
    const pieces = (bet: string) => roulette.pieces.find((one) => one.bet === bet)!.pieces;
    expect(pieces('neighbours/21/2').map((piece) => piece.spot.slice(9))).toEqual([
      '19',
      '4',
      '21',
      '2',
      '25',
    ]);
    expect(
      pieces('finale/0')
        .map((piece) => piece.spot.slice(9))
        .sort(),
    ).toEqual(['0', '10', '20', '30']);
    expect(pieces('grandseries').reduce((sum, piece) => sum + piece.count, 0)).toBe(10);
  });
});
