// A scripted host inside the page, for development and for pictures: it speaks the same frames and paths as the real
// one, with made-up people and chance from Math.random. Never part of a production build.

import type { Fetch } from '../lib/api';
import { cost } from '../lib/bets';
import type {
  Bet,
  CageSection,
  Change,
  ConsoleSection,
  Device,
  FloorInfo,
  HostFrame,
  LastRoundSection,
  LayoutData,
  OwnSection,
  PitSection,
  PitTable,
  Refusal,
  ResultEntry,
  RoundSection,
  Rulebook,
  Session,
  TableSection,
  Text,
  Ticket,
  View,
  WholeRound,
} from '../lib/contract';
import type { Connect, Socket } from '../lib/feed';
import { type Cents, cents, wire } from '../lib/money';
import { pays } from './evaluate';
import { lab } from './lab';
import { records } from './records';
import { reports } from './reports';
import { convert } from './rulebook';

const sources = import.meta.glob<string>('../../../rulebooks/*.toml', {
  query: '?raw',
  import: 'default',
  eager: true,
});
const books = Object.values(sources).map(convert);
const book = (id: string) => books.find((one) => one.id === id)!;

type Seat = { id: number; name: string; layout: string; kind: string };
type TableData = { id: number; name: string; rulebook: string; seats: Seat[] };

const floor: TableData[] = [
  {
    id: 1,
    name: 'SB 01',
    rulebook: 'rws-sicbo',
    seats: [
      { id: 1, name: 'T01', layout: 'a', kind: 'standard' },
      { id: 2, name: 'T02', layout: 'b', kind: 'standard' },
      { id: 3, name: 'T03', layout: 'c', kind: 'standard' },
    ],
  },
  {
    id: 2,
    name: 'SB 02',
    rulebook: 'rws-sicbo-open',
    seats: [
      { id: 4, name: 'T04', layout: 'b', kind: 'standard' },
      { id: 5, name: 'T05', layout: 'a', kind: 'standard' },
    ],
  },
  { id: 3, name: 'TS 01', rulebook: 'rws-taisai', seats: [] },
  {
    id: 4,
    name: 'MBS 01',
    rulebook: 'mbs-sicbo',
    seats: [
      { id: 6, name: 'T06', layout: 'rapid', kind: 'rapid' },
      { id: 7, name: 'T07', layout: 'alfastreet', kind: 'alfastreet' },
    ],
  },
  {
    id: 5,
    name: 'R 01',
    rulebook: 'rws-roulette-000',
    seats: [
      { id: 8, name: 'T08', layout: 'a', kind: 'rapid' },
      { id: 9, name: 'T09', layout: 'a', kind: 'standard' },
    ],
  },
];

const refuse = (code: string, rule: string, en: string, zh: string): Refusal => ({
  code,
  rule,
  message: { en, zh },
});

class Table {
  data: TableData;
  book: Rulebook;
  roundId = 4200 + Math.floor(Math.random() * 400);
  phase: 'idle' | 'begun' | 'open' | 'closed' | 'settled' | 'void' = 'idle';
  last: LastRoundSection | null = null;
  openedAt = 0;
  closesAt: number | null = null;
  outcome: string | null = null;
  voided: Text | null = null;
  results: ResultEntry[] = [];
  automatic = true;
  halted = false;
  interrupted = false;
  entered: string | null = null;
  device = 'idle';
  tumbles = 0;
  own = new Map<number, Player>();
  house: Bet[] = [];

  constructor(data: TableData, history: number) {
    this.data = data;
    this.book = book(data.rulebook);
    for (let i = history; i > 0; i--) {
      this.results.push({ round: this.roundId - i, outcome: this.draw() });
    }
  }

  draw(): string {
    const { outcomes } = this.book;
    const pick = (n: number) => Math.floor(Math.random() * n);
    if (outcomes.kind === 'wheel') return outcomes.order[pick(outcomes.order.length)]!;
    return [pick(6) + 1, pick(6) + 1, pick(6) + 1].join('-');
  }

  layout(id: string): LayoutData {
    return this.book.layouts.find((one) => one.id === id) ?? this.book.layouts[0]!;
  }

  lit(layout: LayoutData): string[] {
    const { outcome } = this;
    return outcome === null
      ? []
      : layout.spots.filter((spot) => pays(spot, outcome) !== null).map((spot) => spot.id);
  }
}

class Player {
  seat: Seat;
  table: Table;
  credit: Cents = 50_000;
  printing: Cents = 0;
  bets: Bet[] = [];
  pieces: OwnSection['pieces'] = [];
  group = 1;
  last: OwnSection['last'] = null;
  before: { bets: Bet[]; pieces: OwnSection['pieces'] } = { bets: [], pieces: [] };
  loss: string | null = null;
  called: number | null = null;

  constructor(seat: Seat, table: Table) {
    this.seat = seat;
    this.table = table;
  }

  staked(): Cents {
    return this.bets.reduce((sum, bet) => sum + cents(bet.stake), 0);
  }

  piecesOf = (bet: string) => this.table.book.pieces.find((one) => one.bet === bet)?.pieces ?? [];

