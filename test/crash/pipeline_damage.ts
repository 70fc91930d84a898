/** Damages files of a data folder, and runs the commands that must notice it. */
import { spawnSync } from 'node:child_process';
import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { readsUpTo, stagedParquet } from '../../pipelines/ingest/reads.ts';
import type { Layout } from '../../pipelines/layout.ts';
import { BARE } from '../environment.ts';
import { startPipeline } from '../process/program.ts';
import type { Web } from '../process/web.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Flip one bit in the middle of a file. */
export async function flipBit(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    const at = Math.floor((await handle.stat()).size / 2);
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, at);
    await handle.write(Buffer.from([(buffer[0] ?? 0) ^ 1]), 0, 1, at);
  } finally {
    await handle.close();
  }
}

export interface Ended {
  readonly status: number | null;
  readonly out: string;
  readonly lastLine: string;
}

/** Run a day to its end. */
export async function runToEnd(web: Web, layout: Layout, day: string, SOURCES: string): Promise<Ended> {
  const started = await startPipeline(web, layout.root, day, { SOURCES });
  const { status } = await started.ended;
  return { status, out: started.lines.join('\n'), lastLine: started.lines.at(-1) ?? '' };
}

/** Run a command of pipelines/commands/cli.ts. */
export function runCommand(layout: Layout, name: string, env: Record<string, string> = {}): Ended {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['pipelines/commands/cli.ts', name], {
    cwd: root,
    encoding: 'utf8',
    env: { ...BARE, DATA_DIR: layout.root, ...env },
  });
  const out = `${stdout}${stderr}`.trimEnd();
  return { status, out, lastLine: out.split('\n').at(-1) ?? '' };
}

/** The newest staged file of a source, as a day left it. */
export async function newestStaged(layout: Layout, source: string, day: string): Promise<string> {
  const [newest] = await readsUpTo(layout, source, day);
  return stagedParquet(layout, source, newest?.run_id ?? '');
}

/** What a run says of staged rows of oh_hamilton_tax that are damaged or missing. */
export const stagedDamage = (problem: string, since: string): RegExp =>
  new RegExp(
    `${problem}; put it back from the archived pages with: make rebuild SOURCE=oh_hamilton_tax SINCE=${since}$`,
    'u',
  );

/** What a run says of a damaged previous snapshot. */
export const snapshotDamage = (damaged: string, before: string): RegExp =>
  new RegExp(
    `^Snapshot ${damaged}, whose history this run continues, is damaged: .*\\. ` +
      `Restore .*/snapshots/${damaged} from a backup, or move it away\\. ` +
      `Then the run continues the history of ${before}\\.$`,
    'u',
  );

export const RESTORED = /the staged rows were damaged or lost; the archived pages give the same bytes; restored/u;
