/** A small source of debts, staged from pages of text: tests of staging. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDuck, rowsOf } from '../../../lib/duck.ts';
import { defineRecord, money, text } from '../../../lib/record.ts';
import { literal } from '../../../lib/sql.ts';
import { layoutOf, type Layout } from '../../../pipelines/layout.ts';
import { fileToCarryFrom } from '../../../pipelines/ingest/stage/carry.ts';
import type { Unreadable } from '../../../pipelines/ingest/stage/check_rows.ts';
import { readPage, stagedParquet, writeRead, type ReadRecord } from '../../../pipelines/ingest/reads.ts';
import { stageRead, type StagedRead } from '../../../pipelines/ingest/stage/stage.ts';
import { defineSource, Quarantine, type Candidate, type Page, type SourceSpec } from '../../../sources/contract.ts';

const Debt = defineRecord('debt', 'One row per parcel.', ['parcel'], {
  parcel: text('Parcel.'),
  amount: money('Amount.', { absent: 'not published' }),
});

export const spec: SourceSpec = defineSource({
  name: 'test_debts',
  family: 'tax',
  title: 'Debts',
  home: 'https://county.example/',
  everyDays: 1,
  hosts: ['county.example'],
  terms: { basis: 'sandbox_only', note: 'Made up for this test.' },
  politeness: { minIntervalMs: 0, concurrency: 1 },
  row: Debt,
  expect: { minRows: 1, maxRejectShare: 0.5, maxDropShare: 0.4 },
  async *fetch() {
    /* pages are handed to parse directly */
  },
  /** A line `parcel=amount`; `parcel=` has no amount, a line without `=` is refused, `!` is a changed template. */
  parse: (page) =>
    page
      .text()
      .split('\n')
      .filter(Boolean)
      .map((line): Candidate => {
        if (line === '!') throw new Quarantine('template_changed', 'the page says !');
        const [parcel = '', amount] = line.split('=');
        if (amount === undefined)
          return {
            reject: { reason: 'wrong_field_count', detail: `line is ${line}, expected parcel=amount` },
            key: { parcel },
            raw: line,
          };
        return { values: { parcel, amount: amount || null }, raw: line };
      }),
});

export const page = (body: string, day = '2026-11-20', url = 'https://county.example/list'): Page => ({
  kind: 'list',
  url,
  context: {},
  bytes: Buffer.from(body),
  sha256: 'ab'.repeat(32),
  contentType: 'text/plain',
  observedAt: `${day}T12:00:00Z`,
  text: () => body,
});

export const folder = async (): Promise<Layout> => layoutOf(await mkdtemp(join(tmpdir(), 'dealfeed-stage-')));

/** Stage pages, use the result and close it. */
export async function stage<T>(
  pages: readonly Page[],
  use: (result: StagedRead) => T | Promise<T>,
  options: { readonly spec?: SourceSpec; readonly target?: string; readonly unreadable?: Unreadable[] } = {},
): Promise<T> {
  const target = options.target ?? stagedParquet(await folder(), spec.name, '2026-11-20.01');
  const observedAt = pages[0]?.observedAt ?? '';
  const result = await stageRead({ spec, pages: pages.map(readPage), unreadable: [], observedAt, ...options, target });
  try {
    return await use(result);
  } finally {
    await result.close();
  }
}

export async function staged(layout: Layout, runId: string): Promise<Record<string, unknown>[]> {
  const duck = await openDuck();
  try {
    return await rowsOf(
      duck.connection,
      `SELECT * FROM read_parquet(${literal(stagedParquet(layout, spec.name, runId))})`,
    );
  } finally {
    duck.close();
  }
}

/** Read a page of one day, and carry refused rows from the last good read. */
export async function readDay(
  layout: Layout,
  day: string,
  body: string,
  { standing, unreadable = [], of = spec }: { standing?: ReadRecord; unreadable?: Unreadable[]; of?: SourceSpec } = {},
): Promise<ReadRecord> {
  const runId = `${day}.01`;
  const { counts, parquet, rejects } = await stage(
    [page(body, day)],
    async (result) => {
      const written = await result.write(await fileToCarryFrom(layout, result, standing));
      return { ...written, rejects: result.rejects };
    },
    { spec: of, target: stagedParquet(layout, spec.name, runId), unreadable },
  );
  const record: ReadRecord = {
    source: spec.name,
    run_id: runId,
    as_of: day,
    status: 'good',
    reason: null,
    detail: null,
    page_url: null,
    observed_at: `${day}T12:00:00Z`,
    counts,
    traffic: { requests: 1, not_modified: 0, bytes: body.length, retries: 0 },
    pages: [],
    dropped_files: [],
    rejects: [...rejects],
    parquet,
  };
  await writeRead(layout, record);
  return record;
}
