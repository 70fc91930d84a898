/** The command line of the pipeline, as a process. */
import { spawn } from 'node:child_process';
import { SANDBOX_SECRETS } from '../../sandbox/pages/reso_mls.ts';
import { BARE } from '../environment.ts';

export const root = new URL('../../', import.meta.url).pathname;

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
