/** A big CSV file read by SQL and parser together gives what the parser alone gives: the same staged rows, rejects and counts. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openDuck, rowsOf, type Duck } from '../../lib/duck.ts';
import { sha256OfFile } from '../../lib/files.ts';
import { literal } from '../../lib/sql.ts';
import { readInBulk } from '../../pipelines/ingest/bulk.ts';
import { parsePages, writeRows } from '../../pipelines/ingest/stage.ts';
import { COLORADO_COLUMNS } from '../../sandbox/pages/colorado.ts';
import { Draw } from '../../sandbox/world/random.ts';
import { makeWorld, worldOn } from '../../sandbox/world/world.ts';
import { csvSlices, isStrictCsv, recordsAt } from '../../sources/csv/csv_slices.ts';
import { Quarantine, type Page } from '../../sources/contract.ts';
import { decodeText } from '../../sources/fetch/decode.ts';
import colorado from '../../sources/register/colorado_sos/source.ts';

const OBSERVED = '2026-11-20T12:00:00Z';
const pageOf = (bytes: Uint8Array): Page => ({
  kind: 'export',
  url: 'file:///drop/colorado_sos/business_entities_in_colorado.csv',
  context: {},
  bytes,
  sha256: 'cd'.repeat(32),
  contentType: 'text/csv',
  observedAt: OBSERVED,
  text: (fallback) => decodeText(bytes, fallback, 'file:///drop'),
});
const cell = (text: string): string => (/[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const csv = (rows: readonly (readonly string[])[]): Buffer =>
  Buffer.from(`${[COLORADO_COLUMNS, ...rows].map((r) => r.map(cell).join(',')).join('\n')}\n`);

/** Cells that a register may hold and that say something other than what they look like, or nothing. */
const ODD = [
  '',
  ' ',
  '-',
  'None',
  'n/a',
  'N.A.',
  'UNKNOWN',
  'not available',
  ' padded ',
  'two  spaces',
  'Ñandú & Söhne',
  'no-break\u00a0space',
  'zero\u200bwidth',
  'a "quoted" word',
  'a, comma',
  'two\nlines',
  'tab\there',
  '0',
  'null',
  'TBD',
  '—',
  "O'Brien",
  'back\\slash',
  '\ufeffmark',
  'x'.repeat(3000),
];
const ODD_IDS = ['', '2026100000', '202610000011', '2026100000A', ' 20261000001 ', '20261000001'];
const ODD_DATES = [
  '',
  '2/30/2026',
  '2026-11-02T00:00:00.000',
  '2026-11-02',
  '07/04/1901',
  '7/4/1901 12:00',
  '13/1/2026',
  '1/2/26',
  'soon',
  '1/1/0999',
  '1/1/2100',
  '2/29/2024',
  '2/29/1900',
];

const world = makeWorld({ seed: 3, listings: 1, parcels: 1, auctions: 1, filings: 600 });
const real = worldOn(world, '2026-11-20').colorado.map(({ row }) =>
  COLORADO_COLUMNS.map((name) => {
    const value = row[name] ?? '';
    return name === 'entityformdate'
      ? `${Number(value.slice(5, 7))}/${Number(value.slice(8, 10))}/${value.slice(0, 4)}`
      : value;
  }),
);

/** The world's rows with a share of their cells made odd, some rows twice. */
function damaged(seed: number, share: number): string[][] {
  const draw = new Draw('odd cells', seed);
  return [...real, ...real.slice(0, 40)].map((row) =>
    row.map((value, i) => {
      if (!draw.chance(share)) return value;
      const name = COLORADO_COLUMNS[i];
      return draw.pick(name === 'entityid' ? ODD_IDS : name === 'entityformdate' ? ODD_DATES : ODD);
    }),
  );
}

