// The WebSocket client: one feed per page. It proves a key, takes a snapshot and then the tail, keeps its cursor over a
// reconnect, counts the host as lost after two seconds of silence, goes to another host of the floor when its own stays
// away, and hands out answers by number.

import type {
  Bet,
  CabinetFrame,
  Command,
  Delta,
  FloorEvent,
  HostFrame,
  Refusal,
  Ticket,
  View,
} from './contract';

export interface Socket {
  send(text: string): void;
  close(): void;
  onopen: (() => void) | null;
  onmessage: ((event: { data: string }) => void) | null;
  onclose: (() => void) | null;
}
/** Without an address: to the host that served the page. */
export type Connect = (path: string, address?: string) => Socket;

export type Answer = { accepted: number; ticket?: Ticket | null };
/** `held`: the key is in use at another place, and a Pit Supervisor has to approve this link. */
export type Connection = 'connecting' | 'live' | 'held' | 'lost' | 'ended';

/** What the host refused, with the rule behind it. */
export class Refused extends Error {
  constructor(
    readonly refusal: Refusal,
    readonly status = 409,
  ) {
    super(refusal.message.en);
  }
}

/** The link broke before an answer came: whether the command stands is seen from the next snapshot. */
export class Unanswered extends Error {}

export type FeedOptions = {
  path: string;
  connect: Connect;
  /** Terminals and devices: their key, to prove who they are. */
  key?: { kind: 'terminal' | 'device'; id: number; sign: (words: string) => Promise<string> };
  /** Displays come back without their cursor: they have proved nothing, and need nothing but a snapshot. */
  forgets?: boolean;
  /** Where else the floor is served, for feeds that need no session of the host that served the page. */
  elsewhere?: () => string[];
  onview: (view: Partial<View>, events: FloorEvent[]) => void;
  onconnection: (state: Connection, reason?: string) => void;
  /** What happens in the cabinet around the page. */
  oncabinet?: (frame: CabinetFrame) => void;
  now?: () => number;
  silence?: number;
};

/** With what the page of a terminal reads its own records while its link to the host that served it is open. */
export const readers = new Map<number, string>();

/** What a terminal read with over its last link is kept over a reload: it tells this page from another with its key. */
const last = {
  read(id: number): string | undefined {
    try {
      return sessionStorage.getItem(`reader-${id}`) ?? undefined;
    } catch {
      return undefined;
    }
  },
  keep(id: number, reader: string): void {
    try {
      sessionStorage.setItem(`reader-${id}`, reader);
    } catch {
      // Without storage a reload may have to wait for approval.
    }
  },
};

const historyLength = 2000;
const backoff = [250, 500, 1000, 2000, 4000];
/** A host is tried so often before another is, and then they take turns. */
const faithful = 2;

export class Feed {
  view: Partial<View> = {};
  /** Opaque: only the floor that gave it can read it. */
  cursor: string | null = null;
  /** Host's clock minus ours. */
  offset = 0;
  connection: Connection = 'connecting';

  #options: Required<Omit<FeedOptions, 'key' | 'oncabinet'>> & Pick<FeedOptions, 'key' | 'oncabinet'>;
  #socket: Socket | null = null;
  /** The host it was live at last; undefined for the one that served the page. */
  #home: string | undefined;
  #at: string | undefined;
  #attempt = 0;
  #number = 0;
  #waiting = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>();
  #silent: ReturnType<typeof setTimeout> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #stopped = false;

  constructor(options: FeedOptions) {
    this.#options = { now: Date.now, silence: 2000, forgets: false, elsewhere: () => [], ...options };
    this.#open();
  }

  hostNow(): number {
    return this.#options.now() + this.offset;
  }

