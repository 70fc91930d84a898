/**
 * Random filters on every list: the pages together have the rows of an independent query over the Parquet file, in
 * order and each once. The routes are called without HTTP and payments, which lists.test.ts covers.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import * as fc from 'fast-check';
import { Problem } from '../../../api/http/problem.ts';
import { allRoutes } from '../../../api/routes/all.ts';
import { createCursors } from '../../../api/routes/list/page.ts';
import { readParams } from '../../../api/routes/params.ts';
import { bodyObject } from '../../../api/snapshot/json_text.ts';
import { loadSnapshot, type Snapshot } from '../../../api/snapshot/load.ts';
import { openDuck, rowsOf, type Duck } from '../../../lib/duck.ts';
import { literal } from '../../../lib/sql.ts';
import { DAY_MS } from '../../../lib/time.ts';
import { AS_OF, dataFolder, rowsOfTable, type DataFolder, type Row } from '../support/snapshot_fixtures.ts';
import { thorough } from '../../thorough.ts';
import { COUNTIES, COUNTY_CODES, isRefused, KINDS, LISTS, NAMES, ZIPS, type Filters } from './list_queries.ts';

const SEED = 20_261_120;
const ROWS = 120;

/** A value for a row, independent of the other columns. */
const pick = <T>(values: readonly T[], i: number, column: number): T =>
  values[createHash('sha256').update(`${column} ${i}`).digest().readUInt32BE() % values.length] as T;
const daysBefore = (n: number): string => new Date(Date.parse(AS_OF) - n * DAY_MS).toISOString().slice(0, 10);
const AMOUNTS = [
  '0.00',
  '0.01',
  '133331.01',
  '133331.02',
  '500000.00',
  '500000.50',
  '99999.99',
  '100000.00',
  '999999999999.99',
];
const amount = (i: number): string | null => (i % 9 === 0 ? null : pick(AMOUNTS, i, 1));
const SALE_STATUSES = [
  'scheduled',
  'cancelled',
  'sold',
  'postponed',
  'unknown',
  'removed',
  'withdrawn',
  'result_unknown',
];

/** County, state, city and ZIP of a public record. */
const place = (i: number): Row => {
  const county = pick(COUNTIES, i, 9);
  return {
    county,
    county_fips: COUNTY_CODES[county] ?? '00000',
    state: pick(['OH', 'MO', 'IN'], i, 25),
    city: pick([...NAMES, null], i, 26),
    zip: pick(ZIPS, i, 27),
  };
};
const deal = (i: number): Row => ({
  state: pick(['OH', 'MO', 'IN'], i, 2),
  city: pick(NAMES, i, 3),
  zip: pick(['44113', '44702', '85001'], i, 28),
  list_price: amount(i),
  cap_rate: i % 6 === 0 ? null : pick(['4.99', '5.15', '5.16', '8.49', '8.50', '8.51', '9.00', '12.00'], i, 4),
  units: i % 8 === 0 ? null : i % 30,
  deal_score: (i * 7) % 23,
  rental_status: pick(['Hot', 'Warm', 'Pass'], i, 5),
  listing_status: pick(['active', 'active', 'active', 'sold', 'under_contract', 'delisted'], i, 6),
  dscr_status: pick(['computed', 'computed', 'insufficient_data', 'not_applicable'], i, 8),
  dscr: pick(['0.95', '1.00', '1.20', '1.21', null], i, 29),
  cap_rate_underwritten: pick(['-0.10', '4.99', '5.15', '8.50', null], i, 30),
  cap_gap_pct: pick(['-2.01', '0.00', '0.01', '1.30', null], i, 31),
  underwrite_reliability: pick(['ok', 'ok', 'proxy_out_of_range', 'unknown'], i, 32),
  listed_on: i % 3 ? daysBefore((i % 13) - 4) : null,
  first_seen: `${daysBefore(i % 11)}T${i % 2 ? '00:00:00' : '23:59:59'}Z`,
});
const signal = (i: number): Row => ({
  ...place(i),
  amount: amount(i),
  has_address: i % 3 === 0,
  ...(i % 3 === 0 ? { address: `${i} A St` } : {}),
  signal_state: pick(['listed', 'listed', 'removed', 'unknown'], i, 10),
  property_kind: pick(KINDS, i, 19),
  signal_type: pick(['tax_delinquent', 'tax_delinquent', 'code_violation'], i, 23),
});
const auction = (i: number): Row => ({
  ...place(i),
  sale_date: daysBefore((i % 29) - 14),
  appraised_value: amount(i),
  sale_status: pick(SALE_STATUSES, i, 12),
  auction_type: pick(['sheriff_sale', 'sheriff_sale', 'foreclosure_sale', 'tax_sale'], i, 24),
});
const lead = (i: number): Row => ({
  ...place(i),
  lead_score: (i * 11) % 101,
  last_verified: `${daysBefore(i % 10)}T${i % 2 ? '00:00:00' : '23:59:59'}Z`,
  lead_type: i % 2 ? 'tax_delinquent' : 'sheriff_sale_auction',
  sale_date: i % 2 ? null : daysBefore((i % 7) - 3),
  property_kind: pick(KINDS, i, 20),
});
const filing = (i: number): Row => ({
  source_state: i % 3 ? 'OH' : 'CO',
  source: i % 3 ? 'ohio_sos' : 'colorado_sos',
  entity_type: pick(['domestic_llc', 'foreign_llc'], i, 14),
  business_name: `${pick(NAMES, i, 15)} ${i % 5}`,
  registered_agent_name: i % 4 ? pick(NAMES, i, 16) : null,
  business_city: i % 5 ? pick(NAMES, i, 17) : null,
  filing_date: daysBefore((i % 17) - 5),
  entity_status: pick([null, 'Good Standing', 'Exists', 'Delinquent', 'Dissolved'], i, 18),
  first_seen: `${daysBefore(i % 12)}T${i % 2 ? '00:00:00' : '23:59:59'}Z`,
});

