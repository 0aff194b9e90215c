// What geometry tells of a page: texts that cannot be read, targets that cannot be hit, what runs out of its box.
import type { Page } from '@playwright/test';

/** Texts under 11 pixels as they are drawn, and texts cut off by their own box. */
export function unreadable(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found = new Set<string>();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const words = node.textContent?.trim() ?? '';
      const parent = node.parentElement;
      if (!words || !parent || parent.closest('script, style, .visually-hidden, .rotor')) continue;
      const box = parent.getBoundingClientRect();
      if (box.width === 0 || box.height === 0 || getComputedStyle(parent).visibility === 'hidden') continue;
      let size = Number.parseFloat(getComputedStyle(parent).fontSize);
      const svg = parent.closest('svg');
      const matrix = (parent as unknown as SVGGraphicsElement).getScreenCTM?.();
      if (svg && matrix) size *= Math.hypot(matrix.a, matrix.b);
      if (size < 10.95) found.add(`${size.toFixed(1)} px: ${words.slice(0, 30)}`);
    }
    return [...found];
  });
}

/** Buttons, spots and chips that a finger cannot hit: 44 pixels, lines and corners of a wheel 28. */
export function tooSmall(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    for (const one of document.querySelectorAll('button, a, input, select, summary, [role=button]')) {
      // A box to tick is touched on its words too.
      const label = one.matches('[type=checkbox], [type=radio]') ? one.closest('label') : null;
      const box = (label ?? one).getBoundingClientRect();
      if (box.width === 0 || (one as HTMLElement).closest('.toasts')) continue;
      const least = one.classList.contains('joint') ? 28 : 44;
      // A pocket of the racetrack is touched along its arc: its box may be slanted, never thinner than its depth.
      if (Math.min(box.width, box.height) < least - 0.6) {
        const name = one.getAttribute('data-spot') ?? one.getAttribute('aria-label') ?? one.textContent;
        found.push(`${Math.round(box.width)} × ${Math.round(box.height)}: ${name?.trim().slice(0, 40)}`);
      }
    }
    return found;
  });
}

/** Parts of the page that scroll sideways, or hide what is beside them; a table that scrolls by itself is meant to. */
export function runsOut(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    for (const one of document.querySelectorAll<HTMLElement>('body *')) {
      const style = getComputedStyle(one);
      if (style.overflowX === 'visible' || one.closest('.scroll, .visually-hidden, nav, .shown, svg, .list'))
        continue;
      if (style.textOverflow === 'ellipsis' || one.clientWidth === 0) continue;
      if (one.scrollWidth > one.clientWidth + 1)
        found.push(`${one.tagName.toLowerCase()}.${one.className}: ${one.scrollWidth} in ${one.clientWidth}`);
    }
    return found;
  });
}
