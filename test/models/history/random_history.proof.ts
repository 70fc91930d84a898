/**
 * Whatever sources show from day to day, a run can publish: no blocking audit and no foreign key fails. Addresses are
 * corrected, parcels written in another way, sales moved, sites away and leads sold.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { words } from '../../../lib/record.ts';
import { DAY_MS } from '../../../lib/time.ts';
import { currentAssumptions } from '../../../models/assumptions.ts';
import { loadMarts, loadModels } from '../../../models/index.ts';
import { buildTables, CUYAHOGA, type InputRow, type Inputs } from '../build_models.ts';
import { randomDay, recordOf, sources, type RandomDay, type Source } from './random_days.ts';
import { casesOf, seedFrom } from '../../thorough.ts';

const FIRST = Date.parse('2026-11-01');
const models = await loadMarts();
const names = models.map(({ name }) => name);
const sql = (await loadModels()).map((model) => [model.sql, ...model.audits.map((a) => a.sql)].join('\n'));
const isRead = (table: string): boolean => sql.some((text) => new RegExp(`\\b${table}\\b`, 'u').test(text));

/** Rows that a source has by its last good read. */
interface Read {
  readonly on: string;
  readonly rows: readonly InputRow[];
}

const keyColumns = words(
  'listing_id case_number sale_date signal_type record_number parcel_raw document_number fips',
  'hud_area_code',
);
const keyOf = (row: InputRow): string => JSON.stringify(keyColumns.map((column) => row[column]));

/** Today's rows: some of the day before as they were, the others as drawn. */
function readOn(on: string, drawn: readonly InputRow[], before: Read | undefined, kept: number): Read {
  const same = (before?.rows ?? []).filter((_, i) => (i * 37) % 100 < kept);
  const known = new Set(same.map(keyOf));
  return { on, rows: [...same, ...drawn.filter((row) => !known.has(keyOf(row)))] };
}

const noon = (day: string): string => `${day}T12:00:00Z`;

function inputsOn(on: string, reads: ReadonlyMap<Source, Read>, failed: ReadonlySet<Source>): Inputs {
  const staged: Record<string, InputRow[]> = {};
  for (const [source, read] of reads)
    (staged[`staged_${recordOf(source)}`] ??= []).push(
      ...read.rows.map((row, page_row) => ({
        source,
        source_url: `https://${source}.example/`,
        page_row,
        observed_at: noon(read.on),
        ...row,
      })),
    );
  return {
    run: [{ as_of: on, observed_at: noon(on), assumption_set_id: currentAssumptions().id }],
    source_reads: [...reads].map(([source, read]) => ({
      source,
      every_days: 1,
      ...(['county', 'sheriff', 'city', 'assessor'].includes(source) ? CUYAHOGA : {}),
      status: failed.has(source) ? 'unavailable' : 'good',
      last_good_at: noon(read.on),
      age_days: (Date.parse(on) - Date.parse(read.on)) / DAY_MS,
    })),
    ...staged,
  };
}

type Published = ReadonlyMap<string, readonly InputRow[]>;

/** The tables of an earlier snapshot, as a build reads them. */
const earlier = (prefix: 'previous' | 'followed', published: Published | undefined): Inputs =>
  Object.fromEntries(
    [...(published ?? [])]
      .map(([table, rows]) => [`${prefix}_${table}`, rows] as const)
      .filter(([name]) => isRead(name)),
  );

/** Some of the leads on sale, and of their properties, as the ledger has them after a sale. */
const soldOf = (published: Published | undefined, positions: readonly number[]): Inputs => {
  const ids = (table: string, column: string): InputRow[] =>
    positions.flatMap((at) => published?.get(table)?.[at]?.[column] ?? []).map((value) => ({ [column]: value }));
  const properties = ids('property_keys', 'property_key');
  return { sold_leads: ids('leads', 'id'), ...(properties.length > 0 ? { sold_properties: properties } : {}) };
};

/** @returns what would keep the first of these days that fails from being published; nothing if all are published */
async function failuresOf(days: readonly RandomDay[]): Promise<string[]> {
  const reads = new Map<Source, Read>();
  const published: { readonly on: string; readonly tables: Published }[] = [];
  let at = FIRST;
  for (const { gap, shown, removed, kept, sold } of days) {
    at += gap * DAY_MS;
    const on = new Date(at).toISOString().slice(0, 10);
    const failed = new Set(sources.filter((source) => shown[source] === null));
    for (const source of sources)
      if (shown[source] !== null) reads.set(source, readOn(on, shown[source], reads.get(source), kept));
    if (removed !== null) reads.delete(removed);
    const last = published.at(-1)?.tables;
    using built = await buildTables(
      {
        ...inputsOn(on, reads, failed),
        ...earlier('previous', published.findLast((snapshot) => snapshot.on < on)?.tables),
        ...earlier('followed', last),
        ...soldOf(last, sold),
      },
      names,
    );
    const tables = new Map(await Promise.all(names.map(async (name) => [name, await built.rows(name)] as const)));
    if (built.failed.length > 0) return built.failed.map((failure) => `${on}: ${failure}`);
    published.push({ on, tables });
  }
  return [];
}

test('random days can be published, each on the tables of the previous day', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(randomDay, { minLength: 2, maxLength: 6 }), async (days) => {
      assert.deepEqual(await failuresOf(days), []);
    }),
    { numRuns: casesOf(60), seed: seedFrom(1), endOnFailure: true },
  );
});
