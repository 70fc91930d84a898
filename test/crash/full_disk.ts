/** A file system of limited size, which only root may mount, and what fills it up. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** @returns null if that is not allowed here */
export function mountDisk(size = '8m'): string | null {
  const mountPoint = mkdtempSync(join(tmpdir(), 'dealfeed-disk-'));
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', mountPoint]).status === 0) return mountPoint;
  rmSync(mountPoint, { recursive: true });
  return null;
}

export function unmountDisk(mountPoint: string): void {
  spawnSync('umount', ['-l', mountPoint]);
  rmSync(mountPoint, { recursive: true });
}

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
