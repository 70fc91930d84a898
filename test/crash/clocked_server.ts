/** Servers whose wall clock a test moves while they run. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { serverProcess, type ServerProcess } from '../process/program.ts';

export const [SECOND_MS, MINUTE_MS] = [1000, 60_000];

const preload = (file: string): string => `--import=${new URL(file, import.meta.url).href}`;

export interface ClockedServer extends ServerProcess {
  /** Milliseconds by which its clock is ahead of the machine's. */
  readonly offsetMs: () => number;
  /**
   * Move its clock after this many readings.
   * @returns 'reading' if it moved between two readings, 'time' if the readings did not come in time, null if the
   * server is gone
   */
  jump(offsetMs: number, afterReadings?: number): Promise<'reading' | 'time' | null>;
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
  let current = offsetMs;
  const control = createConnection(CLOCK_SOCKET);
  control.on('error', () => undefined);
  await once(control, 'connect');
  let told: (how: 'reading' | 'time' | null) => void = () => undefined;
  createInterface(control)
    .on('error', () => {
      told(null);
    })
    .on('line', (line) => {
      told((JSON.parse(line) as { how: 'reading' | 'time' }).how);
    })
    .on('close', () => {
      told(null);
    });
  return {
    ...server,
    offsetMs: () => current,
    async jump(to, afterReadings = 0) {
      if (server.child.exitCode !== null || server.child.signalCode !== null) return null;
      const how = await new Promise<'reading' | 'time' | null>((resolve) => {
        told = resolve;
        control.write(`${JSON.stringify({ offsetMs: to, afterReadings })}\n`);
      });
      if (how !== null) current = to;
      return how;
    },
  };
}
