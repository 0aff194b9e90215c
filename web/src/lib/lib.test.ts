import { describe, expect, it } from 'vitest';
import { grouped, interleaved } from './barcode';
import { cost, difference, onSpots, reverse, UndoStack } from './bets';
import { drawn, rack, stack } from './chips';
import type { Bet, Change } from './contract';
import { amountsGrouped, cents, formatCompact, formatMoney, typed, wire } from './money';
import { half, oddsText, parity, total } from './outcome';
import { isNamed } from './passkeys';
import { beadRoad, bigRoad, extremes, frequencies } from './roads';
import { formatClock, formatMoment, secondsLeft } from './time';
import { toasts } from './toasts.svelte';

describe('money', () => {
  it('reads and writes the wire form', () => {
    for (const [text, value] of [
      ['10.00', 1000],
      ['0.02', 2],
      ['1234567.89', 123456789],
      ['-5.50', -550],
      ['7', 700],
      ['7.5', 750],
    ] as const) {
      expect(cents(text)).toBe(value);
    }
    expect(wire(1000)).toBe('10.00');
    expect(wire(-5)).toBe('-0.05');
    expect(cents('nonsense')).toBe(0);
  });
  it('is read as people type it, and never taken for nothing', () => {
    for (const [text, value] of [
      ['5000', 500_000],
      ['5000.5', 500_050],
      ['5,000.00', 500_000],
      [' 1,234,567.89 ', 123_456_789],
      ['0', 0],
    ] as const)
      expect(typed(text), text).toBe(value);
    for (const text of [
      '',
      'abc',
      '5o00',
      '5000,50',
      '50,00',
      '5,00.00',
      '-5',
      '1.234',
      '5 000',
      '1e3',
      '.5',
    ])
      expect(typed(text), text).toBeNull();
  });
  it('is written alike in the words of the host', () => {
    expect(amountsGrouped('Large cash: 10255.00 at Seat 4')).toBe('Large cash: 10,255.00 at Seat 4');
    expect(amountsGrouped('100.00, 1000000.50')).toBe('100.00, 1,000,000.50');
  });
  it('is shown with thousands, and short on chips', () => {
    expect(formatMoney(123456789)).toBe('1,234,567.89');
    expect(formatMoney(100000, true)).toBe('1,000');
    expect(formatMoney(-150)).toBe('−1.50');
    expect(formatCompact(100)).toBe('1');
    expect(formatCompact(1_250_000)).toBe('12.5K');
    expect(formatCompact(250)).toBe('2.50');
  });
});

describe('time', () => {
  it('is Singapore time', () => {
    expect(formatClock(Date.UTC(2026, 0, 31, 18, 5, 9))).toBe('02:05:09');
    expect(formatMoment(Date.UTC(2026, 0, 31, 18, 5, 9))).toBe('01 Feb 2026 02:05:09');
  });
  it('counts down to nothing', () => {
    expect(secondsLeft(10_000, 9_001)).toBe(1);
    expect(secondsLeft(10_000, 10_001)).toBe(0);
    expect(secondsLeft(null, 0)).toBe(0);
  });
});

describe('chip stacks', () => {
  it('are made of the largest chips first', () => {
    expect(stack(17_600)).toEqual([10_000, 2500, 2500, 2500, 100]);
    expect(stack(0)).toEqual([]);
    expect(stack(102)).toEqual([100, 2]);
  });
  it('sum to their amount', () => {
    for (let amount = 0; amount < 300_000; amount += 977) {
      expect(stack(amount).reduce((a, b) => a + b, 0)).toBe(amount);
    }
  });
  it('are drawn with few chips', () => {
    expect(drawn(99_900, 4)).toHaveLength(4);
  });
  it('come from a rack that suits the limits', () => {
    expect(rack(100, 50_000)).toEqual([100, 500, 1000, 2500, 10_000, 50_000]);
    expect(rack(2500, 500_000)).toEqual([1000, 2500, 10_000, 50_000, 100_000, 500_000]);
  });
});

