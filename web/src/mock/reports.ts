// For the scripted host only: a gaming day as a casino would see it, the same at every look.

import type { DayReport, Figures, RoundReport, SoFar, TableReport, WholeRound } from '../lib/contract';
import { wire } from '../lib/money';

type Known = { data: { id: number; name: string }; book: { id: string; hash: string } };

const today = () => new Date(Date.now() + 2 * 3_600_000).toISOString().slice(0, 10);
const at = (day: string, minutes: number) => {
  const moment = new Date(Date.parse(`${day}T06:00:00+08:00`) + minutes * 60_000 + 8 * 3_600_000);
  return `${moment.toISOString().slice(0, -1)}+08:00`;
};

/** A number between 0 and 1 that depends on nothing but its seed. */
const chance = (seed: number) => {
  const x = Math.sin(seed * 12.9898) * 43_758.5453;
  return x - Math.floor(x);
};

function figures(seed: number, hours: number): Figures {
  const games = Math.round(hours * (48 + chance(seed) * 30));
  const turnover = Math.round(games * (9_000 + chance(seed + 1) * 22_000));
  const theory = 0.028 + chance(seed + 2) * 0.05;
  const deviation = turnover * (0.9 / Math.sqrt(games * 3));
  const win = Math.round(turnover * theory + (chance(seed + 3) - 0.5) * 2.4 * deviation);
  const [low, high] = [turnover * theory - 1.96 * deviation, turnover * theory + 1.96 * deviation];
  return {
    games,
    void: Math.round(chance(seed + 4) * 3),
    corrected: seed % 3 === 0 ? 1 : 0,
    drop: wire(Math.round(turnover * 0.31)),
    cash_in: wire(Math.round(turnover * 0.2)),
    tickets_in: wire(Math.round(turnover * 0.1)),
    attendant_in: wire(Math.round(turnover * 0.01)),
    turnover: wire(turnover),
    win: wire(win),
    corrections: '0.00',
    decisions: '0.00',
    theoretical: wire(Math.round(turnover * theory)),
    theoretical_exact: '0',
    deviation: wire(Math.round(deviation)),
    low: wire(Math.round(low)),
    high: wire(Math.round(high)),
    hold: win / turnover,
    theoretical_hold: theory,
    hold_low: low / turnover,
    hold_high: high / turnover,
    within: win >= low && win <= high,
    hours,
    games_per_hour: games / hours,
    payable: '0.00',
    paid: '0.00',
    uncollected: '0.00',
  };
}

function course(day: string, seed: number, quarters: number): SoFar[] {
  let drift = 0;
  return Array.from({ length: quarters }, (_, index) => {
    const theory = 0.045;
    const band = 0.52 / Math.sqrt(index + 1);
    drift += (chance(seed + index) - 0.5) * band * 0.6;
    drift *= 0.9;
    return {
      until: at(day, (index + 1) * 15),
      turnover: wire((index + 1) * 250_000),
      hold: theory + drift,
      theoretical_hold: theory,
      hold_low: theory - band / 2,
      hold_high: theory + band / 2,
    };
  });
}

/** What the reports answer; null where there is no such day. */
export function reports(
  path: string,
  tables: readonly Known[],
  sequence: number,
  round: (id: string) => WholeRound,
): unknown {
  const [below = '', query = ''] = path.split('?');
  const asked = new URLSearchParams(query);
  const [, , what, id = ''] = below.split('/');
  const day = asked.get('day') ?? asked.get('from') ?? today();
  if (day > today() || day < '2026-01-01') return null;
  const up_to = { sequence, at: at(day, 900), journal: null };
  const period = { first: day, last: day, from: at(day, 0), to: at(day, 1440) };
  const quiet = day < '2026-02-01';
  if (what === 'day') {
    const rows = quiet
      ? []
      : tables.map(({ data, book }) => ({
          table: data.id,
          name: data.name,
          game: book.id,
          ...figures(data.id * 7 + Number(day.slice(-2)), 14),
        }));
    return {
      up_to,
      period,
      over: day !== today(),
      tables: rows,
      games: rows.map((row) => ({ ...row, tables: 1 })),
      total: { ...figures(Number(day.slice(-2)), 70), within: true },
      so_far: quiet ? [] : course(day, 3, 56),
      payables_outstanding: '40.00',
      tickets_outstanding: '18250.00',
      tickets_in_doubt: [],
      out_of_service: [],
      findings: [],
      agrees: true,
      last_record: sequence,
      anchor: {
        last: sequence,
        sequence,
        covers: true,
        line: `croupier checkpoint ${sequence} ${'7c'.repeat(48)}`,
      },
      head: null,
    } satisfies DayReport;
  }
  const table = tables.find((one) => one.data.id === Number(id));
  if (what === 'table') {
    if (!table) return null;
    const seed = table.data.id * 7 + Number(day.slice(-2));
    return {
      up_to,
      period,
      table: table.data.id,
      name: table.data.name,
      game: table.book.id,
      mode: 'terminals',
      rulebook: table.book.hash,
      open: true,
      total: figures(seed, 14),
      parts: Array.from({ length: 14 }, (_, hour) => ({
        from: at(day, hour * 60),
        ...figures(seed * 31 + hour, 1),
      })),
      so_far: course(day, seed, 56),
      limits: [
        {
          at: at(day, 0),
          from_next_round: false,
          minimum: '5.00',
          maximum: '5000.00',
          step: '5.00',
          betting_period: 30_000,
          families: '',
          by: 'Arun Nair',
          reason: 'opening',
        },
      ],
      outcomes: ['2-3-5', '1-4-6', '3-4-5', '2-4-6', '1-3-6', '2-2-5'].map((outcome, index) => ({
        outcome,
        count: 31 - index * 2,
      })),
      results: [],
      agrees: true,
    } satisfies TableReport;
  }
  const whole = round(id);
  return {
    up_to,
    round: whole,
    first_record: 80_100,
    last_record: 80_103,
    pay_tables: [],
    proof: { first: 80_100, last: 80_103, batch_end: 80_104, chain: 'a4'.repeat(32), checkpoint: null },
  } satisfies RoundReport;
}
