/** Records of every kind match a listing as debts do, and score nothing; and which kinds are read for its place. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { RECORD_KINDS } from '../../../models/fields.ts';
import { Deal } from '../../../models/marts/deals.ts';
import { buildTables, debtRow, listingRow, recordRow, saleRow, type Built, type InputRow } from '../build_models.ts';

const MILWAUKEE = { county_fips: '55079', county: 'Milwaukee County, WI' };
const DUVAL = { county_fips: '12031', county: 'Duval County, FL' };
const PLACE = { city: 'Milwaukee', zip: '53206' };
const listing = (street: string, given: InputRow = {}): InputRow =>
  listingRow(street, { street, state: 'WI', ...PLACE, ...given });
let records = 0;
const record = (signal_type: string, given: InputRow): InputRow =>
  recordRow(signal_type, `R${(records += 1)}`, { ...MILWAUKEE, ...given });
const debt = (parcel: string, given: InputRow = {}): InputRow => debtRow(parcel, { ...MILWAUKEE, ...given });
const reads = (source: string, county_fips: string, covered_kinds: string, given: InputRow = {}): InputRow => ({
  source,
  family: 'distress',
  county_fips,
  covered_kinds,
  last_good_at: '2026-11-21T09:00:00Z',
  ...given,
});
const at = (street: string): InputRow => ({ street, ...PLACE });
const JACKSONVILLE = { city: 'Jacksonville', zip: '32206', state: 'FL' };

interface Match {
  readonly kind: string;
  readonly match_basis: string;
  readonly filed_on: string | null;
  readonly sale_date: string | null;
  readonly description: string | null;
  readonly amount: string | null;
}

describe('listings and records of several kinds', () => {
  let built: Built;
  const dealOf = (id: string): Promise<InputRow> => built.one('deals', `listing_id = '${id}'`);
  const matchesOf = async (id: string, column = 'distress_matches'): Promise<Match[]> =>
    JSON.parse(String((await dealOf(id))[column])) as Match[];
  const fields = (id: string, ...names: string[]): Promise<unknown[]> =>
    built.values('deals', `listing_id = '${id}'`, ...names);
  const SCORED = ['distress_kinds', 'distress_signals_count', 'distress_score', 'distress_status'];

  before(async () => {
    built = await buildTables(
      {
        source_reads: [
          reads('tax', '55079', 'tax_delinquent', { family: 'tax', covered_city: 'MILWAUKEE' }),
          reads('city', '55079', 'vacant_building, code_violation', { covered_city: 'Milwaukee' }),
          reads('county_sales', '55079', 'foreclosure_sale'),
          reads('never', '55079', 'tax_lien', { last_good_at: null }),
          reads('clerk', '12031', 'foreclosure_sale, tax_deed_sale', { family: 'auctions' }),
        ],
        staged_listing: [
          ...['1', '2', '3', '4', '5', '6', '7', '8'].map((house) => listing(`${house} Oak St`)),
          listing('9 Oak St', { city: 'Cudahy', zip: '53110' }),
          listing('1 Palm St', JACKSONVILLE),
          listing('2 Palm St', JACKSONVILLE),
          listing('1 Elm St', { city: 'Phoenix', state: 'AZ', zip: '85006' }),
        ],
        staged_tax_parcel: [
          debt('100-0002-000', at('2 OAK ST')),
          debt('100-0003-000', at('3 OAK ST')),
          debt('100-0006-000'),
          debt('100-0007-000', at('7 OAK ST')),
        ],
        staged_parcel: [{ ...MILWAUKEE, source: 'layer', parcel_raw: '1000005000', ...at('5 OAK ST') }],
        staged_distress_record: [
          record('vacant_building', at('1 OAK ST')),
          record('code_violation', { ...at('1 OAK ST'), filed_on: '2026-10-05', description: 'Roof', amount: null }),
          record('condemned', { ...at('1 OAK ST'), record_state: 'closed' }),
          record('tax_lien', { ...at('3 OAK ST'), amount: '900.00', amount_basis: 'lien' }),
          record('code_violation', at('4 OAK ST # 3')),
          record('tax_lien', { parcel_raw: '100-0005-000' }),
          // Its parcel has a debt without a street: an address of a case places no debt
          record('code_violation', { ...at('6 OAK ST'), parcel_raw: '100-0006-000' }),
          // The apartment of a case makes no condominium of the building
          record('code_violation', { ...at('7 OAK ST UNIT 3'), parcel_raw: '100-0007-000' }),
          // Duval prints no ZIP here
          record('tax_lien', { ...DUVAL, street: '2 PALM ST', city: 'Jacksonville' }),
        ],
        staged_sheriff_sale: [
          saleRow('CA-1', {
            ...DUVAL,
            source: 'clerk',
            auction_type: 'foreclosure_sale',
            street: '1 PALM ST',
            ...JACKSONVILLE,
            sale_round: null,
            appraised_value: null,
            sale_date: '2026-11-30',
          }),
        ],
      },
      ['deals'],
    );
  });
  after(() => built.close());

  it('match at exactly one address, and a closed record matches nothing', async () => {
    assert.deepEqual(await fields('1 Oak St', ...SCORED), ['["code_violation","vacant_building"]', 2, 0, 'matched']);
    const [violation] = await matchesOf('1 Oak St');
    assert.deepEqual(
      [violation?.match_basis, violation?.filed_on, violation?.description, violation?.sale_date],
      ['address_exact', '2026-10-05', 'Roof', null],
    );
  });

  it('match by the parcel at the address', async () => {
    assert.deepEqual(
      (await matchesOf('5 Oak St')).map((m) => `${m.kind} ${m.match_basis}`),
      ['tax_lien address_exact'],
    );
    assert.deepEqual(
      (await matchesOf('7 Oak St')).map((m) => `${m.kind} ${m.match_basis}`),
      ['code_violation parcel_exact', 'tax_delinquent address_exact'],
    );
  });

  it('count once for one event, and leave the score to debts and sales', async () => {
    const [, , score] = await fields('2 Oak St', ...SCORED);
    assert.deepEqual(await fields('2 Oak St', ...SCORED), ['["tax_delinquent"]', 1, 44, 'matched']);
    assert.deepEqual(await fields('3 Oak St', ...SCORED), ['["tax_delinquent","tax_lien"]', 1, score, 'matched']);
    assert.deepEqual(await fields('7 Oak St', ...SCORED), ['["code_violation","tax_delinquent"]', 2, score, 'matched']);
  });

  it('are candidates if only one of the two has a unit, or the record has no ZIP', async () => {
    assert.deepEqual(await matchesOf('4 Oak St'), []);
    const bases = async (id: string): Promise<string[]> =>
      (await matchesOf(id, 'distress_candidates')).map((m) => `${m.kind} ${m.match_basis}`);
    assert.deepEqual(await bases('4 Oak St'), ['code_violation address_without_unit']);
    assert.deepEqual(await bases('2 Palm St'), ['tax_lien address_without_zip']);
  });

  it('never place a debt by the address of another record of its parcel', async () => {
    assert.deepEqual(await fields('6 Oak St', ...SCORED), ['["code_violation"]', 1, 0, 'matched']);
  });

  it('score a sale of any kind as a sale, and name it', async () => {
    const [kinds, count, score] = await fields('1 Palm St', ...SCORED);
    assert.deepEqual([kinds, count], ['["foreclosure_sale"]', 1]);
    assert.ok(Number(score) > 0);
    assert.match(String((await dealOf('1 Palm St'))['why_this_is_interesting']), /^Foreclosure sale in 9 days;/);
  });

  it('have the coverage of each kind by the county and city of the listing', async () => {
    const coverage = async (id: string): Promise<Record<string, string>> =>
      JSON.parse(String((await dealOf(id))['distress_coverage'])) as Record<string, string>;
    const ofCity = await coverage('8 Oak St');
    assert.deepEqual(Object.keys(ofCity), RECORD_KINDS);
    Deal.schema.shape.distress_coverage.parse(ofCity);
    const shown = ({
      tax_delinquent,
      vacant_building,
      foreclosure_sale,
      tax_lien,
      sheriff_sale,
    }: Record<string, string>) => [tax_delinquent, vacant_building, foreclosure_sale, tax_lien, sheriff_sale];
    const none = 'county_not_covered';
    assert.deepEqual(shown(ofCity), ['covered', 'covered', 'covered', none, none]);
    const partly = ['partly_covered', 'partly_covered', 'covered', none, none];
    assert.deepEqual(shown(await coverage('9 Oak St')), partly, 'another city');
    assert.deepEqual(shown(await coverage('1 Elm St')), [none, none, none, none, none]);
  });

  it('say that none was found only if debts and sales are read', async () => {
    const statusOf = async (id: string): Promise<unknown> => (await dealOf(id))['distress_status'];
    assert.equal(await statusOf('8 Oak St'), 'none_found');
    assert.equal(await statusOf('9 Oak St'), 'partly_covered');
    assert.equal(await statusOf('2 Palm St'), 'partly_covered');
    assert.equal(await statusOf('1 Elm St'), 'county_not_covered');
  });

  it('pass every audit', () => assert.deepEqual(built.failed, []));
});
