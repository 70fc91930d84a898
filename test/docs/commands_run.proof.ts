/** Every command in a shell block of the pages runs as printed, over a small sandbox in a temporary folder. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openLedger } from '../../ledger/open.ts';
import { layoutOf } from '../../pipelines/layout.ts';
import { readManifest } from '../../pipelines/snapshots.ts';
import { published } from '../pipelines/runs.ts';
import { commandsOf, pages, ROOT } from './pages.ts';

/** Commands that are not run here, and the test that covers them. */
const ELSEWHERE: readonly (readonly [command: RegExp, where: string])[] = [
  [/^make test$/u, 'this suite'],
  [/^make setup\b/u, 'test/lib/installed.test.ts: it would remove packages that the tests use'],
  [/^make (?:serve|buy|mcp|collect)\b/u, 'test/api: purchase, examples, mcp'],
  [/^make quarter$/u, 'test/pipelines/backtest.test.ts, over fewer weeks'],
  [/^make schedule .*INSTALL=1/u, 'test/operate/schedule.test.ts: it changes the timers of this user'],
  [/^make (?:county|docs|check)\b|oh_wood_tax|data-wood/u, 'test/docs/county.test.ts, in a copy'],
  [/^make worker\b|=\/srv\/dealfeed/u, 'test/crawl'],
  [/^make bench\b/u, 'test/bench: it measures for hours'],
  [/^node --test/u, 'the suite'],
  [/^node sandbox\/server/u, 'test/sandbox'],
];
/** Placeholders, and the values that replace them. */
const IN_PLACE: readonly (readonly [written: RegExp, typed: (folder: string, id: string) => string])[] = [
  [/ID=\.\.\./u, (_, id) => `ID=${id}`],
  [/> deals\.csv/u, (folder) => `> ${folder}/deals.csv`],
  [/\/backups\//u, (folder) => `${folder}/`],
  [/=data-live/u, (folder) => `=${folder}/data-live`],
  [/=ledger-export/u, (folder) => `=${folder}/ledger-export`],
  [/DEALS=10000/u, () => 'DEALS=200'],
];

const written = [...new Set(pages.filter(({ path }) => !path.startsWith('examples/')).flatMap(commandsOf))].filter(
  (c) => /^(?:make|node) /u.test(c),
);
const typed = written.filter((c) => !ELSEWHERE.some(([command]) => command.test(c)));
/** The runs first: the other commands read what they published. */
const inOrder = [...typed.filter((c) => c.startsWith('make run')), ...typed.filter((c) => !c.startsWith('make run'))];

const folder = mkdtempSync(join(tmpdir(), 'dealfeed-typed-'));
const layout = layoutOf(join(folder, 'data'));
// An empty ledger, as after the first start of a server.
before(async () => {
  await (await openLedger({ DATA_DIR: layout.root })).close();
});
after(() => {
  rmSync(folder, { recursive: true, force: true });
});

function type(command: string): Promise<{ readonly status: number | null; readonly out: string }> {
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

describe('documented commands run', () => {
  test('there are at least 15, and every exception and placeholder occurs in a page', () => {
    assert.ok(typed.length >= 15, `${typed.length} commands run`);
    for (const [command] of ELSEWHERE)
      assert.ok(
        written.some((c) => command.test(c)),
        `${command.source} is an exception and in no page`,
      );
    for (const [part] of IN_PLACE)
      assert.ok(
        typed.some((c) => part.test(c)),
        `${part.source} is a placeholder and in no page`,
      );
  });

  for (const command of inOrder) {
    test(command, async () => {
      const runId = '2026-11-20.01';
      const deal = command.includes('ID=...')
        ? (
            await published(
              layout,
              (await readManifest(layout, runId)).run_id,
              'deals',
              "WHERE dscr_status = 'computed' LIMIT 1",
            )
          )[0]
        : undefined;
      const line = IN_PLACE.reduce(
        (text, [part, put]) => text.replace(part, put(folder, String(deal?.['id']))),
        command,
      );
      const { status, out } = await type(line);
      // `make` turns every failure of the status command into 2.
      assert.ok(
        command === 'make status' ? [0, 2].includes(status ?? -1) : status === 0,
        `${line} ended with ${status}\n${out.slice(-1500)}`,
      );
      assert.ok(line.includes('>') || out.trim() !== '', `${line} printed nothing`);
      assert.doesNotMatch(out, /\n {4}at .*:\d+:\d+/u, 'it prints no stack trace');
    });
  }
});
