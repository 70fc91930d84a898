/** The server as a process of its own, as `make serve` starts it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface ServerProcess {
  readonly url: string;
  readonly child: ChildProcess;
  /** End it by this signal, and wait until it is gone. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

/** Start a server with these settings and wait until it listens. */
export async function serverProcess(env: Readonly<Record<string, string>>): Promise<ServerProcess> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('../../../api/server.ts', import.meta.url))], {
    env: { ...process.env, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => {
      resolve();
    });
  });
  let said = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
      const found = /^listening +(\S+)/m.exec(said)?.[1];
      if (found !== undefined && said.includes('Ctrl-C')) resolve(found);
    });
    child.once('exit', (code) => {
      reject(new Error(`the server ended with ${code}: ${said}`));
    });
  });
  return {
    url,
    child,
    async end(signal) {
      child.kill(signal);
      await gone;
    },
  };
}