  /** Places changes, or says why not. */
  change(changes: Change[]): Refusal | null {
    const { table } = this;
    if (table.phase !== 'open') return refuse('bets_closed', '3.5', 'Bets are closed.', '已停止下注。');
    if (cost(changes, this.piecesOf, this.pieces) > this.credit) {
      return refuse('credit', '1.7', 'Not enough credit for this bet.', '余额不足，无法下此注。');
    }
    const bets = this.bets.map((bet) => ({ ...bet }));
    let pieces = [...this.pieces];
    let credit = this.credit;
    const put = (spot: string, group: number, amount: Cents) => {
      const found = bets.find((bet) => bet.spot === spot && bet.group === group);
      if (found) found.stake = wire(cents(found.stake) + amount);
      else bets.push({ spot, group, stake: wire(amount) });
      credit -= amount;
    };
    for (const change of changes) {
      if ('add' in change) put(change.add, 0, cents(change.amount));
      else if ('take' in change) put(change.take, 0, -cents(change.amount));
      else if ('pieces' in change) {
        const group = this.group++;
        pieces.push({ group, bet: change.pieces, unit: change.unit });
        for (const { spot, count } of this.piecesOf(change.pieces))
          put(spot, group, cents(change.unit) * count);
      } else {
        const gone = pieces.find((one) => one.group === change.take_pieces);
        if (gone)
          for (const { spot, count } of this.piecesOf(gone.bet))
            put(spot, gone.group, -cents(gone.unit) * count);
        pieces = pieces.filter((one) => one !== gone);
      }
    }
    for (const bet of bets) {
      const limit = limits(table).find((one) => one.family === familyOf(table, this.seat.layout, bet.spot));
      const total = bets
        .filter((one) => one.spot === bet.spot)
        .reduce((sum, one) => sum + cents(one.stake), 0);
      if (total < 0) return refuse('nothing_there', '', 'No such bet to take.', '没有可收回的投注。');
      if (limit?.maximum && total > cents(limit.maximum)) {
        return refuse(
          'above_maximum',
          '3.3',
          `The maximum here is ${limit.maximum}.`,
          `此处最高投注额为 ${limit.maximum}。`,
        );
      }
    }
    this.bets = bets.filter((bet) => cents(bet.stake) > 0);
    this.pieces = pieces;
    this.credit = credit;
    return null;
  }

  settle(): void {
    const { table } = this;
    const layout = table.layout(this.seat.layout);
    let returned = 0;
    for (const bet of this.bets) {
      const spot = layout.spots.find((one) => one.id === bet.spot);
      const odds = table.outcome === null ? 0 : spot ? pays(spot, table.outcome) : null;
      if (odds !== null) returned += Math.round(cents(bet.stake) * (1 + odds));
    }
    if (this.bets.length > 0) this.before = { bets: this.bets, pieces: this.pieces };
    this.last = {
      round: table.roundId,
      outcome: table.outcome,
      staked: wire(this.staked()),
      returned: wire(returned),
    };
    this.credit += returned;
    this.bets = [];
    this.pieces = [];
  }

  own(): OwnSection {
    return {
      terminal: this.seat.id,
      name: this.seat.name,
      layout: this.seat.layout,
      kind: this.seat.kind,
      usable: true,
      why: null,
      visit: this.credit + this.staked() + this.printing > 0 ? 7 : null,
      credit: wire(this.credit),
      printing: wire(this.printing),
      staked: wire(this.staked()),
      pieces: this.pieces,
      doubt:
        this.printing > 0
          ? {
              ticket: 991,
              terminal: this.seat.id,
              name: this.seat.name,
              amount: wire(this.printing),
              since: Date.now(),
              duplicate: false,
              printed_for: null,
            }
          : null,
      last_ticket: null,
      loss_limit: this.loss,
      loss_left: this.loss,
      last: this.last,
      tables: [],
      called: this.called,
      answered: null,
    };
  }
}

function familyOf(table: Table, layout: string, spot: string): string | undefined {
  return table.layout(layout).spots.find((one) => one.id === spot)?.family;
}

function limits(table: Table): TableSection['limits'] {
  const even = ['big', 'small', 'odd', 'even', 'red', 'black', 'low', 'high'];
  return table.book.families.map(({ id }) => {
    if (even.includes(id)) return { family: id, minimum: '5.00', maximum: '5000.00' };
    if (['triple', 'straight', 'pair'].includes(id))
      return { family: id, minimum: '1.00', maximum: '200.00' };
    return { family: id, minimum: '1.00', maximum: '1000.00' };
  });
}

/** The tumbler or wheel of a table: in service, and never out of it. */
function deviceOf(table: Table): Device {
  const wheel = table.book.outcomes.kind === 'wheel';
  const service = { in_service: true, serves_now: true, since: null, by: null, witness: null, reason: null };
  return {
    id: table.data.id,
    name: `${wheel ? 'Wheel' : 'Tumbler'} ${table.data.id}`,
    kind: wheel ? 'wheel' : 'tumbler',
    place: { table: table.data.id, terminal: null },
    fault: null,
    service,
    reading: service,
    measures: { times: !wheel, direction: wheel, cover: !wheel, flat: !wheel, reads: true },
    simulated: true,
  };
}

const groundsOf = (table: Table): ConsoleSection['grounds'] =>
  table.book.grounds.map((one) => ({
    id: one.id,
    paragraph: one.paragraph,
    words: one.name,
    takes_two: table.entered !== null,
  }));

type Client = { kind: string; id: number; socket: Socket; player: Player | null };

