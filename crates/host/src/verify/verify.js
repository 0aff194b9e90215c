'use strict';
// Verifies receipts of a log, by WebCrypto alone. Nothing is sent anywhere, except for the digits of a slip, by which the
// house is asked for the receipt.

// ---------------------------------------------------------------- words
const WORDS = {
  en: {
    title: 'Verify a bet', what: 'This page checks a receipt in your browser. It can be saved and works without the house and without a network.',
    camera: 'Read a code with the camera', file: 'Open a receipt or a picture', paste: 'Or paste a receipt, or the digits of a code', verify: 'Verify',
    saveProof: 'Save the receipt', savePage: 'Save this page with the receipt', whom: 'Whom do you believe?',
    policyWords: 'The public keys of the log and of witnesses, and how many of these must have signed. A key from someone other than the house is worth more than the one that came with this page.',
    proved: 'Proved', notProved: 'Not proved', that: 'In the log {origin} of {size} records there are these records, exactly as shown:',
    isProved: 'What is proved', isNot: 'What is not proved',
    p1: 'Each record below was made, at the time given by the clock of the house, and says what is shown.',
    p2: 'It has its place in one log, and every record before it is fixed too: if the house changes or removes it, anyone who keeps a head of the log can prove that.',
    n1: 'That there is no other record about you.', n2: 'How dice or wheel came to their result: they are physical.', n3: 'That money was handed over outside of this floor.',
    alone: 'No witness has signed. That the house does not keep a second, different log rests on the house alone.',
    witness: 'The witness {name} had seen this log, and no other, by {time}.',
    bet: 'Bet in round {round}: {changes}', spot: '{amount} on spot no. {spot}', named: '{amount} on {name} (spot no. {spot}; the name is the house’s)', settled: 'Round {round} was settled with result no. {outcome}. Terminal {terminal} got back {amount}.',
    settledAll: 'Round {round} was settled with result no. {outcome} for {count} terminals, whose parts are not shown.', voided: 'Round {round} was declared void.', other: 'A record of kind {kind}.',
    record: 'Record {n} · {time} · terminal {terminal}', recordPlain: 'Record {n} · {time}',
    asking: 'Asking the house for the receipt …', away: 'The house does not answer, or does not know this code. A code alone proves nothing without its receipt: save the receipt while you can.',
    insecure: 'This browser verifies only on https, on this machine, or from a saved file. Save this page and open the file.',
    old: 'This browser cannot verify Ed25519 signatures. It needs Chrome 137, Firefox 129 or Safari 17, or later.',
    noReader: 'This browser cannot read codes. Scan the code with the camera of your phone, which opens this page, or paste its digits.',
    noCode: 'There is no code that can be read in this picture.', noCamera: 'The camera cannot be used: {reason}', empty: 'There is nothing to verify yet.',
  },
  'zh-Hans': {
    title: '验证投注', what: '本页在您的浏览器内核验收据，可以保存，无需赌场或网络也能使用。',
    camera: '用相机读取二维码', file: '打开收据或图片', paste: '或粘贴收据，或二维码中的数字', verify: '验证',
    saveProof: '保存收据', savePage: '保存本页连同收据', whom: '您相信谁？',
    policyWords: '日志与见证方的公钥，以及须有多少见证方签名。来自赌场以外的公钥比随本页而来的更可靠。',
    proved: '已证明', notProved: '未能证明', that: '日志 {origin} 共 {size} 条记录，其中有以下记录，与所示完全一致：',
    isProved: '证明了什么', isNot: '没有证明什么',
    p1: '以下每条记录确已写入，时间以赌场时钟为准，内容如所示。', p2: '它在唯一的日志中有固定位置，之前的每条记录也已固定：赌场若更改或删除，任何保存日志头的人都能证明。',
    n1: '没有其他与您有关的记录。', n2: '骰子或轮盘如何得出结果：它们是实物。', n3: '在本系统之外交付的金钱。',
    alone: '没有见证方签名。赌场没有另一份不同的日志，仅凭赌场自己保证。', witness: '见证方 {name} 在 {time} 之前只见过这一份日志。',
    bet: '第 {round} 局投注：{changes}', spot: '第 {spot} 号投注区 {amount}', named: '{name} {amount}（第 {spot} 号投注区；名称由赌场提供）', settled: '第 {round} 局已结算，结果编号 {outcome}。终端 {terminal} 得回 {amount}。',
    settledAll: '第 {round} 局已结算，结果编号 {outcome}，共 {count} 台终端，各自金额未显示。', voided: '第 {round} 局宣布无效。', other: '类别 {kind} 的记录。',
    record: '记录 {n} · {time} · 终端 {terminal}', recordPlain: '记录 {n} · {time}',
    asking: '正在向赌场索取收据……', away: '赌场没有应答，或不认识此二维码。没有收据，仅凭二维码不能证明任何事：请及时保存收据。',
    insecure: '此浏览器只在 https、本机或已保存的文件中验证。请保存本页并打开该文件。', old: '此浏览器不能验证 Ed25519 签名。需要 Chrome 137、Firefox 129 或 Safari 17 及以上。',
    noReader: '此浏览器不能读取二维码。请用手机相机扫描（会打开本页），或粘贴其数字。', noCode: '图片中没有可读取的二维码。', noCamera: '无法使用相机：{reason}', empty: '尚无可验证的内容。',
  },
  'zh-Hant': {
    title: '驗證投注', what: '本頁在您的瀏覽器內核驗收據，可以儲存，無需賭場或網路也能使用。',
    camera: '用相機讀取二維碼', file: '開啟收據或圖片', paste: '或貼上收據，或二維碼中的數字', verify: '驗證',
    saveProof: '儲存收據', savePage: '儲存本頁連同收據', whom: '您相信誰？',
    policyWords: '日誌與見證方的公鑰，以及須有多少見證方簽名。來自賭場以外的公鑰比隨本頁而來的更可靠。',
    proved: '已證明', notProved: '未能證明', that: '日誌 {origin} 共 {size} 筆紀錄，其中有以下紀錄，與所示完全一致：',
    isProved: '證明了什麼', isNot: '沒有證明什麼',
    p1: '以下每筆紀錄確已寫入，時間以賭場時鐘為準，內容如所示。', p2: '它在唯一的日誌中有固定位置，之前的每筆紀錄也已固定：賭場若更改或刪除，任何保存日誌頭的人都能證明。',
    n1: '沒有其他與您有關的紀錄。', n2: '骰子或輪盤如何得出結果：它們是實物。', n3: '在本系統之外交付的金錢。',
    alone: '沒有見證方簽名。賭場沒有另一份不同的日誌，僅憑賭場自己保證。', witness: '見證方 {name} 在 {time} 之前只見過這一份日誌。',
    bet: '第 {round} 局投注：{changes}', spot: '第 {spot} 號投注區 {amount}', named: '{name} {amount}（第 {spot} 號投注區；名稱由賭場提供）', settled: '第 {round} 局已結算，結果編號 {outcome}。終端 {terminal} 得回 {amount}。',
    settledAll: '第 {round} 局已結算，結果編號 {outcome}，共 {count} 台終端，各自金額未顯示。', voided: '第 {round} 局宣布無效。', other: '類別 {kind} 的紀錄。',
    record: '紀錄 {n} · {time} · 終端 {terminal}', recordPlain: '紀錄 {n} · {time}',
    asking: '正在向賭場索取收據……', away: '賭場沒有回應，或不認識此二維碼。沒有收據，僅憑二維碼不能證明任何事：請及時儲存收據。',
    insecure: '此瀏覽器只在 https、本機或已儲存的檔案中驗證。請儲存本頁並開啟該檔案。', old: '此瀏覽器不能驗證 Ed25519 簽名。需要 Chrome 137、Firefox 129 或 Safari 17 及以上。',
    noReader: '此瀏覽器不能讀取二維碼。請用手機相機掃描（會開啟本頁），或貼上其數字。', noCode: '圖片中沒有可讀取的二維碼。', noCamera: '無法使用相機：{reason}', empty: '尚無可驗證的內容。',
  },
};
const preferred = (navigator.languages || ['en']).find((tag) => /^(en|zh)/i.test(tag)) || 'en';
let language = /^zh/i.test(preferred) ? (/hant|tw|hk|mo/i.test(preferred) ? 'zh-Hant' : 'zh-Hans') : 'en';
const say = (key, values = {}) => WORDS[language][key].replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');
const fail = (words) => { throw new Error(words); };

