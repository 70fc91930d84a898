/** The last sale and the assessed value of a property, from the roll of its county. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { buildTables, debtRow, listingRow, builtBefore, type InputRow } from '../build_models.ts';

const ALLEGHENY = { county_fips: '42003', county: 'Allegheny County, PA' };
const WASHINGTON = { county_fips: '42125', county: 'Washington County, PA' };
const lot = (n: number): string => `0063F00${n}000000`;

const parcel = (n: number, street: string, more: InputRow = {}): InputRow => ({
  source: 'roll',
  source_url: `https://county.example/${n}`,
  ...ALLEGHENY,
  parcel_raw: lot(n),
  street,
  city: 'Pittsburgh',
  zip: '15210',
  county_value: '180000.00',
  last_sale_date: '2019-05-04',
  last_sale_price: '150000.00',
  last_sale_basis: 'market',
  ...more,
});

/** A listing by the house number of its id. */
const listing = (id: string, street: string | null, more: InputRow = {}): InputRow =>
  listingRow(id, { city: 'Pittsburgh', state: 'PA', street, zip: '15210', ...more });

describe('the roll of a property', () => {
  const rolls = new Map<string, Record<string, unknown>>();
  const built = builtBefore(() =>
    buildTables(
      {
        source_reads: [
          {
            source: 'roll',
            family: 'parcels',
            county_fips: '42003',
            covered_kinds: 'parcel_roll',
            last_good_at: '2026-11-21T09:00:00Z',
          },
          { source: 'list', family: 'tax', county_fips: '42003', last_good_at: '2026-11-21T09:00:00Z' },
        ],
        staged_parcel: [
          parcel(101, '12 Alder Avenue'),
          parcel(102, '14 Alder Avenue', { last_sale_date: null, last_sale_price: '0.00', last_sale_basis: null }),
          parcel(103, '16 Alder Ave', { property_class: 'CONDOMINIUM' }),
          parcel(104, '18 Alder Ave'),
          parcel(105, '18 Alder Ave'),
          parcel(106, 'Birch St', { zip: null, county_value: null }),
          parcel(106, 'Elm St', { ...WASHINGTON, zip: null }),
          parcel(107, '99 Cedar Ct', { zip: '15299' }),
        ],
        staged_tax_parcel: [
          debtRow('63F106', { source: 'list', ...ALLEGHENY, street: '20 Birch Street', zip: '15210' }),
          debtRow(lot(106), { source: 'list', ...WASHINGTON }),
        ],
        staged_listing: [
          listing('exact', '12 Alder Ave'),
          listing('no sale', '14 Alder Ave'),
          listing('condominium', '16 Alder Ave'),
          listing('two parcels', '18 Alder Ave'),
          listing('parcel of a record', '20 Birch St'),
          listing('not on it', '12 Dogwood Dr'),
          listing('elsewhere', '12 Alder Ave', { zip: '15001' }),
          listing('hidden', null),
        ],
      },
      ['deals', 'leads', 'listing_history'],
    ),
  );
  before(async () => {
    const deals = new Map((await built.rows('deals')).map((deal) => [deal['id'], deal]));
    for (const { listing_id: name, deal_id: id } of await built.rows('listing_history'))
      rolls.set(String(name), deals.get(id) ?? {});
  });

  const figuresOf = (name: string): unknown[] =>
    ['roll_status', 'last_sale_date', 'last_sale_price', 'assessed_market_value'].map((c) => rolls.get(name)?.[c]);

  it('is that of the parcel at exactly its address', () => {
    assert.deepEqual(figuresOf('exact'), ['matched', '2019-05-04', '150000.00', '180000.00']);
    assert.equal(rolls.get('exact')?.['roll_parcel_id'], lot(101));
    assert.equal(rolls.get('exact')?.['roll_source_url'], 'https://county.example/101');
    assert.equal(rolls.get('exact')?.['last_sale_basis'], 'market');
  });
  it('has no sale if the roll has only a token amount', () => {
    assert.deepEqual(figuresOf('no sale'), ['matched', null, null, '180000.00']);
    assert.equal(rolls.get('no sale')?.['last_sale_basis'], null);
  });
  it('is not that of a condominium of the building, nor of one of two parcels', () => {
    assert.deepEqual(figuresOf('condominium'), ['ambiguous', null, null, null]);
    assert.deepEqual(figuresOf('two parcels'), ['ambiguous', null, null, null]);
  });
  it('is that of the parcel that a matching county record names, not of its number in another county', () => {
    assert.deepEqual(figuresOf('parcel of a record'), ['matched', '2019-05-04', '150000.00', null]);
  });
  it('says whether a roll of the place was read', () => {
    assert.deepEqual(
      ['not on it', 'elsewhere', 'hidden'].map((name) => rolls.get(name)?.['roll_status']),
      ['no_match', 'county_not_covered', 'address_unknown'],
    );
  });
  it('changes no score', () => {
    const score = (name: string): unknown[] =>
      ['deal_score', 'confidence_score', 'offer_high'].map((column) => rolls.get(name)?.[column]);
    assert.deepEqual(score('exact'), score('not on it'));
  });
  it('is on the lead of its parcel', async () => {
    const [lead] = await built.rows('leads');
    assert.deepEqual(
      ['last_sale_date', 'last_sale_price', 'assessed_market_value', 'roll_source'].map((column) => lead?.[column]),
      ['2019-05-04', '150000.00', null, 'roll'],
    );
  });
  it('is read only if a listing, list, record or sale may be of the parcel', async () => {
    const rows = await built.rows('stg_parcel_rows');
    assert.deepEqual(
      rows.map((row) => row['parcel_raw']),
      [101, 102, 103, 104, 105, 106, 106].map(lot),
    );
  });
});
