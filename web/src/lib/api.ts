// HTTP to the host: JSON both ways, a growing Idempotency-Key on everything that changes something, and refusals as errors
// that carry their rule. Commands go one after the other: a person sees each take effect before the next. A command keeps
// its number until its answer is known: it is sent again with it when the answer is lost, and when the person asks for the
// same again. The same command twice at the same time is one command: a finger touched twice.

import type { PasskeyChallenge, Refusal, Session } from './contract';
import { Refused, Unanswered } from './feed';
import { Intentions } from './intentions';
import type { Sign } from './keys';
import { answered } from './passkeys';
import { answers, asked, carries, subject } from './signing';

export type Fetch = (path: string, init?: RequestInit) => Promise<Response>;

/** What is told while it is not known whether a command was done, and what was found then. */
export type Unsure = { trying: () => void; found: (done: boolean) => void };

/** The answer was lost, and asking again has brought none: whether the command was done is not known. */
export class Unknown extends Unanswered {}

/** What changes nothing of the floor, or is no command of it: asked twice, and no more. */
const asks = /^\/(session|keys|enrol|demonstration)(\/|$)|\/preview$/;
/** The same again at once is meant: one chip after the other. */
const repeats = /\/chips(\/take)?$|^\/demonstration\//;
/** So long is one answer waited for. */
const answerWithin = 15_000;
/** So long is the same command sent again. */
const patience = 30_000;
const pauses = [0, 500, 1000, 2000, 4000];

export class Api {
  #fetch: Fetch;
  #base: string;
  #number = 0;
  #bearer: string | null = null;
  #before: Promise<unknown> = Promise.resolve();
  #under = new Map<string, Promise<unknown>>();
  #intentions: Intentions;
  #unsure: Unsure | undefined;

  constructor(floor: string, fetcher: Fetch = (path, init) => fetch(path, init), unsure?: Unsure) {
    this.#fetch = fetcher;
    this.#base = `/api/v1/floors/${encodeURIComponent(floor)}`;
    this.#intentions = new Intentions(floor);
    this.#unsure = unsure;
  }

  bearer(token: string | null): void {
    this.#bearer = token;
  }

  /** Proves a key of a terminal or device and acts as it from then on. */
  async proveKey(kind: 'terminal' | 'device', id: number, sign: Sign): Promise<void> {
    const { nonce } = await this.post<{ nonce: string }>('/keys/challenge');
    const proof = await sign(`croupier:${kind}:${id}:${nonce}`);
    const { token } = await this.post<{ token: string }>('/keys/prove', { kind, id, nonce, proof });
    this.#bearer = token;
  }

  get<T>(path: string): Promise<T> {
    return this.#request<T>('GET', path);
  }

  /** Looks at something that belongs to no floor, by its whole path. */
  look<T>(path: string): Promise<T> {
    return this.#request<T>('GET', path, undefined, '');
  }

  /** The address of something, for a link. */
  address(path: string): string {
    return this.#base + path;
  }

  post<T = { accepted: number }>(path: string, body: unknown = {}): Promise<T> {
    return this.#once('POST', path, body);
  }

  delete<T = unknown>(path: string): Promise<T> {
    return this.#once('DELETE', path);
  }

