// What a screen reader would stumble over, by axe.

import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
type Found = { violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] };

export async function violations(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: axe });
  return page.evaluate(async () => {
    const found = await (globalThis as unknown as { axe: { run: () => Promise<Found> } }).axe.run();
    return found.violations.map(
      (one) =>
        `${one.id}: ${one.nodes
          .slice(0, 3)
          .map((node) => `${node.html.slice(0, 160)} ${node.failureSummary}`)
          .join(' | ')}`,
    );
  });
}

export function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
}
