/** Runs ALERT_COMMAND with a JSON object on its standard input. */
import { spawn } from 'node:child_process';

/** Time for the last lines of standard error after the exit. */
const LAST_OUTPUT_MS = 50;
/** Characters of standard error that are read. */
const STDERR_LENGTH = 500;

export interface CallResult {
  /** Why the call failed; null if it succeeded. */
  readonly failure: string | null;
  /** Whether the command was killed after the timeout. */
  readonly hasHung: boolean;
}

const success: CallResult = { failure: null, hasHung: false };

/** Kill a process and everything it started. */
function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process has already exited.
  }
}

/** Run the command. It has a process group of its own, so that everything it starts is killed with it. */
export function callCommand(command: string, input: unknown, timeoutMs: number): Promise<CallResult> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', command], { stdio: ['pipe', 'ignore', 'pipe'], detached: true });
    let stderr = '';
    const end = (result: CallResult): void => {
      clearTimeout(timer);
      resolve(result);
    };
    const timer = setTimeout(() => {
      killGroup(child.pid);
      child.stderr.destroy();
      end({ failure: `it did not end within ${timeoutMs / 1000} s`, hasHung: true });
    }, timeoutMs);
    child.stderr.on('data', (data: Buffer) => {
      stderr = `${stderr}${data.toString()}`.slice(-STDERR_LENGTH);
    });
    child.on('error', (error) => {
      end({ failure: error.message, hasHung: false });
    });
    // Not `close`: a background process may hold the output open.
    child.on('exit', (code, signal) => {
      setTimeout(() => {
        child.stderr.destroy();
        const lastLine = stderr.trim().split('\n').at(-1) ?? '';
        const status = signal ?? `exit status ${code ?? ''}`;
        const failure = `it ended with ${status}${lastLine === '' ? '' : `: ${lastLine}`}`;
        end(code === 0 ? success : { failure, hasHung: false });
      }, LAST_OUTPUT_MS);
    });
    // A command need not read its input.
    child.stdin.on('error', () => {});
    child.stdin.end(`${JSON.stringify(input)}\n`);
  });
}
