/**
 * Files whose hash was checked on this disk: published here, fetched and compared, or read by a server before. A start
 * need not read them again while size, inode and time of change are the same. What that misses, a changed sector of the
 * disk, `make status` and the nightly backup find: they hash every file.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { isShared, readJson, writeWhole } from './files.ts';

/** File of a folder with the marks of its files. */
export const MARKS = 'verified.json';
const Marks = z.record(z.string(), z.string());

interface Stated {
  readonly file: string;
  readonly sha256: string;
}

/** The hash with what shows that the bytes are still those it was computed of. */
async function markOf(folder: string, { file, sha256 }: Stated): Promise<string> {
  const { size, ino, mtimeNs, ctimeNs } = await stat(join(folder, file), { bigint: true });
  // A second name of a shared file changes its ctime.
  return [sha256, size, ino, mtimeNs, ...(isShared(file) ? [] : [ctimeNs])].join(' ');
}

/** Note that these files have these hashes. */
export async function markVerified(folder: string, files: readonly Stated[]): Promise<void> {
  const marks = await Promise.all(files.map(async (file) => [file.file, await markOf(folder, file)] as const));
  await writeWhole(join(folder, MARKS), `${JSON.stringify(Object.fromEntries(marks))}\n`);
}

/** Whether a file is unchanged since its hash was found to be this one. */
export async function isVerified(folder: string, file: Stated): Promise<boolean> {
  const marks = Marks.safeParse(await readJson(join(folder, MARKS)));
  return marks.success && marks.data[file.file] === (await markOf(folder, file));
}
