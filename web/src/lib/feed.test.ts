import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Api, Unknown } from './api';
import type { OwnSection } from './contract';
import { type Connection, Feed, merge, prove, Refused, type Socket, Unanswered } from './feed';

class FakeSocket implements Socket {
  sent: Record<string, unknown>[] = [];
  closed = false;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: (() => void) | null = null;
  send(text: string) {
    this.sent.push(JSON.parse(text));
  }
  close() {
    this.closed = true;
  }
  say(frame: unknown) {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }
}

const own = { credit: '100.00', staked: '0.00', pieces: [] } as unknown as OwnSection;

function start(
  key?: { kind: 'terminal'; id: number; sign: (words: string) => Promise<string> },
  elsewhere: string[] = [],
) {
  const sockets: FakeSocket[] = [];
  const places: (string | undefined)[] = [];
  const states: Connection[] = [];
  const onview = vi.fn();
  const feed = new Feed({
    path: '/feed',
    connect: (_, place) => {
      const socket = new FakeSocket();
      sockets.push(socket);
      places.push(place);
      return socket;
    },
    key,
    elsewhere: () => elsewhere,
    onview,
    onconnection: (state) => states.push(state),
  });
  return { feed, sockets, places, states, onview };
}

function live(elsewhere: string[] = []) {
  const all = start(undefined, elsewhere);
  all.sockets[0]!.onopen?.();
  all.sockets[0]!.say({
    type: 'snapshot',
    sequence: 10,
    cursor: 'ten',
    now: Date.now(),
    events: [],
    complete: true,
    view: { own, bets: [] },
  });
  return all;
}

