/** Sizes on the disk. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Size of files in bytes. A file removed meanwhile counts as 0. */
export async function sizeOfFiles(paths: readonly string[]): Promise<number> {
  let total = 0;
  for (const path of paths)
    total += await stat(path).then(
      (found) => found.size,
      () => 0,
    );
  return total;
}

/** Size of all files in a folder, in bytes. */
export async function sizeOfFolder(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return sizeOfFiles(entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)));
}
