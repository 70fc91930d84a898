/**
 * Read the past again: the archived pages of a source's good reads under today's parser, held against the rows that
 * were staged from them. `make reparse SOURCE=oh_cuyahoga_tax SINCE=2026-11-01`.
 *
 * Nothing is written unless asked for. Applied, a read that changed gets a new version beside the old one, which is
 * kept: published snapshots go on naming the file they were built from. The next run takes the newest version of the
 * read that stands; `make underwrite DAY=...` builds a past day of the sandbox again from it.
 *
 * Only pages that were asked for then can be parsed now: a parser that would follow other links finds no more pages.
 */
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DamagedFile, makeFolder, moveInto } from '../../lib/files.ts';
import { Quarantine, type Page, type SourceSpec } from '../../sources/contract.ts';
import { ArchiveDamage, type Archive, type RequestRecord } from '../../sources/fetch/archive.ts';
import type { Layout } from '../layout.ts';
import { readsUpTo, stagedParquet, trustedRows, versionOf, writeRead, type ReadRecord } from '../ingest/reads.ts';
import { compareStaged, type Differences } from './compare.ts';
import { NO_BYTES, type Unreadable } from '../ingest/check.ts';
import { checkExpectations } from '../ingest/expect.ts';
import { stageRead, type Staged } from '../ingest/stage.ts';

export interface ReparseOptions {
  readonly layout: Layout;
  readonly archive: Archive;
  readonly spec: SourceSpec;
  /** First day of the reads, YYYY-MM-DD. Default: all. */
  readonly since?: string;
  /** Write new versions of the reads that changed. */
  readonly apply: boolean;
}

export interface Reparsed {
  readonly runId: string;
  /** Version that was compared. */
  readonly version: number;
  readonly before: ReadRecord['counts'];
  /** Null where today's parser gives no rows to trust, or a page is lost. */
  readonly after: ReadRecord['counts'] | null;
  /** Why there are none. */
  readonly problem: string | null;
  readonly differences: Differences | null;
  /** Other rows are refused, or for other reasons. */
  readonly refusals: boolean;
  /** The staged rows were damaged or lost, and the archived pages give them back byte for byte. */
  readonly restores: boolean;
  /** Version that was written, null where nothing was. */
  readonly applied: number | null;
}

const LAST_DAY = '9999-12-31';

/**
 * Parse the good reads of a source again, oldest first.
 * A page that today's parser sets aside, or that the archive has lost, is said in the result and changes nothing.
 */
