/** Temporary folders for databases, in memory if possible: each commit flushes, which takes milliseconds on a disk. */
import { mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** A small memory file system, as in some containers, is not used. */
const MIN_FREE_BYTES = 2 ** 31;

function hasRoom(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize >= MIN_FREE_BYTES;
  } catch {
    return false;
  }
}

export const memoryFolder = (prefix: string): string => mkdtempSync(join(hasRoom(MEMORY) ? MEMORY : tmpdir(), prefix));
