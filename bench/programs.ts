/** Servers as programs of their own, started for a benchmark and stopped after it. */
import { spawn } from 'node:child_process';

export interface Program {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Start a program that prints {"url": ...} when it listens. @throws where it ends before */
export function startProgram(script: string, args: readonly string[]): Promise<Program> {
  const child = spawn(process.execPath, [new URL(`servers/${script}`, import.meta.url).pathname, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      resolve();
    });
  });
  return new Promise((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
      const line = said.split('\n').find((l) => l.startsWith('{"url"'));
      if (line === undefined || child.pid === undefined) return;
      resolve({
        url: (JSON.parse(line) as { url: string }).url,
        pid: child.pid,
        async stop() {
          child.kill('SIGKILL');
          await ended;
        },
      });
    });
    child.once('exit', (code) => {
      reject(new Error(`${script} ended with ${code}`));
    });
  });
}