describe('against the parser alone', () => {
  let folder = '';
  let duck: Duck;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dealfeed-bulk-'));
    duck = await openDuck();
  });
  after(async () => {
    duck.close();
    await rm(folder, { recursive: true });
  });

  async function same(
    bytes: Uint8Array,
    partBytes: number,
  ): Promise<{ rejects: number; merged: number; rows: number }> {
    const page = pageOf(bytes);
    const alone = parsePages(colorado, [page], [], OBSERVED);
    const written = await writeRows(join(folder, 'alone.parquet'), colorado, alone, undefined);
    const bulk = await readInBulk(join(folder, 'bulk.parquet'), colorado, [page], [], OBSERVED, partBytes);
    const rowsOfFile = async (name: string): Promise<unknown> =>
      rowsOf(duck.connection, `FROM read_parquet(${literal(join(folder, name))}) ORDER BY document_number`);
    try {
      assert.deepEqual([bulk.rowsIn, bulk.rows.length, bulk.merged], [alone.rowsIn, alone.rows.length, alone.merged]);
      assert.deepEqual(bulk.rejects, alone.rejects);
      const keys = (list: typeof alone.rejectedKeys): string[] => list.map((k) => JSON.stringify(k)).sort();
      assert.deepEqual(keys(bulk.rejectedKeys), keys(alone.rejectedKeys));
      const { counts, parquet } = await bulk.write(undefined);
      assert.deepEqual(counts, written.counts);
      assert.equal(parquet.sha256, await sha256OfFile(join(folder, 'bulk.parquet')));
    } finally {
      await bulk.close();
    }
    assert.deepEqual(await rowsOfFile('bulk.parquet'), await rowsOfFile('alone.parquet'));
    const [moved] = await rowsOf(
      duck.connection,
      `SELECT count(*) AS n FROM (SELECT page_row < lag(page_row) OVER (ORDER BY file_row_number) AS back
      FROM read_parquet(${literal(join(folder, 'bulk.parquet'))}, file_row_number = true)) WHERE back`,
    );
    assert.equal(moved?.['n'], '0', 'the staged rows are in the order of the file');
    assert.deepEqual(
      (await readdir(folder)).sort(),
      ['alone.parquet', 'bulk.parquet'],
      'nothing on its way is left over',
    );
    return { rejects: alone.rejects.length, merged: alone.merged, rows: alone.rows.length };
  }

  test('a clean file', async () => {
    const { rows, rejects } = await same(csv(real), 40_000);
    assert.ok(rows > 500 && rejects === 0);
  });

  for (const [seed, share] of [
    [1, 0.003],
    [2, 0.02],
    [3, 0.2],
  ] as const) {
    test(`with ${share * 100} % of the cells odd`, async () => {
      const { merged, rejects } = await same(csv(damaged(seed, share)), 30_000);
      assert.ok(share < 0.01 ? merged > 0 : rejects > 0, `${rejects} refused, ${merged} merged`);
    });
  }

  test("parts that readers of CSV may read in different ways are the parser's: stray quotes, other line ends, other lengths, other encodings", async () => {
    const lines = csv(damaged(4, 0.001)).toString('utf8');
    const some = csv(real.slice(0, 50)).toString('utf8');
    await same(Buffer.from(some.replaceAll('\n', '\r\n')), 4000);
    await same(Buffer.from(some.replace('Denver', 'Den\rver')), 4000);
    await same(Buffer.from(`${some}\n\n${some.split('\n').slice(1, 9).join('\n')}`), 4000);
    await same(Buffer.from(`${lines}19870000002,A LINE THAT STOPS EARLY\n19870000003${',x'.repeat(40)}\n`), 30_000);
    await same(Buffer.concat([Buffer.from(some), Buffer.from(cell('x').padEnd(20)), Buffer.from([0xd1, 0x0a])]), 4000);
    await same(Buffer.from(`\ufeff${some}`), 4000);
    await same(Buffer.from(some.slice(0, -1)), 4000);
  });

  test('a file whose lines end as on Windows is read the same, by SQL too', async () => {
    for (const share of [0.003, 0.1]) {
      const lines = csv(damaged(6, share)).toString('utf8');
      await same(Buffer.from(lines.replaceAll('\n', '\r\n')), 30_000);
    }
    const clean = Buffer.from(csv(real).toString('utf8').replaceAll('\n', '\r\n'));
    assert.ok(isStrictCsv(clean), 'no part of it is left to the parser');
    await same(clean, 40_000);
    assert.ok(!isStrictCsv(Buffer.from('a,b\r\n1,2\n')));
    assert.ok(!isStrictCsv(Buffer.from('a,b\r\n\r\n1,2\r\n')));
    assert.ok(!isStrictCsv(Buffer.from('a,b\n1,2\r')));
  });

  test('what the parser sets aside is set aside', async () => {
    const broken = [
      csv(real.slice(0, 90)).toString('utf8').replace('Denver', 'Den"ver'),
      csv(real.slice(0, 90)).toString('utf8').replace('entitystatus', 'standing'),
      csv(real.slice(0, 90)).toString('utf8').replace('entityformdate', 'entityformdate,another'),
    ];
    for (const text of broken) {
      const page = pageOf(Buffer.from(text));
      const reasonOf = async (work: () => unknown): Promise<string> => {
        try {
          await work();
        } catch (error) {
          if (error instanceof Quarantine) return `${error.reason} ${error.pageUrl ?? ''}`;
          throw error;
        }
        return 'none';
      };
      const alone = await reasonOf(() => parsePages(colorado, [page], [], OBSERVED));
      assert.notEqual(alone, 'none');
      assert.equal(
        await reasonOf(() => readInBulk(join(folder, 'broken.parquet'), colorado, [page], [], OBSERVED, 5000)),
        alone,
      );
    }
  });
});

test('slices hold every record once, in order, whatever is quoted', () => {
  const file = csv(damaged(5, 0.05));
  const header = file.subarray(0, file.indexOf(0x0a) + 1);
  for (const size of [200, 5000, 60_000]) {
    const slices = [...csvSlices(file, size)];
    assert.ok(slices.length > 2);
    assert.equal(
      Buffer.concat([header, ...slices.map((s) => Buffer.from(s).subarray(header.length))]).compare(file),
      0,
    );
    assert.ok(slices.every(isStrictCsv));
  }
  const [slice] = csvSlices(file, 60_000);
  const records = recordsAt(slice ?? new Uint8Array(), new Set([0, 3]));
  assert.equal(records.get(0), damaged(5, 0.05)[0]?.map(cell).join(','));
  assert.equal(records.get(3), damaged(5, 0.05)[3]?.map(cell).join(','));
});
