import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { convert } from '../mock/rulebook';
import { familyName, spotName } from './spots';

const file = new URL('../../../rulebooks/mbs-sicbo.toml', import.meta.url);
const book = convert(readFileSync(file, 'utf8'));

describe('the names of bets', () => {
  it('are those of the layout’s appendix, where it has its own (MBS Appendix B)', () => {
    expect(familyName(book, 'domino', 'rapid')?.en).toBe('Two dice combination');
    expect(familyName(book, 'domino', 'alfastreet')?.en).toBe('Domino Combination Bet');
    expect(spotName(book, 'double/4', 'alfastreet')).toEqual({ en: 'Double Dice Bet 4', zh: '对子 4' });
    expect(spotName(book, 'triple/any', 'alfastreet').en).toBe('Any Triple Bet');
    expect(spotName(book, 'small', 'alfastreet').en).toBe('Small');
  });
  it('are the document’s own where no layout is named', () => {
    expect(spotName(book, 'total/9').en).toBe('Three dice total 9');
  });
});
