/** Servers whose wall clock a test moves while they run. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { serverProcess, type ServerProcess } from '../process/program.ts';

export const SECOND_MS = 1000;

const preload = (file: string): string => `--import=${new URL(file, import.meta.url).href}`;

export interface ClockedServer extends ServerProcess {
  /** Set its clock ahead of the machine's. @returns false if the server is gone */
  jump(offsetMs: number): Promise<boolean>;
}

/** Start a server whose clock is ahead of the machine's. `fault` names a fault of clock_faults.ts to plant. */
export async function clockedServer(
  env: Readonly<Record<string, string>>,
  offsetMs = 0,
  fault?: string,
): Promise<ClockedServer> {
  const CLOCK_SOCKET = join(env['DATA_DIR'] ?? tmpdir(), `clock-${randomBytes(6).toString('hex')}`);
  const server = await serverProcess({
    ...env,
    CLOCK_SOCKET,
    CLOCK_OFFSET_MS: String(offsetMs),
    ...(fault === undefined ? {} : { FAULT: fault }),
    NODE_OPTIONS: [preload('clock_preload.ts'), ...(fault === undefined ? [] : [preload('fault_preload.ts')])].join(
      ' ',
    ),
  });
  const control = createConnection(CLOCK_SOCKET);
  control.on('error', () => undefined);
  await once(control, 'connect');
  let told: (isSet: boolean) => void = () => undefined;
  createInterface(control)
    .on('error', () => {
      told(false);
    })
    .on('line', () => {
      told(true);
    })
    .on('close', () => {
      told(false);
    });
  return {
    ...server,
    async jump(to) {
      if (server.child.exitCode !== null || server.child.signalCode !== null) return false;
      return new Promise((resolve) => {
        told = resolve;
        control.write(`${to}\n`);
      });
    },
  };
}