export function mockHost(flags: URLSearchParams): { connect: Connect; fetch: Fetch } {
  const history = Number(flags.get('history') ?? 160);
  const openFor = Number(flags.get('open') ?? 18) * 1000;
  const hold = flags.get('hold');
  const tables = floor.map((data) => new Table(data, history));
  const clients = new Set<Client>();
  let sequence = 81_200;
  let session: Session | null = flags.has('staff') ? person('dealer') : null;
  const thresholds = {
    alone: '10000.00',
    redemption: '10000.00',
    difference: '100.00',
    large_cash: '10000.00',
  };
  let shift: CageSection['shift'] = { id: 12, float: '20000.00', counted: null, expected: null };
  const alerts: PitSection['alerts'] = [
    {
      id: 1,
      at: Date.now() - 240_000,
      table: 5,
      kind: 'direction',
      severity: 'low',
      round: null,
      terminal: null,
      words: { en: 'Wheel direction not alternated for 6 spins', zh: '轮盘已连续 6 次未变换方向' },
    },
    {
      id: 2,
      at: Date.now() - 95_000,
      table: 1,
      kind: 'terminal_lost',
      severity: 'medium',
      round: null,
      terminal: null,
      words: { en: 'Terminal T03 lost for 40 seconds, back again', zh: '终端 T03 失联 40 秒，已恢复' },
    },
    {
      id: 3,
      at: Date.now() - 30_000,
      table: 4,
      kind: 'liability',
      severity: 'high',
      round: null,
      terminal: null,
      words: { en: 'Liability at 82 % of the limit', zh: '最大赔付已达上限的 82 %' },
    },
  ];

  function person(login: string): Session {
    const posts: Record<string, [string, Session['post']]> = {
      dealer: ['Mei Lin Tan', 'dealer'],
      pit: ['Arun Nair', 'pit_manager'],
      shift: ['Grace Ong', 'shift_manager'],
      cage: ['Wei Jie Lim', 'cashier'],
      admin: ['Farah Aziz', 'administrator'],
    };
    const [name, post] = posts[login] ?? posts.dealer!;
    return {
      staff: 7,
      name,
      post,
      acting: null,
      expires: Date.now() + 8 * 3600_000,
      next_number: Date.now() * 1000,
      must_change: false,
      moved_alone: '0.00',
    };
  }

  const tableSection = (table: Table): TableSection => ({
    id: table.data.id,
    name: table.data.name,
    game: table.book.id,
    title: table.book.title,
    betting_period: openFor,
    rulebook: table.book.hash,
    mode: table.book.live ? 'bets_recorded' : 'terminals',
    open: true,
    closes_at: null,
    automatic: table.automatic,
    limits: limits(table),
    differential: table.book.live ? '5000.00' : null,
    announced: null,
    step: '1.00',
  });
  const roundSection = (table: Table): RoundSection | null => {
    const { phase } = table;
    if (phase === 'idle' || phase === 'settled' || phase === 'void') return null;
    const { opening, closing } = table.book.procedure;
    return {
      id: table.roundId,
      phase: phase === 'closed' && table.entered ? 'entered' : phase,
      notice: phase === 'open' ? opening : phase === 'begun' ? null : closing,
      began_at: table.openedAt,
      closes_at: phase === 'open' ? table.closesAt : null,
      halted: table.halted,
      interrupted: table.interrupted,
      running: table.device !== 'idle',
      uncovered: false,
      outcome: table.entered,
    };
  };

  const exposure = (table: Table): { outcome: string; loss: Cents }[] => {
    const layout = table.layout(table.data.seats[0]?.layout ?? 'a');
    const { outcomes } = table.book;
    const every = outcomes.kind === 'wheel' ? outcomes.order : sorted();
    const staked = table.house.reduce((sum, bet) => sum + cents(bet.stake), 0);
    return every.map((outcome) => {
      let back = 0;
      for (const bet of table.house) {
        const spot = layout.spots.find((one) => one.id === bet.spot);
        const odds = spot ? pays(spot, outcome) : null;
        if (odds !== null) back += cents(bet.stake) * (1 + odds);
      }
      return { outcome, loss: Math.round(back - staked) };
    });
  };

  // `armed`: what the next tumble of the demonstration shows; `bare`: dice of this round were tumbled with the cover off.
  const faultsOf = (table: Table): NonNullable<View['faults']> =>
    (['too_few_tumbles', 'not_flat'] as const).map((fault) => ({
      fault,
      words:
        fault === 'not_flat'
          ? { en: 'A die is not flat', zh: '有骰子未平放' }
          : { en: 'Too few tumbles', zh: '摇骰次数不足' },
      rule: fault === 'not_flat' ? '5.3.2' : '5.3.1',
      armed: flags.get('armed') === fault && table.book.outcomes.kind !== 'wheel',
    }));
  const waitsOf = (table: Table): ConsoleSection['waits'] =>
    flags.has('bare') && table.phase === 'closed'
      ? {
          kind: 'bare',
          device: 1,
          rule: '3.6',
          words: {
            en: 'The dice of this round were not tumbled under the cover',
            zh: '本局骰子并非在盅内摇动',
          },
          steps: [
            {
              en: 'Do not tumble or spin again: a second one never counts (D18)',
              zh: '不得再次摇骰或掷球：第二次一律无效（D18）',
            },
            {
              en: 'If dice tumbled under the cover were exposed before the close, declare 5.3.3: the round is void',
              zh: '若盅内已摇之骰在停止下注前外露，宣布 5.3.3：本局作废',
            },
            { en: 'Call the Pit Supervisor', zh: '请呼叫值台主管' },
          ],
        }
      : flags.has('steps') && table.phase === 'closed'
        ? {
            kind: flags.get('steps') === 'silent' ? 'device_silent' : 'covered',
            device: 1,
            rule: '3.7',
            words: { en: 'The dice lie under the cover: uncover them', zh: '骰子仍在盅内：请开盅' },
            steps: [
              flags.get('steps') === 'silent'
                ? {
                    en: 'If the dice were not tumbled in this round yet: tumble them under the cover, once',
                    zh: '若本局尚未摇骰：盖好骰盅，摇骰一次',
                  }
                : { en: 'If the device does not report that the cover is off:', zh: '若设备未报告已开盅：' },
              { en: 'Call the Pit Supervisor', zh: '请呼叫值台主管' },
              {
                en: 'Take the device out of service; one of the two must be a Pit Supervisor, and neither enters this result',
                zh: '将设备停用；两人中须有一名值台主管，且两人均不得输入本局结果',
              },
              {
                en: 'Affirm the points of the document and enter the result',
                zh: '确认文件所列各项并输入结果',
              },
            ],
          }
        : null;

  function consoleSection(table: Table): ConsoleSection {
    const risks = exposure(table);
    const staked = table.house.reduce((sum, bet) => sum + cents(bet.stake), 0);
    const no = refuse('not_now', '3.5', 'Not in this phase of the round.', '本阶段不可进行。');
    const may = (yes: boolean) => (yes && !table.halted && !table.interrupted ? null : no);
    const returns = table.entered
      ? (risks.find((one) => sameOutcome(one.outcome, table.entered!))?.loss ?? 0) + staked
      : 0;
    const list = Array.from({ length: 12 }, (_, i) => ({
      id: i + 1,
      name: `T${String(i + 1).padStart(2, '0')}`,
      layout: ['a', 'b', 'c'][i % 3]!,
      live: i !== 6,
      locked: i === 10,
      acknowledged: i !== 6,
      lost: i === 6,
      staked: table.phase === 'idle' ? '0.00' : wire(i % 4 === 3 ? 0 : 1500 + i * 2750),
    }));
    const interrupted = table.interrupted;
    return {
      round: table.phase === 'idle' ? null : table.roundId,
      dealer: session ? { id: session.staff, name: session.name } : { id: 7, name: 'Mei Lin Tan' },
      terminals: { enrolled: 12, live: 11, betting: table.phase === 'idle' ? 0 : 8 },
      list,
      awaiting: table.phase === 'closed' && Date.now() - (table.closesAt ?? 0) < 1500 ? 3 : 0,
      staked: wire(staked),
      entered: table.entered ? { outcome: table.entered, returns: wire(returns), needs: 'nothing' } : null,
      ground: table.halted
        ? {
            id: 'too-few-tumbles',
            name: { en: 'Fewer than three tumbles', zh: '骰盅摇动不足三次' },
            paragraph: '5.3.1',
            proposed: false,
            device: 1,
          }
        : null,
      devices: [deviceOf(table)],
      seen: {
        set_off: table.tumbles > 0,
        running: table.device !== 'idle',
        times: table.tumbles,
        uncovered: false,
        read: [],
        rested_early: false,
        ended: table.tumbles > 0 && table.device === 'idle',
        contradicted: false,
        concealed: [],
      },
      waits: waitsOf(table),
      second: flags.has('second') ? 1 : null,
      first_outcome: null,
      later: flags.has('second')
        ? [
            {
              set_off: true,
              running: false,
              times: 4,
              uncovered: false,
              read: [],
              rested_early: false,
              ended: true,
              contradicted: false,
              concealed: [],
            },
          ]
        : [],
      meanwhile: null,
      affirm: [],
      grounds: groundsOf(table),
      failed: [],
      proposal: interrupted
        ? {
            phase: 'closed',
            finding: 'not_established',
            paragraph: '5.1.2',
            findings: [
              { finding: 'not_affected', paragraph: '5.2', against: false },
              { finding: 'established', paragraph: '5.1.1', against: false },
              { finding: 'not_established', paragraph: '5.1.2', against: false },
            ],
            concluded: [],
            concluded_in_all: 0,
          }
        : null,
      positions: table.book.live ? 7 : 0,
      left: [],
      alerts: flags.has('steps')
        ? [
            {
              id: 1,
              at: Date.now(),
              table: table.data.id,
              kind: 'device_holds',
              severity: 'medium',
              words: { en: 'The device holds up the round', zh: '设备未报告' },
            },
          ]
        : [],
      recording_until: flags.has('steps') && table.phase === 'closed' ? Date.now() + 60_000 : null,
      payouts: [],
      float: null,
      boxes: table.book.live ? boxes() : [],
      may: {
        take_table: null,
        begin_round: may(table.phase === 'idle'),
        open_bets: may(['idle', 'begun', 'settled', 'void'].includes(table.phase)),
        close_bets: may(table.phase === 'open'),
        enter_result:
          flags.get('steps') === 'silent'
            ? refuse(
                'device',
                '3.7',
                'Call the Pit Supervisor and take it out of service',
                '请呼叫值台主管并将其停用',
              )
            : may(table.phase === 'closed'),
        confirm_result: may(table.phase === 'closed' && table.entered !== null),
      },
    };
  }

  function boxes(): ConsoleSection['boxes'] {
    return [
      {
        spot: 'big',
        bets: [
          { position: 1, amount: '900.00' },
          { position: 3, amount: '300.00' },
          { position: 5, amount: '20.00' },
        ],
        total: '1220.00',
        excess: '220.00',
        under_minimum: [5],
        advised: [],
        late: [],
      },
      {
        spot: 'small',
        bets: [{ position: 2, amount: '400.00' }],
        total: '400.00',
        excess: '0.00',
        under_minimum: [],
        advised: [],
        late: [],
      },
      {
        spot: 'single/4',
        bets: [
          { position: 1, amount: '50.00' },
          { position: 4, amount: '75.00' },
        ],
        total: '125.00',
        excess: '0.00',
        under_minimum: [],
        advised: [],
        late: [],
      },
      {
        spot: 'total/11',
        bets: [{ position: 2, amount: '25.00' }],
        total: '25.00',
        excess: '0.00',
        under_minimum: [],
        advised: [],
        late: [],
      },
    ];
  }

  function pitTables(): PitTable[] {
    return tables.map((table, index) => {
      const risks = exposure(table);
      const worst = Math.max(0, ...risks.map((one) => one.loss));
      const turnover = 1_842_500 + index * 733_100;
      const win = Math.round(turnover * [0.031, 0.028, 0.041, -0.012, 0.077][index]!);
      return {
        table: tableSection(table),
        round: roundSection(table),
        results: table.results.slice(-5),
        terminals: { enrolled: 12, live: 11, betting: 8 },
        dealer: {
          id: index,
          name: ['Mei Lin Tan', 'Ravi Kumar', 'Siti Rahman', 'Jason Goh', 'Chloe Wong'][index]!,
        },
        players: [8, 5, 6, 11, 9][index]!,
        rounds: 212 - index * 14,
        void: index === 4 ? 2 : index === 1 ? 1 : 0,
        turnover: wire(turnover),
        win: wire(win),
        games_per_hour: [58, 55, 31, 61, 42][index]!,
        liability: wire(worst),
        liability_limit: '100000.00',
        exposure: risks.map((one) => ({ outcome: one.outcome, loss: wire(one.loss) })),
        devices: [deviceOf(table)],
        grounds: groundsOf(table),
        hand_pay: '10000.00',
      };
    });
  }

  function viewFor(client: Client): Partial<View> {
    const table = tables.find((one) =>
      client.player ? one === client.player.table : one.data.id === client.id,
    );
    if (client.kind === 'pit') {
      return {
        pit: {
          tables: pitTables(),
          alerts: [...alerts],
          more_alerts: 0,
          more_tables: 0,
          uncollected: '120.00',
          calls: [],
          links: [],
          drawers: [],
          held: [],
          payable: '345.50',
          payables: [
            { id: 3, round: 4188, table: 1, terminal: 2, visit: 7, amount: '245.50' },
            { id: 4, round: 4190, table: 5, terminal: 8, visit: null, amount: '100.00' },
          ],
          stops: [],
          staff: tables.map((one, index) => ({
            id: index,
            name: ['Mei Lin Tan', 'Ravi Kumar', 'Siti Rahman', 'Jason Goh', 'Chloe Wong'][index]!,
            post: 'dealer',
            acting: index === 2 ? 'pit_supervisor' : null,
            active: true,
            tables: [one.data.id],
          })),
          doubts: [],
          gaming_day: '2026-03-29',
          moved: [
            {
              staff: 1,
              name: 'Ravi Kumar',
              since: '600.00',
              today: '1600.00',
              signed: '2000.00',
              signatures: 1,
            },
          ],
          thresholds,
        },
      };
    }
    if (client.kind === 'cage') {
      return {
        cage: {
          shift,
          outstanding: { count: 37, amount: '18420.50' },
          payables: [
            { id: 3, round: 4188, table: 1, terminal: 2, visit: 7, amount: '245.50' },
            { id: 4, round: 4190, table: 5, terminal: 8, visit: null, amount: '100.00' },
          ],
          doubts: [],
          moved: { staff: 9, name: 'Grace Lim', since: '0.00', today: '0.00', signed: '0.00', signatures: 0 },
          thresholds,
          drawers: [],
        },
      };
    }
    if (client.kind === 'admin') {
      return {
        floor: info,
        devices: tables.map(deviceOf),
        staff: ['Mei Lin Tan', 'Ravi Kumar', 'Arun Nair', 'Grace Ong', 'Wei Jie Lim'].map((name, index) => ({
          id: index,
          name,
          post: (['dealer', 'dealer', 'pit_manager', 'shift_manager', 'cashier'] as const)[index]!,
          acting: null,
          active: true,
          tables: [],
        })),
        health: {
          sequence,
          waiting: 0,
          records_lag: 0,
          feeds: clients.size,
          disk_left_mib: 18_204,
          stopped: null,
          program: '0'.repeat(64),
          rulebooks: '0'.repeat(64),
          locked: false,
          missing: null,
          clock_ahead: null,
        },
      };
    }
    if (!table) return {};
    const shared: Partial<View> = {
      table: tableSection(table),
      round: roundSection(table),
      results: table.results.slice(-2000),
    };
    shared.last_round = table.last;
    const revealed = table.phase === 'settled';
    if (client.player) {
      const { player } = client;
      const lit = revealed ? table.lit(table.layout(player.seat.layout)) : [];
      return { ...shared, lit, own: player.own(), bets: player.bets };
    }
    const lit = revealed ? [...new Set(table.book.layouts.flatMap((one) => table.lit(one)))] : [];
    if (client.kind === 'console')
      return { ...shared, lit, console: consoleSection(table), faults: faultsOf(table) };
    return { ...shared, lit };
  }

  // `away=FROM,TO` in milliseconds: the host falls silent, as if its cable were pulled.
  const started = Date.now();
  const [awayFrom = 0, awayTo = 0] = (flags.get('away') ?? '').split(',').map(Number);
  // A test pulls the cable itself by setting `away` on the window.
  const pulled = () => (globalThis as { away?: boolean }).away === true;
  const away = () => pulled() || (Date.now() - started >= awayFrom && Date.now() - started < awayTo);

  function tell(client: Client, frame: HostFrame): void {
    if (away()) return;
    setTimeout(() => client.socket.onmessage?.({ data: JSON.stringify(frame) }), 4);
  }

  function publish(table: Table | null, kind: string): void {
    sequence += 1;
    for (const client of clients) {
      const concerned =
        table === null ||
        client.player?.table === table ||
        client.id === table.data.id ||
        client.kind === 'pit';
      if (!concerned) continue;
      const view = viewFor(client);
      tell(client, {
        type: 'update',
        sequence,
        cursor: String(sequence),
        now: Date.now(),
        events: [
          {
            sequence,
            at: Date.now(),
            kind,
            round: table?.roundId ?? null,
            words: kind === 'round_voided' ? { en: 'A die does not lie flat', zh: '有骰子未平放' } : null,
            paragraph: kind === 'round_voided' ? '5.3.2' : null,
          },
        ],
        view,
      });
    }
  }

  setInterval(() => {
    for (const client of clients) tell(client, { type: 'tick', now: Date.now() });
  }, 1000);

  // ---- the automatic dealer

  function later(table: Table, ms: number, next: () => void): void {
    setTimeout(() => {
      if (table.automatic && hold !== table.phase) next();
    }, ms);
  }

  function openBets(table: Table): void {
    table.roundId += 1;
    table.phase = 'open';
    table.outcome = null;
    table.voided = null;
    table.entered = null;
    table.halted = false;
    table.openedAt = Date.now();
    table.closesAt = table.automatic || !table.book.live ? Date.now() + openFor : null;
    table.device = table.book.procedure.device === 'covered_tumbler' ? 'tumbling' : 'idle';
    table.tumbles = table.book.procedure.device === 'covered_tumbler' ? 3 : 0;
    const spots = table.layout(table.data.seats[0]?.layout ?? 'a').spots;
    table.house = Array.from({ length: 22 }, () => ({
      spot: spots[Math.floor(Math.random() * spots.length)]!.id,
      group: 0,
      stake: wire((1 + Math.floor(Math.random() * 20)) * 500),
    }));
    for (const player of table.own.values()) {
      player.bets = [];
      player.pieces = [];
    }
    publish(table, 'bets_opened');
    later(table, openFor, () => closeBets(table));
  }

  function closeBets(table: Table): void {
    table.phase = 'closed';
    table.closesAt = Date.now();
    table.device = table.book.outcomes.kind === 'wheel' ? 'ball in track' : 'tumbling';
    table.tumbles = 4;
    publish(table, 'bets_closed');
    setTimeout(() => publish(table, 'acknowledged'), 1600);
    later(table, table.book.outcomes.kind === 'wheel' ? 6000 : 4000, () =>
      finish(table, flags.get('outcome') ?? table.draw()),
    );
  }

  function finish(table: Table, outcome: string | null): void {
    table.outcome = outcome;
    table.entered = null;
    table.device = 'idle';
    table.voided =
      outcome === null ? { en: 'A die does not lie flat (5.3.2)', zh: '有骰子未平放（5.3.2）' } : null;
    if (hold === 'void' || (table.automatic && !flags.has('outcome') && table.roundId % 19 === 0)) {
      table.outcome = null;
      table.voided = { en: 'A die does not lie flat (5.3.2)', zh: '有骰子未平放（5.3.2）' };
    }
    table.phase = table.outcome === null ? 'void' : 'settled';
    table.last = { round: table.roundId, outcome: table.outcome };
    for (const player of table.own.values()) player.settle();
    if (table.outcome) table.results.push({ round: table.roundId, outcome: table.outcome });
    publish(table, table.outcome ? 'round_settled' : 'round_voided');
    later(table, table.book.outcomes.kind === 'wheel' ? 11_000 : 8000, () => {
      table.phase = 'idle';
      publish(table, 'round_ended');
      later(table, 1500, () => openBets(table));
    });
  }

  const manual = location.pathname.startsWith('/console');
  for (const table of tables) {
    if (manual && !flags.has('auto')) table.automatic = false;
    if (hold === 'idle') continue;
    setTimeout(() => {
      openBets(table);
      if (hold === 'closed' || hold === 'settled' || hold === 'void')
        setTimeout(() => closeBets(table), Number(flags.get('wait') ?? 1500));
      if (flags.has('halted')) {
        table.halted = true;
        publish(table, 'halted');
      }
      if (flags.has('interrupted')) {
        table.phase = 'closed';
        table.interrupted = true;
        publish(table, 'interrupted');
      }
      if (manual && hold === 'closed') setTimeout(() => closeBets(table), 900);
    }, 300);
  }

  // ---- sockets

  const connect: Connect = (path) => {
    const [, kind = '', id = ''] = /\/feed\/(\w+)(?:\/(\d+))?$/.exec(path) ?? [];
    const socket: Socket = {
      // Nothing reaches a host whose cable is pulled.
      send: (text) => {
        if (!away()) receive(JSON.parse(text));
      },
      close: () => clients.delete(client),
      onopen: null,
      onmessage: null,
      onclose: null,
    };
    const client: Client = { kind, id: Number(id), socket, player: null };
    if (kind === 'terminal') {
      const table = tables.find((one) => one.data.seats.some((seat) => seat.id === Number(id))) ?? tables[0]!;
      const seat = table.data.seats.find((one) => one.id === Number(id)) ?? table.data.seats[0]!;
      let player = table.own.get(seat.id);
      if (!player) {
        player = new Player(seat, table);
        table.own.set(seat.id, player);
      }
      client.player = player;
    }

    function answer(number: number, error: Refusal | null, ticket?: Ticket): void {
      tell(
        client,
        error ? { type: 'answer', number, error } : { type: 'answer', number, accepted: sequence, ticket },
      );
    }

    function receive(frame: { type: string; number: number; [field: string]: unknown }): void {
      const { player } = client;
      if (frame.type === 'hello') {
        clients.add(client);
        tell(client, {
          type: 'snapshot',
          sequence,
          cursor: String(sequence),
          now: Date.now(),
          events: [],
          complete: true,
          view: viewFor(client),
        });
        return;
      }
      if (!player) return;
      // A little delay, so that pending chips can be seen.
      setTimeout(
        () => {
          let error: Refusal | null = null;
          let ticket: Ticket | undefined;
          switch (frame.type) {
            case 'bet':
              error = player.change(frame.changes as Change[]);
              break;
            case 'clear':
              error = player.change(
                player.bets
                  .filter((bet) => bet.group === 0)
                  .map((bet) => ({ take: bet.spot, amount: bet.stake })),
              );
              if (!error) error = player.change(player.pieces.map((one) => ({ take_pieces: one.group })));
              break;
            case 'repeat': {
              const times = frame.doubled ? 2 : 1;
              error = player.change([
                ...player.before.bets
                  .filter((bet) => bet.group === 0)
                  .map((bet) => ({ add: bet.spot, amount: wire(cents(bet.stake) * times) })),
                ...player.before.pieces.map((one) => ({
                  pieces: one.bet,
                  unit: wire(cents(one.unit) * times),
                })),
              ]);
              break;
            }
            case 'demo_cash':
              player.credit += cents(frame.amount as string);
              break;
            case 'ticket_in':
              if (String(frame.ticket).startsWith('0'))
                error = refuse('unknown_ticket', 'S16', 'This ticket is unknown.', '兑现券不存在。');
              else player.credit += 10_000;
              break;
            case 'print_job':
            case 'cash_out': {
              if (player.credit + player.printing === 0) {
                error = refuse('no_credit', 'S17', 'There is no credit to pay out.', '没有可兑现的余额。');
                break;
              }
              player.printing += player.credit;
              player.credit = 0;
              ticket = {
                id: 991,
                number: '730048211906635174',
                amount: wire(player.printing),
                words: { en: inWords(player.printing), zh: `新加坡元 ${wire(player.printing)} 整` },
                floor: 'demo',
                terminal: player.seat.name,
                issued: Date.now(),
                expires: Date.now() + 30 * 86_400_000,
                reprint: false,
                demonstration: true,
              };
              break;
            }
            case 'printed':
              player.printing = 0;
              break;
            case 'print_failed':
              player.credit += player.printing;
              player.printing = 0;
              break;
            case 'call_attendant':
              player.called = Date.now();
              break;
            case 'loss_limit':
              player.loss = frame.limit as string | null;
              break;
          }
          if (!error) publish(player.table, frame.type);
          answer(frame.number, error, ticket);
        },
        Number(flags.get('delay') ?? 120),
      );
    }
    setTimeout(() => {
      if (kind === 'terminal') tell(client, { type: 'challenge', nonce: 'mock' });
      else socket.onopen?.();
    }, 10);
    return socket;
  };

  // ---- HTTP

  const reply = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status });
  const info: FloorInfo = {
    name: 'demo',
    demonstration: true,
    sequence,
    now: Date.now(),
    locked: false,
    tables: tables.map(tableSection),
    terminals: floor.flatMap((one) =>
      one.seats.map((seat) => ({
        ...seat,
        table: one.id,
        live: seat.id !== 7,
        locked: null,
        tables: [],
        visited: false,
      })),
    ),
  };

  const fetcher: Fetch = async (path, init) => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (path === '/api/v1/host')
      return reply({
        version: '0',
        program: '0'.repeat(64),
        floors: ['demo'],
        now: Date.now(),
        demonstration: true,
      });
    if (path.startsWith('/api/v1/lab/')) {
      const found = lab(path, books);
      if (found !== undefined) return reply(found);
      return reply(
        { error: refuse('not_found', '', 'There is no such thing.', '找不到所请求的内容。') },
        404,
      );
    }
    const rest = path.replace('/api/v1/floors/demo', '');
    const body = init?.body ? JSON.parse(String(init.body)) : {};
    const method = init?.method ?? 'GET';
    if (rest === '') return reply(info);
    if (rest === '/rulebooks')
      return reply(
        books.map(({ id, hash, title, operator, version, approved }) => ({
          id,
          hash,
          title,
          operator,
          version,
          approved,
        })),
      );
    if (rest.startsWith('/rulebooks/')) return reply(books.find((one) => rest.endsWith(one.hash)));
    if (rest === '/demonstration') {
      return reply({
        staff: ['dealer', 'pit', 'shift', 'cage', 'admin'].map((login) => ({
          login,
          password: 'demo',
          ...person(login),
        })),
        terminals: info.terminals.filter((one) => one.id !== 3),
      });
    }
    if (/^\/tables\/\d+\/preview$/.test(rest))
      return reply({
        preview: 'p1',
        rounds: [
          {
            round: 12,
            was: '1-1-3',
            outcome: null,
            players: 3,
            credited: '240.00',
            payable: '0.00',
            unpaid: '0.00',
            taken: '0.00',
            uncollected: '0.00',
          },
        ],
        total: {
          players: 3,
          credited: '240.00',
          payable: '0.00',
          unpaid: '0.00',
          taken: '0.00',
          uncollected: '0.00',
        },
      });
    if (/\/sit$/.test(rest) && flags.has('enrol'))
      return reply(
        { error: refuse('not_found', 'the request', 'There is no such free terminal', '找不到所请求的内容') },
        404,
      );
    if (/\/sit$/.test(rest))
      return reply({
        kind: 'terminal',
        id: Number(rest.split('/')[3]),
      });
    if (rest === '/hosts') {
      const row = (name: string, leads: boolean) => ({
        host: name,
        address: `https://${name}.example:8443`,
        leads,
        key: '',
      });
      return reply({
        host: 'one',
        leads: true,
        hosts: [row('one', true), row('two', false)],
        waiting: [],
        keys: [],
      });
    }
    if (rest === '/session') {
      if (method === 'DELETE') {
        session = null;
        return reply({});
      }
      if (method === 'POST') session = person(body.login);
      return session
        ? reply(session)
        : reply({ error: refuse('sign_in', 'S8', 'Sign in first.', '请先登录。') }, 401);
    }
    const command = /^\/tables\/(\d+)\/(.+)$/.exec(rest);
    if (command) {
      const table = tables.find((one) => one.data.id === Number(command[1]))!;
      act(table, command[2]!, body);
      return reply({ accepted: sequence });
    }
    const automatic = /^\/demonstration\/tables\/(\d+)\/automatic$/.exec(rest);
    if (automatic) {
      const table = tables.find((one) => one.data.id === Number(automatic[1]))!;
      table.automatic = body.on;
      publish(table, 'automatic');
      return reply({ accepted: sequence });
    }
    if (/^\/alerts\/\d+\/acknowledge$/.test(rest)) {
      alerts.splice(
        alerts.findIndex((one) => one.id === Number(rest.split('/')[2])),
        1,
      );
      publish(null, 'alert');
      return reply({ accepted: sequence });
    }
    if (rest === '/cage/shift/close') shift = null;
    if (rest === '/cage/shift/open') shift = { id: 13, float: body.float, counted: null, expected: null };
    if (rest === '/cage/shift/count' && shift) {
      const counted = (body.counts as { denomination: string; pieces: number }[]).reduce(
        (sum, pile) => sum + cents(pile.denomination) * pile.pieces,
        0,
      );
      shift = { ...shift, counted: wire(counted), expected: '23450.00' };
    }
    if (rest.startsWith('/cage/shift')) {
      publish(null, 'shift');
      return reply({ accepted: sequence });
    }
    if (rest === '/cage/redeem') {
      if (String(body.number).startsWith('0'))
        return reply(
          {
            error: refuse(
              'already_paid',
              'S16',
              'This ticket was paid on 14 Nov 2026 at 22:10.',
              '此兑现券已于 2026 年 11 月 14 日 22:10 兑付。',
            ),
          },
          409,
        );
      return reply({ accepted: sequence, amount: '245.50' });
    }
    if (rest === '/cage/sell') {
      return reply({
        accepted: sequence,
        ticket: {
          id: 5,
          number: '730048211906635174',
          amount: body.amount,
          words: { en: inWords(cents(body.amount)), zh: `新加坡元 ${body.amount} 整` },
          floor: 'demo',
          terminal: null,
          issued: Date.now(),
          expires: Date.now() + 30 * 86_400_000,
          reprint: false,
          demonstration: true,
        },
      });
    }
    if (/\/code$/.test(rest)) return reply({ code: 'K7QF-M2XD', expires: Date.now() + 600_000 });
    if (rest === '/keys/challenge') return reply({ nonce: 'bm9uY2U=' });
    if (rest === '/keys/prove')
      return reply({ token: 'mock', expires: Date.now() + 600_000, next_number: Date.now() * 1000 });
    if (rest.startsWith('/records/')) return reply(records(rest, tables, sequence));
    if (rest.startsWith('/reports/')) {
      const whole = (id: string) => records(`/records/rounds/${id}`, tables, sequence) as WholeRound;
      const found = reports(rest, tables, sequence, whole);
      if (found !== null) return reply(found);
      return reply(
        { error: refuse('no_such_day', '', 'There is no such gaming day.', '没有这个营业日。') },
        404,
      );
    }
    return reply({ accepted: sequence });
  };

  function act(
    table: Table,
    command: string,
    body: { outcome?: string; ground?: string; finding?: string },
  ): void {
    switch (command) {
      case 'begin-round':
        table.phase = 'begun';
        break;
      case 'open-bets':
        openBets(table);
        return;
      case 'close-bets':
        closeBets(table);
        return;
      case 'result':
        table.entered = body.outcome ?? null;
        break;
      case 'confirm':
        finish(table, table.entered);
        return;
      case 'void':
      case 'ground/confirm':
        table.halted = false;
        finish(table, null);
        return;
      case 'ground/dismiss':
        table.halted = false;
        break;
      case 'attest':
        table.interrupted = false;
        if (body.finding === 'not_established') {
          finish(table, null);
          return;
        }
        break;
    }
    publish(table, command);
  }

  return { connect, fetch: fetcher };
}