describe('the feed', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('says hello without a key at once, and goes live with the snapshot', () => {
    const { feed, sockets, states } = live();
    expect(sockets[0]!.sent).toEqual([{ type: 'hello', cursor: null }]);
    expect(feed.cursor).toBe('ten');
    expect(states).toEqual(['live']);
  });

  it('proves its key by a signature over kind, id and nonce', async () => {
    vi.useRealTimers();
    const sign = (words: string) => Promise.resolve(`signed ${words}`);
    const { sockets, feed } = start({ kind: 'terminal', id: 3, sign });
    sockets[0]!.onopen?.();
    expect(sockets[0]!.sent).toEqual([]);
    sockets[0]!.say({ type: 'challenge', nonce: 'abc' });
    await vi.waitFor(() => expect(sockets[0]!.sent).toHaveLength(1));
    expect(sockets[0]!.sent[0]).toEqual({
      type: 'hello',
      proof: 'signed croupier:terminal:3:abc',
      cursor: null,
    });
    feed.stop();
  });

  it('names what its last link read with, so that a reload is told from a copied key', async () => {
    vi.useRealTimers();
    const kept = new Map<string, string>();
    vi.stubGlobal('sessionStorage', {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, text: string) => kept.set(name, text),
    });
    const key = { kind: 'terminal' as const, id: 3, sign: () => Promise.resolve('signed') };
    const opens = async () => {
      const { sockets, feed } = start(key);
      sockets[0]!.onopen?.();
      sockets[0]!.say({ type: 'challenge', nonce: 'abc' });
      await vi.waitFor(() => expect(sockets[0]!.sent).toHaveLength(1));
      sockets[0]!.say({
        type: 'snapshot',
        sequence: 1,
        now: Date.now(),
        events: [],
        complete: true,
        view: {},
        reader: 'terminal-3.own',
      });
      feed.stop();
      return sockets[0]!.sent[0];
    };
    expect(await opens()).not.toHaveProperty('reader');
    expect(await opens()).toMatchObject({ reader: 'terminal-3.own' });
    vi.unstubAllGlobals();
  });

  it('waits where its key is in use at another place, and is live once it is approved', () => {
    const { sockets, states } = start();
    sockets[0]!.onopen?.();
    sockets[0]!.say({ type: 'held' });
    expect(states).toEqual(['held']);
    sockets[0]!.say({ type: 'snapshot', sequence: 1, now: Date.now(), events: [], complete: true, view: {} });
    expect(states).toEqual(['held', 'live']);
  });

  it('gives the known HMAC of keys of an earlier version', async () => {
    const proof = await prove(new TextEncoder().encode('key'), 'The quick brown fox jumps over the lazy dog');
    expect(proof).toBe('97yD9DBThCSxMpjmqm+xQ+9NWaFJRhdZl0edvC0aPNg=');
  });

  it('lays updates over the snapshot', () => {
    const { feed, sockets, onview } = live();
    sockets[0]!.say({
      type: 'update',
      sequence: 12,
      cursor: 'twelve',
      now: Date.now(),
      events: [{ sequence: 11, kind: 'bet' }],
      view: { own: { ...own, credit: '90.00' }, bets_set: [{ spot: 'big', group: 0, stake: '10.00' }] },
    });
    expect(feed.cursor).toBe('twelve');
    expect(feed.view.own).toMatchObject({ credit: '90.00', staked: '0.00' });
    expect(feed.view.bets).toEqual([{ spot: 'big', group: 0, stake: '10.00' }]);
    expect(onview).toHaveBeenCalledTimes(2);
  });

  it('knows the host clock', () => {
    const { feed, sockets } = live();
    sockets[0]!.say({ type: 'tick', now: Date.now() + 5000 });
    expect(feed.hostNow()).toBe(Date.now() + 5000);
  });

  it('resolves answers by number and rejects with the rule', async () => {
    const { feed, sockets } = live();
    const first = feed.send({ type: 'clear' });
    const second = feed.send({ type: 'repeat', doubled: true });
    const [, a, b] = sockets[0]!.sent as { number: number }[];
    expect(b!.number).toBeGreaterThan(a!.number);
    sockets[0]!.say({
      type: 'answer',
      number: b!.number,
      error: { code: 'closed', rule: '3.5', message: { en: 'No', zh: '否' } },
    });
    sockets[0]!.say({ type: 'answer', number: a!.number, accepted: 13 });
    await expect(first).resolves.toEqual({ accepted: 13, ticket: undefined });
    await expect(second).rejects.toBeInstanceOf(Refused);
  });

  it('is lost after two silent seconds and tells those who wait', async () => {
    const { feed, sockets, states } = live();
    vi.advanceTimersByTime(1500);
    sockets[0]!.say({ type: 'tick', now: Date.now() });
    vi.advanceTimersByTime(1900);
    expect(states).toEqual(['live']);
    const waiting = feed.send({ type: 'clear' });
    vi.advanceTimersByTime(101);
    expect(states).toEqual(['live', 'lost']);
    expect(sockets[0]!.closed).toBe(true);
    await expect(waiting).rejects.toBeInstanceOf(Unanswered);
    await expect(feed.send({ type: 'clear' })).rejects.toBeInstanceOf(Unanswered);
  });

  it('reconnects with growing pauses and its cursor', () => {
    const { sockets, states } = live();
    sockets[0]!.onclose?.();
    expect(sockets).toHaveLength(1);
    vi.advanceTimersByTime(250);
    expect(sockets).toHaveLength(2);
    sockets[1]!.onclose?.();
    vi.advanceTimersByTime(499);
    expect(sockets).toHaveLength(2);
    vi.advanceTimersByTime(1);
    sockets[2]!.onopen?.();
    expect(sockets[2]!.sent).toEqual([{ type: 'hello', cursor: 'ten' }]);
    sockets[2]!.say({
      type: 'update',
      sequence: 11,
      cursor: 'eleven',
      now: 0,
      events: [],
      view: {},
      missed: true,
    });
    expect(states).toEqual(['live', 'lost', 'live']);
  });

  it('goes to another host when its own stays away, and stays there', () => {
    const { sockets, places, states } = live(['https://two', 'https://three']);
    const fail = () => {
      sockets.at(-1)!.onclose?.();
      vi.advanceTimersByTime(1000);
    };
    for (let i = 0; i < 6; i++) fail();
    expect(places).toEqual([
      undefined,
      undefined,
      undefined,
      'https://two',
      'https://three',
      undefined,
      'https://two',
    ]);
    sockets.at(-1)!.onopen?.();
    expect(sockets.at(-1)!.sent).toEqual([{ type: 'hello', cursor: 'ten' }]);
    sockets
      .at(-1)!
      .say({ type: 'update', sequence: 11, cursor: 'eleven', now: 0, events: [], view: {}, missed: true });
    expect(states).toEqual(['live', 'lost', 'live']);
    // From now on this one is home.
    for (let i = 0; i < 4; i++) fail();
    expect(places.slice(7)).toEqual(['https://two', 'https://two', undefined, 'https://three']);
  });

  it('ends for good when the key is revoked', () => {
    const { sockets, states } = live();
    sockets[0]!.say({ type: 'bye', reason: 'revoked' });
    vi.advanceTimersByTime(60_000);
    expect(states).toEqual(['live', 'ended']);
    expect(sockets).toHaveLength(1);
  });

  it('ignores what an old socket still says', () => {
    const { feed, sockets } = live();
    const old = sockets[0]!.onmessage;
    sockets[0]!.onclose?.();
    old?.({ data: JSON.stringify({ type: 'snapshot', sequence: 99, cursor: 'other', now: 0, view: {} }) });
    expect(feed.cursor).toBe('ten');
  });
});

