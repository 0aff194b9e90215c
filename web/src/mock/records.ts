// What the scripted host remembers: a few rounds, told the way the real one tells them.

import type { PastBets, PastRound, Recall, SignificantEvents, WholeRound } from '../lib/contract';

type Known = {
  data: { id: number; name: string };
  book: { id: string; hash: string };
  results: { round: number; outcome: string }[];
};

function row(table: Known, round: number, outcome: string | null): PastRound {
  const at = Date.now() - 300_000;
  return {
    round,
    table: table.data.id,
    table_name: table.data.name,
    game: table.book.id,
    rulebook: table.book.hash,
    device: 1,
    begun_at: at,
    opened_at: at,
    closed_at: at + 20_000,
    ended_at: at + 30_000,
    status: outcome ? 'settled' : 'void',
    outcome,
    players: 2,
    staked: '35.00',
    returned: '65.00',
    corrections: 0,
    void: null,
  };
}

function player(name: string, id: number): PastBets {
  return {
    terminal: id,
    terminal_name: name,
    layout: 'a',
    pay_table: { en: 'Pay Table 1', zh: '赔率表 1' },
    pay_table_paragraph: '4.1.1',
    bets: [
      { spot: 'big', pieces: null, stake: '20.00', paragraph: '4.1.1', odds: null, returned: '0.00' },
      { spot: 'single/2', pieces: null, stake: '10.00', paragraph: '4.1.1', odds: '2', returned: '30.00' },
    ],
    staked: '30.00',
    returned: '30.00',
    entitled: '30.00',
  };
}

export function records(path: string, tables: readonly Known[], sequence: number): unknown {
  const [, , what, id, part] = (path.split('?')[0] ?? '').split('/');
  const table = tables[0]!;
  if (what === 'events') {
    const events: SignificantEvents['events'] = [
      { sequence, at: Date.now(), kind: 'access', code: 'signed_in', staff: 'Arun Nair', words: 'signed in' },
    ];
    return { sequence, events, next: null } satisfies SignificantEvents;
  }
  if (what === 'money') return { sequence, money: [], next: null };
  if (what === 'terminals') {
    if (part === 'money') return { sequence, began: Date.now() - 10_800_000, money: [] };
    const rounds = table.results.slice(-10).reverse();
    return {
      sequence,
      rounds: rounds.map((one) => ({
        round: row(table, one.round, one.outcome),
        player: player('T01', Number(id)),
      })),
    } satisfies Recall;
  }
  if (id === undefined) {
    const wanted = new URLSearchParams(path.split('?')[1] ?? '').get('table');
    const asked = tables.filter((one) => wanted === null || one.data.id === Number(wanted));
    const rounds = asked.flatMap((one) =>
      one.results.slice(-10).map((past) => row(one, past.round, past.outcome)),
    );
    return { sequence, rounds: rounds.reverse(), next: null };
  }
  const steps: [string, string, string][] = [
    ['round_opened', 'Mei Lin Tan', 'Place your bets'],
    ['bets_closed', 'Mei Lin Tan', 'No More Bets'],
    ['result_entered', 'Mei Lin Tan', '2-2-3'],
    ['round_settled', 'host', '2-2-3'],
  ];
  return {
    sequence,
    round: row(table, Number(id), '2-2-3'),
    players: [player('T01', 1), player('T02', 2)],
    chips: [],
    lines: steps.map(([code, staff, words], index) => ({
      sequence: 80_100 + index,
      at: Date.now() - 300_000 + index * 4000,
      code,
      terminal: null,
      staff,
      words,
    })),
  } satisfies WholeRound;
}
