/** A copy of this folder, in which the commands of a guide run as printed. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandsOf, pages, ROOT } from './pages.ts';

const COPIED = [
  'Makefile',
  'package.json',
  'package-lock.json',
  '.npmrc',
  'tsconfig.json',
  'api',
  'bench',
  'docs',
  'ledger',
  'lib',
  'models',
  'pipelines',
  'queries',
  'sandbox',
  'sources',
  'test/sources',
  'test/thorough.ts',
];

/** @returns the copy's folder, which the caller removes */
export async function copyOfProject(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'dealfeed-guide-'));
  // Timestamps are preserved, so that make installs nothing.
  for (const path of COPIED) {
    await cp(ROOT + path, join(copy, path), { recursive: true, preserveTimestamps: true }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      },
    );
  }
  await symlink(`${ROOT}node_modules`, join(copy, 'node_modules'));
  return copy;
}

export function shell(cwd: string, command: string): { status: number | null; said: string } {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', command], {
    cwd,
    encoding: 'utf8',
    env: { ...env, PATH: `${ROOT}node_modules/.bin:${process.env['PATH'] ?? ''}` },
  });
  return { status, said: stdout + stderr };
}

/** Finds a command of a guide. */
export function commandsIn(guide: string): (like: RegExp) => string {
  const commands = commandsOf(pages.find(({ path }) => path === guide) ?? { path: '', text: '' });
  return (like) =>
    commands.find((command) => like.test(command)) ?? assert.fail(`no command like ${String(like)} in ${guide}`);
}
