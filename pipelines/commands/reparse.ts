/**
 * Parses the archived pages of a source's good reads with today's parser and compares the rows with the staged ones:
 * `make reparse SOURCE=oh_cuyahoga_tax SINCE=2026-11-01`.
 *
 * With APPLY=1 a changed read gets a new version; the old version stays, because published snapshots name it. The next
 * run uses the newest version of a read; `make underwrite DAY=...` rebuilds a past day of the sandbox from it.
 *
 * Only archived pages are parsed: a parser that follows other links finds no more pages.
 */
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DamagedFile, makeFolder, moveInto } from '../../lib/files.ts';
import { Quarantine, type SourceSpec } from '../../sources/contract.ts';
import { ArchiveDamage, type Archive } from '../../sources/fetch/archive.ts';
import { LAST_DAY } from '../clock.ts';
import { checkExpectations } from '../ingest/expect.ts';
import { readsUpTo, stagedParquet, trustedRows, versionOf, writeRead, type ReadRecord } from '../ingest/reads.ts';
import { readPage } from '../ingest/read_page.ts';
import { stageRead, type Staged } from '../ingest/stage/stage.ts';
import type { Layout } from '../layout.ts';
import { archivedPages, listUnreadable } from '../archived_pages.ts';
import { compareStaged, type Differences } from './compare.ts';

export interface ReparseOptions {
  readonly layout: Layout;
  readonly archive: Archive;
  readonly spec: SourceSpec;
  /** First day of the reads, YYYY-MM-DD. Default: all. */
  readonly since?: string;
  /** Write new versions of the reads that changed. */
  readonly apply: boolean;
  /** Fetches the staged rows of a read that this folder does not have. Default: they are lost. */
  readonly fetchRows?: ((record: ReadRecord) => Promise<void>) | undefined;
}

export interface Reparsed {
  readonly runId: string;
  /** Version that was compared. */
  readonly version: number;
  readonly before: ReadRecord['counts'];
  /** Null if today's parser quarantines the read, or a page is lost. */
  readonly after: ReadRecord['counts'] | null;
  /** Why `after` is null. */
  readonly problem: string | null;
  /** Null if the staged rows are damaged or lost, or `after` is null. */
  readonly differences: Differences | null;
  /** Whether other rows are rejected, or for other reasons. */
  readonly hasOtherRejects: boolean;
  /** The staged rows are damaged or lost, and the archived pages give the same bytes. */
  readonly restores: boolean;
  /** Version that was written; null if none was. */
  readonly applied: number | null;
}

/** Staged rows of a read: their verified file, or its damage. */
interface StagedRows {
  readonly file: string | DamagedFile | undefined;
  readonly rows: number;
}

