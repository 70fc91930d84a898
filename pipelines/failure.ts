/** What a run that cannot go on says: one line where the cause is the operator's to mend, the stack where it is ours. */
import { statfsSync } from 'node:fs';
import { LedgerUnavailable } from '../ledger/ledger.ts';
import { DamagedFile } from '../lib/files.ts';
import { SettingError } from '../lib/settings.ts';
import { ArchiveDamage } from '../sources/fetch/archive.ts';
import { QueueUnavailable } from './crawl/database.ts';

/** As Node, DuckDB and SQLite say it. */
const FULL = /ENOSPC|EDQUOT|No space left on device|Disk quota exceeded|database or disk is full/u;

const firstLine = (message: string): string => message.split('\n', 1)[0] ?? '';

/** Kilobytes that may still be written into a folder, or null where the system does not say. */
function freeKilobytes(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return Math.floor((bavail * bsize) / 1000);
  } catch {
    return null;
  }
}

/**
 * The line, or the lines, for an error that ended a command.
 * @param dataDir folder whose disk may be the one that is full
 */
export function failureOf(error: unknown, dataDir: string): string {
  if (!(error instanceof Error)) return String(error);
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (!FULL.test(cause.message)) continue;
    const free = freeKilobytes(dataDir);
    return `the disk of DATA_DIR ${JSON.stringify(dataDir)} is full${free === null ? '' : ` (${free} kB free)`}: ${firstLine(cause.message)}; what is published stays as it was: make room and run again`;
  }
  if (error instanceof QueueUnavailable)
    return `${error.message}; nothing is published, what was read is kept: run again`;
  const ofOperator =
    error instanceof SettingError ||
    error instanceof DamagedFile ||
    error instanceof ArchiveDamage ||
    error instanceof LedgerUnavailable ||
    (error as NodeJS.ErrnoException).code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION';
  // A file may not be written: the system's own sentence says more than where we were.
  const ofSystem = (error as NodeJS.ErrnoException).syscall !== undefined;
  return ofOperator || ofSystem ? error.message : (error.stack ?? error.message);
}
