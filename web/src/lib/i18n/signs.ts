// The Chinese signs printed on felts and roads: those of the page's own script, never of both.

import type { Language } from './languages';

export type Signs = {
  big: string;
  small: string;
  odd: string;
  even: string;
  red: string;
  black: string;
  green: string;
  anyTriple: string;
  pays: string;
  loses: string;
  dice: string;
  columns: readonly string[];
  numerals: readonly string[];
};

export const simplified: Signs = {
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
  numerals: ['', '一', '二', '三', '四', '五', '六'],
};

export const traditional: Signs = {
  ...simplified,
  odd: '單',
  even: '雙',
  red: '紅',
  green: '綠',
  anyTriple: '全圍',
  pays: '賠',
  loses: '圍骰通殺',
  dice: '一 · 二 · 三顆',
};

/** An English page shows the script of the place, which is simplified. */
export function signsOf(language: Language): Signs {
  return language === 'zh-Hant' ? traditional : simplified;
}
