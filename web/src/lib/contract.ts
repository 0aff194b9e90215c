// The shapes that travel between host and pages. Written by hand only until the host's OpenAPI document exists;
// then this file re-exports the generated types and keeps their names.

export type Text = { en: string; zh: string };
/** Dollars with two decimals: "10.00". */
export type Money = string;
/** Milliseconds since 1970 by the host's clock. */
export type Moment = number;
export type SpotId = string;
export type OutcomeId = string;

export type Refusal = { code: string; rule: string | null; message: Text };

export type HostInfo = {
  version: string;
  program: string;
  floors: string[];
  now: Moment;
  demonstration: boolean;
};

export type FloorInfo = {
  name: string;
  demonstration: boolean;
  sequence: number;
  now: Moment;
  locked: boolean;
  tables: { id: number; name: string; game: string; title: Text; mode: string; open: boolean }[];
  terminals: { id: number; name: string; table: number; layout: string; kind: string }[];
};

export type RulebookInfo = {
  id: string;
  hash: string;
  title: Text;
  operator: string;
  version: string;
  approved: boolean;
};

export type Outcomes = { kind: 'dice' } | { kind: 'wheel'; zeros: string[]; order: string[]; red: string[] };

export type Family = { id: string; name: Text; wins: Text; paragraph: string };
export type Ground = {
  id: string;
  name: Text;
  paragraph: string;
  how: 'measured' | 'proposed' | 'declared' | 'attested';
  scope: 'current' | 'affected';
};
export type Pieces = { bet: string; name: Text; pieces: { spot: SpotId; count: number }[] };
export type Area = { id: string; at: [number, number, number, number] | null; rows: SpotId[][] };
export type Spot = {
  id: SpotId;
  family: string;
  name: Text;
  odds: string[];
  paragraph: string;
  inferred: string | null;
  covers: string[];
};
export type LayoutData = {
  id: string;
  name: Text;
  pay_table: string;
  paragraph: string;
  assumed: string | null;
  canvas: [number, number];
  areas: Area[];
  step: Money;
  spots: Spot[];
};
export type Procedure = {
  begins: string;
  device: { kind: 'tumbler' | 'wheel'; covered: boolean; minimum: number };
  allowed: string;
};
export type Rulebook = {
  id: string;
  hash: string;
  title: Text;
  operator: string;
  version: string;
  in_force: string | null;
  approved: boolean;
  play: 'terminals' | 'live';
  notices: { opening: Text; closing: Text };
  procedure: Procedure;
  outcomes: Outcomes;
  families: Family[];
  grounds: Ground[];
  pieces: Pieces[];
  terminals: { id: string; name: Text; layouts: string[]; pieces: boolean }[];
  layouts: LayoutData[];
  paragraphs: { number: string; class: string; title: Text }[];
  takes_back: Text;
};

// ---- sections of the views

export type Limit = { family: string; minimum: Money; maximum: Money | null };
export type TableSection = {
  id: number;
  name: string;
  game: string;
  rulebook: string;
  mode: string;
  open: boolean;
  closes_at: Moment | null;
  automatic: boolean;
  limits: Limit[];
  differential: Money | null;
  announced: Limit[] | null;
  step: Money;
};
export type Phase = 'begun' | 'open' | 'closed' | 'result' | 'settled' | 'void';
export type RoundSection = {
  id: number;
  phase: Phase;
  notice: Text | null;
  opened_at: Moment | null;
  closes_at: Moment | null;
  halted: boolean;
  interrupted: boolean;
  outcome: OutcomeId | null;
} | null;
export type ResultEntry = { round: number; outcome: OutcomeId | null };
export type Bet = { spot: SpotId; group: number; stake: Money };
export type PlacedPieces = { group: number; bet: string; unit: Money };
export type LastRound = {
  round: number;
  outcome: OutcomeId | null;
  void: Text | null;
  staked: Money;
  returned: Money;
};
export type OwnSection = {
  terminal: number;
  name: string;
  layout: string;
  kind: string;
  usable: boolean;
  why: Refusal | null;
  credit: Money;
  printing: Money;
  staked: Money;
  bets: Bet[];
  pieces: PlacedPieces[];
  loss_limit: Money | null;
  last: LastRound | null;
  repeatable: boolean;
};
export type Ticket = {
  id: number;
  number: string;
  amount: Money;
  words: Text;
  floor: string;
  terminal: string | null;
  issued: Moment;
  expires: Moment;
  sequence: number;
  reprint: boolean;
};
export type LitSection = { layout: string; spots: SpotId[] }[] | SpotId[];

