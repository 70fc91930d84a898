/** Runs the commands in the shell blocks of the pages as printed, over a small sandbox in a temporary folder. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openLedger } from '../../ledger/open.ts';
import { layoutOf } from '../../pipelines/layout.ts';
import { readManifest } from '../../pipelines/snapshots.ts';
import { published } from '../pipelines/runs.ts';
import { commandsOf, pages, ROOT } from './pages.ts';

/** Commands that are not run here, and the test that covers them. */
export const ELSEWHERE: readonly (readonly [command: RegExp, where: string])[] = [
  [/^make (?:test|prove)$/u, 'this suite'],
  [/^make (?:run|daily|colorado) LIVE=1|^make probe\b/u, 'test/sources, test/probe: they read the real web'],
  [/^make verify\b/u, 'test/clients/verify_command.test.ts: it needs a receipt that was bought'],
  [/^make setup\b/u, 'test/lib/installed.test.ts: it would remove packages that the tests use'],
  [/^make (?:serve|buy|mcp|collect)\b/u, 'test/api: purchase, examples, mcp'],
  [/^make quarter$/u, 'test/pipelines/commands/backtest.test.ts, over fewer weeks'],
  [/^make schedule .*INSTALL=1/u, 'test/operate/schedule.test.ts: it changes the timers of this user'],
  [/^make (?:county|docs|check)\b|oh_wood_tax|data-wood/u, 'test/docs/county.proof.ts, in a copy'],
  [/^make listing\b|lakeside_brokerage|data-lakeside/u, 'test/docs/listing.proof.ts, in a copy'],
  [/^make worker\b|=\/srv\/dealfeed/u, 'test/crawl'],
  [/^make bench\b/u, 'test/bench: it measures for hours'],
  [/^make (?:backup|restore)\b/u, 'test/operate/backup.test.ts, restored_shop.proof.ts: they need a folder of backups'],
  [/=\/etc\/dealfeed/u, 'test/deploy/image.proof.ts'],
  [/^node --test/u, 'the suite'],
  [/^node sandbox\/server/u, 'test/sandbox'],
];
/** Placeholders, and the values that replace them. */
export const IN_PLACE: readonly (readonly [written: RegExp, typed: (folder: string, id: string) => string])[] = [
  [/ID=\.\.\./u, (_, id) => `ID=${id}`],
  [/> deals\.csv/u, (folder) => `> ${folder}/deals.csv`],
  [/\/backups\//u, (folder) => `${folder}/`],
  [/=data-live/u, (folder) => `=${folder}/data-live`],
  [/=ledger-export/u, (folder) => `=${folder}/ledger-export`],
  [/DEALS=10000/u, () => 'DEALS=200'],
];

export const written = [
  ...new Set(pages.filter(({ path }) => !path.startsWith('examples/')).flatMap(commandsOf)),
].filter((c) => /^(?:make|node) /u.test(c));
export const typed = written.filter((c) => !ELSEWHERE.some(([command]) => command.test(c)));

const folder = mkdtempSync(join(tmpdir(), 'dealfeed-typed-'));
const layout = layoutOf(join(folder, 'data'));
// An empty ledger, as after the first start of a server.
before(async () => {
  await (await openLedger({ DATA_DIR: layout.root })).close();
});
after(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Ended {
  readonly status: number | null;
  readonly out: string;
}

/** @param settings environment variables, besides those of a small world */
function type(command: string, settings: Readonly<Record<string, string>>): Promise<Ended> {
  return new Promise((resolve, reject) => {
    // The command must not inherit the state of the test runner or of make.
    const { NODE_TEST_CONTEXT: _, MAKEFLAGS: __, MAKELEVEL: ___, ...env } = process.env;
    const child = spawn('bash', ['-c', command], {
      cwd: ROOT,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {
        ...env,
        DATA_DIR: layout.root,
        LISTINGS: '60',
        PARCELS: '400',
        AUCTIONS: '60',
        FILINGS: '120',
        SCHEDULER: 'cron',
        ...settings,
      },
    });
    // Input for commands that open a prompt.
    child.stdin.end('SELECT 42 AS answer;\n');
    let out = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        out += chunk.toString('utf8');
      });
    child.on('error', reject).on('close', (status) => {
      resolve({ status, out });
    });
  });
}

/** Id of a deal of the published snapshot, for a command with ID=... */
async function dealId(): Promise<string> {
  const { run_id } = await readManifest(layout, '2026-11-20.01');
  const [deal] = await published(layout, run_id, 'deals', "WHERE dscr_status = 'computed' LIMIT 1");
  return String(deal?.['id']);
}

/** A test that runs a command and checks its exit status and output. */
export function testCommand(command: string, settings: Readonly<Record<string, string>> = {}): void {
  test(command, async () => {
    const id = command.includes('ID=...') ? await dealId() : '';
    const line = IN_PLACE.reduce((text, [part, put]) => text.replace(part, put(folder, id)), command);
    const { status, out } = await type(line, settings);
    // `make` turns every failure of the status command into 2.
    assert.ok(
      command.startsWith('make status') ? [0, 2].includes(status ?? -1) : status === 0,
      `${line} ended with ${status}\n${out.slice(-1500)}`,
    );
    assert.ok(line.includes('>') || out.trim() !== '', `${line} printed nothing`);
    assert.doesNotMatch(out, /\n {4}at .*:\d+:\d+/u, 'it prints no stack trace');
  });
}
