import type { Page } from '@playwright/test';

/** The characters of a national standard, from the ranges of its first and second bytes. */
function standard(encoding: string, first: [number, number], second: [number, number][]): Set<string> {
  const decoder = new TextDecoder(encoding);
  const found = new Set<string>();
  for (let high = first[0]; high <= first[1]; high += 1)
    for (const [from, to] of second)
      for (let low = from; low <= to; low += 1) found.add(decoder.decode(new Uint8Array([high, low])));
  return found;
}

// Two levels of GB 2312 are the Simplified characters; the first level of Big5 is the Traditional characters in common use.
const simplified = standard('gb2312', [0xb0, 0xf7], [[0xa1, 0xfe]]);
const common = standard(
  'big5',
  [0xa4, 0xc6],
  [
    [0x40, 0x7e],
    [0xa1, 0xfe],
  ],
);
const alsoTraditional = new Set('枱啟着骰裏裝佈叁');

export const isSimplified = (one: string) => simplified.has(one);
/** Traditional ones that Big5 has on its second level or not at all belong to it as well. */
export const isTraditional = (one: string) => common.has(one) || alsoTraditional.has(one);
export const han = (text: string) => [...text].filter((one) => /\p{Script=Han}/u.test(one));

/** Characters on the page that are not of its script; the switch names each language in its own. */
export async function ofOtherScript(page: Page, language: 'zh' | 'zh-Hant'): Promise<string[]> {
  const text = (await page.locator('#app').textContent()) ?? '';
  const right = language === 'zh' ? isSimplified : isTraditional;
  return [...new Set(han(text.replace(/简体|繁體/g, '')).filter((one) => !right(one)))];
}