  #once<T>(method: string, path: string, body?: unknown): Promise<T> {
    const work = () => this.#inTurn(() => this.#change<T>(method, path, body));
    if (repeats.test(path)) return work();
    const name = `${method} ${path} ${JSON.stringify(body)}`;
    const under = this.#under.get(name);
    if (under) return under as Promise<T>;
    const done = work();
    this.#under.set(name, done);
    const gone = () => this.#under.delete(name);
    done.then(gone, gone);
    return done;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#before.then(work);
    this.#before = done.catch(() => {});
    return done;
  }

  /** Who is signed in, or null. */
  async session(): Promise<Session | null> {
    try {
      const found = await this.get<Session>('/session');
      this.#intentions.are(found.staff);
      return found;
    } catch (error) {
      if (error instanceof Refused) return null;
      throw error;
    }
  }

  #next(): number {
    this.#number = Math.max(this.#number + 1, Date.now() * 1000);
    return this.#number;
  }

  /** What became of a command is known by other means: the same again is another one. */
  answered(path: string, body: unknown): void {
    this.#intentions.of('POST', path, body).known();
  }

  /** Something that changes something. */
  async #change<T>(method: string, path: string, given?: unknown): Promise<T> {
    try {
      return await this.#done<T>(method, path, await this.#signed(method, path, given));
    } finally {
      // A signature is for one act, whatever became of it.
      if (carries(given)) for (const over of answers) over();
    }
  }

  /** What is sent, with the passkey that signs for exactly this: it is asked for now. */
  async #signed(method: string, path: string, body?: unknown): Promise<unknown> {
    const one = body as { witness?: { passkey?: unknown }; existing?: unknown } | undefined;
    const [second, own] = [one?.witness?.passkey === asked, one?.existing === asked];
    if (!second && !own) return body;
    const about = await subject(method, this.#base + path, body);
    const sent = { purpose: 'second', about };
    const challenge = this.#request<PasskeyChallenge>(
      'POST',
      '/session/passkeys/challenge',
      sent,
      this.#base,
      this.#next(),
    );
    const passkey = await answered(await challenge);
    return second ? { ...one, witness: { ...one?.witness, passkey } } : { ...one, existing: passkey };
  }

  async #done<T>(method: string, path: string, body?: unknown): Promise<T> {
    if (asks.test(path)) {
      const answer = await this.#request<T>(method, path, body, this.#base, this.#next());
      if (method === 'POST' && path === '/session') this.#intentions.are((answer as Session).staff);
      return answer;
    }
    const meant = this.#intentions.of(method, path, body);
    const number = meant.number ?? this.#next();
    meant.keep(number);
    const until = Date.now() + patience;
    for (let tries = 0; ; tries++) {
      try {
        const answer = await this.#send<T>(method, path, body, this.#base, number);
        meant.known();
        if (tries > 1) this.#unsure?.found(true);
        return answer;
      } catch (error) {
        if (error instanceof Refused && !waits(error.refusal)) {
          // The number was taken by what was asked for before: that was done.
          if (meant.number !== null && error.refusal.code === 'number_reused') {
            meant.known();
            throw new Refused({ ...error.refusal, message: doneBefore });
          }
          // After a lost answer, a signature for one use is refused, or the session is over: that says nothing about
          // the act. A new sign-in or signature retries it under the same number.
          if (tries > 0 && error.refusal.code === 'sign_in') throw new Unknown('not signed');
          if (error.status < 500) meant.known();
          if (tries > 1) this.#unsure?.found(false);
          throw error;
        }
        if (Date.now() >= until) throw new Unknown('no answer');
        if (tries === 1) this.#unsure?.trying();
        await new Promise((done) => setTimeout(done, pauses[Math.min(tries, pauses.length - 1)]));
      }
    }
  }

  async #request<T>(
    method: string,
    path: string,
    body?: unknown,
    base = this.#base,
    number?: number,
  ): Promise<T> {
    const send = () => this.#send<T>(method, path, body, base, number);
    return send().catch((error: unknown) => {
      if (error instanceof Refused) throw error;
      return send();
    });
  }

  /** Sends it once. What is no answer of the host, or only half of one, is a lost answer. */
  async #send<T>(
    method: string,
    path: string,
    body: unknown,
    base: string,
    number: number | undefined,
  ): Promise<T> {
    const headers: Record<string, string> = { accept: 'application/json' };
    const init: RequestInit = { method, headers, credentials: 'same-origin' };
    if (number !== undefined) {
      headers['idempotency-key'] = String(number);
      headers['x-croupier'] = '1';
      if (!asks.test(path)) init.signal = AbortSignal.timeout(answerWithin);
    }
    if (this.#bearer) headers.authorization = `Bearer ${this.#bearer}`;
    if (body !== undefined) {
      headers['content-type'] = 'application/json';
      init.body = JSON.stringify(body);
    }
    let status: number;
    let answer: unknown;
    try {
      const response = await this.#fetch(base + path, init);
      const text = await response.text();
      status = response.status;
      answer = text === '' ? null : (JSON.parse(text) as unknown);
    } catch {
      throw new Unanswered('no answer');
    }
    if (status >= 200 && status < 300) return answer as T;
    const told = (answer as { error?: Refusal } | null)?.error;
    // A proxy on the way, not the host.
    if (!told?.message && [502, 503, 504].includes(status)) throw new Unanswered('no host');
    if (status === 401 && !path.startsWith('/session')) void this.over();
    throw new Refused(refusal(answer, status), status);
  }

  /** Called when the session is over. A second person's wrong password is refused in the same way. */
  onover: () => void = () => {};

  /** Whether the session is over: after a refusal, or where a feed does not come back. */
  async over(): Promise<void> {
    if ((await this.session().catch(() => undefined)) === null) this.onover();
  }
}

/** There is no leader for a moment: the same command is sent again. */
const waits = (refusal: Refusal): boolean => refusal.code === 'no_leader';

const doneBefore = {
  en: 'this was done already, though its answer was lost: look at what was recorded',
  zh: '此操作先前已完成，只是未收到答复：请查看记录',
};

function refusal(answer: unknown, status: number): Refusal {
  const error = (answer as { error?: Refusal } | null)?.error;
  if (error?.message) return error;
  const words = `The host answered ${status}.`;
  return { code: `http_${status}`, rule: '', message: { en: words, zh: `主机返回 ${status}。` } };
}
