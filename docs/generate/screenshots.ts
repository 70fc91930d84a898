/**
 * `make screenshots`: take pictures of the site into docs/screenshots/. A sandbox server runs over DATA_DIR, and
 * Chromium opens each page, wide and narrow, light and dark.
 */
import { spawn } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { pipelineSettings, readSettings } from '../../lib/settings.ts';
import { chromiumPath } from '../../sources/fetch/browser.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const START_MS = 30_000;
const WIDE = { width: 1200, height: 900 };
const NARROW = { width: 390, height: 844 };

interface Shot {
  readonly name: string;
  readonly path: string;
  readonly narrow?: boolean;
  readonly dark?: boolean;
  /** Runs before the picture is taken. */
  readonly first?: (page: Page) => Promise<void>;
}

const buy = async (page: Page): Promise<void> => {
  await page.click('button[type=submit]');
  await page.waitForSelector('#walk');
};

const SHOTS: readonly Shot[] = [
  { name: 'home', path: '/' },
  { name: 'home-phone-dark', path: '/', narrow: true, dark: true },
  { name: 'coverage', path: '/coverage' },
  { name: 'prices-phone', path: '/prices', narrow: true },
  { name: 'query-builder', path: '/build?call=/api/deals&state=OH&min_cap=7' },
  { name: 'report', path: '/report' },
  { name: 'report-dark', path: '/report', dark: true },
  { name: 'scores', path: '/scores' },
  { name: 'reference', path: '/reference' },
  { name: 'status', path: '/status' },
  { name: 'test-purchase', path: '/sandbox/buy', first: buy },
];

/** Address of the sandbox server, once it is ready. */
async function addressOfServer(dataDir: string, ended: () => boolean): Promise<string> {
  for (const until = Date.now() + START_MS; Date.now() < until && !ended();) {
    const text = await readFile(join(dataDir, 'sandbox/wallet.json'), 'utf8').catch(() => null);
    if (text !== null) return (JSON.parse(text) as { base_url: string }).base_url;
    await new Promise((done) => {
      setTimeout(done, 100);
    });
  }
  throw new Error(`the server did not start over ${dataDir}; publish a snapshot first: make run`);
}

const { DATA_DIR, CHROMIUM_PATH } = readSettings(pipelineSettings);
const folder = fileURLToPath(new URL('../screenshots/', import.meta.url));
const server = spawn(process.execPath, ['api/server.ts'], {
  cwd: root,
  stdio: ['ignore', 'ignore', 'inherit'],
  env: { ...process.env, PORT: '0', LOG_LEVEL: 'error', UNBILLED_PER_MINUTE: '0' },
});
try {
  const url = await addressOfServer(resolve(root, DATA_DIR), () => server.exitCode !== null);
  await mkdir(folder, { recursive: true });
  const browser = await chromium.launch({
    executablePath: await chromiumPath(CHROMIUM_PATH),
    args: ['--no-sandbox', '--disable-gpu'],
  });
  for (const { name, path, narrow, dark, first } of SHOTS) {
    const context = await browser.newContext({
      viewport: narrow === true ? NARROW : WIDE,
      colorScheme: dark === true ? 'dark' : 'light',
      baseURL: url,
    });
    const page = await context.newPage();
    await page.goto(path);
    await first?.(page);
    await page.screenshot({ path: join(folder, `${name}.png`) });
    await context.close();
    process.stdout.write(`docs/screenshots/${name}.png\n`);
  }
  await browser.close();
} finally {
  server.kill('SIGTERM');
}
