import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { han, isSimplified, isTraditional } from '../../../tests/script';
import { quoted } from '../paragraphs';
import { en as enFirst } from './en';
import { enStaff, type Key } from './en-staff';
import { traditional } from './host-words';
import { fill, isLanguage, preferred } from './languages';
import { signsOf } from './signs';
import { zh as zhFirst } from './zh';
import { zhHant as zhHantFirst } from './zh-hant';
import { zhHantStaff } from './zh-hant-staff';
import { zhStaff } from './zh-staff';

const root = new URL('../../../../', import.meta.url).pathname;
const read = (path: string) => readFileSync(root + path, 'utf8');
const under = (folder: string, ends: RegExp) =>
  readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => ends.test(name))
    .map((name) => `${folder}/${name}`);

const en = { ...enFirst, ...enStaff };
const zh = { ...zhFirst, ...zhStaff };
const zhHant = { ...zhHantFirst, ...zhHantStaff };
const keys = Object.keys(en) as Key[];
const translations: Record<string, Record<string, string>> = { zh, 'zh-hant': zhHant };
const places = (text: string) =>
  [...new Set([...text.matchAll(/\{(\w+)(?:\|[^}]*)?\}/g)].map((match) => match[1]))].sort();

// Characters that both standards have, and that stand for another one in a Traditional text.
const onlySimplified = new Set('后里余干几丰松卷谷冲云台游');
const alone: Record<string, RegExp> = { 台: /控制台|平台/, 松: /松/, 里: /公里/ };

const sources = () =>
  under('web/src', /\.(svelte|ts)$/).filter((name) => !/i18n\/|\.test\.ts$|openapi\.d\.ts$/.test(name));

/** What the pages of players are made of: everything that they import, at once or later. */
function ofPlayers(): string[] {
  const all = new Set(sources());
  const found = new Set<string>();
  const wanted = ['main.ts', ...['Landing', 'Terminal', 'Display'].map((page) => `pages/${page}.svelte`)];
  const left = wanted.map((name) => `web/src/${name}`);
  for (let name = left.pop(); name; name = left.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    // The router names every page.
    if (name.endsWith('App.svelte')) continue;
    for (const [, path] of read(name).matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g)) {
      const base = normalize(join(dirname(name), path ?? ''));
      left.push(...[base, `${base}.ts`].filter((one) => all.has(one)));
    }
  }
  return [...found];
}