export type ConsoleTerminal = {
  id: number;
  name: string;
  layout: string;
  live: boolean;
  locked: boolean;
  staked: Money;
};
export type Device = {
  id: number;
  name: string;
  kind: string;
  state: string;
  seen: { tumbles?: number; revolutions?: number; dice?: (string | null)[]; pocket?: string | null } | null;
};
export type ConsoleBox = {
  spot: SpotId;
  bets: { position: number; amount: Money }[];
  total: Money;
  excess: Money;
  under_minimum: number[];
};
export type ConsoleSection = {
  dealer: { id: number; name: string } | null;
  terminals: { enrolled: number; live: number; betting: number };
  list: ConsoleTerminal[];
  awaiting: number;
  staked: Money;
  worst: { outcome: OutcomeId; loss: Money } | null;
  exposure: { outcome: OutcomeId; loss: Money }[];
  entered: { outcome: OutcomeId; returns: Money } | null;
  ground: { id: string; name: Text; paragraph: string; proposed: boolean } | null;
  device: Device | null;
  proposal: { established: boolean; finding: string; words: Text; paragraphs: string[] } | null;
  boxes: ConsoleBox[];
  may: Record<string, Refusal | null>;
};
export type PitTable = {
  table: TableSection;
  round: RoundSection;
  dealer: { id: number; name: string } | null;
  players: number;
  rounds: number;
  void: number;
  turnover: Money;
  win: Money;
  hold: string;
  games_per_hour: number;
  liability: Money;
  limit: Money | null;
  exposure: { outcome: OutcomeId; loss: Money }[];
};
export type Alert = { id: number; at: Moment; table: number | null; kind: string; words: Text };
export type StaffMember = {
  id: number;
  name: string;
  post: string;
  acting: string | null;
  table: number | null;
};
export type CageShift = { id: number; float: Money; cash: Money } | null;
export type Payable = { id: number; round: number; terminal: string; amount: Money };

/** Everything a feed may carry; each page reads its own sections. */
export type View = {
  table: TableSection;
  round: RoundSection;
  results: ResultEntry[];
  lit: SpotId[] | Record<string, SpotId[]>;
  own: OwnSection;
  console: ConsoleSection;
  tables: PitTable[];
  alerts: Alert[];
  uncollected: Money;
  payable: Money;
  staff: StaffMember[];
  shift: CageShift;
  outstanding: { count: number; amount: Money };
  payables: Payable[];
  terminals: ConsoleTerminal[];
  devices: Device[];
  health: { name: string; state: string; detail: Text }[];
};

// ---- frames

export type FloorEvent = { sequence: number; kind: string; [field: string]: unknown };
export type Change =
  | { add: SpotId; amount: Money }
  | { take: SpotId; amount: Money }
  | { pieces: string; unit: Money }
  | { take_pieces: number };

export type HostFrame =
  | { type: 'challenge'; nonce: string }
  | { type: 'snapshot'; sequence: number; now: Moment; view: Partial<View> }
  | {
      type: 'update';
      sequence: number;
      now: Moment;
      events: FloorEvent[];
      view: Partial<View> & { results_added?: ResultEntry[]; bets_set?: Bet[]; bets?: Bet[] };
      missed?: boolean;
    }
  | { type: 'answer'; number: number; accepted?: number; error?: Refusal; ticket?: Ticket }
  | { type: 'tick'; now: Moment }
  | { type: 'bye'; reason: 'slow' | 'stopping' | 'revoked' | 'replaced' | 'limits' };

export type Session = {
  staff: number;
  name: string;
  post: string;
  acting: string | null;
  rank: string;
  expires: Moment;
  next_number?: number;
};

export type Door = { login: string; password: string; name: string; post: string };
export type Demonstration = {
  staff: Door[];
  terminals: { id: number; name: string; table: number; layout: string; free: boolean }[];
};