describe('outcomes', () => {
  it('are named as the roads name them', () => {
    expect(total('6-5-1')).toBe(12);
    expect(half('6-5-1')).toBe('big');
    expect(half('2-2-3')).toBe('small');
    expect(half('4-4-4')).toBe('triple');
    expect(parity('2-2-3')).toBe('odd');
    expect(oddsText('8.5')).toBe('8½');
    expect(oddsText('195')).toBe('195');
  });
});

describe('roads', () => {
  it('start a column at each change', () => {
    const cells = bigRoad(['b', 'b', 's', 'b'], 6);
    expect(cells.map((cell) => [cell.column, cell.row])).toEqual([
      [0, 0],
      [0, 1],
      [1, 0],
      [2, 0],
    ]);
  });
  it('turn right at the foot and never overlap', () => {
    const sides = [...'bbbbbbbbbsssssssssbbbbbbbbss'];
    const cells = bigRoad(sides, 6);
    expect(cells[6]).toMatchObject({ column: 1, row: 5 });
    expect(cells[8]).toMatchObject({ column: 3, row: 5 });
    expect(new Set(cells.map((cell) => `${cell.column}/${cell.row}`)).size).toBe(cells.length);
  });
  it('mark the neutral result on the entry before it', () => {
    const cells = bigRoad(['t', 'b', 't', 't', 's'], 6, 't');
    expect(cells.map((cell) => cell.ties)).toEqual([3, 0]);
  });
  it('never overlap, whatever comes, and are quick with 2,000 entries', () => {
    let seed = 7;
    const sides = Array.from({ length: 2000 }, () => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return seed % 10 < 7 ? 'b' : 's';
    });
    const start = performance.now();
    const cells = bigRoad(sides, 6);
    expect(performance.now() - start).toBeLessThan(50);
    expect(new Set(cells.map((cell) => `${cell.column}/${cell.row}`)).size).toBe(2000);
  });
  it('as beads fill column by column', () => {
    expect(beadRoad(['x', 'y', 'z'], 2).map((cell) => [cell.column, cell.row])).toEqual([
      [0, 0],
      [0, 1],
      [1, 0],
    ]);
  });
  it('count hot and cold', () => {
    const counts = frequencies(['1', '2', '3'], ['1', '1', '2']);
    expect(extremes(counts, 1).hot[0]).toMatchObject({ key: '1', count: 2, since: 1 });
    expect(extremes(counts, 1).cold[0]).toMatchObject({ key: '3', since: -1 });
  });
  it('are never the same number: hot and cold are disjoint, however few rounds there are', () => {
    const keys = ['1', '2', '3', '4', '5', '6'];
    for (const entries of [['1'], ['1', '2'], ['1', '1', '2', '3'], keys, [...keys, ...keys, '2']]) {
      const { hot, cold } = extremes(frequencies(keys, entries), 4);
      const names = [...hot, ...cold].map((one) => one.key);
      expect(new Set(names).size).toBe(names.length);
      for (const one of cold) for (const other of hot) expect(one.count).toBeLessThan(other.count);
    }
  });
});

