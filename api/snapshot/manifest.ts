/** The part of a snapshot's manifest that the server reads. */
import { z } from 'zod';

export const Manifest = z.object({
  run_id: z.string(),
  /** The day the snapshot is for. */
  as_of: z.iso.date(),
  generated_at: z.iso.datetime(),
  /** sandbox: made-up data, and the day of the recording is today. */
  data_clock: z.enum(['sandbox', 'live']),
  /** Shown wherever sandbox data is shown. */
  notice: z.string().default(''),
  assumption_set_id: z.string(),
  tables: z.record(z.string(), z.object({ rows: z.int() })),
  /** The DuckDB file with all published tables. */
  database: z.object({
    file: z.string().regex(/^[a-z0-9_]+\.duckdb$/),
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
  }),
});

export type Manifest = z.infer<typeof Manifest>;

/** The data clock: the day of the recording in the sandbox, today otherwise. */
export const todayOf = (manifest: Manifest, nowMs: number): string =>
  manifest.data_clock === 'sandbox' ? manifest.as_of : new Date(nowMs).toISOString().slice(0, 10);
