/** The thread that hashes a large file (files.ts). Nothing else runs on it, so it reads without giving way. */
import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

const READ_AT_ONCE = 1 << 20;

const hash = createHash('sha256');
const file = openSync(String(workerData), 'r');
try {
  // One buffer for all of it: a stream, with a new one for every few bytes, takes twice as long.
  const buffer = Buffer.allocUnsafe(READ_AT_ONCE);
  for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer)) hash.update(buffer.subarray(0, read));
} finally { closeSync(file); }
parentPort?.postMessage(hash.digest('hex'), []);
