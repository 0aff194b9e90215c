// What the dealer's console knows and does: the feed of the table, the one next step, what is typed and affirmed.

import { untrack } from 'svelte';
import type { ConsoleSection, Refusal, Rulebook, Session } from '../lib/contract';
import { api, rulebook } from '../lib/host.svelte';
import { type Key, refusalWords, say, t } from '../lib/i18n/index.svelte';
import { digitOf } from '../lib/keypad';
import { Live } from '../lib/live.svelte';
import { cents } from '../lib/money';
import { looksOn, postOf } from '../lib/ranks';
import { toasts } from '../lib/toasts.svelte';

export type Step = {
  command: string;
  key: Key;
  tone: 'green' | 'red' | 'brass';
  may: Refusal | null | undefined;
};
export type Asked =
  | 'void'
  | 'correct'
  | 'float'
  | 'display'
  | 'second'
  | 'interruption'
  | 'call'
  | 'rest'
  | 'close'
  | 'closing'
  | 'limits';

/** A refusal in words, with its paragraph. */
export const told = (one: Refusal): string =>
  `${refusalWords(one.message)}${one.rule ? ` (${one.rule})` : ''}`;

/** Made while a component is set up: what it follows ends with it. */
export class Work {
  readonly live: Live;
  readonly number: number;
  #session: () => Session;
  book = $state.raw<Rulebook | null>(null);
  // A feed that comes back tells of the table first and of the desk a moment later: until then the desk stands as it was,
  // so that nothing that is open on it is lost, and nothing is sent from it.
  #before = $state.raw<ConsoleSection | undefined>();
  #under = $state(0);
  dialog = $state<Asked | null>(null);