/** Every key that these sources name: written out, or by what it begins with. */
function named(files = sources()): { whole: Set<string>; begins: string[] } {
  const source = files.map(read).join('\n');
  const whole = [...source.matchAll(/['"`]([a-z][\w-]*(?:\.[\w-]+)+)['"`]/g)].map((found) => found[1] ?? '');
  const begins = [
    ...[...source.matchAll(/`([a-z][\w-]*(?:\.[\w-]+)*\.)\$\{/g)].map((found) => found[1] ?? ''),
    ...[...source.matchAll(/\bterm\('([\w.]+)'/g)].map((found) => `${found[1]}.`),
  ];
  return { whole: new Set(whole), begins };
}

describe('the dictionaries', () => {
  for (const [file, texts] of Object.entries(translations)) {
    it(`${file} has every key and no other`, () => {
      expect(keys.filter((key) => !(key in texts))).toEqual([]);
      expect(Object.keys(texts).filter((key) => !(key in en))).toEqual([]);
    });
    it(`${file} has the same places to fill`, () => {
      const differ = keys.filter((key) => String(places(texts[key] ?? '')) !== String(places(en[key])));
      expect(differ).toEqual([]);
    });
    it(`${file} is translated`, () => {
      const same = keys.filter(
        (key) => texts[key] === en[key] && /[A-Za-z]/.test(en[key].replace(/\{[^}]+\}/g, '')),
      );
      expect(same).toEqual(['app.name']);
    });
  }
  it('have no key that no page uses', () => {
    const { whole, begins } = named();
    const unused = keys.filter((key) => !whole.has(key) && !begins.some((one) => key.startsWith(one)));
    expect(unused).toEqual([]);
  });
  it('give players’ pages the texts that they name, and no others', () => {
    const { whole, begins } = named(ofPlayers());
    const players = keys.filter((key) => whole.has(key) || begins.some((one) => key.startsWith(one)));
    expect(players.filter((key) => !(key in enFirst))).toEqual([]);
    expect(Object.keys(enFirst).filter((key) => !players.includes(key as Key))).toEqual([]);
  });
  it('never mix the two scripts', () => {
    const wrong = (texts: Record<string, string>, right: (one: string, text: string) => boolean) =>
      Object.entries(texts).flatMap(([key, text]) =>
        han(text)
          .filter((one) => !right(one, text))
          .map((one) => `${key}: ${one}`),
      );
    expect(wrong(zh, (one) => isSimplified(one))).toEqual([]);
    const stands = (one: string, text: string) => !onlySimplified.has(one) || !!alone[one]?.test(text);
    expect(wrong(zhHant, (one, text) => isTraditional(one) && stands(one, text))).toEqual([]);
    const signs = (language: 'zh' | 'zh-Hant') => han(Object.values(signsOf(language)).flat().join(''));
    expect(signs('zh').filter((one) => !isSimplified(one))).toEqual([]);
    expect(signs('zh-Hant').filter((one) => !isTraditional(one))).toEqual([]);
    expect(signsOf('en')).toEqual(signsOf('zh'));
  });
  it('show players no numbers of decisions and standards', () => {
    const players = /^(terminal|game|road|ticket|link|app|act|money)\./;
    const numbered = Object.entries(en).filter(([key, text]) => players.test(key) && /\b[DS]\d/.test(text));
    expect(numbered).toEqual([]);
    expect(['D27', 'S16', '', null].map(quoted)).toEqual(['', '', '', '']);
    expect(['5.3.2', 'Appendix A'].map(quoted)).toEqual(['5.3.2', 'Appendix A']);
  });
  it('use the terms of casinos', () => {
    const not = /积分|提款|投注凭证|票券|上局赢得|由机器主持|热门|冷门|揭盖|揭盅|开始一局|大细|粒/;
    const notHant = /積分|提款|投注憑證|票券|上局贏得|由機器主持|熱門|冷門|揭蓋|揭盅|開始一局|大細|粒/;
    expect(Object.entries(zh).filter(([, text]) => not.test(text))).toEqual([]);
    expect(Object.entries(zhHant).filter(([, text]) => notHant.test(text))).toEqual([]);
  });
  it('have words for every finding and every movement of the audit of people', () => {
    const source = read('crates/floor/src/people.rs') + read('crates/floor/src/offices.rs');
    const codes = [
      ...source.matchAll(/code: "([a-z-]+)"|\("([a-z-]+)", ", which|\("(threshold[a-z-]*)",/g),
    ].map((found) => found[1] ?? found[2] ?? found[3] ?? '');
    const acts = [
      ...source.matchAll(/act: (?:if of_vault \{ )?"([a-z-]+)"(?: \} else \{ "([a-z-]+)")?/g),
    ].flatMap((found) => [found[1], found[2]]);
    expect(codes.length).toBeGreaterThan(15);
    for (const code of codes) expect(keys, code).toContain(`finding.${code}`);
    for (const act of acts) if (act) expect(keys, act).toContain(`moved.${act}`);
  });
});

describe('messages', () => {
  it('have one word for one and another for several', () => {
    const text = 'last {n} {n|round|rounds}';
    expect(fill(text, { n: 1 })).toBe('last 1 round');
    expect(fill(text, { n: 0 })).toBe('last 0 rounds');
    expect(fill(text, { n: '1,000' })).toBe('last 1,000 rounds');
    expect(fill('最近 {n} 局 {missing}', { n: 7 })).toBe('最近 7 局 {missing}');
  });
  it('are in the language that the browser prefers', () => {
    expect(['en-SG', 'zh', 'zh-CN', 'zh-SG', 'zh-Hans-HK'].map(preferred)).toEqual([
      'en',
      'zh',
      'zh',
      'zh',
      'zh',
    ]);
    expect(['zh-TW', 'zh-HK', 'zh-MO', 'zh-Hant'].map(preferred)).toEqual(Array(4).fill('zh-Hant'));
    expect([isLanguage('zh-Hant'), isLanguage('zh'), isLanguage('fr'), isLanguage(null)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('words of the host in Traditional Chinese', () => {
  /** Its Chinese texts: of the rulebooks, of the program without its own tests and comments, and what the page says for it. */
  const texts = () => {
    const tests = /#\[cfg\(test\)\]\s*mod \w+ \{[\s\S]*$/;
    const programs = under('crates', /^[\w-]+\/src\/.*\.rs$/).map((name) =>
      read(name)
        .replace(tests, '')
        .replace(/\/\/.*$/gm, ''),
    );
    const rulebooks = under('rulebooks', /\.toml$/).map(read);
    const ours = [...under('web/src/mock', /\.ts$/), 'web/src/lib/api.ts'].map(read);
    return [...programs, ...rulebooks, ...ours].join('\n').match(/[\p{Script=Han}“”（），。；：、]+/gu) ?? [];
  };
  // A character that stands for several is looked at in every word: here are the words that the table shows rightly.
  const looked: Record<string, RegExp> = {
    准: /为准|核准|批准/g,
    台: /值台主管|赌台|本台|开台|关台|接台|台终端|台）|平台|控制台/g,
    发: /发现|发送|补发|签发/g,
    复: /恢复|答复|重复/g,
    余: /余额|其余/g,
    干: /干扰/g,
    只: /只要|只可|只是/g,
    系: /系列|系统/g,
    制: /控制/g,
    游: /游戏/g,
    里: /^$/g,
    征: /^$/g,
    松: /^$/g,
    几: /^$/g,
    卷: /^$/g,
    采: /^$/g,
    获: /获接纳|获指派/g,
    汇: /^$/g,
    历: /^$/g,
  };
  it('has every character of every text', () => {
    const found = texts();
    expect(found.length).toBeGreaterThan(500);
    const missing = new Set(
      found.flatMap((text) => han(traditional(text)).filter((one) => !isTraditional(one))),
    );
    expect([...missing]).toEqual([]);
  });
  it('has looked at every word with a character that stands for several', () => {
    const open = texts().flatMap((text) =>
      Object.entries(looked)
        .filter(([one, known]) => text.replace(known, '').includes(one))
        .map(([one]) => `${one}: ${text}`),
    );
    expect(open).toEqual([]);
  });
  it('has nothing that no text needs', () => {
    const all = texts().join('\n');
    const table = read('web/src/lib/i18n/host-words.ts');
    const pairs = [...table.matchAll(/^ {2}'(\p{Script=Han}+)',$/gmu)].map((line) => line[1]).join('');
    const characters = [...pairs].filter((_, index) => index % 2 === 0);
    const phrases = [...table.matchAll(/^(\p{Script=Han}\S*) \S/gmu)].map((line) => line[1] ?? '');
    expect(characters.length).toBeGreaterThan(200);
    expect(phrases.length).toBeGreaterThan(20);
    expect([...characters, ...phrases].filter((one) => !all.includes(one))).toEqual([]);
  });
  it.each([
    ['余额不足', '餘額不足'],
    ['终端已断线或锁定', '終端機已斷線或鎖定'],
    ['本局有 3 台终端断线', '本局有 3 部終端機斷線'],
    ['游戏控制台', '遊戲控制台'],
    ['票券已兑付', '兌現券已兌付'],
    ['荷官宣布“停止下注”后不得再下注。', '荷官宣佈「停止下注」後不得再下注。'],
    ['对子加单骰', '對子加單骰'],
    ['两骰组合 1-2', '牌九式 1-2'],
    ['孤儿注', '孤注 Orphelins'],
    ['三分区注', '三分 Tiers'],
    ['以骰子所示结果为准', '以骰子所示結果為準'],
    ['自拟示例，非核准文件', '自擬示例，非核准文件'],
    ['由值台主管记录为设备故障', '由監場主任記錄為設備故障'],
    ['大细', '骰寶（大小）'],
    ['壹仟贰佰叁拾肆元伍角', '壹仟貳佰叁拾肆元伍角'],
  ])('%s is %s', (given, shown) => {
    expect(traditional(given)).toBe(shown);
  });
});
