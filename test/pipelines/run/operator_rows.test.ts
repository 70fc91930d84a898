/** What the operator put right, and what people asked to have left out. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openSnapshot } from '../../../api/serving/open.ts';
import { closing } from '../../../lib/closing.ts';
import { ArchiveErased, openArchive } from '../../../lib/archive.ts';
import { openSmall, rowsOf } from '../../../lib/duck.ts';
import { literal } from '../../../lib/sql.ts';
import { readSuppressed } from '../../../lib/suppressions.ts';
import { erasePages } from '../../../pipelines/operate/prune.ts';
import type { Layout } from '../../../pipelines/layout.ts';
import { readManifest } from '../../../pipelines/snapshots.ts';
import { published, runDay } from '../runs.ts';
import { afterFirstDay, FIRST_RUN, SECOND_DAY } from '../starting_points.ts';

type Row = Record<string, unknown>;

/** The owner in the text of a refused row. */
const nameIn = ({ raw }: Row): string => String(/"OwnerName":"(.*?)"/u.exec(String(raw))?.[1]);

describe('the files that an operator keeps by hand', () => {
  let layout: Layout;
  let runId = '';
  /** Rows of the day before. */
  let [debt, deal, named, lead, filing, reject]: readonly [Row, Row, Row, Row, Row, Row] = [{}, {}, {}, {}, {}, {}];
  let sources: ReadonlyMap<unknown, Row> = new Map();
  const one = async (table: string, rest: string, run = FIRST_RUN): Promise<Row> =>
    (await published(layout, run, table, rest))[0] ?? assert.fail(`${table} has no such row`);

  before(async () => {
    const first = await afterFirstDay();
    layout = first.layout;
    const isOf = "source = 'oh_stark_tax' AND signal_state = 'listed'";
    debt = await one('signals', `WHERE ${isOf} ORDER BY id LIMIT 1`);
    named = await one('signals', `WHERE ${isOf} AND owner_name <> '${String(debt['owner_name'])}' ORDER BY id LIMIT 1`);
    const isSound = "listing_status = 'active' AND units > 1 AND cap_rate_underwritten IS NOT NULL";
    deal = await one('deals', `WHERE ${isSound} AND source = 'heartland_multifamily' ORDER BY id LIMIT 1`);
    lead = await one('leads', "WHERE lead_type = 'tax_delinquent' AND source = 'oh_cuyahoga_tax' ORDER BY id LIMIT 1");
    filing = await one('filings', "WHERE agent_filings = 1 AND registered_agent_name LIKE '% %' ORDER BY id LIMIT 1");
    reject = await one('rejects', "WHERE source = 'mo_st_louis_tax' ORDER BY page_row LIMIT 1");
    const put = async (name: string, lines: readonly unknown[]): Promise<void> => {
      await mkdir(join(layout.drop, name), { recursive: true });
      await writeFile(join(layout.drop, name, `${name}.csv`), lines.join('\n'));
    };
    const page = 'https://county.example/bill,2026-11-21,the owner';
    await put('corrections', [
      'record,field,value,page,found_on,found_by',
      `oh_stark_tax/39151/${String(debt['parcel_id'])},amount,12345.67,${page}`,
      `heartland_multifamily/${String(deal['listing_id'])},list_price,100000.00,${page}`,
      `oh_stark_tax/39151/no such parcel,amount,1.00,${page}`,
      `oh_stark_tax/39151/${String(debt['parcel_id'])},certified_year,soon,${page}`,
    ]);
    await put('suppressions', [
      'subject,asked_on,reason',
      `${String(named['owner_name']).toLowerCase()},2026-11-21,asked`,
      `${String(lead['signal_id'])},2026-11-21,asked`,
      `${String(filing['registered_agent_name']).replace(' ', ' - ')},2026-11-21,asked`,
      `${nameIn(reject)},2026-11-21,asked`,
      ',2026-11-21,nobody',
      'DOE JANE',
    ]);
    const tables = ['signals', 'leads', 'deals', 'sources', 'listing_history', 'filings', 'rejects', 'change_feeds'];
    const result = await runDay({ layout, world: first.world, day: SECOND_DAY, only: [], tables });
    assert.deepEqual(result.blocked, []);
    ({ runId } = result);
    sources = new Map((await published(layout, runId, 'sources')).map((row) => [row['source'], row]));
  });

  test('a corrected value is in the record with its page, and figures follow from it', async () => {
    const now = await one('signals', `WHERE id = '${String(debt['id'])}'`, runId);
    assert.deepEqual([now['amount'], now['corrected']], ['12345.67', 'amount (https://county.example/bill)']);
    const right = await one('deals', `WHERE id = '${String(deal['id'])}'`, runId);
    assert.deepEqual([right['list_price'], right['first_price']], ['100000.00', '100000.00']);
    assert.equal(right['price_per_unit'], (100_000 / Number(deal['units'])).toFixed(2));
    const cap = (Number(right['noi_underwritten']) / 100_000) * 100;
    assert.ok(Math.abs(Number(right['cap_rate_underwritten']) - cap) < 0.01, 'the cap rate is of the corrected price');
    const versions = `WHERE listing_id = '${String(deal['listing_id'])}' AND is_latest`;
    assert.equal((await one('listing_history', versions, runId))['change'], 'details', 'no price was cut');
    assert.equal((await published(layout, runId, 'signals', 'WHERE corrected IS NOT NULL')).length, 1);
  });

  test('a correction without a record or a usable value, and a bad row, are named by their source', () => {
    const [corrections, suppressions] = [sources.get('corrections'), sources.get('suppressions')];
    assert.deepEqual(
      [corrections?.['status'], corrections?.['reason'], corrections?.['rows_out']],
      ['degraded', 'no_such_record', 4],
    );
    assert.match(String(corrections?.['detail']), /certified_year is soon.*no such parcel matches no record/u);
    assert.deepEqual(
      [suppressions?.['status'], suppressions?.['reason'], suppressions?.['detail'], suppressions?.['rows_rejected']],
      ['degraded', 'row_refused', 'line 6: subject is blank, expected a value; line 7 has 1 fields, expected 3', 2],
    );
  });

  test('a suppressed name or record is in no new table, and in no older snapshot served', async () => {
    const subjects = await readSuppressed(layout.root);
    assert.equal(subjects.length, 5, 'with the id of the filing');
    const isThere = async (suppressed: readonly string[]): Promise<boolean[]> => {
      await using snapshot = closing(await openSnapshot(layout.snapshot(FIRST_RUN), false, suppressed));
      return ([lead, named, filing, debt] as const).map((row, i) => {
        const table = (['leads', 'signals', 'filings', 'signals'] as const)[i] ?? 'leads';
        return snapshot.withKey(table, 'id', [String(row['id'])]).length > 0;
      });
    };
    assert.deepEqual(await isThere([]), [true, true, true, true]);
    assert.deepEqual(await isThere(subjects), [false, false, false, true]);
  });

  test('no file of the new snapshot, and no stored file of the list, contains a suppressed name', async () => {
    const names = [named['owner_name'], filing['registered_agent_name'], nameIn(reject)].map((name) =>
      String(name).toUpperCase(),
    );
    const duck = await openSmall();
    const tablesWithNames = async (run: string): Promise<readonly string[]> => {
      const { tables } = await readManifest(layout, run);
      const isNamed = names.map((name) => `contains(upper(CAST(row AS VARCHAR)), ${literal(name)})`).join(' OR ');
      const found: string[] = [];
      for (const [table, { files }] of Object.entries(tables))
        for (const { file } of files) {
          const rows = `read_parquet(${literal(join(layout.snapshot(run), file))})`;
          if ((await rowsOf(duck.connection, `SELECT 1 FROM ${rows} AS row WHERE ${isNamed} LIMIT 1`))[0])
            found.push(table);
        }
      return found.sort();
    };
    assert.deepEqual(await tablesWithNames(FIRST_RUN), ['agents', 'filings', 'leads', 'rejects', 'signals']);
    assert.deepEqual(await tablesWithNames(runId), []);
    await duck.close();
    const archive = await openArchive(layout.root);
    const [list] = await archive.records('suppressions', runId);
    const kept = String(await archive.read(list?.sha256 ?? ''));
    await archive.close();
    assert.match(kept, /^subject,asked_on,reason\n\d+:[0-9a-f]{64},2026-11-21,\n/u);
    assert.doesNotMatch(kept.replace(/^.*\n/u, ''), /[g-z ]/iu);
  });

  test('an erased page keeps its hash and request, has no body, and is not stored again', async () => {
    const hash = String(named['page_sha256']);
    const archive = await openArchive(layout.root);
    const bytes = await archive.read(hash);
    await archive.close();
    await erasePages(layout, [hash]);
    const after = await openArchive(layout.root);
    assert.equal(await after.put(bytes), hash);
    await assert.rejects(after.read(hash), ArchiveErased);
    assert.ok((await after.requestsFor('oh_stark_tax', hash)).length > 0);
    await after.close();
  });
});
