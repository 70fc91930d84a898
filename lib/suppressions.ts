/**
 * Ids of records and names that people asked to have left out: written by each run, and obeyed by servers at once, in
 * the snapshots of before too.
 */
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writeWhole } from './files.ts';

export const Suppressed = z.array(z.string().min(1));

const fileIn = (dataDir: string): string => join(dataDir, 'suppressed.json');

/** Empty before the first request. @throws ZodError, DamagedFile */
export const readSuppressed = async (dataDir: string): Promise<readonly string[]> =>
  Suppressed.parse((await readJson(fileIn(dataDir))) ?? []);

export async function writeSuppressed(dataDir: string, subjects: readonly string[]): Promise<void> {
  const before = JSON.stringify(await readSuppressed(dataDir));
  if (before !== JSON.stringify(subjects)) await writeWhole(fileIn(dataDir), `${JSON.stringify(subjects)}\n`);
}
