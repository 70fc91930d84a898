/** The manifest of a snapshot: its inputs, and the hash of each of its files. */
import { z } from 'zod';
import { dayOf } from '../lib/time.ts';
import { SourceRead } from './inputs.ts';

const count = z.int().min(0);
const hash = z.string().regex(/^[0-9a-f]{64}$/);

export const Manifest = z.strictObject({
  run_id: z.string(),
  /** The data clock: the day the snapshot is for. */
  as_of: z.iso.date(),
  /** The run's clock when it was built; always noon in the sandbox. */
  generated_at: z.iso.datetime(),
  data_clock: z.enum(['sandbox', 'live']),
  /** Shown with sandbox data. */
  notice: z.string(),
  assumption_set_id: z.string(),
  /** Snapshot from which this one continues the history. */
  previous: z.string().nullable(),
  /** Snapshot from whose lists its changes start: the previous one, or an earlier one of the same day. */
  follows: z.string().nullable(),
  versions: z.strictObject({ dealfeed: z.string(), node: z.string(), duckdb: z.string(), schema: hash, models: hash }),
  /** One entry per source: the result of its read, the staged file in use and its pages. */
  sources: z.array(
    z.strictObject({
      ...SourceRead.schema.shape,
      staged_run: z.string().nullable(),
      staged_sha256: hash.nullable(),
      pages: count,
      traffic: z.strictObject({ requests: count, not_modified: count, bytes: count, retries: count }),
      dropped_files: z.array(z.string()),
      /** Its last ninety days, a character a day: `=` read, `x` failed, `.` not read. */
      history: z.string().regex(/^[=x.]{90}$/),
    }),
  ),
  models: z.array(z.strictObject({ name: z.string(), layer: z.string(), rows: count })),
  audits: z.array(z.strictObject({ name: z.string(), about: z.string(), blocking: z.boolean(), failing_rows: count })),
  /** Leads sold when it was built, which it leaves out. */
  sold_leads: z.array(z.string()),
  /** Keys of their properties, which it leaves out too. */
  sold_properties: z.array(z.string()),
  /** Published tables. A row of a later file replaces the row with the same key in the files before it. */
  tables: z.record(
    z.string(),
    z.strictObject({
      rows: count,
      files: z.array(z.strictObject({ file: z.string(), rows: count, bytes: count, sha256: hash })).min(1),
    }),
  ),
  /** The DuckDB file with all published tables. */
  database: z.strictObject({ file: z.string().regex(/^[a-z0-9_]+\.duckdb$/), bytes: count, sha256: hash }),
  /** The files that the API reads (models/serving). */
  serving: z.array(z.strictObject({ file: z.string().regex(/^[\w.-]+\.sqlite$/), bytes: count, sha256: hash })),
});

export type Manifest = z.infer<typeof Manifest>;

/** A published table: its number of rows, and its Parquet files. */
export type PublishedTable = Manifest['tables'][string];

/** Hash of a table's files, which is the same for the same rows. */
export const hashOf = ({ files }: PublishedTable): string => files.map(({ sha256 }) => sha256).join(' ');

/** Characters of its hash that name a part of a table. */
const HASH_IN_NAME = 16;

/** Name of a part of a table in parts, which several snapshots may share. */
export const partName = (table: string, sha256: string, ending: 'parquet' | 'sqlite' = 'parquet'): string =>
  `${table}-${sha256.slice(0, HASH_IN_NAME)}.${ending}`;

/** The part that the server reads. Other fields may change between versions without a change of the server. */
export const ServedManifest = z
  .object(Manifest.shape)
  .pick({
    run_id: true,
    as_of: true,
    generated_at: true,
    data_clock: true,
    notice: true,
    assumption_set_id: true,
    tables: true,
    database: true,
    serving: true,
  })
  .extend({
    sources: z.array(
      Manifest.shape.sources.element
        .pick({ source: true, family: true, resale: true, last_good_at: true, history: true })
        .strip(),
    ),
  });

export type ServedManifest = z.infer<typeof ServedManifest>;

/** The data clock: the day of the recording in the sandbox, today otherwise. */
export const todayOf = (manifest: ServedManifest, nowMs: number): string =>
  manifest.data_clock === 'sandbox' ? manifest.as_of : dayOf(nowMs);
