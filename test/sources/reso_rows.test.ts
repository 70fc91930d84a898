/** Rows of RESO feeds: which are listings of several units, their street line, and oddities of real servers. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { type Candidate, Quarantine } from '../../sources/contract.ts';
import { streetLine } from '../../sources/readers/reso/rows.ts';
import { resoWebApi } from '../../sources/readers/reso/adapter.ts';
import type { ResoServer } from '../../sources/readers/reso/server.ts';
import { bridge, mlsGrid } from '../../sources/readers/reso/vendors.ts';
import { candidatesOf } from './parsed.ts';
import { pageOf } from './recorded.ts';
import { quarantined, readFrom } from './site_double.ts';

type Row = Readonly<Record<string, unknown>>;

const ROW: Row = {
  ListingKey: 'K1',
  StandardStatus: 'Active',
  PropertyType: 'Residential Income',
  PropertySubType: 'Duplex',
  ListPrice: 195000,
  City: 'Oak Lawn',
  StateOrProvince: 'IL',
  PostalCode: '60453',
  StreetNumber: '1234',
  StreetDirPrefix: 'W',
  StreetName: '1st',
  StreetSuffix: 'Place',
  ModificationTimestamp: '2026-11-11T00:02:03.715Z',
};

const feed = (server: ResoServer): ReturnType<typeof resoWebApi> =>
  resoWebApi({
    name: 'an_mls',
    title: 'An MLS',
    home: 'https://www.mls.example/',
    terms: { basis: 'permission', note: 'Made up.' },
    everyDays: 1,
    expect: { minRows: 1, maxRejectShare: 0.1, maxDropShare: 0.4 },
    server,
  });

async function parse(server: ResoServer, rows: readonly Row[]): Promise<readonly Candidate[]> {
  const bytes = new TextEncoder().encode(JSON.stringify({ value: rows }));
  return candidatesOf(feed(server), [pageOf(bytes, { kind: 'property', url: `${server.service}/Property` })]);
}

const keysOf = (candidates: readonly Candidate[]): unknown[] =>
  candidates.map((c) => ('values' in c ? c.values['listing_id'] : c.reject.reason));

test('a commercial building of another kind is left out; a feed declares its own words', async () => {
  const commercial = { ...ROW, PropertyType: 'Commercial Sale' };
  const rows = [
    { ...commercial, ListingKey: 'office', PropertySubType: 'Office' },
    { ...commercial, ListingKey: 'blank', PropertySubType: null },
    { ...commercial, ListingKey: 'local', PropertySubType: 'Multiple Dwellings' },
  ];
  assert.deepEqual(keysOf(await parse(bridge('test'), rows)), []);
  const types = [{ type: 'Commercial Sale', subtypes: ['Multi Family', 'Multiple Dwellings'] }];
  assert.deepEqual(keysOf(await parse({ ...bridge('test'), types }, rows)), ['local']);
});

test('a deleted listing, and one that its seller withholds from the internet, is left out', async () => {
  for (const no of [false, 0, '0', 'false', 'N']) {
    assert.deepEqual(await parse(mlsGrid('test'), [{ ...ROW, MlgCanView: no }]), []);
    assert.deepEqual(await parse(mlsGrid('test'), [{ ...ROW, InternetEntireListingDisplayYN: no }]), []);
    const [hidden] = await parse(mlsGrid('test'), [{ ...ROW, InternetAddressDisplayYN: no }]);
    assert.ok(hidden && 'values' in hidden && hidden.values['street'] === null);
  }
  for (const yes of [true, 1, null, undefined, 'Y'])
    assert.equal((await parse(mlsGrid('test'), [{ ...ROW, MlgCanView: yes }])).length, 1);
});

test('a required field that no row has was renamed; in a few rows it may be blank', async () => {
  const { ListPrice: _, ...unpriced } = ROW;
  const five = Array.from({ length: 5 }, (_each, i) => ({ ...unpriced, ListingKey: `K${i}`, AskingPrice: 1 }));
  await assert.rejects(
    parse(mlsGrid('test'), five),
    quarantined('template_changed', /none of the 5 rows has ListPrice/u),
  );
  assert.equal((await parse(mlsGrid('test'), five.slice(0, 4))).length, 4);
  assert.equal((await parse(mlsGrid('test'), [...five.slice(0, 4), ROW])).length, 5);
});

test('a feed of many commercial listings without a declared subtype is quarantined and names its words', async () => {
  const rows = (count: number, subtype: string): Row[] =>
    Array.from({ length: count }, (_, i) => ({
      ...ROW,
      ListingKey: `K${i}`,
      PropertyType: 'Commercial Sale',
      PropertySubType: i % 2 === 0 ? 'Office' : subtype,
    }));
  const read = (value: readonly Row[]): ReturnType<typeof readFrom> =>
    readFrom(feed(mlsGrid('test')), () => JSON.stringify({ value }), '2026-11-20', { AN_MLS_TOKEN: 'secret' });
  await assert.rejects(read(rows(100, 'Apartment Building')), (error: unknown) => {
    assert.ok(error instanceof Quarantine && error.reason === 'template_changed');
    assert.match(error.message, /100 listings of type Commercial Sale.*Office, Apartment Building/u);
    return true;
  });
  await read(rows(99, 'Apartment Building'));
  await read(rows(100, 'Multi Family'));
});

test('the street line is built from its parts, or taken from the start of an address with its place', () => {
  const lines: readonly (readonly [Row, string | null])[] = [
    [ROW, '1234 W 1st Place'],
    [{ ...ROW, StreetDirSuffix: 'S', UnitNumber: '55' }, '1234 W 1st Place S #55'],
    [{ ...ROW, UnitNumber: 'APT G' }, '1234 W 1st Place APT G'],
    [{ ...ROW, UnitNumber: '#2' }, '1234 W 1st Place #2'],
    [{ ...ROW, UnitNumber: 'B' }, '1234 W 1st Place #B'],
    [{ ...ROW, StreetNumber: 1234, StreetDirPrefix: '', StreetSuffix: null }, '1234 1st'],
    [{ ...ROW, StreetName: null }, null],
    [{ ...ROW, UnparsedAddress: '12 Elm St' }, '12 Elm St'],
    [{ ...ROW, UnparsedAddress: '12 Elm St, Oak Lawn, IL 60453' }, '12 Elm St'],
    [{ ...ROW, UnparsedAddress: '12 Elm St Unit 2 Oak Lawn IL 60453-1234 USA' }, '12 Elm St Unit 2'],
    [{ ...ROW, UnparsedAddress: '12 Elm St, Unit B, Oak Lawn' }, '12 Elm St, Unit B'],
    [{ ...ROW, UnparsedAddress: '12 Elm St, IL 60453' }, '12 Elm St'],
    [{ ...ROW, UnparsedAddress: 'Oak Lawn, IL 60453' }, null],
    [{ ...ROW, UnparsedAddress: '12 Oak Lawn' }, '12 Oak Lawn'],
    [{ ...ROW, UnparsedAddress: '12 Elm St, Chicago, IL' }, '12 Elm St, Chicago, IL'],
    [{ ...ROW, City: 'New Haven', StateOrProvince: 'CT', UnparsedAddress: '12 Elm CT' }, '12 Elm CT'],
    [{ ...ROW, City: 'A (B', UnparsedAddress: '12 Elm St, A (B, IL' }, '12 Elm St'],
  ];
  for (const [row, expected] of lines) assert.equal(streetLine(row), expected, JSON.stringify(row));
});