describe('merging', () => {
  it('adds results, keeps at most 2,000', () => {
    const results = Array.from({ length: 2000 }, (_, round) => ({ round, outcome: '1' }));
    const next = merge({ results }, { results_added: [{ round: 2000, outcome: '2' }] });
    expect(next.results).toHaveLength(2000);
    expect(next.results!.at(-1)!.round).toBe(2000);
  });
  it('removes a bet whose stake is nothing, and all at the end of the round', () => {
    const bets = [
      { spot: 'big', group: 0, stake: '1.00' },
      { spot: 'big', group: 2, stake: '1.00' },
    ];
    const one = merge({ own, bets }, { bets_set: [{ spot: 'big', group: 0, stake: '0.00' }] });
    expect(one.bets).toEqual([{ spot: 'big', group: 2, stake: '1.00' }]);
    expect(merge(one, { bets: [] }).bets).toEqual([]);
  });
});

describe('HTTP', () => {
  it('numbers what it changes, upwards, and repeats the number when the network failed', async () => {
    const seen: string[] = [];
    let fail = true;
    const api = new Api('demo', async (_path, init) => {
      seen.push((init!.headers as Record<string, string>)['idempotency-key']!);
      if (fail) {
        fail = false;
        throw new TypeError('network');
      }
      return new Response('{"accepted":1}');
    });
    await api.post('/tables/1/open-bets');
    await api.post('/tables/1/close-bets');
    expect(seen[0]).toBe(seen[1]);
    expect(Number(seen[2])).toBeGreaterThan(Number(seen[1]));
  });
  it('sends commands one after the other, so that none overtakes another', async () => {
    const seen: string[] = [];
    const answers: (() => void)[] = [];
    const api = new Api('demo', (path) => {
      seen.push(path.split('/').at(-1)!);
      return new Promise((resolve) => answers.push(() => resolve(new Response('{}'))));
    });
    const turn = () => new Promise((done) => setTimeout(done));
    const both = Promise.all([api.post('/first'), api.post('/second')]);
    await turn();
    expect(seen).toEqual(['first']);
    answers[0]!();
    await turn();
    expect(seen).toEqual(['first', 'second']);
    answers[1]!();
    await both;
  });
  describe('when an answer is lost', () => {
    const numbered = (fetcher: (n: number, body: string) => Promise<Response>) => {
      const seen: string[] = [];
      const told: string[] = [];
      const unsure = {
        trying: () => told.push('trying'),
        found: (done: boolean) => told.push(done ? 'done' : 'not done'),
      };
      const fetch = (path: string, init?: RequestInit) => {
        // Who is signed in is asked for at the beginning, and again when a signature is refused.
        if (path.endsWith('/session') && init?.method === 'GET')
          return Promise.resolve(new Response('{"staff":1}'));
        seen.push((init!.headers as Record<string, string>)['idempotency-key']!);
        return fetcher(seen.length, String(init!.body));
      };
      return { api: new Api('demo', fetch, unsure), seen, told };
    };
    const refused = (code: string, status: number) =>
      new Response(JSON.stringify({ error: { code, rule: 'S1', message: { en: code, zh: code } } }), {
        status,
      });
    const ok = () => new Response('{"accepted":5}');
    const lost = () => Promise.reject(new TypeError('network'));

    beforeEach(() => {
      vi.useFakeTimers();
    });
    afterEach(() => {
      vi.useRealTimers();
    });

    it('a command goes on under one number until it is answered, and people are told', async () => {
      const { api, seen, told } = numbered(async (n) => (n < 4 ? lost() : ok()));
      const done = api.post('/cage/sell', { amount: '100.00' });
      await vi.advanceTimersByTimeAsync(10_000);
      expect(await done).toEqual({ accepted: 5 });
      expect(new Set(seen).size).toBe(1);
      expect(seen).toHaveLength(4);
      expect(told).toEqual(['trying', 'done']);
    });
    it('half an answer and the words of a proxy are none', async () => {
      const { api, seen } = numbered(async (n) =>
        n === 1
          ? new Response('{"acce')
          : n === 2
            ? new Response('<html>Bad Gateway</html>', { status: 502 })
            : ok(),
      );
      const done = api.post('/cage/sell', { amount: '100.00' });
      await vi.advanceTimersByTimeAsync(5000);
      expect(await done).toEqual({ accepted: 5 });
      expect(new Set(seen).size).toBe(1);
    });
    it('given up, the same again has the same number, whoever signs; something else has another', async () => {
      let dead = true;
      const { api, seen } = numbered(async () => (dead ? lost() : ok()));
      const never = expect(api.post('/cage/sell', { amount: '100.00' })).rejects.toBeInstanceOf(Unknown);
      await vi.advanceTimersByTimeAsync(60_000);
      await never;
      dead = false;
      await api.post('/cage/sell', { amount: '50.00' });
      const other = seen.at(-1);
      await api.post('/cage/sell', { amount: '100.00', witness: { login: 'a', password: 'b' } });
      expect(seen.at(-1)).toBe(seen[0]);
      expect(other).not.toBe(seen[0]);
      // Its answer is known: the same once more is something new.
      await api.post('/cage/sell', { amount: '100.00' });
      expect(seen.at(-1)).not.toBe(seen[0]);
    });
    it('a refusal is an answer: the next try is a new command', async () => {
      const { api, seen } = numbered(async () => refused('float', 409));
      await expect(api.post('/cage/sell', { amount: '1.00' })).rejects.toMatchObject({ status: 409 });
      await expect(api.post('/cage/sell', { amount: '1.00' })).rejects.toMatchObject({ status: 409 });
      expect(seen[0]).not.toBe(seen[1]);
    });
    it('a signature that is good once is given again, under the same number', async () => {
      const { api, seen, told } = numbered(async (n) =>
        n === 1 ? lost() : n === 2 ? refused('sign_in', 401) : ok(),
      );
      const signed = (signature: string) => ({
        amount: '1.00',
        witness: { login: 'a', passkey: { signature } },
      });
      await api.session();
      const never = expect(api.post('/cage/sell', signed('one'))).rejects.toBeInstanceOf(Unknown);
      await vi.advanceTimersByTimeAsync(1000);
      await never;
      expect(await api.post('/cage/sell', signed('two'))).toEqual({ accepted: 5 });
      expect(new Set(seen).size).toBe(1);
      expect(told).toEqual([]);
    });
    it('signing in is tried twice and no more', async () => {
      const { api, seen } = numbered(async () => lost());
      await expect(api.post('/session', {})).rejects.toBeInstanceOf(Unanswered);
      expect(seen).toHaveLength(2);
    });
    it('a finger that touches twice asks once; chips are placed as often as they are', async () => {
      const { api, seen } = numbered(async () => ok());
      await Promise.all([
        api.post('/cage/sell', { amount: '1.00' }),
        api.post('/cage/sell', { amount: '1.00' }),
      ]);
      expect(seen).toHaveLength(1);
      await Promise.all([
        api.post('/tables/4/chips', { spot: 'big' }),
        api.post('/tables/4/chips', { spot: 'big' }),
      ]);
      expect(seen).toHaveLength(3);
    });
  });
  it('turns refusals into errors with their rule', async () => {
    const body = { error: { code: 'sign_in', rule: 'S8', message: { en: 'Sign in', zh: '请登录' } } };
    const api = new Api('demo', async () => new Response(JSON.stringify(body), { status: 401 }));
    await expect(api.post('/x')).rejects.toMatchObject({ refusal: { code: 'sign_in', rule: 'S8' } });
    expect(await api.session()).toBeNull();
  });
});
