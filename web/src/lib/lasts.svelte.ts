// What was done last at a cage page, kept over a reload in this window: what, how much, when. Never the number of a ticket.

export type What = 'paid' | 'sold' | 'reprinted' | 'payable' | 'byhand' | 'resolved';
export type Last = { what: What; amount: string; at: number };

const most = 5;

export class Lasts {
  list: Last[] = $state.raw([]);
  #place: string;

  /** Each person's own: another one may sign in at the same window. */
  constructor(floor: string, staff: number) {
    this.#place = `croupier.lasts.${floor}.${staff}`;
    try {
      this.list = JSON.parse(sessionStorage.getItem(this.#place) ?? '[]') as Last[];
    } catch {
      this.list = [];
    }
  }

  add(what: What, amount: string, at: number): void {
    this.list = [{ what, amount, at }, ...this.list].slice(0, most);
    try {
      sessionStorage.setItem(this.#place, JSON.stringify(this.list));
    } catch {
      // Without room for it, the list lives as long as the page.
    }
  }
}
