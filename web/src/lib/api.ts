// HTTP to the host: JSON both ways, a growing Idempotency-Key on everything that changes something, one retry with the
// same number when the network fails, and refusals as errors that carry their rule. Commands go one after the other: a
// person sees each take effect before the next.

import type { Refusal, Session } from './contract';
import { Refused } from './feed';
import type { Sign } from './keys';

export type Fetch = (path: string, init?: RequestInit) => Promise<Response>;

export class Api {
  #fetch: Fetch;
  #base: string;
  #number = 0;
  #bearer: string | null = null;
  #before: Promise<unknown> = Promise.resolve();

  constructor(floor: string, fetcher: Fetch = (path, init) => fetch(path, init)) {
    this.#fetch = fetcher;
    this.#base = `/api/v1/floors/${encodeURIComponent(floor)}`;
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
    return this.#inTurn(() => this.#request<T>('POST', path, body));
  }

  delete<T = unknown>(path: string): Promise<T> {
    return this.#inTurn(() => this.#request<T>('DELETE', path));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#before.then(work);
    this.#before = done.catch(() => {});
    return done;
  }

  /** Who is signed in, or null. */
  async session(): Promise<Session | null> {
    try {
      return await this.get<Session>('/session');
    } catch (error) {
      if (error instanceof Refused) return null;
      throw error;
    }
  }

  #next(): number {
    this.#number = Math.max(this.#number + 1, Date.now() * 1000);
    return this.#number;
  }

  async #request<T>(method: string, path: string, body?: unknown, base = this.#base): Promise<T> {
    const headers: Record<string, string> = { accept: 'application/json' };
    if (method !== 'GET') {
      headers['idempotency-key'] = String(this.#next());
      headers['x-croupier'] = '1';
    }
    if (this.#bearer) headers.authorization = `Bearer ${this.#bearer}`;
    const init: RequestInit = { method, headers, credentials: 'same-origin' };
    if (body !== undefined) {
      headers['content-type'] = 'application/json';
      init.body = JSON.stringify(body);
    }
    const send = () => this.#fetch(base + path, init);
    const response = await send().catch(() => send());
    const text = await response.text();
    const answer = text === '' ? null : (JSON.parse(text) as unknown);
    if (!response.ok) throw new Refused(refusal(answer, response.status));
    return answer as T;
  }
}

function refusal(answer: unknown, status: number): Refusal {
  const error = (answer as { error?: Refusal } | null)?.error;
  if (error?.message) return error;
  const words = `The host answered ${status}.`;
  return { code: `http_${status}`, rule: '', message: { en: words, zh: `主机返回 ${status}。` } };
}
