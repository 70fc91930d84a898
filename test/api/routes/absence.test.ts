/**
 * Typed absence: a walk over every response of the API on the sandbox world. Each null at every depth of a record has a
 * reason in `absent`, by its path, and nothing else has one.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { allRoutes } from '../../../api/routes/all.ts';
import { createCursors } from '../../../api/routes/list/page.ts';
import type { Route } from '../../../api/routes/define.ts';
import { readParams } from '../../../api/routes/params.ts';
import { bodyObject } from '../../../api/serving/records.ts';
import { Filters } from '../../../api/serving/filters.ts';
import { openSnapshot, type Snapshot } from '../../../api/serving/open.ts';
import { isObject, type JsonObject } from '../../../lib/json.ts';
import { thorough } from '../../thorough.ts';
import { afterFirstDay } from '../../pipelines/starting_points.ts';

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
  let snapshot: Snapshot;
  const routes = allRoutes({ publicUrl: 'https://api.dealfeed.example' });
  const walk: Walk = { records: 0, nulls: 0, problems: new Set() };

  const respond = async (
    route: Route,
    query: string,
    path: Readonly<Record<string, string>> = {},
  ): Promise<JsonObject> => {
    const body = bodyObject(
      await route.handle({
        params: readParams(route.params, query),
        path,
        snapshot,
        manifest: snapshot.manifest,
        today: snapshot.manifest.as_of,
        cursors: createCursors('a secret of the tests'),
        holds: async () => new Map(),
      }),
    );
    route.response.parse(body);
    return body as JsonObject;
  };

  before(async () => {
    const { layout } = await afterFirstDay();
    snapshot = await openSnapshot(layout.current);
  });
  after(() => {
    snapshot.close();
  });

  it('of a record has one reason, in all lists, discovery documents and the index', async () => {
    for (const route of routes) {
      if (route.path.includes(':') || route.media !== undefined || route.isExclusive) continue;
      if (route.path.startsWith('/api/lookup')) continue;
      const isList = Object.hasOwn(route.params, 'limit');
      const isPast = Object.hasOwn(route.params, 'include_past') ? '&include_past=true' : '';
      const limit = route.path === '/api/places' ? 50 : 500;
      const body = await respond(route, isList ? `limit=${limit}${isPast}` : '');
      walkBody(walk, Object.hasOwn(route.params, 'fields') ? await withAllFields(route, body, isPast) : body);
    }
    assert.deepEqual([...walk.problems], []);
    assert.ok(walk.records > 500 && walk.nulls > 2_000, JSON.stringify({ ...walk, problems: 0 }));
  });

  /** The same list with all fields. */
  const withAllFields = async (route: Route, body: JsonObject, more: string): Promise<JsonObject> => {
    walkBody(walk, body);
    return respond(route, `limit=500&fields=all${more}`);
  };

  it('of reports and lookups has a reason or a status', async () => {
    const report = routes.find(({ path }) => path === '/api/deals/:id/report') ?? assert.fail();
    const deals = snapshot.records('deals', await snapshot.select(new Filters('deals')), ['id']);
    for (const id of deals.map((row) => String(row['id'])).slice(0, thorough(16, 1_000)))
      walkBody(walk, await respond(report, '', { id }));
    const lookup = routes.find(({ path }) => path === '/api/lookup') ?? assert.fail();
    const parcels = snapshot.rows(
      "SELECT parcel_letters FROM address_keys WHERE table_name = 'auctions' AND parcel_letters <> ''",
    );
    for (const parcel of parcels.slice(0, 9).map((row) => String(row['parcel_letters']))) {
      const { signals, auctions } = await respond(lookup, `apn=${encodeURIComponent(parcel)}`);
      walkBody(walk, { signals, auctions });
    }
    assert.deepEqual([...walk.problems], []);
  });
});
