/** A server in a process of its own, whose output a test reads. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';

const SERVER = fileURLToPath(new URL('../../api/server.ts', import.meta.url));

/** Start the program, and wait until it listens or ends. */
export async function startPrintingServer(env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [SERVER], { env: { ...process.env, ...env } });
  let printed = '';
  const hear = (chunk: Buffer): void => {
    printed += chunk.toString('utf8');
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  for (let i = 0; i < 1_200 && !printed.includes('Ctrl-C') && child.exitCode === null; i += 1) await pause(50);
  const url = /^listening +(\S+)/m.exec(printed)?.[1] ?? '';
  const end = async (): Promise<void> => {
    if (child.exitCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    await gone;
  };
  return { url, printed: () => printed, end };
}
