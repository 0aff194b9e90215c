// A paragraph as a sentence that can be read alone: some begin in the paragraph above, or end in the ones below.

import type { Rulebook, Text } from './contract';

/** The paragraph of a document that a person can read; decisions and standards of the house, and what is no rule at all, are left out. */
export const quoted = (paragraph: string | null | undefined): string =>
  /^([DS]\d|[a-z])/.test(paragraph ?? '') ? '' : (paragraph ?? '');

type Paragraphs = Rulebook['paragraphs'];

export function wholeSentence(paragraphs: Paragraphs, number: string, say: (text: Text) => string): string {
  const own = paragraphs.find((one) => one.number === number);
  if (!own) return '';
  const words = [say(own.text)];
  // "with none established …" goes on from the paragraph above.
  const above = paragraphs.find((one) => one.number === number.slice(0, number.lastIndexOf('.')));
  if (above && /[:：]$/.test(say(above.text))) words.unshift(say(above.text));
  // "On those terminals" goes on in the paragraphs below.
  if (!/[.;。；]$/.test(say(own.text)))
    words.push(
      ...paragraphs.filter((one) => one.number.startsWith(`${number}.`)).map((one) => say(one.text)),
    );
  return words
    .join(' ')
    .replace(/[;,]$/, '.')
    .replace(/[；，]$/, '。');
}
