// Which tickets this window has sent to the printer. Only then can a person say that one is printed. It is kept across
// a reload, so that no one prints a second paper to be able to say so.

const place = 'croupier.sent-to-printer';

function read(): number[] {
  try {
    return JSON.parse(sessionStorage.getItem(place) ?? '[]') as number[];
  } catch {
    return [];
  }
}

class Printing {
  #sent: number[] = $state(typeof sessionStorage === 'undefined' ? [] : read());

  sent(ticket: number): boolean {
    return this.#sent.includes(ticket);
  }

  /** Prints what is shown. */
  print(ticket: number): void {
    window.print();
    if (this.sent(ticket)) return;
    this.#sent = [...this.#sent, ticket].slice(-50);
    try {
      sessionStorage.setItem(place, JSON.stringify(this.#sent));
    } catch {
      // Without room for it, it is known as long as the page lives.
    }
  }
}

export const printing = new Printing();
