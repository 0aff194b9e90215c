// What the first load of each page weighs, compressed: npm run weight, after npm run build. Script and style, without
// fonts; fails above what is asked for.
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const most = 300 * 1024;
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
for (const page of ['Landing', 'Terminal', 'Console', 'Display', 'Pit', 'Cage', 'Admin', 'Lab', 'Reports']) {
  const own = files.filter((name) => new RegExp(`^${page}-[\\w-]+\\.(js|css)$`).test(name));
  const loaded = all([...index, ...own]);
  for (const name of [...loaded]) {
    const style = files.find((one) => one.endsWith('.css') && one.split('-')[0] === name.split('-')[0]);
    if (style) loaded.add(style);
  }
  const sum = [...loaded].reduce((bytes, name) => bytes + weigh(name), 0);
  console.log(`${page}: ${(sum / 1024).toFixed(1)} KiB in ${loaded.size} files`);
  if (sum > most) process.exitCode = 1;
}
