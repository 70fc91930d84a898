/** A city condemns the building of the best deal, and the next run takes it out of the first third of the feed. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { SANDBOX_DAY } from '../../../lib/settings.ts';
import type { Alter } from '../../../sandbox/server.ts';
import { makeWorld } from '../../../sandbox/world/world.ts';
import { newLayout, published, runDay } from '../runs.ts';
import { JOIN_RATES } from '../some_tables.ts';

const world = makeWorld({ seed: 9, listings: 120, parcels: 0, auctions: 0, filings: 0, distress: 60 });
const FEED = "WHERE listing_status = 'active' ORDER BY deal_score DESC, id";
/** A city's list of dangerous buildings, which prints no county. */
const CITY_LIST = 'ax3m-jhxx';

/** The feed of the day, with the city's list of dangerous buildings altered. */
async function feedOf(alter?: Alter): Promise<Record<string, unknown>[]> {
  const layout = await newLayout();
  const { runId, blocked } = await runDay({
    layout,
    world,
    day: SANDBOX_DAY,
    only: ({ name, family }) =>
      ['listings', 'fmr', 'benchmarks'].includes(family) || /_(?:dangerous|vacant|condemned)$/u.test(name),
    tables: ['deals'],
    empty: [JOIN_RATES],
    ...(alter ? { alter } : {}),
  });
  assert.deepEqual(blocked, []);
  return published(layout, runId, 'deals', FEED);
}

interface ListRow {
  readonly case_opened?: string;
  readonly statusofcase?: string;
}

/** The first open case of the page is at this address. */
function condemning(address: unknown, zip: unknown, opened: string[]): Alter {
  return ({ path }, response) => {
    if (!path.includes(CITY_LIST)) return undefined;
    const rows: unknown = JSON.parse(Buffer.from(response.body).toString());
    if (!Array.isArray(rows)) return undefined;
    const at = (rows as ListRow[]).findIndex(({ statusofcase }) => statusofcase === 'Ongoing Case');
    if (at < 0) return undefined;
    opened.push(String((rows as ListRow[])[at]?.case_opened).slice(0, 10));
    return { ...response, body: Buffer.from(JSON.stringify(rows.with(at, { ...rows[at], address, zip_code: zip }))) };
  };
}

describe('the best deal of the feed', () => {
  let top: Record<string, unknown>;
  let feed: Record<string, unknown>[];
  const opened: string[] = [];
  before(async () => {
    top = (await feedOf())[0] ?? assert.fail();
    feed = await feedOf(condemning(top['address'], top['zip'], opened));
  });

  it('is Hot while no record speaks against it', () =>
    assert.deepEqual([top['rental_status'], top['condition_risk']], ['Hot', 'none']));

  it('is a Pass behind the first third of the feed once its building is condemned', () => {
    const place = feed.findIndex(({ id }) => id === top['id']);
    assert.ok(place >= feed.length / 3, `place ${place + 1} of ${feed.length}`);
    const deal = feed[place] ?? assert.fail();
    assert.deepEqual([deal['rental_status'], deal['condition_risk']], ['Pass', 'condemned']);
    assert.ok(Number(deal['confidence_score']) < Number(top['confidence_score']));
  });

  it('shows the day of the record and its page', () => {
    const deal = feed.find(({ id }) => id === top['id']) ?? assert.fail();
    assert.equal(deal['condition_record_on'], opened[0]);
    assert.ok(String(deal['condition_record_url']).includes(CITY_LIST), String(deal['condition_record_url']));
  });

  it('is not the only such deal, and none is in the first third', () => {
    const isNotLet = ({ condition_record: record }: Record<string, unknown>): boolean =>
      record === 'condemned' || record === 'vacant_building';
    assert.ok(feed.filter(isNotLet).length > 5);
    assert.deepEqual(feed.slice(0, feed.length / 3).filter(isNotLet), []);
  });
});