  /** Sends a command and resolves with the host's answer; while the host is lost nothing is sent. */
  send(command: Command): Promise<Answer> {
    if (this.connection !== 'live' || !this.#socket) return Promise.reject(new Unanswered('no connection'));
    // By the host's clock: a number far ahead of it is refused.
    const sent = Math.round(this.hostNow());
    const number = Math.max(this.#number + 1, sent * 1000);
    this.#number = number;
    const socket = this.#socket;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      // A bet that comes too late is not registered without its player.
      const bets = command.type === 'bet' || command.type === 'repeat';
      socket.send(JSON.stringify({ ...command, number, ...(bets ? { sent } : {}) }));
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#drop();
    this.#set('ended');
  }

  /** Where to try now: at home first, then at all in turn. */
  #place(): string | undefined {
    if (this.#attempt <= faithful) return this.#home;
    const others = [undefined, ...this.#options.elsewhere()].filter((place) => place !== this.#home);
    return [...others, this.#home][(this.#attempt - faithful - 1) % (others.length + 1)];
  }

  #live(): void {
    this.#attempt = 0;
    this.#home = this.#at;
    this.#set('live');
  }

  #open(): void {
    this.#at = this.#place();
    const socket = this.#options.connect(this.#options.path, this.#at);
    this.#socket = socket;
    this.#listen();
    socket.onopen = () => {
      if (!this.#options.key) this.#hello(socket, null);
    };
    socket.onmessage = (event) => {
      if (socket !== this.#socket) return;
      this.#listen();
      void this.#receive(socket, JSON.parse(event.data) as HostFrame | CabinetFrame);
    };
    socket.onclose = () => {
      if (socket === this.#socket) this.#lost();
    };
  }

  #reads(reader: string | undefined): void {
    const key = this.#options.key;
    if (key?.kind !== 'terminal') return;
    if (reader) last.keep(key.id, reader);
    if (reader && this.#at === undefined) readers.set(key.id, reader);
    else readers.delete(key.id);
  }

  async #receive(socket: Socket, frame: HostFrame | CabinetFrame): Promise<void> {
    if ('now' in frame) this.offset = frame.now - this.#options.now();
    switch (frame.type) {
      case 'challenge': {
        const key = this.#options.key;
        if (key) this.#hello(socket, await key.sign(`croupier:${key.kind}:${key.id}:${frame.nonce}`));
        return;
      }
      case 'snapshot':
        this.cursor = frame.cursor;
        this.view = frame.view;
        // An earlier holder of the key may have used numbers far ahead.
        this.#number = Math.max(this.#number, (frame.next_number ?? 1) - 1);
        this.#reads(frame.reader);
        this.#live();
        this.#options.onview(this.view, frame.events);
        return;
      case 'update':
        this.cursor = frame.cursor;
        this.view = merge(this.view, frame.view);
        if (this.connection !== 'live') this.#live();
        this.#options.onview(this.view, frame.events);
        return;
      case 'answer': {
        const waiting = this.#waiting.get(frame.number);
        if (!waiting) return;
        this.#waiting.delete(frame.number);
        if (frame.error) waiting.reject(new Refused(frame.error));
        else waiting.resolve({ accepted: frame.accepted ?? 0, ticket: frame.ticket });
        return;
      }
      case 'held':
        this.#attempt = 0;
        this.#set('held');
        return;
      case 'tick':
        return;
      case 'cabinet':
        this.#options.oncabinet?.(frame);
        return;
      case 'bye':
        if (frame.reason === 'revoked' || frame.reason === 'replaced') {
          this.#stopped = true;
          this.#drop();
          this.#set('ended', frame.reason);
        } else {
          // The player chose another table: what was seen of the old one is nothing to come back with (D29).
          if (frame.reason === 'moved') this.cursor = null;
          this.#lost();
        }
    }
  }

  #hello(socket: Socket, proof: string | null): void {
    const cursor = this.#options.forgets ? null : this.cursor;
    const key = this.#options.key;
    const reader = key?.kind === 'terminal' ? last.read(key.id) : undefined;
    socket.send(
      JSON.stringify(proof === null ? { type: 'hello', cursor } : { type: 'hello', proof, cursor, reader }),
    );
  }

  /** Starts the two seconds anew; their end without a message is a lost connection. */
  #listen(): void {
    clearTimeout(this.#silent);
    this.#silent = setTimeout(() => this.#lost(), this.#options.silence);
  }

  #lost(): void {
    if (this.#stopped) return;
    this.#drop();
    this.#set('lost');
    // Where there are several, none of them waits long for its turn.
    const longest = this.#options.elsewhere().length > 0 ? 2 : backoff.length - 1;
    const wait = backoff[Math.min(this.#attempt, longest)]!;
    this.#attempt += 1;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.#open(), wait);
  }

  #drop(): void {
    clearTimeout(this.#silent);
    clearTimeout(this.#retry);
    const socket = this.#socket;
    this.#socket = null;
    if (socket) {
      socket.onopen = socket.onmessage = socket.onclose = null;
      socket.close();
    }
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(new Unanswered('connection lost'));
  }

  #set(state: Connection, reason?: string): void {
    if (this.connection === state) return;
    this.connection = state;
    this.#options.onconnection(state, reason);
  }
}

/** Lays changed sections over the state: whole sections replace, additions and single bets are worked in. */
export function merge(view: Partial<View>, delta: Delta): Partial<View> {
  const { results_added, bets_set, ...sections } = delta;
  const next: Partial<View> = { ...view, ...sections };
  if (results_added && !sections.results) {
    next.results = [...(view.results ?? []), ...results_added].slice(-historyLength);
  }
  if (bets_set) next.bets = setBets(next.bets ?? [], bets_set);
  return next;
}

function setBets(placed: Bet[], changed: Bet[]): Bet[] {
  const name = (bet: Bet) => `${bet.group}:${bet.spot}`;
  const byName = new Map(placed.map((bet) => [name(bet), bet]));
  for (const bet of changed) {
    if (/^0(\.0+)?$/.test(bet.stake)) byName.delete(name(bet));
    else byName.set(name(bet), bet);
  }
  return [...byName.values()];
}

export async function prove(key: Uint8Array<ArrayBuffer>, words: string): Promise<string> {
  const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
  ]);
  const signed = await crypto.subtle.sign('HMAC', imported, new TextEncoder().encode(words));
  return toBase64(new Uint8Array(signed));
}

export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const decoded = atob(text);
  const bytes = new Uint8Array(decoded.length);
  for (let i = 0; i < decoded.length; i++) bytes[i] = decoded.charCodeAt(i);
  return bytes;
}

/** The browser's own socket. */
export const connectBrowser: Connect = (path, address = location.origin) => {
  const place = new URL(path, address);
  place.protocol = place.protocol === 'https:' ? 'wss:' : 'ws:';
  const web = new WebSocket(place);
  const socket: Socket = {
    send: (text) => web.send(text),
    close: () => web.close(),
    onopen: null,
    onmessage: null,
    onclose: null,
  };
  web.onopen = () => socket.onopen?.();
  web.onmessage = (event) => socket.onmessage?.({ data: String(event.data) });
  web.onclose = () => socket.onclose?.();
  return socket;
};
