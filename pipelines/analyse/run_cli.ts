/** Runs the command of an analyst: its exit status, and errors as one message on standard error. */
import { messageOf } from '../../lib/errors.ts';

export async function runCli(main: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await main();
  } catch (error) {
    process.stderr.write(`${queryErrorText(error)}\n`);
    process.exitCode = 1;
  }
}

/** DuckDB's words for access that a snapshot does not allow. */
const FORBIDDEN = new RegExp(
  [
    'read-only',
    'Cannot execute statement of type',
    'External file access',
    'has been locked',
    'file system operations are disabled',
  ].join('|'),
  'iu',
);

/** DuckDB's message about an error, without its internal prefix; the position in the statement stays. */
function queryErrorText(error: unknown): string {
  const message = messageOf(error);
  if (FORBIDDEN.test(message)) return `Not allowed: the snapshot is read-only. ${message.split('\n')[0] ?? ''}`;
  return message.replace(/^Failed to \w+ statements: /u, '').trim();
}
