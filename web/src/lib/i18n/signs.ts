// The Chinese signs printed on felts and roads: those of the page's own script, never of both.

export type Language = 'en' | 'zh';

const simplified = {
  big: '大',
  small: '小',
  odd: '单',
  even: '双',
  red: '红',
  black: '黑',
  green: '绿',
  anyTriple: '全围',
  pays: '赔',
  loses: '围骰通杀',
  dice: '一 · 二 · 三颗',
  columns: ['', '第一列', '第二列', '第三列'],
};

export type Signs = typeof simplified;

/** An English page shows the script of the place, which is simplified. */
export function signsOf(_language: Language): Signs {
  return simplified;
}