describe('bets', () => {
  const pieces = (bet: string) =>
    bet === 'tiers'
      ? [
          { spot: 'split/5-8', count: 1 },
          { spot: 'split/10-11', count: 2 },
        ]
      : [];
  const bets: Bet[] = [
    { spot: 'big', group: 0, stake: '10.00' },
    { spot: 'split/5-8', group: 3, stake: '5.00' },
  ];
  it('show registered and pending apart', () => {
    const spots = onSpots(
      bets,
      [
        { add: 'big', amount: '5.00' },
        { pieces: 'tiers', unit: '2.00' },
      ],
      pieces,
      [],
    );
    expect(spots.get('big')).toEqual({ registered: 1000, pending: 500 });
    expect(spots.get('split/10-11')).toEqual({ registered: 0, pending: 400 });
  });
  it('cost what they cost', () => {
    const placed = [{ group: 3, bet: 'tiers', unit: '5.00' }];
    expect(cost([{ pieces: 'tiers', unit: '2.00' }], pieces, placed)).toBe(600);
    expect(cost([{ take_pieces: 3 }, { add: 'big', amount: '1.00' }], pieces, placed)).toBe(-1400);
  });
  it('are undone in reverse, multi-piece bets by their group', () => {
    const changes: Change[] = [
      { add: 'big', amount: '5.00' },
      { pieces: 'tiers', unit: '2.00' },
    ];
    const after = [{ group: 9, bet: 'tiers', unit: '2.00' }];
    expect(reverse(changes, [], after)).toEqual([{ take_pieces: 9 }, { take: 'big', amount: '5.00' }]);
    expect(reverse([{ take_pieces: 9 }], after, [])).toEqual([{ pieces: 'tiers', unit: '2.00' }]);
  });
  it('differ by the changes that lead from one to the other', () => {
    const from = { bets: [{ spot: 'big', group: 0, stake: '10.00' }], pieces: [] };
    const to = {
      bets: [{ spot: 'small', group: 0, stake: '4.00' }],
      pieces: [{ group: 1, bet: 'tiers', unit: '1.00' }],
    };
    expect(difference(from, to)).toEqual([
      { take: 'big', amount: '10.00' },
      { add: 'small', amount: '4.00' },
      { pieces: 'tiers', unit: '1.00' },
    ]);
    expect(difference(to, to)).toEqual([]);
  });
  it('have an undo stack that ends with the round', () => {
    const undo = new UndoStack();
    undo.round(1);
    for (let i = 0; i < 500; i++) undo.push([{ take: 'big', amount: '1.00' }]);
    expect(undo.length).toBe(500);
    undo.round(1);
    expect(undo.length).toBe(500);
    undo.pop();
    expect(undo.length).toBe(499);
    undo.push([{ take_pieces: 4 }]);
    undo.rename(4, 9);
    expect(undo.pop()).toEqual({ changes: [{ take_pieces: 9 }], revives: [] });
  });
  it('keep their way back over a reload, for the same round', () => {
    let text: string | null = null;
    const shelf = {
      read: () => text,
      write: (kept: string) => {
        text = kept;
      },
    };
    const undo = new UndoStack(shelf);
    undo.round(7);
    undo.push([{ take: 'big', amount: '1.00' }]);
    const again = new UndoStack(shelf);
    again.round(7);
    expect(again.pop()).toEqual({ changes: [{ take: 'big', amount: '1.00' }], revives: [] });
    undo.push([{ take: 'big', amount: '2.00' }]);
    const next = new UndoStack(shelf);
    next.round(8);
    expect(next.length).toBe(0);
    undo.round(2);
    expect(undo.pop()).toBeNull();
  });
});

describe('tickets', () => {
  it('carry their number as interleaved 2 of 5', () => {
    const { bars, width } = interleaved('12');
    expect(bars).toHaveLength(2 + 5 + 2);
    expect(width).toBe(4 + 2 * (3 + 2 * 3) + 5);
    expect(() => interleaved('123')).toThrow();
  });
  it('are read in groups', () => {
    expect(grouped('123456789012345678')).toBe('12-3456-7890-1234-5678');
  });
});

describe('messages', () => {
  it('a refusal goes when something was done after it, and what is still unknown stays', () => {
    toasts.show('bad', 'not permitted');
    const unknown = toasts.show('bad', 'no answer yet', null, true);
    toasts.show('good', 'done');
    expect(toasts.list.map((one) => one.words)).toEqual(['no answer yet', 'done']);
    toasts.dismiss(unknown);
  });
});

describe('messages about something', () => {
  const told = () => toasts.list.map((one) => one.words);

  it('end when it is over, and no others do', () => {
    toasts.clear();
    toasts.show('bad', 'bets are closed', null, false, 'closed');
    toasts.show('bad', 'bets not registered', null, true, 'visit');
    toasts.ended('closed');
    expect(told()).toEqual(['bets not registered']);
    toasts.ended('visit');
    expect(told()).toEqual([]);
  });

  it('refused in a dialog go with the dialog; what was done stays', () => {
    toasts.clear();
    const place = toasts.over();
    toasts.show('bad', 'the second person may not sign');
    toasts.show('note', 'the round went on');
    toasts.away(place);
    expect(told()).toEqual(['the round went on']);
    toasts.clear();
    expect(told()).toEqual([]);
  });
});

describe('passkeys', () => {
  it('belong to a name, not to a number', () => {
    expect(['localhost', 'floor.example', '127.0.0.1', '[::1]'].map(isNamed)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
