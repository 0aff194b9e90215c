// For the scripted host only: the laboratory on its own rulebooks. Odds are counted; sessions are drawn by the normal
// curve, which is near enough for a picture.

import type { Comparison, LabSession, LayoutData, Odds, Rulebook } from '../lib/contract';
import { cents, wire } from '../lib/money';
import { pays } from './evaluate';

type Figure = { exact: string; decimal: number };

const gcd = (a: number, b: number): number => (b === 0 ? Math.abs(a) : gcd(b, a % b));
function figure(top: number, bottom: number): Figure {
  // Odds come in halves at most, or in tenths.
  const whole = Math.round(top * 20);
  const below = bottom * 20;
  const by = gcd(whole, below) || 1;
  return {
    exact: below / by === 1 ? String(whole / by) : `${whole / by}/${below / by}`,
    decimal: top / bottom,
  };
}

/** All outcomes: 216 throws, or the pockets of the wheel. */
function every(book: Rulebook): string[] {
  if (book.outcomes.kind === 'wheel') return book.outcomes.order;
  const faces = [1, 2, 3, 4, 5, 6];
  return faces.flatMap((a) => faces.flatMap((b) => faces.map((c) => `${a}-${b}-${c}`)));
}

export function odds(book: Rulebook, layout: LayoutData): Odds {
  const all = every(book);
  let net = 0;
  let cells = 0;
  const spots = layout.spots.map((spot): Odds['spots'][number] => {
    const won = all.map((outcome) => pays(spot, outcome)).filter((one) => one !== null);
    const ways = won.length;
    const sum = won.reduce((a, b) => a + b, 0) - (all.length - ways);
    const squares = won.reduce((a, b) => a + b * b, 0) + (all.length - ways);
    const variance = squares / all.length - (sum / all.length) ** 2;
    net += sum;
    cells += ways;
    return {
      spot: spot.id,
      family: spot.family,
      pays: [...new Set(won)].map((one) => ({
        odds: String(one),
        ways: won.filter((two) => two === one).length,
      })),
      ways,
      hit: figure(ways, all.length),
      true_odds: figure(all.length - ways, Math.max(1, ways)),
      edge: figure(-sum, all.length),
      variance: { exact: String(variance), decimal: variance },
      deviation: Math.sqrt(variance),
      volatility: 1.645 * Math.sqrt(variance),
      paragraph: spot.paragraph,
      mark: null,
    };
  });
  const families = book.families.flatMap((family): Odds['families'] => {
    const edges = spots
      .filter((one) => one.family === family.id)
      .map((one) => one.edge)
      .sort((a, b) => a.decimal - b.decimal);
    const [least, most] = [edges[0], edges.at(-1)];
    if (!least || !most) return [];
    const mean = edges.reduce((sum, one) => sum + one.decimal, 0) / edges.length;
    return [
      {
        family: family.id,
        name: family.name,
        spots: edges.length,
        least,
        most,
        mean: { exact: String(mean), decimal: mean },
        paragraph: family.paragraph,
      },
    ];
  });
  return {
    game: book.id,
    title: book.title,
    hash: book.hash,
    version: book.version,
    approved: book.approved,
    layout: layout.id,
    layout_name: layout.name,
    pay_table: layout.pay_table,
    pay_table_paragraph: layout.pay_table_paragraph,
    outcomes: all.length,
    step: '0.02',
    winning_cells: cells,
    net: figure(net, 1),
    families: families.sort((a, b) => a.mean.decimal - b.mean.decimal),
    spots,
  };
}

function parse(text: string | null): [string, number][] {
  return (text ?? '')
    .split(',')
    .filter(Boolean)
    .map((one) => {
      const at = one.lastIndexOf('=');
      return [one.slice(0, at), cents(one.slice(at + 1))];
    });
}

const curve = (z: number) => Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
/** The normal distribution up to z, by a formula good to seven places. */
function below(z: number): number {
  const k = 1 / (1 + 0.231_641_9 * Math.abs(z));
  const tail =
    curve(z) *
    k *
    (0.319_381_53 + k * (-0.356_563_782 + k * (1.781_477_937 + k * (-1.821_255_978 + k * 1.330_274_429))));
  return z >= 0 ? 1 - tail : tail;
}

