// An act of a person: under way until the host has answered, and not begun a second time meanwhile.

import { toasts } from './toasts.svelte';

/** A finger that touches twice touches again within this time: it does not find the next thing. */
const settle = 400;

export class Doing {
  busy = $state(false);

  /** What it came to; undefined where it failed, which is told, or where one is under way already. */
  async run<T>(
    work: () => Promise<T>,
    failed: (error: unknown) => void = (error) => toasts.error(error),
  ): Promise<T | undefined> {
    if (this.busy) return undefined;
    this.busy = true;
    try {
      return await work();
    } catch (error) {
      failed(error);
      return undefined;
    } finally {
      setTimeout(() => {
        this.busy = false;
      }, settle);
    }
  }
}
