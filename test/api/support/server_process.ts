/** The server as a process, as `make serve` starts it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface ServerProcess {
  readonly url: string;
  readonly child: ChildProcess;
  /** Send this signal, and wait until the process has exited. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

/** Start a server with these settings and wait until it listens. */
export async function serverProcess(env: Readonly<Record<string, string>>): Promise<ServerProcess> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('../../../api/server.ts', import.meta.url))], {
    env: { ...process.env, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => {
      resolve();
    });
  });
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
      const found = /^listening +(\S+)/m.exec(output)?.[1];
      if (found !== undefined && output.includes('Ctrl-C')) resolve(found);
    });
    child.once('exit', (code) => {
      reject(new Error(`the server ended with ${code}: ${output}`));
    });
  });
  return {
    url,
    child,
    async end(signal) {
      child.kill(signal);
      await exited;
    },
  };
}