export async function reparse({ layout, archive, spec, since, apply }: ReparseOptions): Promise<Reparsed[]> {
  const good = (await readsUpTo(layout, spec.name, LAST_DAY)).filter((r) => r.status === 'good').reverse();
  const folder = await mkdtemp(join(tmpdir(), 'dealfeed-reparse-'));
  const results: Reparsed[] = [];
  // The read before, and the file of its rows: what refused rows are carried from.
  let standing: Standing | undefined;
  try {
    for (const record of good) {
      // A read that is not read again is only looked at where the one after it may carry rows of it.
      const old = await trustedRows(layout, record).catch(damageOf);
      let next: Standing = { file: old, rows: record.counts.rows_out };
      if (since === undefined || record.as_of >= since) {
        const rebuilt = join(folder, `${record.run_id}.parquet`);
        const result = await reparseOne(archive, spec, record, { old, rebuilt, standing });
        if (result.staged) next = { file: rebuilt, rows: result.staged.counts.rows_out };
        const applied =
          apply && result.changed && result.staged
            ? await addVersion(layout, record, rebuilt, result.staged, result.rejects)
            : null;
        if (apply && result.restores)
          await copyInto(rebuilt, stagedParquet(layout, spec.name, record.run_id, versionOf(record)));
        results.push({
          runId: record.run_id,
          version: versionOf(record),
          before: record.counts,
          after: result.staged?.counts ?? null,
          problem: result.problem,
          differences: result.differences,
          refusals: result.refusals,
          restores: result.restores,
          applied,
        });
      }
      standing = next;
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return results;
}

/** Rows of the read before, verified, or what is wrong with their file. */
interface Standing {
  readonly file: string | DamagedFile | undefined;
  readonly rows: number;
}

const damageOf = (error: unknown): DamagedFile => {
  if (error instanceof DamagedFile) return error;
  throw error;
};

interface One {
  readonly staged: Staged | null;
  readonly rejects: ReadRecord['rejects'];
  readonly problem: string | null;
  readonly differences: Differences | null;
  readonly refusals: boolean;
  readonly changed: boolean;
  readonly restores: boolean;
}

async function reparseOne(
  archive: Archive,
  spec: SourceSpec,
  record: ReadRecord,
  files: { readonly old: Standing['file']; readonly rebuilt: string; readonly standing: Standing | undefined },
): Promise<One> {
  try {
    const { unreadable, observedAt } = unreadableOf(record);
    const { old, standing } = files;
    const pages = await pagesOf(archive, record);
    const parsed = await stageRead({ spec, pages, unreadable, observedAt, target: files.rebuilt });
    let staged: Staged;
    try {
      checkExpectations(spec, parsed, standing?.rows);
      if (standing?.file instanceof DamagedFile && parsed.rejectedKeys.length > 0) throw standing.file;
      staged = await parsed.write(standing?.file instanceof DamagedFile ? undefined : standing?.file);
    } finally {
      await parsed.close();
    }
    const rejects = [...parsed.rejects];
    const refusals = JSON.stringify(rejects) !== JSON.stringify(record.rejects);
    if (typeof old !== 'string') {
      // Nothing to compare with: the same hash says that these are the rows, another that the parser has changed since.
      const restores = !refusals && staged.parquet.sha256 === record.parquet?.sha256;
      return { staged, rejects, problem: null, differences: null, refusals, changed: !restores, restores };
    }
    const differences = await compareStaged(spec.row, old, files.rebuilt);
    const { added, gone, changed, moved } = differences;
    return {
      staged,
      rejects,
      problem: null,
      differences,
      refusals,
      changed: refusals || added.length + gone.length + changed.length + moved > 0,
      restores: false,
    };
  } catch (error) {
    if (!(error instanceof Quarantine) && !(error instanceof ArchiveDamage) && !(error instanceof DamagedFile))
      throw error;
    const problem =
      error instanceof Quarantine
        ? `${error.reason}: ${error.message}${error.pageUrl === undefined ? '' : ` [${error.pageUrl}]`}`
        : error.message;
    return { staged: null, rejects: [], problem, differences: null, refusals: false, changed: false, restores: false };
  }
}

/**
 * The pages of a read as its parser saw them, in order. Each has a request record in the read's own run, also where
 * a 304 confirmed an older answer or an interrupted run had fetched it.
 * @param mostBytes largest body after content decoding. Default: as for the archive
 * @throws ArchiveDamage where a record or a body is lost
 */
export async function pagesOf(
  archive: Archive,
  record: Pick<ReadRecord, 'source' | 'run_id' | 'pages'>,
  mostBytes?: number,
): Promise<Page[]> {
  const requests = new Map<string, RequestRecord[]>();
  const keyOf = (r: { kind: string; url: string; sha256: string | null }): string =>
    JSON.stringify([r.kind, r.url, r.sha256]);
  for (const r of await archive.records(record.source, record.run_id)) {
    if (r.error === null && r.sha256 !== null) requests.set(keyOf(r), [...(requests.get(keyOf(r)) ?? []), r]);
  }
  const pages: Page[] = [];
  for (const page of record.pages) {
    const same = requests.get(keyOf(page)) ?? [];
    const context = JSON.stringify(page.context);
    const request =
      page.context === undefined ? same.at(-1) : same.findLast((r) => JSON.stringify(r.context) === context);
    if (!request) throw new ArchiveDamage(`the archive has no request record of ${page.url} in run ${record.run_id}`);
    pages.push(await archive.page({ ...request, observedAt: page.observed_at }, mostBytes));
  }
  return pages;
}

/** Rows that a read knew of without a page of theirs: they are among its rejects, without bytes. */
export function unreadableOf(record: ReadRecord): { unreadable: Unreadable[]; observedAt: string } {
  const lost = record.rejects.filter((r) => r.page_sha256 === NO_BYTES);
  return {
    unreadable: lost.map((r) => ({
      key: JSON.parse(r.raw) as Record<string, string>,
      url: r.page_url,
      reason: r.reason,
      detail: r.detail,
    })),
    observedAt: lost[0]?.observed_at ?? record.observed_at,
  };
}

/** Put rebuilt rows beside those of the read: first the rows, then the record that makes them count. */
async function addVersion(
  layout: Layout,
  record: ReadRecord,
  rebuilt: string,
  staged: Staged,
  rejects: ReadRecord['rejects'],
): Promise<number> {
  const version = versionOf(record) + 1;
  const target = stagedParquet(layout, record.source, record.run_id, version);
  await copyInto(rebuilt, target);
  await writeRead(layout, { ...record, version, counts: staged.counts, parquet: staged.parquet, rejects });
  return version;
}

async function copyInto(from: string, target: string): Promise<void> {
  await makeFolder(dirname(target));
  await copyFile(from, `${target}.tmp`);
  await moveInto(`${target}.tmp`, target);
}

/** Changes shown of one read; the rest is counted. */
const SHOWN = 20;

/** What reading again showed, as lines. */
export function linesOf(results: readonly Reparsed[], source: string, apply: boolean): string[] {
  if (results.length === 0) return [`${source}: no good read to parse again`];
  const lines: string[] = [];
  for (const r of results) {
    const { before, after, differences: d } = r;
    const head = `${source} ${r.runId}${r.version === 1 ? '' : ` (version ${r.version})`}`;
    if (after === null) {
      lines.push(`${head}: not rebuilt: ${r.problem ?? ''}`);
      continue;
    }
    if (d === null) {
      const found = r.restores
        ? 'the archived pages give them byte for byte'
        : `today's parser gives other bytes than the record states, ${after.rows_out} rows where there were ${before.rows_out}`;
      const done = !apply
        ? ''
        : r.restores
          ? '; put back'
          : r.applied === null
            ? ''
            : `; written as version ${r.applied}`;
      lines.push(`${head}: the staged rows were damaged or lost; ${found}${done}`);
      continue;
    }
    lines.push(
      `${head}: rows ${before.rows_out} -> ${after.rows_out}, rejected ${before.rows_rejected} -> ${after.rows_rejected}, merged ${before.rows_merged} -> ${after.rows_merged}, carried ${before.rows_carried} -> ${after.rows_carried}; ` +
        `${d.added.length} added, ${d.gone.length} gone, ${d.changed.length} values changed${d.moved > 0 ? `, ${d.moved} only in where they stand` : ''}${r.refusals ? ', other refusals' : ''}${r.applied === null ? '' : `; written as version ${r.applied}`}`,
    );
    const details = [
      ...d.changed.map((c) => `  ~ ${c.key}: ${c.field}: ${c.old ?? 'null'} -> ${c.new ?? 'null'}`),
      ...d.added.map((key) => `  + ${key}`),
      ...d.gone.map((key) => `  - ${key}`),
    ];
    lines.push(...details.slice(0, SHOWN));
    if (details.length > SHOWN) lines.push(`  … and ${details.length - SHOWN} more`);
  }
  if (!apply)
    lines.push(
      'nothing was written; APPLY=1 adds the rebuilt rows as new versions, which the next run uses, and puts damaged files back',
    );
  return lines;
}