// ---------------------------------------------------------------- bytes
const utf8 = (text) => new TextEncoder().encode(text);
function join(...parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) { all.set(part, at); at += part.length; }
  return all;
}
function base64(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  // There is one way of writing bytes: anything else was changed.
  if (btoa(String.fromCharCode(...bytes)) !== text) fail('base64');
  return bytes;
}
const same = (a, b) => a.length === b.length && a.every((byte, place) => byte === b[place]);
const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
const sha256 = async (...parts) => new Uint8Array(await crypto.subtle.digest('SHA-256', join(...parts)));
const one = (byte) => Uint8Array.of(byte);
const node = (left, right) => sha256(one(1), left, right);
const leaf = (entry) => sha256(one(0), entry);

class Reader {
  constructor(bytes) { this.bytes = bytes; this.at = 0; }
  take(length) {
    if (this.at + length > this.bytes.length) fail('it is cut off');
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
  byte() { return this.take(1)[0]; }
  number(length) { return this.take(length).reduce((sum, byte) => sum * 256n + BigInt(byte), 0n); }
  uvarint() {
    let value = 0n;
    for (let shift = 0n; shift < 64n; shift += 7n) {
      const byte = BigInt(this.byte());
      value |= (byte & 0x7fn) << shift;
      if (byte < 0x80n) return value;
    }
    return fail('a number is too long');
  }
  rest() { return this.take(this.bytes.length - this.at); }
  get ended() { return this.at === this.bytes.length; }
}

// ---------------------------------------------------------------- the tree (RFC 6962, RFC 9162)
function pathLength(index, size) {
  let [place, last, length] = [index, size - 1n, 0];
  for (; last > 0n; place >>= 1n, last >>= 1n) if ((place & 1n) === 1n || place !== last) length += 1;
  return length;
}
async function rootOf(hash, index, size, path) {
  if (index >= size || path.length !== pathLength(index, size)) fail('the proof does not fit the size of the log');
  let [place, last, root] = [index, size - 1n, hash];
  for (const sibling of path) {
    if ((place & 1n) === 1n || place === last) {
      root = await node(sibling, root);
      while ((place & 1n) === 0n && place !== 0n) { place >>= 1n; last >>= 1n; }
    } else root = await node(root, sibling);
    place >>= 1n; last >>= 1n;
  }
  return root;
}

// ---------------------------------------------------------------- notes, keys and policies (C2SP)
async function readKey(text) {
  const [name, id, ...rest] = text.split('+');
  const typed = base64(rest.join('+'));
  if (typed.length !== 33 || (typed[0] !== 1 && typed[0] !== 4)) fail('a key of this type is not supported');
  const hash = await sha256(utf8(`${name}\n`), typed);
  if (hex(hash.subarray(0, 4)) !== id) fail('the id of a key does not belong to it');
  const key = await crypto.subtle.importKey('raw', typed.subarray(1), { name: 'Ed25519' }, false, ['verify']);
  return { name, id: hash.subarray(0, 4), cosigns: typed[0] === 4, key };
}
async function readPolicy(text) {
  const policy = { logs: [], witnesses: new Map(), groups: new Map(), quorum: 'none' };
  for (const line of text.split('\n')) {
    const [word, name, ...rest] = line.trim().split(/\s+/);
    if (!word || word.startsWith('#')) continue;
    if (word === 'log') policy.logs.push(await readKey(name));
    else if (word === 'witness') policy.witnesses.set(name, await readKey(rest[0]));
    else if (word === 'group') policy.groups.set(name, { needed: rest[0] === 'any' ? 1 : rest[0] === 'all' ? rest.length - 1 : Number(rest[0]), members: rest.slice(1) });
    else if (word === 'quorum') policy.quorum = name;
    else fail('a line of the policy cannot be understood');
  }
  if (policy.logs.length === 0) fail('the policy names no log');
  return policy;
}
function isQuorum(policy, name, signed) {
  if (name === 'none') return true;
  const group = policy.groups.get(name);
  if (!group) return signed.has(name);
  return group.needed > 0 && group.members.filter((member) => isQuorum(policy, member, signed)).length >= group.needed;
}
function readNote(text) {
  const split = text.lastIndexOf('\n\n');
  if (split < 0 || !text.endsWith('\n') || /[\x00-\x09\x0b-\x1f]/.test(text)) fail('the head is not a signed note');
  const signatures = text.slice(split + 2, -1).split('\n').map((line) => {
    const found = /^— (\S+) (\S+)$/.exec(line) || fail('a signature cannot be read');
    const bytes = base64(found[2]);
    return { name: found[1], id: bytes.subarray(0, 4), signature: bytes.subarray(4) };
  });
  return { text: text.slice(0, split + 1), signatures };
}
/** The time of a cosignature, or true; a known key whose signature does not fit spoils the note. */
async function signedBy(note, key) {
  for (const line of note.signatures) {
    if (line.name !== key.name || !same(line.id, key.id)) continue;
    let [signature, message, time] = [line.signature, note.text, true];
    if (key.cosigns) {
      const reader = new Reader(signature);
      time = reader.number(8);
      signature = reader.rest();
      message = `cosignature/v1\ntime ${time}\n${note.text}`;
    }
    const fits = signature.length === 64 && (await crypto.subtle.verify({ name: 'Ed25519' }, key.key, signature, utf8(message)));
    if (!fits) fail(`the signature of ${key.name} is false`);
    return time;
  }
  return null;
}
async function verifyHead(note, policy) {
  const lines = note.text.slice(0, -1).split('\n');
  if (lines.length < 3 || !/^(0|[1-9]\d*)$/.test(lines[1])) fail('the head cannot be read');
  const head = { origin: lines[0], size: BigInt(lines[1]), root: base64(lines[2]), witnesses: [] };
  let log = false;
  for (const key of policy.logs) if (key.name === head.origin && !key.cosigns && (await signedBy(note, key))) log = true;
  if (!log) fail(`no log that you believe has signed it (it names ${head.origin})`);
  const signed = new Set();
  for (const [name, key] of policy.witnesses) {
    const time = key.cosigns ? await signedBy(note, key) : null;
    if (time !== null) { signed.add(name); head.witnesses.push({ name, time: Number(time) * 1000 }); }
  }
  if (!isQuorum(policy, policy.quorum, signed)) fail('too few witnesses have signed');
  return head;
}

// ---------------------------------------------------------------- receipts
const HEADER = 'c2sp.org/tlog-proof@v1\n';
function readProofs(text) {
  const parts = text.split(HEADER);
  if (parts.length < 2 || parts[0] !== '') fail('it is no receipt');
  return parts.slice(1).map((part) => {
    const split = part.indexOf('\n\n');
    const lines = part.slice(0, split).split('\n');
    const extra = lines[0].startsWith('extra ') ? base64(lines.shift().slice(6)) : null;
    const index = /^index (0|[1-9]\d*)$/.exec(lines.shift()) || fail('the receipt names no record');
    return { extra, index: BigInt(index[1]), path: lines.map(base64), note: readNote(part.slice(split + 2)) };
  });
}
/** What an entry is made from, and the entry. */
async function open(bytes) {
  const reader = new Reader(bytes);
  const kind = reader.byte();
  const salt = reader.take(16);
  const time = reader.take(8);
  const at = Number(BigInt.asIntN(64, new Reader(time).number(8)));
  const entry = async (kind, ...parts) => join(one(kind), await sha256(salt, time, ...parts));
  if (kind === 1) {
    const record = reader.rest();
    return { at, record, entry: await entry(1, record) };
  }
  const count = reader.take(4);
  const listed = new Reader(count).number(4);
  if (kind === 3) {
    const items = reader.take(32);
    const record = reader.rest();
    return { at, record, listed, entry: await entry(2, items, count, record) };
  }
  if (kind !== 2) fail('a record is shown in a way that is not known');
  const place = reader.number(4);
  if (place >= listed) fail('a part of a record has no place in it');
  const itemSalt = reader.take(16);
  const item = reader.take(Number(reader.number(2)));
  const path = [];
  for (let left = pathLength(place, listed); left > 0; left -= 1) path.push(reader.take(32));
  const record = reader.rest();
  const items = await rootOf(await leaf(join(itemSalt, item)), place, listed, path);
  return { at, record, listed, item, entry: await entry(2, items, count, record) };
}
function fromDigits(digits) {
  let number = BigInt(digits);
  const bytes = [];
  for (; number > 0n; number >>= 8n) bytes.unshift(Number(number & 0xffn));
  return Uint8Array.from(bytes);
}
function toBase64(bytes) { return btoa(String.fromCharCode(...bytes)); }
/** The proof that the digits of a whole receipt stand for. */
async function expand(digits, policy) {
  const reader = new Reader(fromDigits(digits));
  if (reader.byte() !== 1) fail('the code is of another version');
  const id = reader.take(4);
  const known = policy.logs.find((key) => same(key.id, id)) || fail('the log of the code is not one that you believe');
  const [size, index] = [reader.uvarint(), reader.uvarint()];
  const extra = reader.take(Number(reader.uvarint()));
  const path = [];
  for (let left = pathLength(index, size); left > 0; left -= 1) path.push(reader.take(32));
  const lines = [`— ${known.name} ${toBase64(join(id, reader.take(64)))}\n`];
  for (let left = reader.byte(); left > 0; left -= 1) {
    const witness = reader.take(4);
    const key = [...policy.witnesses.values()].find((key) => same(key.id, witness)) || fail('a witness of the code is not known');
    let [time, seconds] = [reader.uvarint(), new Uint8Array(8)];
    for (let place = 7; place >= 0; place -= 1, time >>= 8n) seconds[place] = Number(time & 0xffn);
    lines.push(`— ${key.name} ${toBase64(join(witness, seconds, reader.take(64)))}\n`);
  }
  if (!reader.ended) fail('something is left over after the code');
  const root = await rootOf(await leaf((await open(extra)).entry), index, size, path);
  const text = `${known.name}\n${size}\n${toBase64(root)}\n`;
  return `${HEADER}extra ${toBase64(extra)}\nindex ${index}\n${path.map((hash) => `${toBase64(hash)}\n`).join('')}\n${text}\n${lines.join('')}`;
}

// ---------------------------------------------------------------- records
function cbor(reader) {
  const first = reader.byte();
  const [kind, short] = [first >> 5, first & 31];
  const value = short < 24 ? BigInt(short) : short < 28 ? reader.number(1 << (short - 24)) : fail('a record cannot be read');
  if (kind === 0) return value;
  if (kind === 1) return -1n - value;
  if (kind === 2) return reader.take(Number(value));
  if (kind === 3) return new TextDecoder().decode(reader.take(Number(value)));
  if (kind === 4) return Array.from({ length: Number(value) }, () => cbor(reader));
  if (kind === 5) return Array.from({ length: Number(value) }, () => [cbor(reader), cbor(reader)]);
  if (kind === 6) return cbor(reader);
  return short === 20 ? false : short === 21 ? true : null;
}
const money = (amount) => `${amount < 0n ? '−' : ''}${(amount < 0n ? -amount : amount) / 100n}.${((amount < 0n ? -amount : amount) % 100n).toString().padStart(2, '0')}`;
const zigzag = (value) => (value >> 1n) ^ -(value & 1n);
/** What a record says, as far as this page knows its kind. */
function tell(opened) {
  const { record, item, listed } = opened;
  if (record[0] === 2 && record[1] === 1) {
    const reader = new Reader(record.subarray(2));
    const terminal = reader.uvarint();
    reader.uvarint(); reader.take(8);
    const [round, spot, delta] = [reader.uvarint(), reader.uvarint(), zigzag(reader.uvarint())];
    return { kind: 'bet', terminal, round, changes: [{ spot, delta }] };
  }
  if (record[0] !== 2 || record[1] !== 0) return { kind: 'other', tag: '?' };
  const [, [tag, fields]] = cbor(new Reader(record.subarray(2)));
  if (tag === 39n) return { kind: 'bet', terminal: fields[0], round: fields[4] ?? '?', changes: fields[1].map(([spot, , delta]) => ({ spot, delta })) };
  if (tag === 48n) {
    const part = item ? cbor(new Reader(item)) : null;
    return { kind: part ? 'settled' : 'settledAll', round: fields[0], outcome: fields[2], count: listed, terminal: part?.[0], amount: part ? money(part[1]) : '' };
  }
  if (tag === 50n) return { kind: 'voided', round: fields[0] };
  return { kind: 'other', tag };
}

// ---------------------------------------------------------------- the page
const $ = (id) => document.getElementById(id);
const kept = JSON.parse($('kept').textContent || '{}');
let shown = null;
const when = (at) => new Date(at).toLocaleString(language, { timeZone: 'Asia/Singapore', dateStyle: 'medium', timeStyle: 'medium' });
function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}
function sentence(found) {
  if (found.kind !== 'bet') return say(found.kind, { ...found, kind: String(found.tag) });
  const changes = found.changes.map(({ spot, delta }) => {
    const name = kept.spots?.[String(spot)];
    return say(name ? 'named' : 'spot', { amount: money(delta), spot, name });
  });
  return say('bet', { round: found.round, changes: changes.join(', ') });
}
function draw() {
  document.documentElement.lang = language;
  document.title = say('title');
  for (const one of document.querySelectorAll('[data-t]')) one.textContent = say(one.dataset.t);
  for (const one of document.querySelectorAll('[data-lang]')) one.setAttribute('aria-pressed', String(one.dataset.lang === language));
  const answer = $('answer');
  answer.hidden = !shown;
  $('keep').hidden = !shown?.proof;
  if (!shown) return;
  answer.className = shown.proof ? 'yes' : shown.wait ? '' : 'no';
  answer.replaceChildren(element('strong', say(shown.wait ? 'asking' : shown.proof ? 'proved' : 'notProved')));
  if (!shown.proof) { if (!shown.wait) answer.append(element('p', WORDS.en[shown.why] ? say(shown.why, shown) : shown.why)); return; }
  const { head, records } = shown;
  answer.append(element('p', say('that', { origin: head.origin, size: head.size })));
  const list = element('ol');
  for (const { index, at, found } of records) {
    const item = element('li', sentence(found));
    const values = { n: index + 1n, time: when(at), terminal: found.terminal };
    item.append(element('small', say(found.terminal === undefined ? 'recordPlain' : 'record', values)));
    list.append(item);
  }
  answer.append(list, element('h2', say('isProved')));
  const yes = element('ul');
  yes.append(element('li', say('p1')), element('li', say('p2')));
  for (const witness of head.witnesses) yes.append(element('li', say('witness', { name: witness.name, time: when(witness.time) })));
  const no = element('ul');
  no.append(element('li', say('n1')), element('li', say('n2')), element('li', say('n3')));
  if (head.witnesses.length === 0) no.append(element('li', say('alone')));
  answer.append(yes, element('h2', say('isNot')), no);
}
const refuse = (why, more = {}) => { shown = { why, ...more }; draw(); };
/** Verifies a receipt as text; resolves to whether it holds. */
async function verifyProofs(text) {
  const policy = await readPolicy($('policy').value);
  const records = [];
  let head = null;
  for (const proof of readProofs(text)) {
    head = await verifyHead(proof.note, policy);
    const opened = await open(proof.extra || fail('the receipt does not show its record'));
    const root = await rootOf(await leaf(opened.entry), proof.index, head.size, proof.path);
    if (!same(root, head.root)) fail('the record is not the one that the log has');
    records.push({ index: proof.index, at: opened.at, found: tell(opened) });
  }
  shown = { proof: text, head, records };
  draw();
}
async function verify(input) {
  const given = input.trim();
  if (!given) return refuse('empty');
  if (!globalThis.crypto?.subtle) return refuse('insecure');
  try {
    await crypto.subtle.importKey('raw', new Uint8Array(32), { name: 'Ed25519' }, false, ['verify']);
  } catch { return refuse('old'); }
  const digits = given.slice(given.lastIndexOf('#') + 1);
  try {
    if (!/^\d+$/.test(digits)) return await verifyProofs(`${given}\n`);
    if (digits.length > 80) return await verifyProofs(await expand(digits, await readPolicy($('policy').value)));
  } catch (error) { return refuse(error.message); }
  shown = { wait: true };
  draw();
  try {
    const house = /^https?:\/\/[^/]+/.exec(given)?.[0] ?? '';
    const answer = await fetch(`${house}/receipt/${digits}`);
    if (!answer.ok) return refuse('away');
    const proof = await answer.text();
    const words = await fetch(`${house}/receipt/${digits}/words`).then((found) => (found.ok ? found.json() : {})).catch(() => ({}));
    kept.spots = words.spots;
    await verifyProofs(proof);
  } catch (error) { refuse(error instanceof TypeError ? 'away' : error.message); }
}
function save(name, kind, text) {
  const link = element('a');
  link.href = URL.createObjectURL(new Blob([text], { type: kind }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
async function codeIn(source) {
  if (!('BarcodeDetector' in globalThis)) return refuse('noReader');
  const [found] = await new BarcodeDetector({ formats: ['qr_code'] }).detect(source);
  return found?.rawValue ?? null;
}
async function camera() {
  if (!('BarcodeDetector' in globalThis)) return refuse('noReader');
  const video = $('video');
  let stream;
  try { stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } }); } catch (error) { return refuse('noCamera', { reason: error.message }); }
  video.srcObject = stream;
  video.hidden = false;
  await video.play();
  const look = async () => {
    const found = await codeIn(video);
    if (!found) return void requestAnimationFrame(look);
    for (const track of stream.getTracks()) track.stop();
    video.hidden = true;
    $('text').value = found;
    return verify(found);
  };
  return look();
}

