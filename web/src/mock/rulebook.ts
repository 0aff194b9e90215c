// For development and tests only: turns a rulebook file into the JSON the host sends.

import { parse } from 'smol-toml';
import type { Area, Ground, LayoutData, Outcomes, Pieces, Rulebook, Spot, Text } from '../lib/contract';

type Pay = { odds?: string; odds_by_dice?: string[]; spots: string[]; inferred?: string };
type Toml = {
  identity: {
    id: string;
    title: Text;
    operator: string;
    version: string;
    approved: boolean;
    play: 'terminals' | 'chips';
    in_force?: string;
  };
  outcomes:
    | { kind: 'dice' }
    | { kind: 'wheel'; zeros: string[]; order: string[]; red: string[]; assumed?: string };
  families: Record<string, { name: Text; wins: Text; paragraph: string }>;
  pay_tables: { id: string; name: Text; paragraph: string; step?: string; pays: Pay[] }[];
  terminals?: { id: string; name: Text; layouts: string[] }[];
  layouts: (Omit<LayoutData, 'areas' | 'names' | 'spots' | 'step' | 'pay_table' | 'pay_table_paragraph'> & {
    pay_table: string;
    names?: Record<string, Text>;
    areas: { id: string; at?: [number, number, number, number]; rows: string[][] }[];
  })[];
  multi_piece?: {
    id: string;
    name: Text;
    paragraph: string;
    terminals: string[];
    rule?: 'neighbours' | 'finale';
    reach?: number[];
    pieces?: { spot: string; count: number }[];
  }[];
  procedure: {
    begins: { by: string };
    opening: Text;
    closing: Text;
    device: { kind: 'tumbler' | 'wheel'; covered?: boolean; minimum: number };
    allowed: { when: string };
    result: Text & { paragraph: string };
  };
  void_grounds: { id: string; paragraph: string; arises: string; voids: string; name: Text }[];
  irregularities: { take_back?: Text; display?: string; void_returns?: string };
  limits?: { differential?: string[][] };
  powers: Record<string, { rank: string; paragraph: string }>;
  document: { paragraphs: { number: string; class: string; en: string; zh: string; inferred?: boolean }[] };
};

export function convert(source: string): Rulebook {
  const book = parse(source) as unknown as Toml;
  return {
    id: book.identity.id,
    hash: hash(source),
    title: book.identity.title,
    operator: book.identity.operator,
    version: book.identity.version,
    in_force_from: book.identity.in_force ? String(book.identity.in_force) : null,
    approved: book.identity.approved,
    live: book.identity.play !== 'terminals',
    procedure: {
      begins_with_activation: book.procedure.begins.by === 'activation',
      opening: text(book.procedure.opening),
      closing: text(book.procedure.closing),
      device:
        book.procedure.device.kind === 'wheel'
          ? 'wheel'
          : book.procedure.device.covered
            ? 'covered_tumbler'
            : 'open_tumbler',
      minimum: book.procedure.device.minimum,
      timing: book.procedure.allowed.when.replaceAll('-', '_') as Rulebook['procedure']['timing'],
      result: text(book.procedure.result),
      result_paragraph: book.procedure.result.paragraph,
    },
    outcomes: outcomesOf(book.outcomes),
    families: Object.entries(book.families).map(([id, family]) => ({ id, ...family })),
    grounds: book.void_grounds.map((ground) => ({
      id: ground.id,
      name: ground.name,
      paragraph: ground.paragraph,
      how: how(ground.arises),
      declarable: ground.arises !== 'attested',
      affects_settled: ground.voids === 'affected-rounds',
    })),
    pieces: (book.multi_piece ?? []).flatMap((multi) => expand(multi, outcomesOf(book.outcomes))),
    terminals: (book.terminals ?? []).map((terminal) => ({
      id: terminal.id,
      name: terminal.name,
      layouts: terminal.layouts,
      pieces: (book.multi_piece ?? []).some((multi) => multi.terminals.includes(terminal.id)),
    })),
    layouts: book.layouts.map((layout) => layoutOf(layout, book)),
    paragraphs: book.document.paragraphs.map((one) => ({
      number: one.number,
      class: one.class,
      text: { en: one.en, zh: one.zh },
      inferred: one.inferred ?? false,
    })),
    takes_back: book.irregularities.take_back ? text(book.irregularities.take_back) : null,
    differential: book.limits?.differential ?? [],
    information_only: book.irregularities.display ?? '',
    void_returns: book.irregularities.void_returns ?? '',
    powers: Object.entries(book.powers).map(([act, { rank, paragraph }]) => ({
      act,
      rank: rank.replaceAll('-', '_') as Rulebook['powers'][number]['rank'],
      paragraph,
    })),
  };
}

