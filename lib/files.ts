/**
 * Files written so that a crash at any instant, a power cut included, leaves either the old content or the new, never
 * half of it: content is flushed before the rename that shows it, and the folder after.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readFile, rename, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

const READ_AT_ONCE = 1 << 20;

/** A file of ours that is not what was written. The message names it and says what the operator can do. */
export class DamagedFile extends Error {
  override readonly name = 'DamagedFile';
}

/** Flush a file or folder that exists to the disk. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Create a folder and those above it, each entry flushed: a file in a folder that a power cut forgot is lost with it. */
export async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true });
  if (first === undefined) return;
  const above = dirname(resolve(first));
  for (let made = resolve(path); made !== above; made = dirname(made)) await sync(dirname(made));
}

/**
 * Write a whole file: beside its place, flushed, then renamed into it.
 * @param folder where it lies until it is whole, on the same file system. Default: that of `path`
 */
export async function writeWhole(path: string, content: string | Uint8Array, folder = dirname(path)): Promise<void> {
  await makeFolder(dirname(path));
  await makeFolder(folder);
  // The same may be written twice at once: by another part of this process, or on a host where the process ids are the same.
  const temporary = join(folder, `${basename(path)}.${randomUUID()}.tmp`);
  try {
    const handle = await open(temporary, 'w');
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    // On a full disk the half that was written is in the way of everything else.
    await rm(temporary, { force: true });
    throw error;
  }
  await sync(dirname(path));
}

/** Put a finished file that lies beside its place into it. */
export async function moveInto(temporary: string, path: string): Promise<void> {
  await sync(temporary);
  await rename(temporary, path);
  await sync(dirname(path));
}

/** Ending of the link that is about to take another's place. */
export const LINK_ENDING = '.link';

/** Point a symbolic link at `target` by one atomic rename. */
export async function pointAt(link: string, target: string): Promise<void> {
  const temporary = join(dirname(link), `.${process.pid}${LINK_ENDING}`);
  await rm(temporary, { force: true });
  await symlink(target, temporary);
  await rename(temporary, link);
  await sync(dirname(link));
}

/** SHA-256 of a file, hex. */
export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: READ_AT_ONCE })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** SHA-256 of bytes or UTF-8 text, hex. */
export const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** A JSON file, or undefined where there is none. A file that is not JSON is an error that names it. */
export async function readJson(path: string): Promise<unknown> {
  let content: string;
  try {
    content = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return JSON.parse(content);
  } catch {
    throw new DamagedFile(`${path} is not JSON`);
  }
}
