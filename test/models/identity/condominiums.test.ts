/** One home of a building is not the building, for deals and for leads. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { buildTables, CUYAHOGA, debtRow, listingRow, saleRow, type Built, type InputRow } from '../build_models.ts';

const listing = (street: string): InputRow => listingRow(street, { street });
const debt = (parcel: string, street: string, property_class: string | null = null): InputRow =>
  debtRow(parcel, { street, zip: '44102', property_class });
const sale = (case_number: string, parcel_raw: string, street: string): InputRow =>
  saleRow(case_number, { parcel_raw, street });

interface Record {
  readonly kind: string;
  readonly parcel_id: string;
  readonly match_basis: string;
}
const basisOf = ({ kind, match_basis }: Record): string => `${kind} ${match_basis}`;

describe('a condominium', () => {
  let built: Built;
  before(async () => {
    built = await buildTables(
      {
        staged_listing: [
          '1500 Linden Ave',
          '1502 Linden Ave',
          '1502 Linden Ave Unit 3',
          '1504 Linden Ave',
          '1506 Linden Ave',
          '1508 Linden Ave',
        ].map(listing),
        staged_tax_parcel: [
          debt('900-00-001C', '1500 LINDEN AVE'),
          debt('900-00-003', '1502 LINDEN AVE UNIT 3'),
          debt('900-00-005', '1504 LINDEN AVE', '550 CONDOMINIUM'),
          debt('900-00-007', '1506 LINDEN AVE', '401 APARTMENTS'),
        ],
        staged_sheriff_sale: [
          sale('CV1', '900-00-002C', '1500 LINDEN AVE'),
          sale('CV3', '900-00-003', '1502 LINDEN AVE'),
          sale('CV5', '900-00-006', '1504 LINDEN AVE'),
          sale('CV7', '900-00-008', '1506 LINDEN AVE'),
          sale('CV9', '900-00-009', '1508 LINDEN AVE'),
        ],
        staged_parcel: [{ ...CUYAHOGA, zip: '44102', parcel_raw: '900-00-009', property_class: 'RES CONDOMINIUM' }],
      },
      ['deals', 'leads'],
    );
  });
  after(() => built.close());

  const recordsOf = async (street: string, column: string): Promise<string[]> => {
    const deal = await built.one('deals', `listing_id = '${street}'`);
    return (JSON.parse(String(deal[column])) as Record[]).map((m) => `${m.parcel_id} ${m.match_basis}`).sort();
  };
  const corroboration = async (where: string): Promise<string[]> => {
    const lead = await built.one('leads', where);
    return (JSON.parse(String(lead['corroboration'])) as Record[]).map(basisOf).sort();
  };

  it('by the letter of its parcel number is a candidate of its building', async () => {
    assert.deepEqual(await recordsOf('1500 Linden Ave', 'distress_matches'), []);
    assert.deepEqual(await recordsOf('1500 Linden Ave', 'distress_candidates'), [
      '900-00-001C condominium_of_building',
      '900-00-002C condominium_of_building',
    ]);
  });

  it('by the unit that one source prints is a candidate of its building, and matches its own listing', async () => {
    assert.deepEqual(await recordsOf('1502 Linden Ave', 'distress_matches'), []);
    assert.deepEqual(await recordsOf('1502 Linden Ave Unit 3', 'distress_matches'), [
      '900-00-003 address_exact',
      '900-00-003 parcel_exact',
    ]);
  });

  it('by its class on the map is a candidate of its building', async () => {
    assert.deepEqual(await recordsOf('1508 Linden Ave', 'distress_matches'), []);
    assert.deepEqual(await recordsOf('1508 Linden Ave', 'distress_candidates'), ['900-00-009 condominium_of_building']);
  });

  it('is not listed for sale although its building is', async () => {
    assert.deepEqual(await corroboration("lead_type = 'tax_delinquent' AND parcel_id = '900-00-001C'"), []);
    assert.deepEqual(await corroboration("lead_type = 'tax_delinquent' AND parcel_id = '900-00-005'"), []);
    assert.deepEqual(await corroboration("lead_type = 'tax_delinquent' AND parcel_id = '900-00-003'"), [
      'listing address_exact',
      'sheriff_sale parcel_exact',
    ]);
  });

  it('is not sold although another home at its address is', async () => {
    assert.deepEqual(await corroboration("case_number = 'CV1'"), []);
    assert.deepEqual(await corroboration("case_number = 'CV3'"), ['tax_delinquent parcel_exact']);
    assert.deepEqual(await corroboration("case_number = 'CV5'"), []);
  });

  it('differs from two parcels of one building', async () => {
    assert.deepEqual(await corroboration("case_number = 'CV7'"), ['tax_delinquent address_exact']);
    assert.deepEqual(await corroboration("lead_type = 'tax_delinquent' AND parcel_id = '900-00-007'"), [
      'listing address_exact',
      'sheriff_sale address_exact',
    ]);
    assert.deepEqual(await recordsOf('1506 Linden Ave', 'distress_matches'), [
      '900-00-007 address_exact',
      '900-00-008 address_exact',
    ]);
  });

  it('passes every audit', () => assert.deepEqual(built.failed, []));
});
