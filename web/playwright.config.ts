import { defineConfig } from '@playwright/test';

// Two projects: `pages` against the scripted host inside the page, `host` against the program with the pages it carries.
// The ports are kept in the environment, so that workers read what was chosen once. No port is shared with another run: what
// answers there could be other pages.
process.env.CROUPIER_PORT ??= String(20_000 + (process.pid % 10_000));
process.env.CROUPIER_PAGES_PORT ??= String(30_000 + (process.pid % 2_000));
const pages = Number(process.env.CROUPIER_PAGES_PORT);
// Each worker has programs of its own, on ports of its own.
const real = Number(process.env.CROUPIER_PORT) + 20 * Number(process.env.TEST_PARALLEL_INDEX ?? 0);

const asked = process.argv.filter((word) => word.startsWith('--project')).join(' ');
const wants = (name: string) => asked === '' || asked.includes(name);
const serve =
  `npx vite build --mode mock --outDir node_modules/.mock --logLevel warn && ` +
  `npx vite preview --outDir node_modules/.mock --host 127.0.0.1 --port ${pages} --strictPort`;

export default defineConfig({
  testDir: 'tests',
  timeout: 60_000,
  expect: { timeout: 10_000 },
  workers: 1,
  retries: 2,
  reporter: 'list',
  outputDir: 'node_modules/.playwright',
  use: {
    viewport: { width: 1280, height: 800 },
    locale: 'en-SG',
    actionTimeout: 15_000,
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
  projects: [
    { name: 'pages', testIgnore: 'host/**', use: { baseURL: `http://127.0.0.1:${pages}` } },
    { name: 'host', testDir: 'tests/host', timeout: 90_000, use: { baseURL: `http://127.0.0.1:${real}` } },
  ],
  webServer: wants('pages')
    ? [
        {
          command: serve,
          url: `http://127.0.0.1:${pages}/`,
          timeout: 120_000,
          reuseExistingServer: false,
        },
      ]
    : [],
});
