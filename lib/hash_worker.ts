/** The thread that hashes a large file, and may copy it (files.ts). Nothing else runs on it, so it reads without giving way. */
import { createHash } from 'node:crypto';
import { closeSync, constants, copyFileSync, openSync, readSync, writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

const READ_AT_ONCE = 1 << 20;

const { path, copyTo } = workerData as { readonly path: string; readonly copyTo: string | undefined };

/** A copy that shares the file's blocks, where the file system knows of such. Otherwise the file that takes the bytes as they are hashed. */
function toBeWritten(): number | undefined {
  if (copyTo === undefined) return undefined;
  try {
    copyFileSync(path, copyTo, constants.COPYFILE_FICLONE_FORCE);
    return undefined;
  } catch { return openSync(copyTo, 'w'); }
}

const hash = createHash('sha256');
const file = openSync(path, 'r');
const copy = toBeWritten();
try {
  // One buffer for all of it: a stream, with a new one for every few bytes, takes twice as long.
  const buffer = Buffer.allocUnsafe(READ_AT_ONCE);
  for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer)) {
    hash.update(buffer.subarray(0, read));
    if (copy !== undefined) for (let written = 0; written < read;) written += writeSync(copy, buffer, written, read - written);
  }
} finally {
  closeSync(file);
  if (copy !== undefined) closeSync(copy);
}
parentPort?.postMessage(hash.digest('hex'), []);
