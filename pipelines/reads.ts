/** The record of one read of one source, kept beside its staged rows; and which read stands on a given day. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { RejectedRow } from '../models/inputs.ts';
import { readJson, writeWhole } from '../lib/files.ts';
import { compareRunIds, parseRunId, type Layout } from './layout.ts';

const count = z.int().min(0);

export const ReadRecord = z.strictObject({
  source: z.string(),
  run_id: z.string(),
  as_of: z.iso.date(),
  status: z.enum(['good', 'quarantined', 'unavailable']),
  /** Short reason word and sentence; null on a good read. */
  reason: z.string().nullable(),
  detail: z.string().nullable(),
  page_url: z.string().nullable(),
  /** Latest instant at which a page of this read was observed. */
  observed_at: z.iso.datetime(),
  counts: z.strictObject({ rows_in: count, rows_out: count, rows_rejected: count, rows_merged: count, rows_carried: count }),
  traffic: z.strictObject({ requests: count, not_modified: count, bytes: count, retries: count }),
  /** Pages that held rows, in the order they were read. */
  pages: z.array(z.strictObject({ kind: z.string(), url: z.string(), sha256: z.string(), observed_at: z.iso.datetime() })),
  /** Files of the drop folder this read came from; empty when it came from the web. */
  dropped_files: z.array(z.string()),
  rejects: z.array(RejectedRow.schema),
  /** Staged rows of a good read. */
  parquet: z.strictObject({ sha256: z.string(), bytes: count }).nullable(),
});

export type ReadRecord = z.infer<typeof ReadRecord>;

export const stagedParquet = (layout: Layout, source: string, runId: string): string => join(layout.staged(source), `${runId}.parquet`);
const recordPath = (layout: Layout, source: string, runId: string): string => join(layout.staged(source), `${runId}.json`);

/** Written after the rows, so a record that says good never lacks them. */
export async function writeRead(layout: Layout, record: ReadRecord): Promise<void> {
  await writeWhole(recordPath(layout, record.source, record.run_id), `${JSON.stringify(ReadRecord.parse(record), null, 1)}\n`);
}

async function listRuns(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.filter((n) => n.endsWith('.json')).map((n) => n.slice(0, -'.json'.length))
    .filter((id) => parseRunId(id) !== null).sort(compareRunIds);
}

/** Reads of a source on or before a day, newest first. */
export async function readsUpTo(layout: Layout, source: string, asOf: string): Promise<ReadRecord[]> {
  const records: ReadRecord[] = [];
  for (const runId of (await listRuns(layout.staged(source))).reverse()) {
    if ((parseRunId(runId)?.asOf ?? '') > asOf) continue;
    records.push(ReadRecord.parse(await readJson(recordPath(layout, source, runId))));
  }
  return records;
}

/** The newest good read on or before a day: its rows are the ones that stand. */
export async function standingRead(layout: Layout, source: string, asOf: string): Promise<ReadRecord | undefined> {
  return (await readsUpTo(layout, source, asOf)).find((r) => r.status === 'good');
}
