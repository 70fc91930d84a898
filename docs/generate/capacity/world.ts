/** What a first day of the default world takes, as recorded by record_world.ts. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';

export const WORLD_FILE = new URL('world.json', import.meta.url);
export const WORLD_PATH = 'docs/generate/capacity/world.json';

const count = z.int().min(0);
const World = z.strictObject({
  run: z.string(),
  /** By source: one read. */
  sources: z.record(z.string(), z.strictObject({ requests: count, bytes: count, rows: count })),
  /** Parquet files of the snapshot. */
  tables: z.record(z.string(), z.strictObject({ rows: count, bytes: count })),
  /** Bytes of its DuckDB file. */
  database: count,
});
export type World = z.infer<typeof World>;

let read: World | undefined;

/** The recorded world. */
export const theWorld = (): World => (read ??= World.parse(JSON.parse(readFileSync(WORLD_FILE, 'utf8'))));

/** Rows and bytes of a published table. @throws if the recorded snapshot has no such table */
export function tableOf(name: string): { readonly rows: number; readonly bytes: number } {
  const found = theWorld().tables[name];
  if (!found) throw new Error(`${WORLD_PATH} has no table ${name}; record it again`);
  return found;
}
