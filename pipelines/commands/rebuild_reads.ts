/** Parses the reads behind a snapshot again from their archived pages, into a scratch folder. */
import { cp, mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SettingError } from '../../lib/settings.ts';
import { SourceRead } from '../../models/inputs.ts';
import type { Manifest } from '../../models/manifest.ts';
import { Quarantine, type SourceSpec } from '../../sources/contract.ts';
import { ArchiveDamage, openArchive, type Archive } from '../../sources/fetch/archive.ts';
import { loadSources } from '../../sources/index.ts';
import { readRecord, readsUpTo, stagedParquet, versionOf, type ReadRecord } from '../ingest/reads.ts';
import type { SourceState } from '../ingest/source_state.ts';
import { readPage } from '../ingest/read_page.ts';
import { stageRead, type Staged } from '../ingest/stage/stage.ts';
import type { Layout } from '../layout.ts';
import { archivedPages, listUnreadable } from '../archived_pages.ts';

export interface RebuiltReads {
  /** The sources as they were in the snapshot. */
  readonly states: readonly SourceState[];
  /** Number of reads parsed again. */
  readonly parsed: number;
  /** Reads whose stored rows were copied instead, with the reason. */
  readonly copied: readonly { readonly source: string; readonly why: string }[];
}

interface Folders {
  readonly layout: Layout;
  readonly target: Layout;
  readonly archive: Archive;
}

export async function rebuildReads(layout: Layout, target: Layout, published: Manifest): Promise<RebuiltReads> {
  const folders: Folders = { layout, target, archive: await openArchive(layout.root) };
  const specs = new Map((await loadSources()).map((source) => [source.name, source]));
  const states: SourceState[] = [];
  const copied: { source: string; why: string }[] = [];
  let parsed = 0;
  for (const source of published.sources) {
    const spec = specs.get(source.source);
    if (!spec) throw new SettingError(`${source.source} was a source on ${published.as_of} and no longer is one`);
    const standing = await standingRecord(layout, source);
    states.push({ spec, row: rowOf(source), standing, latest: undefined });
    if (!standing?.parquet) continue;
    const why = await parseAgain(folders, spec, standing);
    if (why === null) parsed += 1;
    else {
      copied.push({ source: source.source, why });
      await copyStaged(folders, standing);
    }
  }
  return { states, parsed, copied };
}

type ManifestSource = Manifest['sources'][number];

/** The columns of source_reads. */
const rowOf = (source: ManifestSource): SourceState['row'] =>
  SourceRead.schema.parse(
    Object.fromEntries(SourceRead.columns.map(({ name }) => [name, source[name as keyof typeof source]])),
  );

/** The version of the read whose rows the snapshot used; undefined if it used none. */
async function standingRecord(
  layout: Layout,
  { source, staged_run: runId, staged_sha256: sha256 }: ManifestSource,
): Promise<ReadRecord | undefined> {
  if (runId === null) return undefined;
  for (let version = 1; ; version += 1) {
    const record = await readRecord(layout, source, runId, version);
    if (record === undefined)
      throw new SettingError(`${source}: the record of the read ${runId}, which the snapshot used, was removed`);
    if (record.parquet?.sha256 === sha256) return record;
  }
}

async function copyStaged({ layout, target }: Folders, record: ReadRecord): Promise<void> {
  const fileIn = (of: Layout): string => stagedParquet(of, record.source, record.run_id, versionOf(record));
  await mkdir(dirname(fileIn(target)), { recursive: true });
  await cp(fileIn(layout), fileIn(target)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new SettingError(
      `${record.source}: the rows of ${record.run_id} can neither be parsed again nor copied: their file was removed`,
    );
  });
}

/** Parse a read's archived pages into the scratch folder. @returns null if the rows are the same, else the reason */
async function parseAgain(folders: Folders, spec: SourceSpec, record: ReadRecord): Promise<string | null> {
  const { layout, target, archive } = folders;
  try {
    const { unreadable, observedAt } = listUnreadable(record);
    const earlier = await carriedFrom(layout, record);
    if (earlier) {
      const why = await parseAgain(folders, spec, earlier);
      if (why !== null) return `the read ${earlier.run_id}, from which it carries rows: ${why}`;
    }
    const file = stagedParquet(target, record.source, record.run_id, versionOf(record));
    const pages = (await archivedPages(archive, record)).map(readPage);
    const parsed = await stageRead({ spec, pages, unreadable, observedAt, target: file });
    let staged: Staged;
    try {
      staged = await parsed.write(earlier && stagedParquet(target, spec.name, earlier.run_id, versionOf(earlier)));
    } finally {
      await parsed.close();
    }
    if (staged.parquet.sha256 === record.parquet?.sha256) return null;
    await rm(file);
    return "today's parser gives other rows from its pages; see make reparse";
  } catch (error) {
    if (error instanceof ArchiveDamage || error instanceof Quarantine) return error.message;
    throw error;
  }
}

/** The earlier good read from which a read carries rows. */
async function carriedFrom(layout: Layout, record: ReadRecord): Promise<ReadRecord | undefined> {
  if (record.counts.rows_carried === 0) return undefined;
  const reads = await readsUpTo(layout, record.source, record.as_of);
  return reads.find((read) => read.status === 'good' && read.run_id < record.run_id);
}
