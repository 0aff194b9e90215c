// What axe-core finds on a page as it stands.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';

// Handed over by the browser's own tools: a page admits no script but its own.
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
type Found = { violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] };

/** Until nothing fades or moves any more; what moves for ever does not count. */
export async function atRest(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const passing = document
      .getAnimations()
      .filter((one) => Number.isFinite(Number(one.effect?.getComputedTiming().endTime)));
    await Promise.allSettled(passing.map((one) => one.finished));
  });
}

export async function violations(page: Page): Promise<string[]> {
  await atRest(page);
  await page.evaluate(`${axe}; undefined`);
  return page.evaluate(async () => {
    const run = (globalThis as unknown as { axe: { run: () => Promise<Found> } }).axe;
    const found = await run.run();
    return found.violations.map(
      (one) =>
        `${one.id}: ${one.nodes
          .slice(0, 3)
          .map((node) => `${node.html.slice(0, 200)} ${node.failureSummary}`)
          .join(' | ')}`,
    );
  });
}

export function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
}
