/**
 * Typed absence: a walk over every response of the API on the sandbox world. Each null field of a record has a reason
 * in `absent`, and no other field has one. A null inside a JSON field or a section has a status next to it.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { allRoutes } from '../../../api/routes/all.ts';
import { createCursors } from '../../../api/routes/list/page.ts';
import type { Route } from '../../../api/routes/define.ts';
import { readParams } from '../../../api/routes/params.ts';
import { bodyObject } from '../../../api/serving/json_text.ts';
import { Filters } from '../../../api/serving/filters.ts';
import { openSnapshot, type Snapshot } from '../../../api/serving/open.ts';
import { TABLES } from '../../../models/serving/tables.ts';
import { isObject, type JsonObject } from '../../../lib/json.ts';
import type { RecordDefinition } from '../../../lib/record.ts';
import { thorough } from '../../thorough.ts';
import { afterFirstDay } from '../../pipelines/starting_points.ts';

/** Values of a status that mean that there is a value, and the reason of a null that no cause explains. */
const UNTRUE = new Set(
  'available computed matched ok advertised advertised_cap_rate derived_cap_rate published not_recorded'.split(' '),
);

/** Nulls outside the fields of records, and the field beside or above each that says why; '' if its schema does. */
const EXPLAINED: readonly (readonly [path: RegExp, status: string])[] = [
  [/^next_cursor$/, ''],
  [/also_listed\[\]\.\w+$/, ''],
  [/distress_(matches|candidates)\[\]\.\w+$/, 'kind'],
  [/distress\.(matches|candidates)\[\]\.(signal|auction)$/, 'kind'],
  [/rent_steps\.\w+\.\w+(\.br_\d)?$/, 'basis'],
  [/expense_lines\[\]\.(place|as_of)$/, 'basis'],
  [/property_tax\.(at_price|bill|current)$/, 'current_basis'],
  [/property_tax\.rate_(area|year|source_url)$/, 'rate_basis'],
  [/property_tax\.if_appealed$/, 'appeal_basis'],
  [/property_tax\.taxed_value$/, 'at_sale'],
  [/property_tax\.statute$/, 'rule_basis'],
  [/provenance\.\w+\.\w+$/, 'method'],
  [/(_rationale|paths\.\w+)\.inputs\.\w+$/, 'reason'],
  [/^comparison\./, 'status'],
  [/^debt_terms\./, 'status'],
  [/^offer\./, 'status'],
  [/^sensitivity\./, 'status'],
  [/^recompute\[\]\.inputs\.\w+$/, 'formula'],
  [/^market\.(median_\w+|cheaper_deals)$/, ''],
  [/sources\[\]\.(last_good_at|stale_reason)$/, 'freshness'],
  [/sources\[\]\.fiscal_year$/, ''],
  [/^records\[\]\.(counties|sources)\[\]\.covered_city$/, ''],
  [/^records\[\]\.sources\[\]\.terms_url$/, ''],
  [/^records\[\]\.corroboration\[\]\.counts_as$/, ''],
  [/^records\[\]\.properties\[\]\.amount$/, ''],
];

interface Walk {
  records: number;
  nulls: number;
  readonly problems: Set<string>;
}

/** Hold the reasons of a record against its null fields. */
function checkRecord(walk: Walk, record: JsonObject, absent: JsonObject, path: string): void {
  walk.records += 1;
  const nulls = Object.keys(record).filter((name) => record[name] === null);
  walk.nulls += nulls.length;
  for (const name of nulls) if (!Object.hasOwn(absent, name)) walk.problems.add(`${path}.${name} has no reason`);
  for (const [name, reason] of Object.entries(absent)) {
    if (record[name] !== null) walk.problems.add(`${path}.${name} is not null, but ${String(reason)}`);
    if (UNTRUE.has(String(reason))) walk.problems.add(`${path}.${name} is null, but ${String(reason)}`);
  }
}

function checkNull(walk: Walk, path: string, above: readonly JsonObject[]): void {
  const [, status] = EXPLAINED.find(([pattern]) => pattern.test(path)) ?? [];
  const isSaid = status === '' || above.some((body) => typeof body[status ?? ''] === 'string');
  if (status === undefined || !isSaid) walk.problems.add(`${path} has no status`);
}

function walkBody(walk: Walk, value: unknown, path: string, above: readonly JsonObject[] = []): void {
  if (Array.isArray(value)) {
    for (const item of value) walkBody(walk, item, `${path}[]`, above);
    return;
  }
  if (!isObject(value)) return;
  const inside = [value, ...above];
  const { absent, ...fields } = value;
  if (isObject(absent)) checkRecord(walk, fields, absent, path);
  for (const [name, field] of Object.entries(fields)) {
    const at = path === '' ? name : `${path}.${name}`;
    if (field === null && !isObject(absent)) checkNull(walk, at, inside);
    walkBody(walk, field, at, inside);
  }
}

describe('every null of every response', () => {
  let snapshot: Snapshot;
  const routes = allRoutes({ publicUrl: 'https://api.dealfeed.example', spoolDir: '' });
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
        claims: async () => new Map(),
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
      const body = await respond(route, isList ? `limit=500${isPast}` : '');
      walkBody(walk, Object.hasOwn(route.params, 'fields') ? await withAllFields(route, body, isPast) : body, '');
    }
    assert.deepEqual([...walk.problems], []);
    assert.ok(walk.records > 500 && walk.nulls > 2_000, JSON.stringify({ ...walk, problems: 0 }));
  });

  /** The same list with all fields. */
  const withAllFields = async (route: Route, body: JsonObject, more: string): Promise<JsonObject> => {
    walkBody(walk, body, '');
    return respond(route, `limit=500&fields=all${more}`);
  };

  it('of reports and lookups has a reason or a status', async () => {
    const report = routes.find(({ path }) => path === '/api/deals/:id/report') ?? assert.fail();
    const deals = snapshot.records('deals', await snapshot.select(new Filters('deals')), ['id']);
    for (const id of deals.map((row) => String(row['id'])).slice(0, thorough(16, 1_000)))
      walkBody(walk, await respond(report, '', { id }), '');
    const lookup = routes.find(({ path }) => path === '/api/lookup') ?? assert.fail();
    const parcels = snapshot.rows(
      "SELECT parcel_letters FROM address_keys WHERE table_name = 'auctions' AND parcel_letters <> ''",
    );
    for (const parcel of parcels.slice(0, 9).map((row) => String(row['parcel_letters']))) {
      const { signals, auctions } = await respond(lookup, `apn=${encodeURIComponent(parcel)}`);
      walkBody(walk, { signals, auctions }, '');
    }
    assert.deepEqual([...walk.problems], []);
  });

  it('has a cause for every field that may be null, of fields that exist', () => {
    const tables = [
      'deals',
      'signals',
      'auctions',
      'leads',
      'owners',
      'filings',
      'listing_history',
      'coverage',
    ] as const;
    for (const table of tables) {
      const { columns, causes = {} }: RecordDefinition = TABLES[table];
      const nullable = columns.filter((c) => c.absent !== undefined).map((c) => c.name);
      assert.deepEqual(Object.keys(causes).sort(), nullable.sort(), table);
      for (const cause of Object.values(causes).flat())
        if (typeof cause === 'object' && 'of' in cause)
          assert.ok(columns.find((c) => c.name === cause.of)?.values, `${table}: ${cause.of} has a closed list`);
    }
  });
});
