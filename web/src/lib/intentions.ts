// The numbers of commands whose answer is not known. The same request again means the same command: it is sent under
// the same number, also after a reload of the page. The second person is not part of it.

type Kept = { number: number; until: number };
export type Intention = { readonly number: number | null; keep: (number: number) => void; known: () => void };

/** After so long the same is something new: it has been looked at by then. */
const lasting = 10 * 60_000;
/** What may be remembered over a reload: nothing with a password or the number of a ticket in it. */
const written = /^(POST|DELETE) \/(cage|terminals|tables|tickets|payables|rounds)\/(?!redeem)/;

export class Intentions {
  #kept: Map<string, Kept>;
  #place: string;
  #whose: number;

  constructor(floor: string) {
    this.#place = `croupier.unanswered.${floor}`;
    this.#kept = read(this.#place);
    this.#whose = Number(storage()?.getItem(`${this.#place}.whose`) ?? Number.NaN);
  }

  /** Their owner. Another person begins with none. */
  are(staff: number): void {
    if (this.#whose === staff) return;
    this.#whose = staff;
    this.#kept.clear();
    write(this.#place, this.#kept);
    try {
      storage()?.setItem(`${this.#place}.whose`, String(staff));
    } catch {
      // As below.
    }
  }

  of(method: string, path: string, body: unknown): Intention {
    const { witness: _, ...meant } = (body ?? {}) as Record<string, unknown>;
    const where = `${method} ${path}`;
    const name = `${where} ${digest(JSON.stringify(meant))}`;
    const found = this.#kept.get(name);
    const save = () => {
      if (written.test(where)) write(this.#place, this.#kept);
    };
    return {
      number: found && found.until > Date.now() ? found.number : null,
      keep: (number) => {
        this.#kept.set(name, { number, until: Date.now() + lasting });
        save();
      },
      known: () => {
        this.#kept.delete(name);
        save();
      },
    };
  }
}

const storage = (): Storage | null => (typeof sessionStorage === 'undefined' ? null : sessionStorage);

function read(place: string): Map<string, Kept> {
  try {
    return new Map(JSON.parse(storage()?.getItem(place) ?? '[]') as [string, Kept][]);
  } catch {
    return new Map();
  }
}

function write(place: string, kept: Map<string, Kept>): void {
  const rows = [...kept].filter(([name, one]) => written.test(name) && one.until > Date.now());
  try {
    if (rows.length === 0) storage()?.removeItem(place);
    else storage()?.setItem(place, JSON.stringify(rows));
  } catch {
    // Without room for it, the numbers live as long as the page.
  }
}

/** Tells intentions apart; nothing secret rests on it. */
function digest(text: string): string {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  return `${(a >>> 0).toString(36)}${(b >>> 0).toString(36)}${text.length}`;
}