function text(value: Text): Text {
  return { en: value.en, zh: value.zh };
}

function how(arises: string): Ground['how'] {
  if (arises.startsWith('device')) return 'measured';
  return arises as Ground['how'];
}

function layoutOf(layout: Toml['layouts'][number], book: Toml): LayoutData {
  const table = book.pay_tables.find((one) => one.id === layout.pay_table);
  const areas: Area[] = layout.areas.map((area) => ({ id: area.id, at: area.at ?? null, rows: area.rows }));
  const ids = layout.areas.flatMap((area) => area.rows.flat()).filter((id) => id !== '');
  const spots: Spot[] = ids.map((id) => {
    const pay = table?.pays.find((one) => one.spots.includes(id));
    const family = familyOf(id);
    return {
      id,
      family,
      odds: pay?.odds_by_dice ?? [pay?.odds ?? '0'],
      paragraph: table?.paragraph ?? '',
      inferred: pay?.inferred ?? null,
      covers: covers(id, outcomesOf(book.outcomes)),
    };
  });
  const { id, name, paragraph, canvas } = layout;
  return {
    id,
    name,
    pay_table: table?.name ?? { en: '', zh: '' },
    pay_table_paragraph: table?.paragraph ?? '',
    paragraph,
    assumed: layout.assumed ?? null,
    names: layout.names ?? {},
    canvas,
    areas,
    step: table?.step ?? '0.01',
    spots,
  };
}

function outcomesOf(outcomes: Toml['outcomes']): Outcomes {
  if (outcomes.kind === 'dice') return { kind: 'dice', all: [] };
  const { zeros, order, red, assumed = null } = outcomes;
  return { kind: 'wheel', all: order, zeros, order, red, assumed };
}

export function familyOf(id: string): string {
  return id === 'triple/any' ? 'any-triple' : (id.split('/')[0] ?? id);
}

function range(from: number, to: number, step = 1): string[] {
  const numbers: string[] = [];
  for (let n = from; n <= to; n += step) numbers.push(String(n));
  return numbers;
}

export function covers(id: string, outcomes: Outcomes): string[] {
  if (outcomes.kind === 'dice') return [];
  const [family, rest = ''] = id.split('/');
  switch (family) {
    case 'sixline': {
      const from = Number(rest.split('-')[0]);
      return range(from, from + 5);
    }
    case 'topline':
      return [...outcomes.zeros, '1', '2', '3'];
    case 'green':
      return [...outcomes.zeros];
    case 'column':
      return range(Number(rest), 36, 3);
    case 'dozen':
      return range(Number(rest) * 12 - 11, Number(rest) * 12);
    case 'red':
      return outcomes.red;
    case 'black':
      return range(1, 36).filter((n) => !outcomes.red.includes(n));
    case 'odd':
      return range(1, 35, 2);
    case 'even':
      return range(2, 36, 2);
    case 'low':
      return range(1, 18);
    case 'high':
      return range(19, 36);
    default:
      return rest.split('-');
  }
}

function expand(multi: NonNullable<Toml['multi_piece']>[number], outcomes: Outcomes): Pieces[] {
  const { paragraph, terminals } = multi;
  if (multi.pieces) return [{ bet: multi.id, name: multi.name, paragraph, terminals, pieces: multi.pieces }];
  if (outcomes.kind !== 'wheel') return [];
  const { order, zeros } = outcomes;
  const straights = (numbers: string[]) => numbers.map((n) => ({ spot: `straight/${n}`, count: 1 }));
  const named = (rest: string): Text => ({ en: `${multi.name.en} ${rest}`, zh: `${multi.name.zh} ${rest}` });
  if (multi.rule === 'finale') {
    return range(0, 9).map((digit) => ({
      bet: `finale/${digit}`,
      name: named(digit),
      paragraph,
      terminals,
      pieces: straights(order.filter((n) => n.endsWith(digit) && (!zeros.includes(n) || n === digit))),
    }));
  }
  return order.flatMap((centre, at) =>
    (multi.reach ?? [1, 2, 3]).map((reach) => ({
      bet: `neighbours/${centre}/${reach}`,
      name: named(`${centre} ±${reach}`),
      paragraph,
      terminals,
      pieces: straights(
        range(-reach, reach).map((step) => order[(at + Number(step) + order.length) % order.length]!),
      ),
    })),
  );
}

/** Not the host's hash, only something that looks like one and differs by content. */
function hash(source: string): string {
  let a = 0x811c9dc5;
  let out = '';
  for (let round = 0; round < 8; round++) {
    for (let i = 0; i < source.length; i++) a = Math.imul(a ^ source.charCodeAt(i), 0x01000193 + round * 2);
    out += (a >>> 0).toString(16).padStart(8, '0');
  }
  return out;
}