  readonly table = $derived.by(() => this.live.view.table);
  readonly round = $derived.by(() => this.live.view.round ?? null);
  readonly desk = $derived.by(() => this.live.view.console ?? this.#before);
  readonly busy = $derived.by(() => this.#under > 0);
  readonly watches = $derived.by(() => looksOn(this.#session()));
  readonly dealing = $derived.by(() => postOf(this.#session()) === 'dealer');
  readonly connected = $derived.by(
    () => this.live.connection === 'live' && this.live.view.console !== undefined,
  );
  readonly phase = $derived.by(() => this.round?.phase ?? 'idle');
  readonly over = $derived.by(() => this.round === null);
  // The round is heard of a moment before what the console knows of it: until then nothing is said of the terminals.
  readonly behind = $derived.by(() => this.phase === 'closed' && !this.desk?.may.close_bets);
  // "This result is entered already" is no reason against entering another one.
  readonly notEnter = $derived.by(() =>
    this.desk?.entered && this.desk.may.enter_result?.code === 'nothing_to_do'
      ? null
      : (this.desk?.may.enter_result ?? null),
  );
  readonly next: Step | null = $derived.by(() => this.#next());

  // ---- what the dealer affirms with the next step (D19)

  affirmed = $state<string[]>([]);
  readonly entering = $derived.by(() => this.phase === 'closed' && this.next === null && !this.notEnter);
  readonly affirms = $derived.by(() =>
    this.entering ||
    this.next?.command === 'result' ||
    (this.next?.command === 'open-bets' && this.phase === 'begun')
      ? (this.desk?.affirm ?? [])
      : [],
  );
  readonly affirmedAll = $derived.by(() => this.affirms.every((one) => this.affirmed.includes(one.point)));

  // ---- the result

  // What is typed here; null: nothing is, and what stands entered is shown. Cleared dice are an empty list.
  faces = $state<number[] | null>(null);
  pocket = $state<string | null>(null);
  // A compartment is typed digit by digit: 1 and 7 are 17; what is no compartment begins anew.
  #digits = '';
  readonly wheel = $derived.by(() => this.book?.outcomes.kind === 'wheel');
  readonly typed = $derived.by(() =>
    this.wheel ? this.pocket : this.faces?.length === 3 ? this.faces.join('-') : null,
  );
  readonly mayEnter = $derived.by(
    () =>
      (this.phase === 'closed' || this.phase === 'entered') &&
      !this.notEnter &&
      !this.round?.halted &&
      !this.round?.interrupted,
  );
  // What the device has read stands ready to be entered; the dealer looks, and puts it right where it is wrong.
  readonly reading = $derived.by(() => {
    const read = this.desk?.seen?.read ?? [];
    return read.length > 0 && read.every((one) => one !== null) ? read.join('-') : null;
  });
  // Dice read under the cover or while the round was interrupted bind like those read in the open (D19).
  readonly readings = $derived.by(
    () =>
      [this.desk?.seen?.read, this.desk?.seen?.concealed, this.desk?.meanwhile?.read]
        .find((read) => read?.some((one) => one !== null))
        ?.map((one) => one ?? '?')
        .join('-') ?? '–',
  );
  readonly shownFaces = $derived.by(
    () => this.faces ?? this.desk?.entered?.outcome.split('-').map(Number) ?? [],
  );
  /** Another result than the one entered is being typed. */
  readonly retyping = $derived.by(
    () =>
      this.desk?.entered != null &&
      (this.wheel ? this.pocket !== null : this.faces !== null) &&
      this.typed !== this.desk.entered.outcome,
  );
  // An entry against the device's reading is held until a second person confirms it (D19), however long and over a reload.
  readonly held = $derived.by(() =>
    !this.over && this.desk?.entered?.needs === 'contradicts'
      ? t('console.held', { outcome: this.desk.entered.outcome, read: this.readings })
      : '',
  );
  readonly recording = $derived.by(
    () => this.desk?.recording_until != null && this.desk.recording_until > this.live.now,
  );
  readonly waiting = $derived.by(() =>
    this.desk?.waits && !(this.recording && this.desk.waits.kind === 'device_silent')
      ? this.desk.waits
      : null,
  );
  /** A round that does not go on by itself. */
  readonly irregular = $derived.by(
    () =>
      (this.round?.interrupted && this.desk?.proposal) ||
      this.desk?.second != null ||
      this.desk?.waits?.kind === 'device_fault' ||
      this.desk?.ground,
  );
  readonly boxes = $derived.by(
    () =>
      this.table?.mode === 'bets_recorded' &&
      (this.phase === 'open' || this.over || this.behind || this.desk?.recording_until != null),
  );
  /** Why the big button is grey. */
  readonly why = $derived.by(() => this.#why());
  /** Who is paid, in paying order; who has lost is not called. */
  readonly paid = $derived.by(() => this.desk?.payouts.filter((one) => cents(one.returned) > 0) ?? []);
  readonly lastResult = $derived.by(() => this.live.view.last_round ?? null);
  readonly phases = $derived.by((): { id: string; key: Key }[] => [
    ...(this.book?.procedure.begins_with_activation ? [{ id: 'begin', key: 'console.begin' } as const] : []),
    { id: 'open', key: 'console.openbets' },
    { id: 'close', key: 'console.closebets' },
    { id: 'result', key: 'console.result' },
    { id: 'confirm', key: 'console.confirm' },
  ]);
  /** The step that is to be done now: the one that the big button does. */
  readonly at = $derived.by(() => {
    const { phase, next } = this;
    const entering = phase === 'closed' || phase === 'entered';
    const step =
      phase === 'open'
        ? 'close'
        : entering
          ? this.desk?.entered && !this.retyping
            ? 'confirm'
            : 'result'
          : phase === 'begun' || next?.command !== 'begin-round'
            ? 'open'
            : 'begin';
    return this.table?.open === false || next?.command === 'take'
      ? -1
      : this.phases.findIndex((one) => one.id === step);
  });
  // A value, not an object of the feed: a message that changes nothing of it must not undo what the dealer has done.
  #step = $derived.by(() => `${this.round?.id} ${this.phase === 'closed' || this.phase === 'entered'}`);
  #entry = $derived.by(() => `${this.#step} ${this.desk?.entered?.outcome}`);

  constructor(number: number, session: () => Session) {
    this.number = number;
    this.#session = session;
    this.live = new Live('console', number);
    $effect(() => {
      if (this.live.view.console) this.#before = this.live.view.console;
    });
    $effect(() => {
      const hash = this.table?.rulebook;
      if (hash && hash !== untrack(() => this.book?.hash))
        void rulebook(hash).then((found) => {
          this.book = found;
        });
    });
    $effect(() => {
      // A point is affirmed for one round and one step.
      void this.#step;
      untrack(() => {
        this.affirmed = [];
      });
    });
    $effect(() => {
      // Another round, another step of it, or another entry, be it from another console: what was typed before is over.
      void this.#entry;
      untrack(() => {
        this.faces = null;
        this.pocket = null;
        this.#digits = '';
      });
    });
    $effect(() => {
      // Where a result is entered, that one stands until the dealer types another.
      const read = this.reading;
      if (read === null || !this.mayEnter || this.desk?.entered) return;
      untrack(() => {
        if (this.wheel && this.pocket === null) this.pocket = read;
        else if (!this.wheel && this.faces === null) this.faces = read.split('-').map(Number);
      });
    });
  }

  async act(command: string, body: unknown = {}): Promise<boolean> {
    this.#under += 1;
    toasts.fresh();
    try {
      await api().post(`/tables/${this.number}/${command}`, body);
      return true;
    } catch (error) {
      toasts.error(error);
      return false;
    } finally {
      this.#under -= 1;
    }
  }

  /** From a dialog: it closes when it is done, and stays as it was filled in when it is refused. */
  async finish(command: string, body: unknown): Promise<void> {
    if (this.busy || !(await this.act(command, body))) return;
    this.dialog = null;
  }

  #next(): Step | null {
    const { desk, table, phase } = this;
    if (!desk || !table) return null;
    const may = (name: keyof ConsoleSection['may']) => desk.may[name];
    // The acts of the dealer belong to the one who has taken the table (D26); who comes after takes it over.
    if (!desk.dealer) return { command: 'take', key: 'console.take', tone: 'brass', may: may('take_table') };
    if (this.dealing && desk.dealer.id !== this.#session().staff)
      return { command: 'take', key: 'console.takeover', tone: 'brass', may: may('take_table') };
    if (!table.open) return { command: 'open', key: 'console.open', tone: 'green', may: may('open_table') };
    if (phase === 'open')
      return { command: 'close-bets', key: 'console.closebets', tone: 'red', may: may('close_bets') };
    if (phase === 'closed' || phase === 'entered') {
      if (desk.entered && !this.retyping)
        return { command: 'confirm', key: 'console.confirm', tone: 'brass', may: may('confirm_result') };
      const changed = this.retyping && this.typed !== null;
      return this.typed
        ? {
            command: 'result',
            key: changed ? 'console.change' : 'console.result',
            tone: 'brass',
            may: this.notEnter,
          }
        : null;
    }
    if (!may('begin_round') && may('open_bets'))
      return { command: 'begin-round', key: 'console.begin', tone: 'green', may: null };
    return { command: 'open-bets', key: 'console.openbets', tone: 'green', may: may('open_bets') };
  }

  #why(): string {
    const { desk, next } = this;
    if (!desk || !this.connected || this.busy) return '';
    if (next?.may) return this.phase === 'begun' && this.waiting ? '' : told(next.may);
    if (next) return this.affirmedAll ? '' : t('console.why.affirm');
    if (this.phase !== 'closed' && this.phase !== 'entered') return '';
    // What the round waits for is said above, with what to do.
    // While late chips are recorded, no one is at fault yet: the first thing to do is said, and not the last.
    const first = this.recording && desk.waits?.kind === 'device_silent' ? desk.waits.steps[0] : undefined;
    if (this.notEnter) return this.waiting ? '' : first ? say(first) : told(this.notEnter);
    return t(this.wheel ? 'console.why.wheel' : 'console.why.dice');
  }

  /** Does the next step. */
  go(): void {
    const { next, desk, affirmed } = this;
    if (!next || next.may || this.busy || !this.affirmedAll || !this.connected) return;
    if (next.command === 'confirm' && desk?.entered && desk.entered.needs !== 'nothing')
      this.dialog = 'second';
    else if (next.command === 'result') void this.act('result', { outcome: this.typed, affirmed });
    else if (next.command === 'confirm') void this.act('confirm', { outcome: desk?.entered?.outcome });
    else if (next.command === 'open-bets' && affirmed.length > 0) void this.act('open-bets', { affirmed });
    else void this.act(next.command);
  }

  #digit(typedNow: string): void {
    if (this.book?.outcomes.kind !== 'wheel') return;
    const { order } = this.book.outcomes;
    this.#digits = order.includes(this.#digits + typedNow)
      ? this.#digits + typedNow
      : order.includes(typedNow)
        ? typedNow
        : '';
    if (this.#digits !== '') this.pocket = this.#digits;
  }

  /** The next point that is not affirmed yet. */
  #affirm(): void {
    const point = this.affirms.find((one) => !this.affirmed.includes(one.point))?.point;
    if (point !== undefined) this.affirmed = [...this.affirmed, point];
  }

  /** The keys of the console, on a keyboard and on a numeric keypad alone. */
  key(event: KeyboardEvent): void {
    const on = event.target as Element;
    // Keys are the desk's only while nothing lies over it.
    if (toasts.place !== null || event.ctrlKey || event.metaKey || event.altKey) return;
    if (on.matches('input:not([type=checkbox]), select, textarea')) return;
    const digit = digitOf(event) ?? '';
    const letter = event.key.toLowerCase();
    // The space bar turns the point that has the focus; all other keys work there too.
    if (event.key === ' ' && on.matches('[type=checkbox]')) return;
    if (event.key === ' ' || event.key === 'Enter' || event.code === 'NumpadAdd') {
      // Enter on a button with a purpose of its own is that button's; on the keys of the entry it confirms.
      if (on.matches('.button, a, summary, [role=button]') && event.key === 'Enter') return;
      event.preventDefault();
      this.go();
    } else if (event.code === 'NumpadDecimal' || letter === 'a') this.#affirm();
    // Where the round does not go on by itself, digits are for its choices.
    else if (this.irregular && digit !== '') return;
    else if (!this.wheel && this.mayEnter && /^[1-6]$/.test(digit) && this.#open().length < 3)
      this.faces = [...(this.faces ?? []), Number(digit)];
    else if (this.wheel && this.mayEnter && digit !== '') this.#digit(digit);
    else if (event.key === 'Backspace' && this.mayEnter) {
      this.faces = this.shownFaces.slice(0, -1);
      this.pocket = null;
      this.#digits = '';
    } else if (this.#command(event.code, letter)) event.preventDefault(); // the letter is not typed into what it opens
  }

  #open(): number[] {
    return this.faces ?? (this.desk?.entered ? this.shownFaces : []);
  }

  /** Says whether the key was one of the console's. */
  #command(code: string, letter: string): boolean {
    const may = this.desk?.may;
    if (!may) return false;
    if ((letter === 'v' || code === 'NumpadMultiply') && !this.over && !may.declare_ground)
      this.dialog = 'void';
    else if ((letter === 'i' || code === 'NumpadSubtract') && !may.report_interruption)
      this.dialog = 'interruption';
    else if ((letter === 't' || code === 'NumpadDivide') && !may.take_table) void this.act('take');
    else return false;
    return true;
  }
}
