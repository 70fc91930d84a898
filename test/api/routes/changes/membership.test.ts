/** The lists of the API have the records that the change feed compares: is_listed_* and the filters agree. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createCursors } from '../../../../api/routes/list/page.ts';
import { auctions } from '../../../../api/routes/auctions.ts';
import { deals } from '../../../../api/routes/deals.ts';
import { filings } from '../../../../api/routes/filings/filings.ts';
import { leads } from '../../../../api/routes/leads/leads.ts';
import { signals } from '../../../../api/routes/signals.ts';
import { Filters } from '../../../../api/serving/filters.ts';
import { openSnapshot, type Snapshot } from '../../../../api/serving/open.ts';
import { columnOf } from '../../../../models/serving/tables.ts';
import { openDuck, rowsOf } from '../../../../lib/duck.ts';
import { literal } from '../../../../lib/sql.ts';
import { macrosSql } from '../../../../models/index.ts';
import { CHANGE_LISTS } from '../../../../models/marts/change_feeds.ts';
import { afterSecondDay, SECOND_RUN } from '../../../pipelines/starting_points.ts';
import { dataFolder, rowOf, type DataFolder, type Row } from '../../support/snapshot_fixtures.ts';

const ROUTES = { deals, signals, auctions, leads, filings };
/** Condition of the feed; a list without one has all rows of its table. */
const LISTED = {
  deals: 'is_listed_deal(listing_status)',
  signals: 'is_listed_signal(signal_state)',
  auctions: 'is_listed_auction(sale_status, sale_date, CAST($1 AS DATE))',
  leads: 'true',
  filings: 'true',
};

interface Members {
  readonly list: keyof typeof ROUTES;
  readonly feed: readonly unknown[];
  readonly api: readonly unknown[];
}

/** Ids of these lists by the feed and by the API, on the day of the snapshot in `folder`. */
async function membersOf(snapshot: Snapshot, folder: string, lists: readonly (keyof typeof ROUTES)[]) {
  const members: Members[] = [];
  const duck = await openDuck();
  try {
    // A server has no macros of the feed.
    await duck.connection.run(macrosSql());
    await duck.connection.run(`ATTACH ${literal(join(folder, 'dealfeed.duckdb'))} AS published (READ_ONLY)`);
    await duck.connection.run(`SET file_search_path = ${literal(folder)}`);
    for (const list of lists) {
      const today = list === 'auctions' ? [snapshot.manifest.as_of] : [];
      const rows = await rowsOf(
        duck.connection,
        `SELECT id FROM published.${list} WHERE ${LISTED[list]} ORDER BY id`,
        today,
      );
      members.push({ list, feed: rows.map(({ id }) => id), api: await idsOf(snapshot, list) });
    }
  } finally {
    duck.close();
  }
  return members;
}

/** Ids of a list by the API. */
async function idsOf(snapshot: Snapshot, list: keyof typeof ROUTES): Promise<unknown[]> {
  const { manifest } = snapshot;
  const filters = await ROUTES[list].matching({
    params: {},
    path: {},
    snapshot,
    manifest,
    today: manifest.as_of,
    cursors: createCursors('of a test'),
    claims: async () => new Map(),
  });
  const rows = await snapshot.select(filters);
  return snapshot.ids(list, rows).sort();
}

const valuesOf = (table: 'deals' | 'signals' | 'auctions', column: string): readonly string[] =>
  columnOf(table, column).values ?? [];

describe('the members of a list', () => {
  let folder: DataFolder;
  let path: string;
  let snapshot: Snapshot;
  before(async () => {
    const days = ['2026-11-19', '2026-11-20', '2026-11-21'];
    const rows = (table: 'deals' | 'signals' | 'auctions', given: readonly Row[]): Row[] =>
      given.map((row, i) => rowOf(table, i + 1, row));
    folder = await dataFolder();
    path = await folder.publish('2026-11-20.01', {
      deals: rows(
        'deals',
        valuesOf('deals', 'listing_status').map((status) => ({ listing_status: status })),
      ),
      signals: rows(
        'signals',
        valuesOf('signals', 'signal_state').map((state) => ({ signal_state: state })),
      ),
      auctions: rows(
        'auctions',
        valuesOf('auctions', 'sale_status').flatMap((status) =>
          days.map((day) => ({ sale_status: status, sale_date: day })),
        ),
      ),
    });
    snapshot = await openSnapshot(path);
  });
  after(async () => {
    snapshot.close();
    await folder.remove();
  });

  it('are the same by the feed and by the API, for every state and day', async () => {
    const least = { deals: 1, signals: 2, auctions: 4 } as const;
    for (const { list, feed, api } of await membersOf(snapshot, path, ['deals', 'signals', 'auctions'])) {
      assert.deepEqual(api, feed, list);
      const all = await snapshot.select(new Filters(list as 'deals'));
      assert.ok(api.length >= least[list as keyof typeof least] && api.length < all.length, `${list}: ${api.length}`);
    }
  });

  it('are the same on a published day', async () => {
    const { layout } = await afterSecondDay();
    const publishedFolder = layout.snapshot(SECOND_RUN);
    const published = await openSnapshot(publishedFolder);
    try {
      const states = published.all('change_feeds');
      for (const { list, feed, api } of await membersOf(published, publishedFolder, CHANGE_LISTS)) {
        assert.deepEqual(api, feed, list);
        assert.equal(Number(states.find((state) => state['list'] === list)?.['records']), api.length, list);
        assert.ok(api.length > 0, list);
      }
    } finally {
      published.close();
    }
  });
});
