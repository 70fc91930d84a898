/** Text for an error that ends a command: one line if the operator can correct it, the stack if it is our defect. */
import { statfsSync } from 'node:fs';
import { LedgerUnavailable } from '../ledger/ledger.ts';
import { DamagedFile } from '../lib/files.ts';
import { SettingError } from '../lib/settings.ts';
import { PublishedElsewhere, StoreDamage, StoreUnavailable } from '../lib/store/store.ts';
import { ArchiveDamage } from '../lib/archive.ts';
import { QueueUnavailable } from './jobs/queue.ts';

/** Messages of Node, DuckDB and SQLite about a full disk. */
const DISK_FULL = /ENOSPC|EDQUOT|No space left on device|Disk quota exceeded|database or disk is full/u;

const firstLine = (message: string): string => message.split('\n', 1)[0] ?? '';

/** Free kilobytes of a folder's disk; null if the system does not report it. */
function freeKilobytes(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return Math.floor((bavail * bsize) / 1000);
  } catch {
    return null;
  }
}

function diskFullText(dataDir: string, message: string): string {
  const free = freeKilobytes(dataDir);
  return (
    `The disk of DATA_DIR ${JSON.stringify(dataDir)} is full${free === null ? '' : ` (${free} kB free)`}: ` +
    `${firstLine(message)}. Published snapshots are unchanged. Free some space and run again.`
  );
}

/** DuckDB's message if a query needs more than the memory limit and cannot write the rest to the disk. */
const OUT_OF_MEMORY = /Out of Memory Error/u;

/** Errors whose message names the setting or file that the operator must correct. */
const isOfOperator = (error: Error): boolean =>
  error instanceof SettingError ||
  error instanceof DamagedFile ||
  error instanceof ArchiveDamage ||
  error instanceof LedgerUnavailable ||
  error instanceof StoreDamage ||
  error instanceof PublishedElsewhere ||
  (error as NodeJS.ErrnoException).code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION';

/** The error of the work, if closing what the work used failed too. */
const ofWork = (error: unknown): unknown => (error instanceof SuppressedError ? error.suppressed : error);

/** @param dataDir folder whose disk may be full */
export function failureText(thrown: unknown, dataDir: string): string {
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
  // The message of a failed system call is enough, such as that of a file without write permission.
  const isSystemCall = (error as NodeJS.ErrnoException).syscall !== undefined;
  return isOfOperator(error) || isSystemCall ? error.message : (error.stack ?? error.message);
}

/** Whether an error means that nothing was published because another service, or another run, prevented it. */
export const isUnpublished = (error: unknown): boolean =>
  error instanceof LedgerUnavailable ||
  error instanceof QueueUnavailable ||
  error instanceof StoreUnavailable ||
  error instanceof StoreDamage ||
  error instanceof PublishedElsewhere;

/**
 * Run the program of a command of pipelines: its exit status, and an error as text on standard error.
 * @param textOf another text for an error, if it has one
 * @param statusOf exit status of an error
 */
export async function runProgram(
  main: () => Promise<number>,
  textOf: (error: unknown) => string | null = () => null,
  statusOf: (error: unknown) => number = () => 1,
): Promise<void> {
  try {
    process.exitCode = await main();
  } catch (thrown) {
    const error = ofWork(thrown);
    // From the environment, because the settings may be the error.
    const dataDir = process.env['DATA_DIR'] || 'data';
    process.stderr.write(`${textOf(error) ?? failureText(error, dataDir)}\n`);
    process.exitCode = statusOf(error);
    // Connections to a silent server stay open and would keep the process alive.
    if (error instanceof QueueUnavailable) process.exit();
  }
}