for (const one of document.querySelectorAll('[data-lang]')) one.addEventListener('click', () => { language = one.dataset.lang; draw(); });
$('verify').addEventListener('click', () => verify($('text').value));
$('camera').addEventListener('click', camera);
$('file').addEventListener('change', async ({ target }) => {
  const [file] = target.files;
  if (!file) return;
  if (!file.type.startsWith('image/')) { await verify(await file.text()); return; }
  const found = await codeIn(await createImageBitmap(file));
  if (found) await verify(found); else if (found === null) refuse('noCode');
});
$('save-proof').addEventListener('click', () => save('receipt.tlog-proof', 'text/plain', shown.proof));
$('save-page').addEventListener('click', () => {
  const page = document.documentElement.cloneNode(true);
  const state = { policy: $('policy').value, proof: shown.proof, spots: kept.spots };
  page.querySelector('#kept').textContent = JSON.stringify(state).replace(/</g, '\\u003c');
  page.querySelector('#answer').replaceChildren();
  save('receipt.html', 'text/html', `<!doctype html>\n${page.outerHTML}`);
});
$('policy').value = kept.policy ?? '';
draw();
if (kept.proof) verify(kept.proof);
else if (location.hash.length > 1) { $('text').value = location.hash.slice(1); verify(location.hash); }
addEventListener('hashchange', () => { if (location.hash.length > 1) verify(location.hash); });
