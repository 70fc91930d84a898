/**
 * The second half of `make screenshots`: terminal output of commands over DATA_DIR, and the profile report, light and
 * dark.
 */
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { rowsOf } from '../../lib/duck.ts';
import { pipelineSettings, readSettings } from '../../lib/settings.ts';
import { openSnapshot } from '../../pipelines/analyse/open_snapshot.ts';
import { chromiumPath } from '../../sources/fetch/browser.ts';
import { htmlOf, terminalOf, type TerminalSize } from './terminal.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = fileURLToPath(new URL('../screenshots/', import.meta.url));
/** Size of the terminals in the pictures: of a run, and of the other commands. */
const [NARROW, WIDE] = [
  { columns: 80, rows: 30 },
  { columns: 120, rows: 42 },
];
/** Lines of the longer outputs to show. */
const LINES_SHOWN = 34;

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

const STYLE = `
  body { margin: 0; background: #12151c; color: #e8ebf2 }
  pre { display: inline-block; margin: 0; padding: 1rem 1.25rem; font: 14px/1.4 ui-monospace, monospace }
  b { color: #7fa8f5; font-weight: 400 }`;

const pageOf = (command: string, body: string): string =>
  `<!doctype html><meta charset="utf-8"><style>${STYLE}</style><pre><b>$ ${command}</b>\n${body}</pre>`;

interface Screen {
  readonly name: string;
  /** The command as people type it. */
  readonly command: string;
  readonly run: string;
  readonly size: TerminalSize;
}

const id = await dealToShow();
const deal = id.slice(0, 8);
const SCREENS: readonly Screen[] = [
  {
    name: 'terminal-run',
    command: 'make run',
    run: `mkdir run && cd run && node ${root}sandbox/around.ts node ${root}pipelines/commands/cli.ts run`,
    size: NARROW,
  },
  { name: 'terminal-status', command: 'make status', run: `node ${root}pipelines/commands/cli.ts status`, size: WIDE },
  {
    name: 'terminal-explain',
    command: `make explain ID=${deal} FIELD=noi_underwritten`,
    run: `ID=${id} FIELD=noi_underwritten node ${root}pipelines/analyse/explain_cli.ts`,
    size: WIDE,
  },
  { name: 'terminal-diff', command: 'make diff', run: `node ${root}pipelines/analyse/diff_cli.ts`, size: WIDE },
  {
    name: 'terminal-query',
    command: 'make query NAME=overclaims_by_metro',
    run: `NAME=overclaims_by_metro node ${root}pipelines/analyse/query_cli.ts`,
    size: WIDE,
  },
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
  // The commands run where `data` is the data folder, so that the pictures show the path of a first run.
  await symlink(dataDir, join(scratch, 'data'));
  for (const { name, command, run, size } of SCREENS) {
    const terminal = await terminalOf({ run, folder: scratch, env: { DATA_DIR: 'data' } }, size);
    const page = await browser.newPage({ viewport: { width: 1240, height: 600 } });
    await page.setContent(pageOf(command, htmlOf(terminal, name === 'terminal-run' ? undefined : LINES_SHOWN)));
    await page.locator('pre').screenshot({ path: join(folder, `${name}.png`) });
    await page.close();
    report(name);
  }
} finally {
  await browser.close();
  await rm(scratch, { recursive: true, force: true });
}