function session(book: Rulebook, layout: LayoutData, asked: URLSearchParams): LabSession {
  const bets = parse(asked.get('bets'));
  const rounds = Number(asked.get('rounds'));
  const all = every(book);
  const staked = bets.reduce((sum, [, stake]) => sum + stake, 0);
  const results = all.map((outcome) =>
    bets.reduce((sum, [id, stake]) => {
      const spot = layout.spots.find((one) => one.id === id);
      const won = spot ? pays(spot, outcome) : null;
      return sum + (won === null ? -stake : stake * won);
    }, 0),
  );
  const mean = results.reduce((a, b) => a + b, 0) / all.length;
  const variance = results.reduce((a, b) => a + (b - mean) ** 2, 0) / all.length;
  const [middle, spread] = [mean * rounds, Math.sqrt(variance * rounds)];
  const ahead = 1 - below((0 - middle) / spread);
  const bins = Array.from({ length: 60 }, (_, index) => {
    const [from, to] = [-3.2 + (index * 6.4) / 60, -3.2 + ((index + 1) * 6.4) / 60];
    return {
      from: (middle + from * spread) / 100,
      to: (middle + to * spread) / 100,
      share: below(to) - below(from),
    };
  });
  const quantiles = (
    [
      [0.01, -2.326],
      [0.05, -1.645],
      [0.25, -0.674],
      [0.5, 0],
      [0.75, 0.674],
      [0.95, 1.645],
      [0.99, 2.326],
    ] as const
  ).map(([probability, z]) => ({ probability, result: wire(Math.round(middle + z * spread)) }));
  const bankroll = asked.get('bankroll');
  const broke = (n: number) =>
    bankroll ? Math.min(1, 2 * below((-cents(bankroll) - mean * n) / Math.sqrt(variance * n))) : 0;
  return {
    game: book.id,
    title: book.title.en,
    version: book.version,
    layout: layout.id,
    layout_name: layout.name.en,
    hash: book.hash,
    sets: [{ weight: 1, bets: bets.map(([id, stake]) => `${id}=${wire(stake)}`), staked: wire(staked) }],
    rounds,
    edge: figure(-mean * all.length, all.length * staked).exact,
    mean: wire(Math.round(middle)),
    deviation: wire(Math.round(spread)),
    ahead,
    even: 0,
    behind: 1 - ahead,
    quantiles,
    bins,
    error: 1e-12,
    ruin: bankroll
      ? {
          bankroll,
          target: asked.get('target'),
          broke: broke(rounds),
          reached: 0,
          playing: 1 - broke(rounds),
          mean_rounds: rounds * (1 - broke(rounds) / 2),
          error: 1e-12,
          course: Array.from({ length: 30 }, (_, index) => {
            const round = Math.max(1, Math.round(((index + 1) * rounds) / 30));
            return { round, broke: broke(round), reached: 0 };
          }),
        }
      : null,
    hold: [],
  };
}

function compare(sides: { book: Rulebook; layout: LayoutData }[], asked: URLSearchParams): Comparison {
  const sheets = sides.map(({ book, layout }) => odds(book, layout));
  const first = new Map(sheets[0]?.spots.map((one) => [one.spot, one.edge.decimal]));
  const bets = parse(asked.get('bets'));
  const number = (decimal: number): Figure => ({ exact: String(decimal), decimal });
  const ids = [...new Set(sheets.flatMap((sheet) => sheet.spots.map((one) => one.spot)))];
  return {
    layouts: sheets.map((sheet, index) => {
      const more = sheet.spots.flatMap((one) => {
        const base = first.get(one.spot);
        return base === undefined ? [] : [one.edge.decimal - base];
      });
      const staked = bets.reduce((sum, [, stake]) => sum + stake, 0);
      const edges = bets.map(([id]) => sheet.spots.find((one) => one.spot === id)?.edge.decimal);
      const kept = bets.reduce((sum, [, stake], at) => sum + stake * (edges[at] ?? 0), 0);
      return {
        game: sheet.game,
        title: sheet.title.en,
        operator: sides[index]?.book.operator ?? '',
        hash: sheet.hash,
        layout: sheet.layout,
        layout_name: sheet.layout_name.en,
        pay_table: sheet.pay_table.en,
        pay_table_paragraph: sheet.pay_table_paragraph,
        outcomes: sheet.outcomes,
        spots: sheet.spots.length,
        against_first:
          index === 0
            ? null
            : {
                common: more.length,
                dearer: more.filter((one) => one > 1e-12).length,
                cheaper: more.filter((one) => one < -1e-12).length,
                mean: number(more.reduce((sum, one) => sum + one, 0) / Math.max(1, more.length)),
              },
        bets: bets.length > 0 && edges.every((one) => one !== undefined) ? number(kept / staked) : null,
      };
    }),
    spots: ids.map((id) => {
      const found = sheets.map((sheet) => sheet.spots.find((one) => one.spot === id) ?? null);
      const edges = found.flatMap((one) => (one ? [one.edge.decimal] : []));
      const base = first.get(id);
      return {
        spot: id,
        family: found.find((one) => one !== null)?.family ?? '',
        offers: found.map((one, index) =>
          one
            ? {
                pays: one.pays,
                hit: one.hit,
                edge: one.edge,
                more: index === 0 || base === undefined ? null : number(one.edge.decimal - base),
                paragraph: one.paragraph,
              }
            : null,
        ),
        alike: edges.every((edge) => Math.abs(edge - (edges[0] ?? 0)) < 1e-12),
      };
    }),
  };
}

/** What the laboratory answers to a path; undefined where there is no such thing. */
export function lab(path: string, books: readonly Rulebook[]): unknown {
  const [at = '', query = ''] = path.split('?');
  const asked = new URLSearchParams(query);
  const find = (id: string) => books.find((one) => one.hash === id || one.id === id);
  if (at === '/api/v1/lab/rulebooks')
    return books.map(({ id, hash, title, operator, version, approved }) => ({
      id,
      hash,
      title,
      operator,
      version,
      approved,
    }));
  if (at === '/api/v1/lab/compare') {
    const sides = (asked.get('layouts') ?? '').split(',').flatMap((one) => {
      const [id = '', layoutId] = one.split('/');
      const book = find(id);
      const layout = book?.layouts.find((each) => each.id === layoutId);
      return book && layout ? [{ book, layout }] : [];
    });
    return compare(sides, asked);
  }
  const [, , , , , id = '', , layoutId, what] = at.split('/');
  const book = find(id);
  if (!layoutId) return book;
  const layout = book?.layouts.find((one) => one.id === layoutId);
  if (!book || !layout) return undefined;
  return what === 'odds' ? odds(book, layout) : session(book, layout, asked);
}
