/** A disk is filled up by a file on it. */
import assert from 'node:assert/strict';
import { closeSync, openSync, statfsSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Write into a file until no more than `spare` bytes are free. */
export function fill(path: string, spare = 0): void {
  const handle = openSync(path, 'w');
  try {
    for (let size = 1 << 22; size >= 1;) {
      const { bavail, bsize } = statfsSync(dirname(path));
      if (spare > 0 && bavail * bsize <= spare) return;
      try {
        if (writeSync(handle, Buffer.alloc(size)) < size) size >>= 1;
      } catch (error) {
        assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
        size >>= 1;
      }
    }
  } finally {
    closeSync(handle);
  }
}
