// A feed as the pages read it: the view, the connection, and a clock that follows the host's.

import type { CabinetEvent, CabinetFrame, CabinetState, Command, FloorEvent, View } from './contract';
import { type Answer, type Connection, Feed, type FeedOptions } from './feed';
import { api, feedPath, host, lookAround } from './host.svelte';
import { toasts } from './toasts.svelte';

export class Live {
  view: Partial<View> = $state.raw({});
  connection: Connection = $state('connecting');
  reason: string | undefined = $state();
  now = $state(Date.now());
  /** The cabinet around this page, where there is one. */
  cabinet: CabinetState | null = $state.raw(null);
  #feed: Feed;
  #timer: ReturnType<typeof setInterval>;
  #listeners = new Set<(events: FloorEvent[]) => void>();
  #around = new Set<(event: CabinetEvent) => void>();

  constructor(kind: string, id?: number, key?: FeedOptions['key']) {
    this.#feed = new Feed({
      path: feedPath(kind, id),
      connect: host.connect,
      key,
      forgets: kind === 'display',
      // A terminal's key can be proved at any host, and a display is public; a staff session belongs to the address
      // where it was made.
      elsewhere: () =>
        // The agent of a cabinet finds the hosts itself.
        !host.cabinet && (kind === 'terminal' || kind === 'display')
          ? host.others.map((row) => row.address)
          : [],
      oncabinet: (frame) => this.#cabinet(frame),
      onview: (view, events) => {
        this.view = view;
        this.now = this.#feed.hostNow();
        for (const listen of this.#listeners) listen(events);
      },
      onconnection: (state, reason) => {
        this.connection = state;
        if (state === 'live') toasts.ended('link');
        // A feed that is refused looks like a host that is lost: a person whose session is over signs in again.
        if (state === 'lost' && !key && kind !== 'display') void api().over();
        this.reason = reason;
      },
    });
    this.#timer = setInterval(() => {
      this.now = this.#feed.hostNow();
      if (this.connection === 'live' && !host.cabinet) void lookAround();
    }, 200);
  }

  send(command: Command): Promise<Answer> {
    return this.#feed.send(command);
  }

  onevents(listen: (events: FloorEvent[]) => void): () => void {
    this.#listeners.add(listen);
    return () => this.#listeners.delete(listen);
  }

  #cabinet({ state, event }: CabinetFrame): void {
    if (state) this.cabinet = state;
    if (event) for (const listen of this.#around) listen(event);
  }

  /** What happens in the cabinet. */
  oncabinet(listen: (event: CabinetEvent) => void): () => void {
    this.#around.add(listen);
    return () => this.#around.delete(listen);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#feed.stop();
  }
}
