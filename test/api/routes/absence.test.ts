/**
 * Typed absence: a walk over every response of the API on the sandbox world. Each null at every depth of a record has a
 * reason in `absent`, by its path, and nothing else has one.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isObject, type JsonObject } from '../../../lib/json.ts';
import { thorough } from '../../thorough.ts';
import { afterFirstDay } from '../../pipelines/starting_points.ts';
import { bodyOf, buyerWith } from '../support/buyers.ts';
import { startApp, type Started } from '../support/test_app.ts';

/** Values of a status that mean that there is a value, and the reason of a null that no cause explains. */
const UNTRUE = new Set(
  'available computed matched ok advertised advertised_cap_rate derived_cap_rate published not_recorded'.split(' '),
);

/** Nulls of envelopes and of /api/meta, whose schema says when they are null. */
const BY_SCHEMA = [
  /^next_cursor$/u,
  /^sources\[\]\.(last_good_at|stale_reason|fiscal_year|rows_stated|missing_\w+|filled_pct)$/u,
];
/** Texts of digits: numbers that a publisher gives, and decimals of formulas, which may be whole. */
const TEXT =
  /parcel_id$|\.row\[\]$|address$|_fips$|document_number$|\.mix\.|\.inputs\.|minimum_loan$|recompute|^assumptions/u;

interface Walk {
  records: number;
  nulls: number;
  readonly problems: Set<string>;
}

/** Nulls and numbers of a value, by its path below the nearest `absent`, which names every null. */
function walkValue(walk: Walk, value: unknown, path: string, absent: JsonObject | null, full: string): void {
  if (value === null) {
    walk.nulls += 1;
    const known = absent === null ? BY_SCHEMA.some((one) => one.test(full)) : typeof absent[path] === 'string';
    if (!known) walk.problems.add(`${full} has no reason`);
  } else if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) walkValue(walk, item, `${path}[${i}]`, absent, `${full}[]`);
  } else if (isObject(value)) walkObject(walk, value, { path, absent, full });
  // A count, a year or a flag inside a JSON field is no text.
  else if (
    /[.[]/u.test(path) &&
    typeof value === 'string' &&
    /^(\d+|yes|no|true|false)$/u.test(value) &&
    !TEXT.test(full)
  )
    walk.problems.add(`${full} is ${JSON.stringify(value)}, a text`);
}

function walkObject(
  walk: Walk,
  value: JsonObject,
  { path, absent: outer, full }: { path: string; absent: JsonObject | null; full: string },
): void {
  const { absent: own, ...fields } = value;
  const isRecord = isObject(own);
  walk.records += isRecord ? 1 : 0;
  for (const [at, reason] of Object.entries(isRecord ? own : {})) {
    if (valueAt(fields, at) !== null) walk.problems.add(`${full}: ${at} is not null, but ${String(reason)}`);
    if (UNTRUE.has(String(reason))) walk.problems.add(`${full}: ${at} is null, but ${String(reason)}`);
  }
  const join = (base: string, name: string): string => (base === '' ? name : `${base}.${name}`);
  for (const [name, field] of Object.entries(fields))
    walkValue(walk, field, isRecord ? name : join(path, name), isRecord ? own : outer, join(full, name));
}

/** The value at a path such as "distress_matches[0].sale_date". */
const valueAt = (record: JsonObject, path: string): unknown =>
  path.split(/[.[\]]+/u).reduce((value: unknown, name) => (name === '' ? value : (value as JsonObject)[name]), record);

const walkBody = (walk: Walk, body: JsonObject): void => {
  walkObject(walk, body, { path: '', absent: null, full: '' });
};

describe('every null of every response', () => {
  let started: Started;
  const buyer = buyerWith();
  const walk: Walk = { records: 0, nulls: 0, problems: new Set() };

  /** The body of an answer, bought where it has a price. */
  const read = async (path: string): Promise<JsonObject> => {
    const response = await buyer.fetch(started.url + path);
    const body = (await bodyOf(response)) as JsonObject;
    assert.equal(response.status, 200, `${path} ${JSON.stringify(body)}`);
    return body;
  };

  before(async () => {
    const { layout } = await afterFirstDay();
    started = await startApp(layout.root);
  });
  after(() => started.close());

  it('of a record has one reason, in all lists, discovery documents and the index', async () => {
    for (const { path, params, media, isExclusive } of started.app.routes) {
      if (path.includes(':') || media !== undefined || isExclusive || path.startsWith('/api/lookup')) continue;
      const isPast = Object.hasOwn(params, 'include_past') ? '&include_past=true' : '';
      const limit = path === '/api/places' ? 50 : 500;
      walkBody(walk, await read(Object.hasOwn(params, 'limit') ? `${path}?limit=${limit}${isPast}` : path));
      if (Object.hasOwn(params, 'fields')) walkBody(walk, await read(`${path}?limit=500&fields=all${isPast}`));
    }
    assert.deepEqual([...walk.problems], []);
    assert.ok(walk.records > 500 && walk.nulls > 2_000, JSON.stringify({ ...walk, problems: 0 }));
  });

  it('of reports and lookups has a reason or a status', async () => {
    const deals = (await read('/api/deals/ids'))['records'] as readonly Readonly<Record<string, string>>[];
    const reported = deals.filter(({ report_status: status }) => status === 'available');
    for (const { id } of reported.slice(0, thorough(16, 50))) walkBody(walk, await read(`/api/deals/${id}/report`));
    using lease = started.snapshots.acquire() ?? assert.fail();
    const parcels = lease.snapshot.rows(
      "SELECT parcel_letters FROM address_keys WHERE table_name = 'auctions' AND parcel_letters <> ''",
    );
    for (const { parcel_letters: parcel } of parcels.slice(0, 9)) {
      const { signals, auctions } = await read(`/api/lookup?apn=${encodeURIComponent(String(parcel))}`);
      walkBody(walk, { signals, auctions });
    }
    assert.deepEqual([...walk.problems], []);
  });
});
