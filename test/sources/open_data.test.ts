/** Tables of CKAN and Socrata portals: checked, counted and read to their end, with no record cut by a page. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import type { GetOptions, SourceSpec } from '../../sources/contract.ts';
import roll from '../../sources/parcels/wi_milwaukee_parcels.ts';
import milwaukee from '../../sources/tax/wi_milwaukee_tax.ts';
import { candidatesOf, parsed, sourceNamed } from './parsed.ts';
import { pageOf } from './recorded.ts';
import { type Answer, quarantined, readFrom } from './site_double.ts';
import colorado from '../../sources/register/colorado_sos.ts';

const chicago = sourceNamed('il_chicago_violations');
const COLUMNS = [
  'Tax Key #',
  "Owner's Name",
  "Owner's Mailing Address",
  'City',
  'State',
  'Zip',
  'Property Address',
  'Levy Year',
  'Total Tax Principal',
];

interface Portal {
  /** Levy years of each parcel. */
  readonly years: readonly number[];
  /** The most rows of a page, whatever is asked for. */
  readonly most: number;
  /** The offset from which the portal has no rows. */
  readonly end?: number;
  /** Rows that the publisher deletes after the first page of rows. */
  readonly deleted?: number;
}

/** A portal with one table, rows in the order that is asked for, and the requests that it got. */
function ckan({ years, most, end, deleted = 0 }: Portal) {
  let number = 0;
  const rows = years.flatMap((count, parcel) =>
    Array.from({ length: count }, (_, at) => ({
      _id: (number += 1),
      ...Object.fromEntries(COLUMNS.map((name) => [name, null])),
      'Tax Key #': `00${parcel}`,
      'Levy Year': 2020 + at,
      'Total Tax Principal': 100.1,
    })),
  );
  const requests: Readonly<Record<string, unknown>>[] = [];
  const site = ({ pathname }: URL, { json = {} }: GetOptions): Answer => {
    if (pathname.startsWith('/datastore/dump/')) return undefined;
    requests.push(json);
    const [offset, limit] = [Number(json.offset), Math.min(most, Number(json.limit))];
    const present = requests.length > 2 ? rows.slice(deleted) : rows;
    return JSON.stringify({
      success: true,
      result: {
        fields: COLUMNS.map((id) => ({ id, type: 'text' })),
        records: present.slice(0, end).slice(offset, offset + limit),
        total: present.length,
      },
    });
  };
  return { site, requests, rows };
}

test('the years of a parcel are added up across pages', async () => {
  const years = [3, 1, 2, 4, 1, 3];
  const expected = years.map((count, parcel) => [`00${parcel}`, `${count * 100}.${count}0`, count]);
  for (const most of [5, 6, 7, 14, 100]) {
    const { site, requests, rows } = ckan({ years, most });
    const { pages } = await readFrom(milwaukee, site);
    const read = await parsed(milwaukee, pages);
    assert.deepEqual(
      read.rows.map((row) => [row['parcel_raw'], row['amount'], row['years_delinquent']]),
      expected,
      `${most} rows a page`,
    );
    assert.deepEqual([read.rowsIn, read.merged], [rows.length, rows.length - years.length], 'every row counts once');
    assert.deepEqual(requests[1]?.['sort'], ['"Tax Key #" asc', '_id asc']);
    assert.equal(new Set(pages.map(({ context }) => JSON.stringify(context))).size, pages.length);
  }
});

test('a row of a CKAN table that disappears between two pages is left out, and no other is lost', async () => {
  const years = Array.from({ length: 30 }, () => 1);
  const { site } = ckan({ years, most: 12, deleted: 2 });
  const { pages, stated } = await readFrom(milwaukee, site);
  const { rows } = await parsed(milwaukee, pages);
  assert.deepEqual(
    rows.map((row) => row['parcel_raw']),
    years.flatMap((_, parcel) => (parcel < 2 ? [] : [`00${parcel}`])),
  );
  assert.equal(stated, 28);
  await assert.rejects(
    readFrom(milwaukee, ckan({ years, most: 12, deleted: 9 }).site),
    quarantined('count_mismatch', /disappeared between two pages/),
  );
});

