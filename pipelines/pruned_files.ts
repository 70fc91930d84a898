/**
 * Files that `make prune` removed from a snapshot that stays: its DuckDB file. `pruned.json` beside
 * the manifest names them, so that they are not taken for lost.
 */
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writeWhole } from '../lib/files.ts';
import type { Layout } from './layout.ts';

const PrunedFiles = z.strictObject({ files: z.array(z.string()) });

const pathOf = (layout: Layout, runId: string): string => join(layout.snapshot(runId), 'pruned.json');

/** Files of a snapshot that were removed by design. */
export async function prunedFiles(layout: Layout, runId: string): Promise<readonly string[]> {
  const checked = PrunedFiles.safeParse(await readJson(pathOf(layout, runId)));
  return checked.success ? checked.data.files : [];
}

/** Record files as removed by design, or as restored. */
export async function writePrunedFiles(layout: Layout, runId: string, files: readonly string[]): Promise<void> {
  await writeWhole(pathOf(layout, runId), `${JSON.stringify({ files: [...files].sort() }, null, 1)}\n`);
}
