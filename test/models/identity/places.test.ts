/** The county and the point of a property: of its parcel, else of its ZIP. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { parcelPoint } from '../../../sources/readers/arcgis/values.ts';
import { build, builtBefore } from '../build_models.ts';

type Row = Readonly<Record<string, unknown>>;

const deal = (id: string, zip: string, state = 'OH'): Row => ({ id, state, zip, is_income_property: true });
const onRoll = (id: string, parcel_key: string): Row => ({
  id,
  roll_status: 'matched',
  county_fips: '39035',
  parcel_key,
});
const POINT = { county_fips: '39035', latitude: '41.50214', longitude: '-81.69731' };
const PARCELS = [
  { ...POINT, parcel_key: '00112001' },
  { ...POINT, parcel_key: '00112002', latitude: null, longitude: null },
];
const DEALS = [
  deal('with_point', '44113'),
  deal('without_point', '44113'),
  deal('whole_zip', '44113'),
  deal('crossing_zip', '78130', 'TX'),
  deal('other_state', '44113', 'IN'),
  deal('post_office_box', '44193'),
];
const ROLLS = [
  onRoll('with_point', '00112001'),
  onRoll('without_point', '00112002'),
  ...['whole_zip', 'crossing_zip', 'other_state', 'post_office_box'].map((id) => ({ id, roll_status: 'no_match' })),
];

describe('the place of a deal', () => {
  let found: Map<unknown, Record<string, unknown>>;
  const built = builtBefore(() =>
    build(
      { int_properties: DEALS, int_property_rolls: ROLLS, stg_parcels: PARCELS },
      ({ name }) => name === 'int_deal_places' || name === 'int_metros',
    ),
  );
  before(async () => {
    found = new Map((await built.rows('int_deal_places')).map((row) => [row['id'], row]));
  });

  const place = (id: string): readonly unknown[] =>
    ['county', 'county_fips', 'county_basis', 'latitude', 'longitude', 'geo_basis'].map((c) => found.get(id)?.[c]);
  const CUYAHOGA = ['Cuyahoga County, OH', '39035'];

  it("is its parcel's county and point", () => {
    assert.deepEqual(place('with_point'), [...CUYAHOGA, 'parcel', '41.50214', '-81.69731', 'parcel_layer']);
  });

  it("is the ZIP's point if the layer has no point of the parcel", () => {
    const zip = place('whole_zip');
    assert.deepEqual(place('without_point'), [...CUYAHOGA, 'parcel', zip[3], zip[4], 'zip_centroid']);
  });

  it("is the ZIP's county and point without a parcel", () => {
    const [county, fips, basis, latitude, longitude, geo] = place('whole_zip');
    assert.deepEqual([county, fips, basis, geo], [...CUYAHOGA, 'zip', 'zip_centroid']);
    assert.match(`${String(latitude)} ${String(longitude)}`, /^41\.4\d{4} -81\.\d{5}$/);
  });

  it('is in the county with most land of a ZIP that crosses a county line, and says so', () => {
    assert.deepEqual(place('crossing_zip').slice(0, 3), ['Guadalupe County, TX', '48187', 'zip_most_land']);
  });

  it('has no county if the ZIP is in another state than the listing', () => {
    assert.deepEqual(place('other_state').slice(0, 3), [null, null, null]);
    assert.equal(place('other_state')[5], 'zip_centroid');
  });

  it('is unknown for a ZIP without an area', () => {
    assert.deepEqual(place('post_office_box'), [null, null, null, null, null, 'zip_not_listed']);
  });
});

it('a point of a layer is null if one value is missing, zero or outside the United States', () => {
  assert.deepEqual(parcelPoint(41.502144, -81.69731), { latitude: '41.50214', longitude: '-81.69731' });
  for (const [latitude, longitude] of [
    [0, 0],
    [41.5, null],
    [-81.7, 41.5],
    [Number.NaN, -81.7],
    ['41.5', -81.7],
  ])
    assert.deepEqual(parcelPoint(latitude, longitude), { latitude: null, longitude: null });
});
