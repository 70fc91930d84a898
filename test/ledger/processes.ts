/** Processes that use a ledger. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('ledger_process.ts', import.meta.url));

/** One line that a process printed. */
interface Line {
  readonly n: number;
  readonly id: string;
  readonly lead?: string | null;
  readonly done?: 'settling' | 'sold';
  /** Name and message of the error that ended it. */
  readonly error?: string;
  readonly message?: string;
}

export interface Child {
  readonly process: ChildProcessWithoutNullStreams;
  /** The lines that it has printed. */
  readonly lines: Line[];
  /** Resolves with its first line, or its end. */
  readonly started: Promise<unknown>;
  readonly ended: Promise<unknown>;
  /** Resolves when it has printed this many lines, or has ended. */
  printed(lines: number): Promise<void>;
  errors(): string;
}

/** Start ledger_process.ts with these arguments. */
export function child(...args: readonly string[]): Child {
  const process_ = spawn(process.execPath, [PROGRAM, ...args]);
  const lines: Line[] = [];
  let errors = '';
  process_.stderr.on('data', (text: Buffer) => {
    errors += text.toString();
  });
  const output = createInterface(process_.stdout);
  const ended = once(output, 'close');
  output.on('line', (line) => lines.push(JSON.parse(line) as Line));
  return {
    process: process_,
    lines,
    ended,
    started: Promise.race([once(output, 'line'), ended]),
    errors: () => errors,
    async printed(count) {
      while (lines.length < count && process_.exitCode === null && process_.signalCode === null) await sleep(2);
    },
  };
}
