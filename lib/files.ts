/**
 * Atomic file writes: after a crash or a power cut a file has either its old or its new content. Content is flushed
 * before the rename that publishes it, and the folder after.
 */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  access,
  constants,
  copyFile,
  link as linkFile,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

const CHUNK_BYTES = 1 << 20;

/** A file does not have the content that was written to it. The message names it and what the operator can do. */
export class DamagedFile extends Error {
  override readonly name = 'DamagedFile';
}

/** Flush an existing file or folder to the disk. */
export async function sync(path: string): Promise<void> {
  await using handle = await open(path, 'r');
  await handle.sync();
}

/**
 * Create a folder and its parents, and flush each entry: a power cut must not lose the folder of a file. One at a time,
 * because Node's recursive mkdir never ends where a parent takes no entries, such as /proc.
 * @param mode of the folders. Default: as umask says
 */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.unshift(at);
  for (const folder of missing) {
    await mkdir(folder, mode).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await sync(dirname(folder));
  }
  // A file of this name is an error.
  await mkdir(path, { recursive: true });
}

const NOT_WRITABLE: Readonly<Record<string, string>> = {
  EEXIST: 'it is a file',
  ENOTDIR: 'a part of its path is a file',
  EACCES: 'this user may not write there',
  ENOENT: 'it cannot be made there',
  EROFS: 'its disk is read-only',
};

/** Create a folder, unless it is there. @returns why it is not writable; null if it is */
export async function whyNotWritable(path: string, mode?: number): Promise<string | null> {
  try {
    await makeFolder(path, mode);
    await access(path, constants.W_OK);
    return null;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    return NOT_WRITABLE[code] ?? code;
  }
}

/**
 * Write a file atomically: into a temporary file, flushed, then renamed.
 * @param folder folder of the temporary file, on the same file system. Default: that of `path`
 */
export async function writeWhole(path: string, content: string | Uint8Array, folder = dirname(path)): Promise<void> {
  await makeFolder(dirname(path));
  await makeFolder(folder);
  // A random name: this process, or one on another host, may write the same file at the same time.
  const temporary = join(folder, `${basename(path)}.${randomUUID()}.tmp`);
  try {
    await writeFile(temporary, content, { flush: true });
    await rename(temporary, path);
  } catch (error) {
    // Remove the partial file: the disk may be full.
    await rm(temporary, { force: true });
    throw error;
  }
  await sync(dirname(path));
}

/** Flush a finished temporary file and rename it. */
export async function moveInto(temporary: string, path: string): Promise<void> {
  await sync(temporary);
  await rename(temporary, path);
  await sync(dirname(path));
}

/** Ending of the temporary link that replaces another. */
export const LINK_ENDING = '.link';

/** Point a symbolic link at `target` by one atomic rename. */
export async function pointAt(link: string, target: string): Promise<void> {
  const temporary = join(dirname(link), `.${process.pid}${LINK_ENDING}`);
  await rm(temporary, { force: true });
  await symlink(target, temporary);
  await rename(temporary, link);
  await sync(dirname(link));
}

/** Whether snapshots share a file: its name has its hash. */
export const isShared = (file: string): boolean => /-[0-9a-f]{16}\.\w+$/u.test(file);

/** Give a file a second name, or copy it where the file system has no second names. */
export const share = (from: string, to: string): Promise<void> =>
  linkFile(from, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'EEXIST') throw error;
    return copyFile(from, to);
  });

/** SHA-256 of a file, hex. */
export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await using handle = await open(path, 'r');
  // One buffer, not larger than the file: new memory for every read makes V8 collect garbage many times in a run.
  const { size } = await handle.stat();
  const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(size, CHUNK_BYTES)));
  for (;;) {
    const { bytesRead } = await handle.read(buffer);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(buffer.subarray(0, bytesRead));
  }
}

/** SHA-256 of bytes or UTF-8 text, hex. */
export const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** What reading a file or a folder gives; null if it does not exist. */
export const nullIfMissing = <T>(reading: Promise<T>): Promise<T | null> =>
  reading.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });

/** Names in a folder; none if it does not exist. */
export const namesIn = async (folder: string): Promise<string[]> => (await nullIfMissing(readdir(folder))) ?? [];

/** Hash and length of a file. */
export const contentOf = async (path: string): Promise<{ sha256: string; bytes: number }> => ({
  sha256: await sha256OfFile(path),
  bytes: (await stat(path)).size,
});

/** Read a JSON file; undefined if it does not exist. @throws DamagedFile if it is not JSON */
export async function readJson(path: string): Promise<unknown> {
  const content = await nullIfMissing(readFile(path, 'utf8'));
  if (content === null) return undefined;
  try {
    return JSON.parse(content);
  } catch {
    throw new DamagedFile(`${path} is not JSON`);
  }
}

/** Paths of all files in a folder; none if it does not exist. */
export async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/**
 * Bytes of files on the disk: a file with several of these names counts once, a file removed meanwhile not at all.
 * @param freed count only the files that have no other name, so that removing these frees them
 */
export async function sizeOfFiles(paths: readonly string[], freed = false): Promise<number> {
  const found = await Promise.all(paths.map((path) => stat(path).catch(() => null)));
  const byFile = Map.groupBy(
    found.filter((file) => file !== null),
    ({ dev, ino }) => `${dev} ${ino}`,
  );
  return [...byFile.values()].reduce((sum, names) => {
    const [file] = names;
    return file === undefined || (freed && file.nlink > names.length) ? sum : sum + file.size;
  }, 0);
}

/** Removes a temporary file or folder, if it is still there, at the end of the scope of `await using`. */
export const removedAtEnd = (path: string): AsyncDisposable => ({
  // A failure must not hide the error that ends the scope: a disk that is gone fails twice.
  [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }).catch(() => undefined),
});

/** Bytes of all files in a folder on the disk. */
export const sizeOfFolder = async (folder: string): Promise<number> => sizeOfFiles(await filesIn(folder));
