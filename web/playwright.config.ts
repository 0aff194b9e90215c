import { defineConfig } from '@playwright/test';

// Two projects: `pages` against the scripted host inside the page, `host` against the program itself. The ports are kept
// in the environment, so that workers read what was chosen once.
const pages = 5299;
process.env.CROUPIER_PAGES_PORT ??= '5298';
process.env.CROUPIER_PORT ??= String(20_000 + (process.pid % 20_000));
const real = Number(process.env.CROUPIER_PAGES_PORT);
const api = Number(process.env.CROUPIER_PORT);

const serve = (folder: string, port: number, mode = '') =>
  `npx vite build ${mode} --outDir node_modules/${folder} --logLevel warn && npx vite preview --outDir node_modules/${folder} --host 127.0.0.1 --port ${port} --strictPort`;
const asked = process.argv.filter((word) => word.startsWith('--project')).join(' ');
const wants = (name: string) => asked === '' || asked.includes(name);

export default defineConfig({
  testDir: 'tests',
  timeout: 60_000,
  expect: { timeout: 10_000 },
  workers: 1,
  // A machine that does other things besides may be late once; a fault is late every time.
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
  webServer: [
    ...(wants('pages')
      ? [
          {
            command: serve('.mock', pages, '--mode mock'),
            url: `http://127.0.0.1:${pages}/`,
            timeout: 120_000,
            reuseExistingServer: true,
          },
        ]
      : []),
    // The pages as they are built now, with everything under /api from the program the tests start and kill.
    ...(wants('host')
      ? [
          {
            command: serve('.host', real),
            url: `http://127.0.0.1:${real}/`,
            timeout: 120_000,
            reuseExistingServer: false,
            // The proxy tells of every link that breaks; here links are broken on purpose.
            stderr: 'ignore' as const,
            env: { CROUPIER_HOST: `http://127.0.0.1:${api}` },
          },
        ]
      : []),
  ],
});