function sorted(): string[] {
  const all: string[] = [];
  for (let a = 1; a <= 6; a++)
    for (let b = a; b <= 6; b++) for (let c = b; c <= 6; c++) all.push(`${a}-${b}-${c}`);
  return all;
}

function sameOutcome(a: string, b: string): boolean {
  return a.split('-').sort().join() === b.split('-').sort().join();
}

function inWords(amount: Cents): string {
  const ones = [
    'zero',
    'one',
    'two',
    'three',
    'four',
    'five',
    'six',
    'seven',
    'eight',
    'nine',
    'ten',
    'eleven',
    'twelve',
    'thirteen',
    'fourteen',
    'fifteen',
    'sixteen',
    'seventeen',
    'eighteen',
    'nineteen',
  ];
  const tens = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
  const below = (n: number): string => {
    if (n < 20) return ones[n]!;
    if (n < 100) return tens[Math.floor(n / 10)]! + (n % 10 ? `-${ones[n % 10]}` : '');
    if (n < 1000) return `${ones[Math.floor(n / 100)]} hundred${n % 100 ? ` ${below(n % 100)}` : ''}`;
    return `${below(Math.floor(n / 1000))} thousand${n % 1000 ? ` ${below(n % 1000)}` : ''}`;
  };
  return `Singapore dollars ${below(Math.floor(amount / 100))} and ${String(amount % 100).padStart(2, '0')}/100`;
}