/** Parse the good reads of a source again, oldest first. Quarantined and lost pages are in the result. */
export async function reparse({ layout, archive, spec, since, apply, fetchRows }: ReparseOptions): Promise<Reparsed[]> {
  const good = (await readsUpTo(layout, spec.name, LAST_DAY)).filter((read) => read.status === 'good').reverse();
  const folder = await mkdtemp(join(tmpdir(), 'dealfeed-reparse-'));
  const results: Reparsed[] = [];
  // The previous read, from which a read may carry rows.
  let previous: StagedRows | undefined;
  try {
    for (const record of good) {
      await fetchRows?.(record);
      const old = await trustedRows(layout, record).catch(asDamage);
      let rows: StagedRows = { file: old, rows: record.counts.rows_out };
      if (since === undefined || record.as_of >= since) {
        const rebuilt = join(folder, `${record.run_id}.parquet`);
        const result = await reparseOne(archive, spec, record, { old, rebuilt, previous });
        if (result.staged) rows = { file: rebuilt, rows: result.staged.counts.rows_out };
        const applied = apply ? await applyResult(layout, record, rebuilt, result) : null;
        const { staged, problem, differences, hasOtherRejects, restores } = result;
        results.push({
          runId: record.run_id,
          version: versionOf(record),
          before: record.counts,
          after: staged?.counts ?? null,
          problem,
          differences,
          hasOtherRejects,
          restores,
          applied,
        });
      }
      previous = rows;
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return results;
}

const asDamage = (error: unknown): DamagedFile => {
  if (error instanceof DamagedFile) return error;
  throw error;
};

interface ParseResult {
  readonly staged: Staged | null;
  readonly rejects: ReadRecord['rejects'];
  readonly problem: string | null;
  readonly differences: Differences | null;
  readonly hasOtherRejects: boolean;
  readonly hasChanged: boolean;
  readonly restores: boolean;
}

interface Files {
  /** Staged rows of the read. */
  readonly old: StagedRows['file'];
  /** File for the rows of today's parser. */
  readonly rebuilt: string;
  readonly previous: StagedRows | undefined;
}

/** Why a read gives no rows. */
function problemOf(error: Quarantine | ArchiveDamage | DamagedFile): string {
  if (!(error instanceof Quarantine)) return error.message;
  return `${error.reason}: ${error.message}${error.pageUrl === undefined ? '' : ` [${error.pageUrl}]`}`;
}

async function reparseOne(
  archive: Archive,
  spec: SourceSpec,
  record: ReadRecord,
  { old, rebuilt, previous }: Files,
): Promise<ParseResult> {
  try {
    const { unreadable, observedAt } = listUnreadable(record);
    const pages = (await archivedPages(archive, record)).map(readPage);
    const parsed = await stageRead({ spec, pages, unreadable, observedAt, target: rebuilt });
    let staged: Staged;
    try {
      checkExpectations(spec, parsed, previous?.rows);
      if (previous?.file instanceof DamagedFile && parsed.rejectedKeys.length > 0) throw previous.file;
      staged = await parsed.write(previous?.file instanceof DamagedFile ? undefined : previous?.file);
    } finally {
      await parsed.close();
    }
    const rejects = [...parsed.rejects];
    const hasOtherRejects = JSON.stringify(rejects) !== JSON.stringify(record.rejects);
    const result = { staged, rejects, problem: null, hasOtherRejects };
    if (typeof old !== 'string') {
      // An equal hash proves that these are the lost rows. A different hash means that the parser has changed since.
      const restores = !hasOtherRejects && staged.parquet.sha256 === record.parquet?.sha256;
      return { ...result, differences: null, hasChanged: !restores, restores };
    }
    const differences = await compareStaged(spec.row, old, rebuilt);
    const { added, gone, changed, moved } = differences;
    const hasChanged = hasOtherRejects || added.length + gone.length + changed.length + moved > 0;
    return { ...result, differences, hasChanged, restores: false };
  } catch (error) {
    if (!(error instanceof Quarantine) && !(error instanceof ArchiveDamage) && !(error instanceof DamagedFile))
      throw error;
    return {
      staged: null,
      rejects: [],
      problem: problemOf(error),
      differences: null,
      hasOtherRejects: false,
      hasChanged: false,
      restores: false,
    };
  }
}

/** Write the rebuilt rows: over the damaged file, or as a new version. @returns the new version, or null */
async function applyResult(
  layout: Layout,
  record: ReadRecord,
  rebuilt: string,
  { staged, rejects, hasChanged, restores }: ParseResult,
): Promise<number | null> {
  const { source, run_id: runId } = record;
  if (restores) await copyInto(rebuilt, stagedParquet(layout, source, runId, versionOf(record)));
  if (!hasChanged || !staged) return null;
  const version = versionOf(record) + 1;
  // Rows first, then the record that makes them count.
  await copyInto(rebuilt, stagedParquet(layout, source, runId, version));
  const { counts, parquet, facts } = staged;
  await writeRead(layout, { ...record, version, counts, parquet, rejects, ...facts });
  return version;
}

async function copyInto(from: string, target: string): Promise<void> {
  await makeFolder(dirname(target));
  await copyFile(from, `${target}.tmp`);
  await moveInto(`${target}.tmp`, target);
}
