// Which host the pages talk to: the one that served them, or in development a scripted one inside the page (?mock).

import { Api, type Fetch } from './api';
import type { FloorInfo, HostInfo, HostRow, Hosts, Rulebook } from './contract';
import { type Connect, connectBrowser, readers } from './feed';
import type { Sign } from './keys';
import { unsure } from './toasts.svelte';

class Host {
  floor = $state('demo');
  info: FloorInfo | null = $state.raw(null);
  failed = $state(false);
  /** The terminal whose cabinet this page is in: its agent holds the key, drives the devices and finds the hosts. */
  cabinet: number | null = $state(null);
  /** The other hosts of the floor: where to go on when this one is lost. */
  others: HostRow[] = $state.raw([]);
  connect: Connect = connectBrowser;
  fetcher: Fetch = (path, init) => fetch(path, init);

  get demonstration(): boolean {
    return this.info?.demonstration ?? false;
  }
}

export const host = new Host();
let client: Api | null = null;
const rulebooks = new Map<string, Promise<Rulebook>>();

export function api(): Api {
  client ??= new Api(host.floor, host.fetcher, unsure);
  return client;
}

/** What the host tells a terminal about itself: with what was given over its link, or by its key while there is none. */
export async function asTerminal<T>(terminal: number, key: Sign, path: string): Promise<T> {
  const one = new Api(host.floor, host.fetcher);
  // Beside an open link a token of its own reads nothing: what was given over the link does.
  const reader = readers.get(terminal);
  if (reader) one.bearer(reader);
  else await one.proveKey('terminal', terminal, key);
  return one.get<T>(path);
}

const lookAgain = 2 * 60_000;
let looked = -Infinity;

/** Learns from time to time which other hosts serve this floor, while a host answers. */
export async function lookAround(now = Date.now()): Promise<void> {
  if (now - looked < lookAgain) return;
  looked = now;
  try {
    const { host: own, hosts } = await api().get<Hosts>('/hosts');
    host.others = hosts.filter((row) => row.host !== own);
  } catch {
    // The last known person stays known; the host is asked again soon.
    looked = now - lookAgain + 5_000;
  }
}

/** This page as another host has it. */
export function elsewhere(row: HostRow): string {
  return new URL(location.pathname + location.search, row.address).href;
}

/** A rulebook never changes under its hash, so each is fetched once. */
export function rulebook(hash: string): Promise<Rulebook> {
  let found = rulebooks.get(hash);
  if (!found) {
    found = api().get<Rulebook>(`/rulebooks/${hash}`);
    found.catch(() => rulebooks.delete(hash));
    rulebooks.set(hash, found);
  }
  return found;
}

/** Seats are added and change tables while a page is open: the floor is read anew. Where that fails, it stays as it was. */
export async function readFloor(): Promise<void> {
  host.info = await api()
    .get<FloorInfo>('')
    .catch(() => host.info);
}

export function feedPath(kind: string, id?: number): string {
  return `/api/v1/floors/${encodeURIComponent(host.floor)}/feed/${kind}${id === undefined ? '' : `/${id}`}`;
}

export async function startHost(): Promise<void> {
  if (import.meta.env.DEV || import.meta.env.MODE === 'mock') {
    if (new URLSearchParams(location.search).has('mock')) {
      const { mockHost } = await import('../mock/host');
      const mock = mockHost(new URLSearchParams(location.search));
      host.connect = mock.connect;
      host.fetcher = mock.fetch;
    }
  }
  try {
    const answer = await host.fetcher('/api/v1/host');
    const info = (await answer.json()) as HostInfo;
    host.floor = new URLSearchParams(location.search).get('floor') ?? info.floors[0] ?? 'demo';
    host.cabinet = info.cabinet?.terminal ?? null;
    host.info = await api().get<FloorInfo>('');
    host.failed = false;
  } catch {
    host.failed = true;
    setTimeout(() => void startHost(), 2000);
  }
}