test("a portal's dump is read before its interface, which is asked only for the count", async () => {
  const dump = `_id,${COLUMNS.map((name) => `"${name}"`).join(',')}\n1,0001,,,,,,,2024,10\n`;
  const { site, requests } = ckan({ years: [1], most: 9 });
  const read = (counted: Answer | 'as it is') =>
    readFrom(milwaukee, (url, options) =>
      url.pathname.startsWith('/datastore/dump/') ? dump : counted === 'as it is' ? site(url, options) : counted,
    );
  const { pages, stated } = await read('as it is');
  assert.deepEqual([pages.map(({ kind }) => kind), requests.map(({ limit }) => limit), stated], [['dump'], [0], 1]);
  // https://github.com/ckan/ckan/issues/4150: as many rows as the table, some twice, some not at all.
  const twice = ckan({ years: [1, 1], most: 9 });
  const repeated = await readFrom(milwaukee, (url, options) =>
    url.pathname.startsWith('/datastore/dump/') ? `${dump}${dump.split('\n')[1]}\n` : twice.site(url, options),
  );
  assert.deepEqual(
    repeated.pages.map(({ kind }) => kind),
    ['rows'],
  );
  const refused = await read(403);
  assert.deepEqual([refused.pages.length, refused.stated], [1, null]);
});

test('a record larger than a page and a short table are refused', async () => {
  const read = (portal: Portal) => readFrom(milwaukee, ckan(portal).site);
  await assert.rejects(read({ years: [2, 9], most: 4 }), quarantined('template_changed', /all 4 rows of the page/));
  await assert.rejects(
    read({ years: [2, 2, 2], most: 4, end: 0 }),
    quarantined('count_mismatch', /6 rows; 0 were read/),
  );
});

