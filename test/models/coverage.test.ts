/** Coverage of each metro by kind of record: a kind without a source is not_covered, with the reason. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listingMetros } from '../../sandbox/world/places.ts';
import { COVERED_KINDS } from '../../sources/kinds.ts';
import { buildTables, listingRow, recordRow, hudRow, builtBefore, type InputRow } from './build_models.ts';

const READ = { observed_at: '2026-11-20T09:00:00Z' };
const WAYNE = { county_fips: '26163', county: 'Wayne County, MI' };
const SUMMIT = { county_fips: '39153', county: 'Summit County, OH' };
const PORTAGE = { county_fips: '39133', county: 'Portage County, OH' };
const CHICAGO = { county_fips: '17031', county: 'Cook County, IL' };

const source = (name: string, county: InputRow, covered_kinds: string | null, given: InputRow = {}): InputRow => ({
  source: name,
  family: 'distress',
  title: `Title of ${name}`,
  status: 'good',
  ...county,
  covered_kinds,
  last_good_at: READ.observed_at,
  age_days: 1,
  every_days: 1,
  terms_note: 'Open data.',
  ...given,
});
let records = 0;
const record = (signal_type: string, given: InputRow): InputRow =>
  recordRow(signal_type, `R${(records += 1)}`, { ...READ, ...WAYNE, source: 'blight', ...given });
const listing = (street: string): InputRow =>
  listingRow(street, { ...READ, street, city: 'Detroit', state: 'MI', zip: '48204', list_price: '100000.00' });

type Row = Readonly<Record<string, unknown>>;

describe('coverage', () => {
  const rowOf = async (metro: string, kind: string): Promise<Row> => {
    const found = await built.one('coverage', `metro = '${metro}' AND kind = '${kind}'`);
    return { ...found, counties: JSON.parse(String(found['counties'])), sources: JSON.parse(String(found['sources'])) };
  };
  const fields = async (metro: string, kind: string, ...names: string[]): Promise<unknown[]> => {
    const found = await rowOf(metro, kind);
    return names.map((name) => found[name]);
  };
  const built = builtBefore(() =>
    buildTables(
      {
        source_reads: [
          source('blight', WAYNE, 'blight_judgment', { covered_city: 'Detroit', age_days: 3 }),
          source('roll', WAYNE, 'parcel_roll', { family: 'parcels', last_good_at: '2026-11-21T09:00:00Z' }),
          source('unread', WAYNE, 'vacant_building', { last_good_at: null, detail: 'no key is set' }),
          source('summit', SUMMIT, 'tax_delinquent, sheriff_sale'),
          source('portage', PORTAGE, 'tax_delinquent'),
          source('partial', CHICAGO, null),
          source('lima', { county_fips: '39003', county: 'Allen County, OH' }, 'sheriff_sale'),
          source('site', { county_fips: null, county: null }, null, { family: 'listings' }),
        ],
        staged_fmr_area: [
          hudRow({
            fips: '2616399999',
            county_fips: '26163',
            hud_area_code: 'METRO19820M19820',
            hud_area_name: 'Detroit',
          }),
        ],
        staged_listing: ['1 Oak St', '2 Oak St', '3 Oak St', '4 Oak St'].map(listing),
        staged_distress_record: [
          record('blight_judgment', { street: '1 OAK ST', zip: '48204', parcel_raw: '01000001.' }),
          record('blight_judgment', { street: '1 OAK ST', zip: '48204', parcel_raw: '01000009.' }),
          record('blight_judgment', { street: 'OAK ST' }),
          record('blight_judgment', { street: '9 OAK ST', zip: '48204', record_state: 'closed' }),
          record('code_violation', { ...CHICAGO, source: 'partial', street: '1 ELM ST', zip: '60617' }),
        ],
        staged_parcel: ['1 OAK ST', '2 OAK ST', '5 OAK ST'].map((street, i) => ({
          ...WAYNE,
          source: 'roll',
          parcel_raw: `0100000${i + 1}.`,
          street,
          zip: '48204',
        })),
      },
      ['coverage'],
    ),
  );

  it('has a row for each metro with listings and each kind, and for the kinds read elsewhere', async () => {
    const names = (await built.rows('coverage')).map((r) => `${String(r['metro'])} ${String(r['kind'])}`);
    const elsewhere = ['Chicago code_violation', 'Allen County, OH sheriff_sale'];
    const expected = listingMetros.flatMap(([metro]) => COVERED_KINDS.map((kind) => `${metro} ${kind}`));
    assert.deepEqual(new Set(names), new Set([...expected, ...elsewhere]));
    assert.equal(names.length, expected.length + elsewhere.length);
  });

  it('is stated for all counties, some counties, a city, or none', async () => {
    const statuses = ['status', 'core_status'];
    assert.deepEqual(await fields('Akron', 'tax_delinquent', ...statuses), ['covered', 'covered']);
    assert.deepEqual(await fields('Akron', 'sheriff_sale', ...statuses), ['partly_covered', 'covered']);
    assert.deepEqual(await fields('Detroit', 'blight_judgment', ...statuses), ['partly_covered', 'partly_covered']);
    assert.deepEqual(await fields('Detroit', 'tax_lien', ...statuses), ['not_covered', 'not_covered']);
    const [counties] = await fields('Detroit', 'blight_judgment', 'counties');
    assert.deepEqual(counties, [
      {
        county_fips: '26163',
        county: 'Wayne County, MI',
        is_core: true,
        status: 'partly_covered',
        covered_city: 'Detroit',
      },
    ]);
  });

  it('is partial if a source has rows of a kind that it does not cover', async () => {
    const shown = ['status', 'listed_rows', 'why'];
    assert.deepEqual(await fields('Chicago', 'code_violation', ...shown), ['partly_covered', 1, null]);
  });

  it('says why a kind is not covered', async () => {
    assert.deepEqual(await fields('Detroit', 'tax_lien', 'why'), ['No public source is declared.']);
    assert.deepEqual(await fields('Detroit', 'vacant_building', 'why'), ['Not read yet: unread (no key is set).']);
    assert.deepEqual(await fields('Detroit', 'blight_judgment', 'why'), [null]);
    const reasons = await built.rows('ref_not_covered_reasons', 'kind IS NOT NULL');
    assert.ok(reasons.length > 0);
    for (const { metro, kind, looked_for, finding, read_on } of reasons) {
      const reason = `Looked for: ${String(looked_for)}. Found: ${String(finding)} (${String(read_on)}).`;
      assert.deepEqual(await fields(String(metro), String(kind), 'why'), [reason]);
    }
  });

  it('states the number of rows, their age and their join rate', async () => {
    const shown = ['row_count', 'listed_rows', 'since', 'age_days', 'address_pct', 'zip_pct', 'parcel_pct'];
    const since = '2026-11-20 09:00:00';
    assert.deepEqual(await fields('Detroit', 'blight_judgment', ...shown), [4, 3, since, 3, '66.67', '66.67', '33.33']);
    assert.deepEqual(await fields('Detroit', 'parcel_roll', ...shown), [3, 3, null, 1, '100.00', '100.00', null]);
    assert.deepEqual(await fields('Detroit', 'tax_lien', ...shown), [0, 0, null, null, null, null, null]);
  });

  it('states the share of listings with a record of the kind', async () => {
    const shown = ['listings', 'listings_matched', 'match_pct'];
    assert.deepEqual(await fields('Detroit', 'blight_judgment', ...shown), [4, 1, '25.00']);
    assert.deepEqual(await fields('Detroit', 'parcel_roll', ...shown), [4, 2, '50.00']);
    assert.deepEqual(await fields('Akron', 'tax_delinquent', ...shown), [0, 0, null]);
  });
});
