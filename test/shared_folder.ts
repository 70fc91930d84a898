/** Folders that test files make once and go on from, such as published days and an empty database server. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { takeLock } from '../pipelines/run/lock.ts';
import { memoryFolder } from './ledger/memory_folder.ts';

const LOCK_RETRY_MS = 100;

async function waitForLock(path: string): Promise<() => void> {
  for (;;) {
    const lock = await takeLock(path);
    if ('release' in lock) return lock.release;
    await sleep(LOCK_RETRY_MS);
  }
}

/** A folder of this process, which goes when it ends. */
async function makeOwn(make: (folder: string) => Promise<void>): Promise<string> {
  const folder = memoryFolder('dealfeed-shared-');
  process.on('exit', () => {
    rmSync(folder, { recursive: true, force: true });
  });
  await make(folder);
  return folder;
}

async function makeOrFind(folder: string, make: (folder: string) => Promise<void>): Promise<string> {
  const isMade = `${folder}.made`;
  const release = await waitForLock(`${folder}.lock`);
  try {
    if (existsSync(isMade)) return folder;
    // A process that was killed may have left a part.
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    await make(folder);
    writeFileSync(isMade, '');
    return folder;
  } finally {
    release();
  }
}

/**
 * The folder of this name, made by the first process that needs it. `make test` shares it between its processes, in
 * the folder that SHARED_RUNS names. Without SHARED_RUNS, as in `node --test`, a process makes its own.
 * @param make fills the empty folder, which nobody changes afterwards
 */
export function sharedFolder(name: string, make: (folder: string) => Promise<void>): () => Promise<string> {
  const shared = process.env['SHARED_RUNS'];
  let made: Promise<string> | undefined;
  return () => (made ??= shared === undefined ? makeOwn(make) : makeOrFind(join(shared, name), make));
}
