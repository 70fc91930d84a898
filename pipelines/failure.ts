/** Text for an error that ends a command: one line if the operator can correct it, the stack if it is our defect. */
import { statfsSync } from 'node:fs';
import { LedgerUnavailable } from '../ledger/ledger.ts';
import { ArchiveDamage } from '../lib/archive.ts';
import { ofWork } from '../lib/command.ts';
import { DamagedFile } from '../lib/files.ts';
import { SettingError } from '../lib/settings.ts';
import { PublishedElsewhere, StoreDamage, StoreUnavailable } from '../lib/store/store.ts';
import { QueueUnavailable } from './jobs/queue.ts';

/** Messages of Node, DuckDB and SQLite about a full disk. */
const DISK_FULL = /ENOSPC|EDQUOT|No space left on device|Disk quota exceeded|database or disk is full/u;

/** DuckDB's message if a query needs more than the memory limit and cannot write the rest to the disk. */
const OUT_OF_MEMORY = /Out of Memory Error/u;

/** Nothing was published because another service, or another run, prevented it. */
const UNPUBLISHED = [LedgerUnavailable, QueueUnavailable, StoreUnavailable, StoreDamage, PublishedElsewhere];

export const isUnpublished = (error: unknown): boolean => UNPUBLISHED.some((kind) => error instanceof kind);

/** Errors whose message names the setting or file that the operator must correct. */
const OF_OPERATOR = [SettingError, DamagedFile, ArchiveDamage, ...UNPUBLISHED];

const firstLine = (message: string): string => message.split('\n', 1)[0] ?? '';

function diskFullText(dataDir: string, message: string): string {
  let free = '';
  try {
    const { bavail, bsize } = statfsSync(dataDir);
    free = ` (${Math.floor((bavail * bsize) / 1000)} kB free)`;
  } catch {
    // The system does not report it.
  }
  return (
    `The disk of DATA_DIR ${JSON.stringify(dataDir)} is full${free}: ${firstLine(message)}. ` +
    'Published snapshots are unchanged. Free some space and run again.'
  );
}

/** @param dataDir folder whose disk may be full. Default: of the environment, because the settings may be the error */
export function failureText(thrown: unknown, dataDir = process.env['DATA_DIR'] || 'data'): string {
  const error = ofWork(thrown);
  if (!(error instanceof Error)) return String(error);
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if (DISK_FULL.test(cause.message)) return diskFullText(dataDir, cause.message);
  if (OUT_OF_MEMORY.test(error.message))
    return (
      `The build needs more memory than BUILD_MEMORY: ${firstLine(error.message)}. ` +
      'Published snapshots are unchanged. Set BUILD_MEMORY higher, such as 4GB, and run again.'
    );
  if (error instanceof QueueUnavailable || error instanceof StoreUnavailable)
    return `${error.message}. Nothing was published. The archive has what was read: run again.`;
  const { code, syscall } = error as NodeJS.ErrnoException;
  // The message of a failed system call is enough, such as that of a file without write permission.
  const isOneLine = syscall !== undefined || code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION';
  return isOneLine || OF_OPERATOR.some((kind) => error instanceof kind)
    ? error.message
    : (error.stack ?? error.message);
}