interface ListBody {
  readonly count: number;
  readonly total_matches: number;
  readonly next_cursor: string | null;
  readonly records: readonly { readonly id: string }[];
}

describe('random filters', () => {
  let folder: DataFolder;
  let path: string;
  let snapshot: Snapshot;
  let duck: Duck;
  const routes = allRoutes({ publicUrl: 'https://api.dealfeed.example', spoolDir: '' });
  const cursors = createCursors('a secret of the tests');

  before(async () => {
    folder = await dataFolder();
    path = await folder.publish(`${AS_OF}.01`, {
      deals: rowsOfTable('deals', ROWS, deal),
      signals: rowsOfTable('signals', ROWS, signal),
      auctions: rowsOfTable('auctions', ROWS, auction),
      leads: rowsOfTable('leads', ROWS, lead),
      filings: rowsOfTable('filings', ROWS, filing),
    });
    snapshot = await loadSnapshot(path);
    duck = await openDuck();
  });
  after(async () => {
    duck.close();
    snapshot.close();
    await folder.remove();
  });

  /** One page, as the server computes it. @throws Problem no_matches */
  const page = async (list: string, query: Filters): Promise<ListBody> => {
    const route = routes.find((r) => r.path === list) ?? assert.fail(`there is no route ${list}`);
    const given = Object.entries(query).flatMap(([k, v]): [string, string][] =>
      v === undefined ? [] : [[k, String(v)]],
    );
    const request = {
      params: readParams(route.params, new URLSearchParams(given).toString()),
      path: {},
      snapshot,
      manifest: snapshot.manifest,
      today: AS_OF,
      cursors,
      claims: async () => new Map(),
    };
    await route.check?.(request);
    const body = bodyObject(await route.handle(request));
    route.response.parse(body);
    return body as ListBody;
  };

  /** All pages of a list. */
  const allPages = async (
    list: string,
    query: Filters,
    limit: number,
  ): Promise<{ ids: string[]; totals: unknown[] }> => {
    const ids: string[] = [];
    const totals = new Set<unknown>();
    for (let cursor: string | undefined | null; cursor !== null;) {
      const body = await page(list, { ...query, limit, cursor }).catch((error: unknown) => {
        if (!(error instanceof Problem) || error.reason !== 'no_matches' || cursor !== undefined) throw error;
        totals.add(error.extras['total_matches']);
        return null;
      });
      if (body === null) break;
      assert.ok(body.records.length === limit || body.next_cursor === null, 'only the last page is short');
      assert.equal(body.count, body.records.length);
      ids.push(...body.records.map((r) => r.id));
      totals.add(body.total_matches);
      cursor = body.next_cursor;
    }
    return { ids, totals: [...totals] };
  };

  for (const [index, list] of LISTS.entries()) {
    it(`on ${list.path} return the rows of an independent query`, async () => {
      const matched = { some: 0, none: 0, paged: 0 };
      const file = literal(join(path, `${list.table}.parquet`));
      // A few filters at a time: with all of them, nothing ever matches.
      const names = Object.keys(list.filters);
      // A list of one register has few rows to match.
      const fewRuns = list.path.startsWith('/api/') ? 8 + names.length : 12 + 2 * names.length;
      const filters = fc
        .subarray(names, { maxLength: Math.min(3, names.length) })
        .chain((some) =>
          fc.record(Object.fromEntries(Object.entries(list.filters).filter(([key]) => some.includes(key)))),
        ) as fc.Arbitrary<Filters>;
      await fc.assert(
        fc.asyncProperty(filters, fc.constantFrom(names.length === 0 ? 2 : 9, 60, 500), async (f, limit) => {
          if (isRefused(list.path, f)) {
            await assert.rejects(page(list.path, f), { reason: 'invalid_parameter' });
            return;
          }
          const conditions = list.conditions(f).flatMap((c) => (c === undefined ? [] : [`(${c})`]));
          const expected = await rowsOf(
            duck.connection,
            `SELECT id FROM read_parquet(${file}) WHERE ${conditions.join(' AND ') || 'true'}
             ORDER BY ${list.order} NULLS LAST, id`,
          );
          const { ids, totals } = await allPages(list.path, f, limit);
          assert.deepEqual(
            ids,
            expected.map((r) => r['id']),
          );
          assert.deepEqual(totals, [expected.length]);
          if (expected.length === 0) matched.none += 1;
          else matched.some += 1;
          if (expected.length > limit) matched.paged += 1;
        }),
        {
          numRuns: names.length === 0 ? thorough(4, 8) : thorough(fewRuns, 10 + 5 * names.length),
          seed: SEED + index,
        },
      );
      // Filters that never match, or never fill a page, would prove nothing.
      assert.ok(matched.some > 0 && matched.paged > 0, JSON.stringify(matched));
      if (names.length > 2) assert.ok(matched.none > 0, JSON.stringify(matched));
    });
  }
});
