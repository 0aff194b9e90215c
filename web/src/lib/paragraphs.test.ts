import { expect, test } from 'vitest';
import { wholeSentence } from './paragraphs';

const paragraph = (number: string, en: string) => ({
  number,
  class: 'irregularity',
  text: { en, zh: '' },
  inferred: false,
});
const all = [
  paragraph('5.1', 'An interruption that affects the round:'),
  paragraph('5.1.1', 'with an outcome established it is played to its end;'),
  paragraph('5.1.2', 'with none established it is void.'),
  paragraph('5.2', 'Terminals only: the round goes on. On those terminals'),
  paragraph('5.2.1', 'registered bets are settled;'),
  paragraph('5.2.2', 'others go back.'),
];
const whole = (number: string) => wholeSentence(all, number, (text) => text.en);

test('a paragraph is never cut in the middle of its sentence', () => {
  expect(whole('5.1.1')).toBe(
    'An interruption that affects the round: with an outcome established it is played to its end.',
  );
  expect(whole('5.1.2')).toBe('An interruption that affects the round: with none established it is void.');
  expect(whole('5.2')).toBe(
    'Terminals only: the round goes on. On those terminals registered bets are settled; others go back.',
  );
  expect(whole('9.9')).toBe('');
});
