/** Temporary folders for databases, in memory if possible: each commit flushes, which takes milliseconds on a disk. */
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
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

const made: string[] = [];
process.once('exit', () => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** A new folder, which is removed when the process ends. */
export function memoryFolder(prefix: string): string {
  // The suite's own temporary folder may be in memory already.
  const parent = !tmpdir().startsWith(MEMORY) && hasRoom(MEMORY) ? MEMORY : tmpdir();
  const folder = mkdtempSync(join(parent, prefix));
  made.push(folder);
  return folder;
}
