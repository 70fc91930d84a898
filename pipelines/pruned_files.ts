/**
 * Files that `make prune` removed from a snapshot that stays: its DuckDB file and its filings. `pruned.json` beside
 * the manifest names them, so that they are not taken for lost.
 */
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writeWhole } from '../lib/files.ts';
import type { Layout } from './layout.ts';

/** The settings that remove a file of a snapshot that stays. */
export const FILE_SETTINGS = ['KEEP_DATABASE_DAYS', 'KEEP_FILINGS_DAYS'] as const;

const PrunedFiles = z.strictObject({
  files: z.array(z.strictObject({ file: z.string(), setting: z.enum(FILE_SETTINGS) })),
});

export interface PrunedFile {
  readonly file: string;
  readonly setting: (typeof FILE_SETTINGS)[number];
}

const pathOf = (layout: Layout, runId: string): string => join(layout.snapshot(runId), 'pruned.json');

/** Files of a snapshot that were removed by design. */
export async function prunedFiles(layout: Layout, runId: string): Promise<readonly PrunedFile[]> {
  const checked = PrunedFiles.safeParse(await readJson(pathOf(layout, runId)));
  return checked.success ? checked.data.files : [];
}

/** Record files as removed by design, or as restored. */
export async function writePrunedFiles(layout: Layout, runId: string, files: readonly PrunedFile[]): Promise<void> {
  const sorted = [...files].sort((a, b) => (a.file < b.file ? -1 : 1));
  await writeWhole(pathOf(layout, runId), `${JSON.stringify({ files: sorted }, null, 1)}\n`);
}
