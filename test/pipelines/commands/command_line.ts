/** The command line of the pipeline, as a process, and its refusals in this one. */
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../../../pipelines/commands/run.ts';
import { failureText } from '../../../pipelines/failure.ts';
import { SANDBOX_SECRETS } from '../../../sandbox/pages/reso_mls.ts';
import { BARE } from '../../environment.ts';

export const root = new URL('../../../', import.meta.url).pathname;

/** Run a command to its end. `out` has both of its outputs. */
export function cli(command: string, env: Record<string, string>): Promise<{ status: number | null; out: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['pipelines/commands/cli.ts', command], {
      cwd: root,
      env: { ...BARE, ...SANDBOX_SECRETS, ...env },
    });
    let out = '';
    child.stdout.on('data', (d: Buffer) => {
      out += d.toString();
    });
    child.stderr.on('data', (d: Buffer) => {
      out += d.toString();
    });
    child.on('error', reject).on('close', (status) => {
      resolve({ status, out });
    });
  });
}

/**
 * The message of a run in this process that is refused, as its process would print it. cli.test.ts has the process of
 * one. Its settings are the environment of this process.
 */
export async function refusal(env: Record<string, string>): Promise<string> {
  const own = process.env;
  process.env = { ...BARE, DATA_DIR: mkdtempSync(join(tmpdir(), 'dealfeed-cli-')), ...env };
  try {
    return await runCommand().then(
      (status) => `not refused: ${status}`,
      (error: unknown) => failureText(error, tmpdir()),
    );
  } finally {
    process.env = own;
  }
}
