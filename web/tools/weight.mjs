// What the first load of each page weighs, compressed: npm run weight, after npm run build. Script with the largest
// dictionary, and style, without fonts; fails above what is asked for.
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const mostScript = 100 * 1024;
const mostStyle = 40 * 1024;
const files = readdirSync('dist/assets');
const weigh = (name) => gzipSync(readFileSync(`dist/assets/${name}`), { level: 9 }).length;
const imports = (name) =>
  name.endsWith('.js')
    ? [
        ...readFileSync(`dist/assets/${name}`, 'utf8').matchAll(
          /from\s*["']\.\/([\w.-]+\.js)["']|import\s*["']\.\/([\w.-]+\.js)["']/g,
        ),
      ].map((found) => found[1] ?? found[2])
    : [];
function all(names) {
  const seen = new Set();
  const walk = (name) => {
    if (seen.has(name)) return;
    seen.add(name);
    imports(name).forEach(walk);
  };
  names.forEach(walk);
  return seen;
}
const index = [...readFileSync('dist/index.html', 'utf8').matchAll(/assets\/([\w.-]+\.(?:js|css))/g)].map(
  (found) => found[1],
);
// One language is loaded with the page: the dictionary that weighs most, with what belongs to it. Players' pages do not load
// the part for staff.
const sumOf = (names) => names.reduce((bytes, name) => bytes + weigh(name), 0);
const parts = [['en'], ['zh'], ['zh-hant', 'host-words']];
function heaviest(groups) {
  const languages = groups.map((names) =>
    files.filter((file) => names.some((name) => file.endsWith('.js') && file.slice(0, -12) === name)),
  );
  const wanted = groups.flat().length;
  if (languages.flat().length !== wanted) throw new Error(`dictionaries: ${languages.flat()}`);
  return languages.sort((a, b) => sumOf(b) - sumOf(a))[0];
}
const players = heaviest(parts);
const staff = heaviest(parts.map((names) => [...names, `${names[0]}-staff`]));
for (const page of ['Landing', 'Terminal', 'Console', 'Display', 'Pit', 'Cage', 'Admin', 'Lab', 'Reports']) {
  const own = files.filter((name) => new RegExp(`^${page}-[\\w-]+\\.(js|css)$`).test(name));
  const loaded = all([...index, ...own]);
  for (const name of [...loaded]) {
    const style = files.find((one) => one.endsWith('.css') && one.split('-')[0] === name.split('-')[0]);
    if (style) loaded.add(style);
  }
  const language = ['Landing', 'Terminal', 'Display'].includes(page) ? players : staff;
  for (const name of language) loaded.add(name);
  const script = sumOf([...loaded].filter((name) => name.endsWith('.js')));
  const style = sumOf([...loaded].filter((name) => name.endsWith('.css')));
  const kib = (bytes) => `${(bytes / 1024).toFixed(1)} KiB`;
  console.log(`${page}: script ${kib(script)}, style ${kib(style)}, in ${loaded.size} files`);
  if (script > mostScript || style > mostStyle) process.exitCode = 1;
}
