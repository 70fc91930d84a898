/** Files written so that a crash at any instant leaves either the old content or the new, never half of it. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readFile, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** Flush a file or folder that exists to the disk. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try { await handle.sync(); } finally { await handle.close(); }
}

/** Write a whole file: beside its place, flushed, then renamed into it. */
export async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  const handle = await open(temporary, 'w');
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally { await handle.close(); }
  await rename(temporary, path);
  await sync(dirname(path));
}

/** Point a symbolic link at `target` by one atomic rename. */
export async function pointAt(link: string, target: string): Promise<void> {
  const temporary = join(dirname(link), `.${process.pid}.link`);
  await rm(temporary, { force: true });
  await symlink(target, temporary);
  await rename(temporary, link);
  await sync(dirname(link));
}

/** SHA-256 of a file, hex. */
export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** SHA-256 of bytes or UTF-8 text, hex. */
export const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** A JSON file, or undefined where there is none. A file that is not JSON is an error that names it. */
export async function readJson(path: string): Promise<unknown> {
  let content: string;
  try { content = await readFile(path, 'utf8'); } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try { return JSON.parse(content); } catch { throw new Error(`${path} is not JSON`); }
}
