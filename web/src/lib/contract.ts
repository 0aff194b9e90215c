// The shapes that travel between host and pages: names for the types made from the host's OpenAPI document
// (`npm run types`), and what is narrower on the side of the pages.

import type { components } from './openapi';

type Schemas = components['schemas'];

export type Text = Schemas['Words'];
export type Money = Schemas['Money'];
export type SpotId = string;
export type OutcomeId = string;
export type Refusal = Schemas['Error'];

/** What the agent of a cabinet adds: this page is the screen of that terminal, and holds no key. */
export type HostInfo = Schemas['HostBody'] & { cabinet?: { terminal: number; floor: string } };
/** What the agent of a cabinet tells its page, on the same socket as the floor. */
export type CabinetEvent = { at: number; kind: string; about?: string; alert: boolean };
export type CabinetState = { refuses: string | null; can_print: boolean; door: boolean; simulated: boolean };
export type CabinetFrame = { type: 'cabinet'; event?: CabinetEvent; state?: CabinetState };
export type FloorInfo = Schemas['FloorSection'];
export type Hosts = Schemas['HostsBody'];
export type HostRow = Schemas['HostRow'];
export type RulebookInfo = Schemas['RulebookRow'];
export type Rulebook = Schemas['RulebookBody'];
export type Outcomes = Schemas['OutcomesSection'];
export type Ground = Schemas['VoidGroundSection'];
export type Pieces = Schemas['MultiPieceSection'];
export type Area = Schemas['AreaSection'];
export type Spot = Schemas['SpotSection'];
export type LayoutData = Schemas['LayoutSection'];
export type Procedure = Schemas['ProcedureSection'];

export type Limit = Schemas['LimitSection'];
export type TableSection = Schemas['TableSection'];
export type RoundSection = Schemas['RoundSection'];
/** Why a round is void, where the host tells it. */
export type VoidReason = { words: Text; paragraph?: string | null };
export type LastRoundSection = Schemas['LastRoundSection'] & { void?: VoidReason | null };
export type ResultEntry = Schemas['ResultRow'];
export type Bet = Schemas['BetRow'];
export type PlacedPieces = Schemas['PiecesRow'];
export type OwnSection = Schemas['OwnSection'];
export type Ticket = Schemas['TicketSlip'];
export type ConsoleSection = Schemas['ConsoleSection'];
export type PitSection = Schemas['PitSection'];
export type DoubtSection = Schemas['DoubtSection'];
export type Thresholds = Schemas['ThresholdsSection'];
export type Control = Schemas['ControlSection'];
export type Pile = Schemas['PileInput'];
export type PeopleReport = Schemas['PeopleReport'];
export type TicketsReport = Schemas['TicketsReport'];
export type TerminalReport = Schemas['TerminalReport'];
export type PitTable = Schemas['PitTableSection'];
export type CageSection = Schemas['CageSection'];
export type Payable = Schemas['PayableRow'];
export type Stop = Schemas['StopRow'];
export type DrawerRow = Schemas['DrawerRow'];
export type HeldRow = Schemas['HeldRow'];
export type SlipRow = Schemas['SlipRow'];
export type SlipReport = Schemas['SlipReport'];
export type SlipsReport = Schemas['SlipsReport'];
export type Preview = Schemas['PreviewBody'];
export type FloorEvent = Schemas['EventMessage'];
export type Session = Schemas['SessionBody'];
export type Demonstration = Schemas['Doors'];

export type PastRound = Schemas['RoundRow'];
export type PastRounds = Schemas['RoundsBody'];
export type WholeRound = Schemas['RoundBody'];
export type PastBets = Schemas['PastBets'];
export type Recall = Schemas['RecallBody'];
export type Receipt = Schemas['ReceiptBody'];
export type Movements = Schemas['MoneyBody'];
export type FoundMoney = Schemas['FoundMoneyBody'];
export type SignificantEvents = Schemas['SignificantBody'];
export type DayReport = Schemas['DayReport'];
export type TableReport = Schemas['TableReport'];
export type RoundReport = Schemas['RoundReportBody'];
export type Figures = Schemas['Figures'];
export type SoFar = Schemas['SoFar'];
export type Odds = Schemas['OddsBody'];
export type SpotOdds = Schemas['SpotOddsBody'];
export type LabSession = Schemas['Session'];
export type Comparison = Schemas['Comparison'];
export type Device = Schemas['DeviceSection'];
export type DeviceKind = Schemas['DeviceKindName'];
export type Staff = Schemas['StaffSection'];
export type Post = Schemas['PostName'];
export type Mode = Schemas['ModeName'];
export type Movement = Schemas['MovementName'];
export type Assertion = Schemas['Assertion'];
export type Registration = Schemas['Registration'];
export type PasskeyChallenge = Schemas['ChallengeBody'];
export type PasskeyRow = Schemas['PasskeyBody'];
export type Credentials = Schemas['CredentialsBody'];
export type HeldLink = Schemas['HeldLink'];

/** Everything a feed may carry; each page reads its own sections. */
export type View = {
  table: TableSection;
  round: RoundSection | null;
  results: ResultEntry[];
  last_round: LastRoundSection | null;
  lit: SpotId[];
  own: OwnSection;
  bets: Bet[];
  console: ConsoleSection;
  faults: Schemas['FaultRow'][] | null;
  pit: PitSection;
  cage: CageSection;
  floor: FloorInfo;
  devices: Schemas['DeviceSection'][];
  staff: Schemas['StaffSection'][];
  control: Schemas['ControlSection'];
  health: Schemas['HealthSection'];
};

/** The changed sections of an update, with what is added to or laid over a section. */
export type Delta = Partial<View> & { results_added?: ResultEntry[]; bets_set?: Bet[] };

type Message = Schemas['BetChangeMessage'];
type Filled<Key extends keyof Message> = { [Name in Key]: NonNullable<Message[Name]> };
export type Change =
  | Filled<'add' | 'amount'>
  | Filled<'take' | 'amount'>
  | Filled<'pieces' | 'unit'>
  | Filled<'take_pieces'>;

type Numbered<One> = One extends { type: 'hello' }
  ? never
  : One extends unknown
    ? Omit<One, 'number'>
    : never;
/** What a page asks of the host; the feed gives it its number. */
export type Command = Numbered<Schemas['ClientMessage']>;

type Seen<One> = One extends { type: 'snapshot' | 'update' } ? Omit<One, 'view'> & { view: Delta } : One;
export type HostFrame = Seen<Schemas['HostMessage']>;
