/**
 * The second half of `make screenshots`: terminal output of commands over DATA_DIR, and the profile report, light and
 * dark.
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { rowsOf } from '../../lib/duck.ts';
import { pipelineSettings, readSettings } from '../../lib/settings.ts';
import { openSnapshot } from '../../pipelines/analyse/open_snapshot.ts';
import { chromiumPath } from '../../sources/fetch/browser.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = fileURLToPath(new URL('../screenshots/', import.meta.url));
const [COLUMNS, ROWS] = [132, 42];
/** Lines of `make diff` to show. */
const DIFF_ROWS = 26;
const COLORS: Readonly<Record<string, string>> = { 31: '#f2767f', 32: '#4fc79b', 33: '#e0a450', 36: '#57c4d8' };

const { DATA_DIR, CHROMIUM_PATH } = readSettings(pipelineSettings);
const dataDir = resolve(root, DATA_DIR);

/** A deal with a claim, a fitting rent and, if there is one, a price cut. */
async function dealToShow(): Promise<string> {
  const { duck } = await openSnapshot(dataDir);
  try {
    const [row] = await rowsOf(
      duck.connection,
      `SELECT id FROM deals WHERE underwrite_reliability = 'ok' AND cap_gap_pct IS NOT NULL
       ORDER BY price_reduction_pct DESC NULLS LAST, id LIMIT 1`,
    );
    return String(row?.['id'] ?? '');
  } finally {
    duck.close();
  }
}

/** Output of a command in a terminal. */
function terminalOutput(command: string): string {
  const { stdout, error } = spawnSync(
    'script',
    ['-qec', `stty cols ${COLUMNS} rows ${ROWS}; ${command}`, '/dev/null'],
    {
      cwd: root,
      encoding: 'utf8',
      input: '',
      env: { ...process.env, DATA_DIR: dataDir, TERM: 'xterm-256color' },
    },
  );
  if (error) throw error;
  return stdout.replaceAll('\r', '').replaceAll(dataDir, 'data');
}

const escaped = (s: string): string => s.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/* eslint-disable no-control-regex -- terminals mark colors and cursor moves with the escape character */
const COLORED = /\u001b\[(\d+)m([^\u001b]*)/gu;
const CURSOR_MOVES = /\u001b\[[0-9;?]*[A-Za-z]/gu;
/* eslint-enable no-control-regex */

const STYLE = `
  body { margin: 0; background: #12151c; color: #e8ebf2 }
  pre { display: inline-block; margin: 0; padding: 1rem 1.25rem; font: 14px/1.4 ui-monospace, monospace }
  b { color: #7fa8f5; font-weight: 400 }`;

/** Terminal text as HTML: with colors, without cursor moves. */
function pageOf(command: string, text: string): string {
  const body = escaped(text)
    .replaceAll(COLORED, (_, code: string, words: string) =>
      COLORS[code] ? `<span style="color:${COLORS[code]}">${words}</span>` : words,
    )
    .replaceAll(CURSOR_MOVES, '');
  return `<!doctype html><meta charset="utf-8"><style>${STYLE}</style><pre><b>$ ${escaped(command)}</b>\n${body}</pre>`;
}

const id = await dealToShow();
const deal = id.slice(0, 8);
const SCREENS: readonly (readonly [name: string, command: string, run: string])[] = [
  ['terminal-status', 'make status', 'node pipelines/commands/cli.ts status'],
  [
    'terminal-explain',
    `make explain ID=${deal} FIELD=noi_underwritten`,
    `ID=${id} FIELD=noi_underwritten node pipelines/analyse/explain_cli.ts`,
  ],
  ['terminal-diff', 'make diff', `node pipelines/analyse/diff_cli.ts | cut -c1-${COLUMNS} | head -n ${DIFF_ROWS}`],
  [
    'terminal-query',
    'make query NAME=overclaims_by_metro',
    'NAME=overclaims_by_metro node pipelines/analyse/query_cli.ts',
  ],
];

const scratch = await mkdtemp(join(tmpdir(), 'dealfeed-screens-'));
const browser = await chromium.launch({
  executablePath: await chromiumPath(CHROMIUM_PATH),
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  const report = (name: string): void => {
    process.stdout.write(`docs/screenshots/${name}.png\n`);
  };
  for (const [name, command, run] of SCREENS) {
    const page = await browser.newPage({ viewport: { width: 1240, height: 600 } });
    await page.setContent(pageOf(command, terminalOutput(run)));
    await page.locator('pre').screenshot({ path: join(folder, `${name}.png`) });
    await page.close();
    report(name);
  }
  const profile = join(scratch, 'profile.html');
  spawnSync(process.execPath, ['pipelines/analyse/profile_cli.ts'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DATA_DIR: dataDir, OUT: profile },
  });
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await browser.newPage({ viewport: { width: 1000, height: 1500 }, colorScheme });
    await page.goto(pathToFileURL(profile).href);
    const name = `profile${colorScheme === 'dark' ? '-dark' : ''}`;
    await page.screenshot({ path: join(folder, `${name}.png`) });
    await page.close();
    report(name);
  }
} finally {
  await browser.close();
  await rm(scratch, { recursive: true, force: true });
}
