/**
 * `make rebuild SOURCE=oh_cuyahoga_tax SINCE=2026-11-01`: parses the archived pages of a source's good reads with
 * today's parser. A read whose rows change gets a new version; the old version stays, because published snapshots name
 * it. The next run uses the newest version; `make run SOURCES=none DAY=...` builds a past day from it. Rows
 * that are damaged or lost are put back. DRY=1 writes nothing.
 *
 * Only archived pages are parsed: a parser that follows other links finds no more pages.
 */
import { copyFile, mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { closing } from '../../lib/closing.ts';
import { openDuck, rowsOf } from '../../lib/duck.ts';
import { DamagedFile, makeFolder, moveInto } from '../../lib/files.ts';
import { Provenance } from '../../models/inputs.ts';
import { Quarantine, type SourceSpec } from '../../sources/contract.ts';
import { ArchiveDamage, type Archive } from '../../lib/archive.ts';
import { changesSql } from '../analyse/query.ts';
import {
  archivedPages,
  listUnreadable,
  readPage,
  readsUpTo,
  stagedParquet,
  trustedRows,
  versionOf,
  writeRead,
  type ReadRecord,
} from '../ingest/reads.ts';
import { LAST_DAY } from '../clock.ts';
import { checkExpectations } from '../ingest/stage/check_rows.ts';
import { stageRead, type Staged, type StagedRead } from '../ingest/stage/stage.ts';
import type { Layout } from '../layout.ts';

export interface SourceRebuild {
  readonly layout: Layout;
  readonly archive: Archive;
  readonly spec: SourceSpec;
  /** First day of the reads, YYYY-MM-DD. Default: all. */
  readonly since?: string | undefined;
  /** Write nothing. */
  readonly isDry: boolean;
  /** Fetches the staged rows of a read that this folder does not have. Default: they are lost. */
  readonly fetchRows?: ((record: ReadRecord) => Promise<void>) | undefined;
}

export interface RebuiltRead {
  readonly read: ReadRecord;
  /**
   * same: the rows are as stored. damaged: the stored rows are damaged or lost, and the pages give the same bytes.
   * changed: the pages give other rows or rejects. failed: a page is lost, or today's parser quarantines the read.
   */
  readonly outcome: 'same' | 'damaged' | 'changed' | 'failed';
  /** Why it failed. */
  readonly problem: string | null;
  /** Null if it failed. */
  readonly counts: ReadRecord['counts'] | null;
  /** The changed rows for people; none if the stored rows cannot be compared. */
  readonly lines: readonly string[];
  /** Version that was written; null if none was. */
  readonly version: number | null;
}

/** Staged rows of a read: their verified file, or its damage. */
interface StagedRows {
  readonly file: string | DamagedFile | undefined;
  readonly rows: number;
}

/** Columns that change if a row moves on its page. */
const ignoredColumns = ({ row }: SourceSpec): ReadonlySet<string> => {
  const fields = new Set(['source_url', ...row.columns.map(({ name }) => name)]);
  return new Set(Provenance.columns.map(({ name }) => name)).difference(fields);
};

/** Parse the good reads of a source again, oldest first. */
export async function rebuildSource(rebuild: SourceRebuild): Promise<RebuiltRead[]> {
  const { layout, spec, since = '', fetchRows } = rebuild;
  const good = (await readsUpTo(layout, spec.name, LAST_DAY)).filter((read) => read.status === 'good').reverse();
  await using folder = await mkdtempDisposable(join(tmpdir(), 'dealfeed-rebuild-'));
  const results: RebuiltRead[] = [];
  // The read before, from which a read may carry rows.
  let before: StagedRows | undefined;
  for (const read of good) {
    await fetchRows?.(read);
    const old = await trustedRows(layout, read).catch((error: unknown) => {
      if (error instanceof DamagedFile) return error;
      throw error;
    });
    let rows: StagedRows = { file: old, rows: read.counts.rows_out };
    if (read.as_of >= since) {
      const target = join(folder.path, `${read.run_id}.parquet`);
      const result = await rebuildRead(rebuild, read, { old, target, before });
      if (result.counts !== null) rows = { file: target, rows: result.counts.rows_out };
      results.push(result);
    }
    before = rows;
  }
  return results;
}

/** @param files the staged rows of the read, the file for those of today's parser, and the read before */
async function rebuildRead(
  { layout, archive, spec, isDry }: SourceRebuild,
  read: ReadRecord,
  { old, target, before }: { old: StagedRows['file']; target: string; before: StagedRows | undefined },
): Promise<RebuiltRead> {
  const carryFrom = (staged: StagedRead): string | undefined => {
    checkExpectations(spec, staged, before?.rows);
    if (!(before?.file instanceof DamagedFile)) return before?.file;
    if (staged.rejectedKeys.length > 0) throw before.file;
    return undefined;
  };
  const parsed = await parseArchived(archive, spec, read, { target, carryFrom }).catch(problemOf);
  if (typeof parsed === 'string')
    return { read, outcome: 'failed', problem: parsed, counts: null, lines: [], version: null };
  const { counts, parquet, facts, rejects } = parsed;
  const hasSameRows = parquet.sha256 === read.parquet?.sha256;
  const hasSameRejects = JSON.stringify(rejects) === JSON.stringify(read.rejects);
  const isTrusted = typeof old === 'string';
  const outcome = !hasSameRows || !hasSameRejects ? 'changed' : isTrusted ? 'same' : 'damaged';
  const lines = isTrusted && !hasSameRows ? await changesOf(spec, [old, target]) : [];
  const { source, run_id: runId } = read;
  const version = !isDry && outcome === 'changed' ? versionOf(read) + 1 : null;
  if (!isDry && outcome === 'damaged') await copyInto(target, stagedParquet(layout, source, runId, versionOf(read)));
  if (version !== null) {
    // Rows first, then the record that makes them count.
    await copyInto(target, stagedParquet(layout, source, runId, version));
    await writeRead(layout, { ...read, version, counts, parquet, rejects, ...facts });
  }
  return { read, outcome, problem: null, counts, lines, version };
}

/** Changes that are shown of a read. */
const CHANGES_SHOWN = 20;
const VALUE_WIDTH = 60;

/** The changes between two files of staged rows, as lines. */
async function changesOf(spec: SourceSpec, files: readonly [older: string, newer: string]): Promise<string[]> {
  await using duck = await openDuck(':memory:', { threads: 1 });
  const { connection } = duck;
  const changes = await rowsOf(connection, await changesSql(connection, files, spec.row.key, ignoredColumns(spec)));
  const shown = changes.slice(0, CHANGES_SHOWN).map(({ key, kind, field, old, new: now }) => {
    const [before, after] = [old, now].map((value) => String(value).slice(0, VALUE_WIDTH));
    return kind === 'changed' ? `~ ${key}: ${field} ${before} -> ${after}` : `${kind === 'added' ? '+' : '-'} ${key}`;
  });
  const more = changes.length - shown.length;
  return more > 0 ? [...shown, `and ${more} more changes`] : shown;
}

/**
 * Parse the archived pages of a read with today's parser, and write its rows.
 * @param files file for the rows, and where refused rows are carried from
 * @throws Quarantine, ArchiveDamage or DamagedFile
 */
export async function parseArchived(
  archive: Archive,
  spec: SourceSpec,
  read: ReadRecord,
  files: { readonly target: string; readonly carryFrom: (staged: StagedRead) => string | undefined },
): Promise<Staged & Pick<ReadRecord, 'rejects'>> {
  const { unreadable, observedAt } = listUnreadable(read);
  const pages = (await archivedPages(archive, read)).map(readPage);
  await using parsed = closing(await stageRead({ spec, pages, unreadable, observedAt, target: files.target }));
  return { ...(await parsed.write(files.carryFrom(parsed))), rejects: [...parsed.rejects] };
}

/** Why a read gives no rows. @throws the error if it is a defect of this program */
function problemOf(error: unknown): string {
  if (error instanceof Quarantine)
    return `${error.reason}: ${error.message}${error.pageUrl === undefined ? '' : ` [${error.pageUrl}]`}`;
  if (error instanceof ArchiveDamage || error instanceof DamagedFile) return error.message;
  throw error;
}

async function copyInto(from: string, target: string): Promise<void> {
  await makeFolder(dirname(target));
  await copyFile(from, `${target}.tmp`);
  await moveInto(`${target}.tmp`, target);
}

function formatRead({ read, outcome, problem, counts, lines, version }: RebuiltRead, isDry: boolean): string[] {
  const name = `${read.source} ${read.run_id}${versionOf(read) === 1 ? '' : ` (version ${versionOf(read)})`}`;
  if (outcome === 'failed') return [`${name}: not rebuilt: ${problem ?? ''}`];
  if (outcome === 'same') return [`${name}: identical`];
  if (outcome === 'damaged') {
    const found = 'the staged rows were damaged or lost; the archived pages give the same bytes';
    return [`${name}: ${found}${isDry ? '' : '; restored'}`];
  }
  const count = (label: 'out' | 'rejected' | 'merged' | 'carried'): string =>
    `${label} ${read.counts[`rows_${label}`]} -> ${counts?.[`rows_${label}`] ?? 0}`;
  const counted = (['out', 'rejected', 'merged', 'carried'] as const).map(count).join(', ');
  return [
    `${name}: ${counted}${version === null ? '' : `; written as version ${version}`}`,
    ...lines.map((line) => `  ${line}`),
  ];
}

export function formatRebuiltReads(results: readonly RebuiltRead[], source: string, isDry: boolean): string[] {
  if (results.length === 0) return [`${source}: no good read to parse again`];
  const lines = results.flatMap((result) => formatRead(result, isDry));
  const isPending = isDry && results.some(({ outcome }) => outcome === 'changed' || outcome === 'damaged');
  return isPending ? [...lines, 'Nothing was written. Without DRY=1 the changed rows are stored.'] : lines;
}