test('separated rows of a parcel are refused', async () => {
  const { site } = ckan({ years: [1, 1, 1], most: 9 });
  const { pages } = await readFrom(milwaukee, site);
  const [page] = pages;
  assert.ok(page);
  const mixed = page.text().replace('"002"', '"000"');
  const apart = pageOf(new TextEncoder().encode(mixed), { kind: page.kind, url: page.url, context: page.context });
  assert.throws(() => milwaukee.parse(apart), quarantined('template_changed', /not in the order of Tax Key #/));
});

const ROLL_COLUMNS = (
  'TAXKEY HOUSE_NR_LO SDIR STREET STTYPE OWNER_NAME_1 OWNER_MAIL_ADDR OWNER_CITY_STATE OWNER_ZIP GEO_ZIP_CODE ' +
  'C_A_TOTAL LAND_USE YR_BUILT NR_UNITS CONVEY_DATE CONVEY_FEE'
).split(' ');

test('a dump with a CRLF heading over LF rows is read, and only its short row is a reject', async () => {
  const dump = (spec: SourceSpec, columns: readonly string[], keys: readonly string[]): ReturnType<typeof parsed> => {
    const row = (key: string): string => `${key}${','.repeat(columns.length - 1)}`;
    const lines = [...keys.map(row), '0000000009,SHORT', row('0000000010')];
    const body = `${columns.join(',')}\r\n${lines.join('\n')}\n`;
    return parsed(spec, [pageOf(Buffer.from(body), { kind: 'dump', url: 'https://data.milwaukee.gov/dump' })]);
  };
  const read = await dump(roll, ROLL_COLUMNS, ['0000000001', '0000000002']);
  assert.deepEqual(
    read.rows.map((row) => row['parcel_raw']),
    ['0000000001', '0000000002', '0000000010'],
  );
  assert.deepEqual(
    read.rejects.map(({ reason, raw }) => [reason, raw]),
    [['wrong_field_count', '0000000009,SHORT']],
  );
  // The sum of a parcel's years would be too low without it.
  await assert.rejects(
    dump(milwaukee, COLUMNS, ['0000000001']),
    quarantined('malformed_page', /^line 3 has 2 fields/u),
  );
});

test('a row without a column, or a column without its name, does not count as a blank cell', async () => {
  const { pages } = await readFrom(milwaukee, ckan({ years: [1, 1], most: 9 }).site);
  const [page] = pages;
  assert.ok(page);
  const names = { 'Levy Year': 2020, 'Total Tax Principal': 100.1 };
  const whole = Object.fromEntries(COLUMNS.map((name) => [name, null]));
  const parse = (fields: readonly object[], row: object) => () =>
    milwaukee.parse(
      pageOf(
        new TextEncoder().encode(JSON.stringify({ success: true, result: { fields, records: [row], total: 1 } })),
        { kind: page.kind, url: page.url, context: page.context },
      ),
    );
  const fields = COLUMNS.map((id) => ({ id }));
  const { City: _city, ...withoutCity } = whole;
  assert.doesNotThrow(parse(fields, { ...whole, 'Tax Key #': '1', ...names }));
  assert.throws(
    parse(fields, { ...withoutCity, 'Tax Key #': '1', ...names }),
    quarantined('missing_column', /a row has no City/),
  );
  assert.throws(
    parse([...fields, { idX: 'Paid' }], { ...whole, 'Tax Key #': '1', ...names }),
    quarantined('template_changed', /a field of the table has no id/),
  );
});

interface Soda {
  readonly rows: number;
  readonly counted?: number;
  /** Rows that the publisher deletes after the last page. */
  readonly gone?: readonly number[];
}

/** A Socrata table of violations, its rows in the order of their id. */
function soda({ rows, counted = rows, gone = [] }: Soda) {
  const asked: URLSearchParams[] = [];
  const headers: GetOptions['headers'][] = [];
  const names = ['id', 'violation_date', 'violation_code', 'violation_status', 'violation_description', 'address'];
  const site = ({ pathname, searchParams }: URL, options: GetOptions): Answer => {
    headers.push(options.headers);
    if (pathname.startsWith('/api/views/'))
      return JSON.stringify({ columns: names.map((fieldName) => ({ fieldName })) });
    asked.push(searchParams);
    if (searchParams.get('$select')?.startsWith('count')) return JSON.stringify([{ total: String(counted) }]);
    const after = Number(/:id > 'r(\d+)'/u.exec(searchParams.get('$where') ?? '')?.[1] ?? 0);
    const limit = Number(searchParams.get('$limit'));
    const left = searchParams.get('$select') === ':id' ? gone : [];
    const found = Array.from({ length: rows - after }, (_, at) => after + at + 1).filter((n) => !left.includes(n));
    const row = (n: number) => ({
      ':id': `r${n}`,
      id: String(n),
      violation_status: 'OPEN',
      address: '1 N SAMPLE ST',
    });
    return JSON.stringify(found.slice(0, limit).map(row));
  };
  return { site, asked, headers };
}

test('a Socrata table is paged by the id of its rows, and its token is sent if there is one', async () => {
  const { site, asked, headers } = soda({ rows: 50_003, gone: [7] });
  const { pages, stated } = await readFrom(chicago, site, '2026-11-20', { SOCRATA_APP_TOKEN: 'a-token' });
  assert.equal(pages.length, 2);
  assert.equal(stated, 50_002);
  assert.deepEqual(
    (await candidatesOf(chicago, pages)).filter((row) => 'values' in row && row.values['record_number'] === '7'),
    [],
    'a row that is gone is left out',
  );
  assert.deepEqual(
    asked.slice(1, 3).map((query) => [query.get('$order'), query.get('$where')?.includes("(:id > 'r50000')")]),
    [
      [':id', false],
      [':id', true],
    ],
  );
  assert.match(asked[1]?.get('$where') ?? '', /violation_date >= '2020-11-19T00:00:00\.000'/u);
  assert.ok(headers.every((sent) => sent?.['X-App-Token'] === 'a-token'));
  assert.ok((await readFrom(chicago, soda({ rows: 1 }).site)).pages.length === 1, 'a token is not needed');
});

test('a Socrata table must have as many rows as it counts', async () => {
  await assert.rejects(
    readFrom(chicago, soda({ rows: 3, counted: 4 }).site),
    quarantined('count_mismatch', /counts 4 rows; 3 were read/),
  );
  await assert.rejects(
    readFrom(chicago, () => '{}'),
    quarantined('template_changed', /has no columns/),
  );
});

/** The register after a good read on this day. */
const later: SourceSpec = {
  ...colorado,
  fetch: (ctx) => (colorado.fetch ?? assert.fail())({ ...ctx, lastGoodOn: '2026-11-18' }),
};

const entity = (_: unknown, id: number): Readonly<Record<string, string>> => ({
  entityid: String(20_261_000_000 + id),
  entityname: `Entity ${id} LLC`,
  entityformdate: '2026-11-02T00:00:00.000',
});
/** A portal that counts so many entities and answers every other request with the same rows. */
const portal =
  (total: number, rows: number) =>
  ({ searchParams }: URL): string =>
    JSON.stringify(searchParams.has('$select') ? [{ total: String(total) }] : Array.from({ length: rows }, entity));

test('rows touched since ten days before the last good read are asked for; if too many, new ones', async () => {
  const { asked } = await readFrom(later, portal(3_050_000, 1));
  assert.deepEqual(
    asked.map((url) => new URL(url).searchParams.get('$where')),
    [
      ":updated_at >= '2026-11-08T00:00:00.000Z' OR entityformdate >= '2026-11-08T00:00:00.000'",
      "entityformdate >= '2026-09-19T00:00:00.000'",
    ],
  );
});

test('a portal that repeats a full page is quarantined', async () => {
  await assert.rejects(readFrom(later, portal(1000, 1000)), quarantined('template_changed'));
});
