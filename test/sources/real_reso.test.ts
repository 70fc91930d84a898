/** Recorded RESO rows, fields and lookups against the presets, where the folder that holds them is present. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import type { Candidate } from '../../sources/contract.ts';
import { resoWebApi } from '../../sources/families/reso/adapter.ts';
import { queryUrl } from '../../sources/families/reso/query.ts';
import { plainWord, type Dictionary } from '../../sources/families/reso/server.ts';
import { mlsGrid, reso, trestle } from '../../sources/families/reso/vendors.ts';
import { candidatesOf } from './parsed.ts';
import { pageOf } from './recorded.ts';

const REAL = new URL('../../../shared/real/live/reso/', import.meta.url);
const skip = existsSync(REAL) ? false : 'the folder of real files is not here';
const DICTIONARIES: readonly Dictionary[] = ['1.7', '2.0', '2.1'];

const read = (file: string): string => readFileSync(new URL(file, REAL), 'utf8');
const table = (file: string): Readonly<Record<string, string>>[] => parse(read(file), { columns: true, bom: true });

const GRID = mlsGrid('test');
const FEED = resoWebApi({
  name: 'an_mls',
  title: 'An MLS',
  home: 'https://www.mls.example/',
  terms: { basis: 'permission', note: 'Recorded rows.' },
  everyDays: 1,
  expect: { minRows: 1, maxRejectShare: 0.1, maxDropShare: 0.4 },
  server: GRID,
});

/** A recorded row. One of them was stored in lower case: its fields get the dictionary's names back. */
function recordedRow(file: string): Readonly<Record<string, unknown>> {
  const fields = [
    ...table('fields_2.1_property_subset.csv').map(({ StandardName = '' }) => StandardName),
    'MlgCanView',
  ];
  const names = new Map(fields.map((name) => [plainWord(name), name]));
  const row = JSON.parse(read(file)) as Readonly<Record<string, unknown>>;
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [names.get(plainWord(name)) ?? name, value]));
}

async function parsed(row: Readonly<Record<string, unknown>>): Promise<Candidate | undefined> {
  const bytes = new TextEncoder().encode(JSON.stringify({ value: [row] }));
  return (await candidatesOf(FEED, [pageOf(bytes, { kind: 'property', url: queryUrl(GRID, null) })]))[0];
}

test('recorded rows of MLS Grid give an address from its parts, price, size, taxes and day', { skip }, async () => {
  const shown = async (file: string, changed: Readonly<Record<string, unknown>> = {}): Promise<unknown> => {
    const candidate = await parsed({ ...recordedRow(file), StandardStatus: 'Active', ...changed });
    assert.ok(candidate && 'values' in candidate, JSON.stringify(candidate));
    const { street, zip, list_price, units, annual_taxes, property_type, listed_on } = candidate.values;
    return { street, zip, list_price, units, annual_taxes, property_type, listed_on, url: candidate.sourceUrl };
  };
  assert.deepEqual(await shown('mlsgrid_northstar_duplex_excerpt.json'), {
    street: '3340 Colfax Avenue S',
    zip: '55408',
    list_price: '450000.00',
    units: 2,
    annual_taxes: '3941.00',
    property_type: 'Duplex Up and Down',
    listed_on: '2023-10-11',
    url: "https://api.mlsgrid.com/v2/Property('NST7294978')",
  });
  // Its publisher has made the place up: a ZIP of Massachusetts in California.
  assert.deepEqual(await shown('mlsgrid_mred_property_excerpt.json', { StateOrProvince: 'MA' }), {
    street: '1234 W 1st Place',
    zip: '01234',
    list_price: '195000.00',
    units: null,
    annual_taxes: '8295.87',
    property_type: 'Residential Income',
    listed_on: '2019-10-08',
    url: "https://api.mlsgrid.com/v2/Property('11111')",
  });
});

test('a recorded sold row is refused: the query does not ask for it', { skip }, async () => {
  const candidate = await parsed(recordedRow('mlsgrid_northstar_duplex_excerpt.json'));
  assert.ok(candidate && 'reject' in candidate && candidate.reject.reason === 'unexpected_standing');
});

/** The excerpt of the dictionary leaves it out; rows of a real MLS have it. */
const IN_REAL_ROWS = 'OffMarketDate';

test('every requested field is in its Data Dictionary; ListingURL is in none before 2.0', { skip }, () => {
  for (const dictionary of DICTIONARIES) {
    const known = new Set(table(`fields_${dictionary}_property_subset.csv`).map(({ StandardName }) => StandardName));
    const asked = new URL(queryUrl(reso('https://api.mls.example', { dictionary }), null)).searchParams.get('$select');
    assert.deepEqual(
      (asked ?? '').split(',').filter((field) => !known.has(field) && field !== IN_REAL_ROWS),
      [],
      dictionary,
    );
    assert.equal(known.has('ListingURL'), dictionary !== '1.7');
  }
});

test('types and subtypes are lookups of the dictionary, and five units and more are commercial', { skip }, () => {
  for (const dictionary of DICTIONARIES) {
    const lookups = table(`lookups_${dictionary}_property.csv`);
    const values = (name: string, column: string): Set<string | undefined> =>
      new Set(lookups.filter(({ LookupName }) => LookupName === name).map((row) => row[column]));
    const { types, onMarket } = reso('https://api.mls.example', { dictionary });
    for (const { type, subtypes = [] } of types) {
      assert.ok(values('PropertyType', 'StandardLookupValue').has(type), `${dictionary} ${type}`);
      for (const subtype of subtypes) assert.ok(values('PropertySubType', 'StandardLookupValue').has(subtype));
    }
    for (const status of onMarket) assert.ok(values('StandardStatus', 'StandardLookupValue').has(status));
    for (const { type } of trestle().types) assert.ok(values('PropertyType', 'LegacyODataValue').has(type), type);
    const multiFamily = lookups.find(({ StandardLookupValue }) => StandardLookupValue === 'Multi Family');
    assert.match(multiFamily?.['Definition'] ?? '', /(?:5|five) or more units/u);
    assert.doesNotMatch(multiFamily?.['References'] ?? 'RINC', /RINC|RESI/u);
  }
});
