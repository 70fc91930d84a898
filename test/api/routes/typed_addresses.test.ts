/** Lookups of addresses as people type them: what is found, and that it is never another property. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { knownPlaces } from '../../../api/routes/places.ts';
import { STATE_BY_NAME } from '../../../lib/states.ts';
import { readAddress, type TypedAddress } from '../../../api/routes/lookup/typed_address.ts';
import { addressParts } from '../../../lib/addresses/parts.ts';
import { rowOf, uuid, type Row } from '../support/snapshot_fixtures.ts';
import { sharedApp } from '../support/test_app.ts';
import { thorough } from '../../thorough.ts';

/** Addresses of the sandbox: street, unit, city, state, ZIP and county. */
const ADDRESSES = [
  ['37 W 69TH ST', '', 'Cleveland', 'OH', '44128', 'Cuyahoga County'],
  ['2789 Vandergate St.', '', 'Lakewood', 'OH', '44107', 'Cuyahoga County'],
  ['2379 9th St.', '', 'East Cleveland', 'OH', '44112', 'Cuyahoga County'],
  ['2602 Vanderworth Street', '', 'St. Louis', 'MO', '63111', 'St. Louis County'],
  ['2741 ST ODRAN AVE', '', 'DAYTON', 'OH', '45410', 'Montgomery County'],
  ['693 WEST HAVEN ST NW', '', 'CANTON', 'OH', '44706', 'Stark County'],
  ['3917 87TH ST', '', 'CLEVELAND HEIGHTS', 'OH', '44118', 'Cuyahoga County'],
  ['3351 - 3353 Quilldale Avenue', '', 'Kansas City', 'MO', '64127', 'Jackson County'],
  ['1994 North Marlmoor Drive', '', 'San Antonio', 'TX', '78223', 'Bexar County'],
  ['3656 NORTH TANNERCOMBE TERRACE', '', 'Saint Charles', 'MO', '63301', 'St. Charles County'],
  ['616 ASHWORTH WAY', 'A', 'EUCLID', 'OH', '44132', 'Cuyahoga County'],
  ['1496 95TH ST', '2', 'CLEVELAND', 'OH', '44105', 'Cuyahoga County'],
  ['1813 East 26th Street', '2', 'Kansas City', 'MO', '64127', 'Jackson County'],
  ['2010 S East Loop 410', '', 'San Antonio', 'TX', '78220', 'Bexar County'],
  ['1310 Farm to Market Road 1960 West', '', 'Houston', 'TX', '77090', 'Harris County'],
  ['25W417 Elm Rd', '', 'Naperville', 'IL', '60563', 'DuPage County'],
  ['N65W24838 Oak Street', '', 'Sussex', 'WI', '53089', 'Waukesha County'],
  ['17850 County Road JJ', '4', 'Hartford', 'WI', '53027', 'Washington County'],
  ['12 County Road 24.5', '', 'Greeley', 'CO', '80631', 'Weld County'],
] as const;

/** Every form is tried, in `make test` with a third of the properties. */
const EVERY = thorough(3, 1);

const stateNames = new Map([...STATE_BY_NAME].map(([name, code]) => [code, name]));
const PROPERTIES: readonly Property[] = ADDRESSES.map(([street, unit, city, state, zip, county]) => ({
  street,
  ...(unit === '' ? {} : { unit }),
  city,
  state,
  stateName: stateNames.get(state) ?? '',
  zip,
  county,
}));

/** The line as a list prints it. */
const lineOf = ({ street, unit }: Property): string => (unit === undefined ? street : `${street} UNIT ${unit}`);
const nextHouse = (street: string): string =>
  street.replace(/\d+(?: - \d+)?(?=\s)/u, (number) => String(Number.parseInt(number, 10) + 10));

/** The properties, and others that are easily confused with them. */
function rowsToFind(): Row[] {
  const others = PROPERTIES.flatMap((property) => {
    const { unit, street } = property;
    return [
      // The same street and number in another city and ZIP
      { ...property, city: 'Springfield', zip: '45502' },
      { ...property, street: nextHouse(street) },
      { ...property, ...(unit === undefined ? {} : { unit: `${unit}1` }), street: `${street} N` },
      ...(unit === undefined ? [] : [{ ...property, unit: unit === 'A' ? 'B' : '3' }]),
    ];
  });
  return [...PROPERTIES, ...others].map((property) => ({
    address: lineOf(property),
    city: property.city,
    state: property.state,
    zip: property.zip,
  }));
}

describe('a typed address', () => {
  const deals = rowsToFind().map((row, i) => rowOf('deals', i, { ...row, ...addressParts(String(row['address'])) }));
  const places = [
    ['Akron', 'OH', '44301'],
    ['Upper Arlington', 'OH', '43221'],
    ['Arlington', 'OH', '45814'],
    ['Verona', 'OH', '45378'],
    ['Delaware', 'OH', '43015'],
    ['New York', 'NY', '10001'],
    ['Tampa', 'FL', '33602'],
  ] as const;
  const towns = places.map(([city, state, zip], i) => rowOf('deals', 900 + i, { city, state, zip }));
  const shared = sharedApp({ deals: [...deals, ...towns] });

  /** Ids of what a lookup finds. */
  const find = async ({ query }: TypedForm): Promise<string[]> => {
    const { body } = await shared.ask(`/api/lookup?${new URLSearchParams(query).toString()}`);
    return ((body['listings'] ?? []) as { id: string }[]).map(({ id }) => id);
  };

  it('finds its property in every form, and never another', async () => {
    const results: { typed: string; expected: string; found: string[] }[] = [];
    for (const [n, property] of PROPERTIES.entries())
      for (const [form, typed] of typedForms(property).entries()) {
        if ((n + form) % EVERY !== 0) continue;
        results.push({ typed: `${typed.form}: ${typed.query.address}`, expected: uuid(n), found: await find(typed) });
      }
    assert.ok(results.length >= 150 / EVERY, `${results.length} forms`);
    const wrong = results.filter(({ expected, found }) => found.some((id) => id !== expected));
    assert.deepEqual(wrong, [], 'precision');
    const missed = results.filter(({ expected, found }) => !found.includes(expected));
    assert.deepEqual(missed, [], 'recall');
  });

  it('is read into street, city, state and ZIP', async () => {
    using lease = shared.app.snapshots.acquire() ?? assert.fail();
    const known = await knownPlaces(lease.snapshot);
    for (const [text, ...readings] of [
      ['12 Main St', { street: '12 Main St' }],
      [
        '12 Main St, Apt 4, Akron, OH 44301-1234',
        { street: '12 Main St Apt 4', city: 'Akron', state: 'OH', zip: '44301' },
      ],
      ['12 Main St, 44301', { street: '12 Main St', zip: '44301' }],
      ['12 Main St, St. Louis, mo', { street: '12 Main St', city: 'St. Louis', state: 'MO' }],
      // Several units and floors, as listings print them; a city may begin with the word for a unit.
      ['3940 Eldermoor Avenue, Units 1-6', { street: '3940 Eldermoor Avenue Units 1-6' }],
      ['12 Main St, Upper, Akron, OH', { street: '12 Main St Upper', city: 'Akron', state: 'OH' }],
      ['12 Main St, 2nd Floor', { street: '12 Main St 2nd Floor' }],
      ['12 Main St, Upper Arlington, OH', { street: '12 Main St', city: 'Upper Arlington', state: 'OH' }],
      // Words that are two things: a state and a city, a state and a suffix, a state and a floor, a unit and a ZIP
      ['12 Main St, Delaware, Ohio', { street: '12 Main St', city: 'Delaware', state: 'OH' }],
      ['12 Main St, New York', { street: '12 Main St', city: 'New York' }],
      ['12 Main St, New York, New York', { street: '12 Main St', city: 'New York', state: 'NY' }],
      ['12 Main Ct', { street: '12 Main Ct' }],
      ['12 Main St NE', { street: '12 Main St NE' }],
      ['12 Main St, Tampa, FL 33602', { street: '12 Main St', city: 'Tampa', state: 'FL', zip: '33602' }],
      ['12 Main St Unit 10203', { street: '12 Main St Unit 10203' }],
      ['912, 914 Main St, Akron', { street: '912, 914 Main St', city: 'Akron' }],
      // A city at the end of a street may be its name
      ['12 Via Verona', { street: '12 Via Verona' }, { street: '12 Via', city: 'Verona' }],
      ['12 Via Verona OH', { street: '12 Via', city: 'Verona', state: 'OH' }, { street: '12 Via Verona', state: 'OH' }],
      // It is not cut where nothing of a street is left, or where the word before it may be of its name
      ['12 Akron OH', { street: '12 Akron', state: 'OH' }],
      ['12 Main St Lower Arlington', { street: '12 Main St Lower Arlington' }],
    ] satisfies [string, ...TypedAddress[]][]) {
      assert.deepEqual(readAddress(text, known), readings, text);
    }
  });
});

/** An address as a record has it. */
interface Property {
  readonly street: string;
  readonly unit?: string;
  readonly city: string;
  readonly state: string;
  readonly stateName: string;
  readonly zip: string;
  readonly county: string;
}

/** What is typed into the parameters of a lookup. */
interface TypedForm {
  readonly form: string;
  readonly query: { readonly address: string; readonly city?: string; readonly state?: string };
}

/** "Saint Louis" as "St. Louis", and the other way around. */
const otherSaint = (city: string): string =>
  /^Saint /iu.test(city) ? city.replace(/^Saint /iu, 'St. ') : city.replace(/^St\.? /iu, 'Saint ');

const WITHOUT_UNIT: Readonly<Record<string, (p: Property) => string>> = {
  country: (p) => `${p.street}, ${p.city}, ${p.state} ${p.zip}, USA`,
  dotted_country: (p) => `${p.street}, ${p.city}, ${p.state} ${p.zip}, U.S.A.`,
  full_country: (p) => `${p.street}, ${p.city}, ${p.state} ${p.zip}, United States`,
  state_name: (p) => `${p.street}, ${p.city}, ${p.stateName} ${p.zip}`,
  state_name_alone: (p) => `${p.street}, ${p.city}, ${p.stateName}`,
  no_commas: (p) => `${p.street} ${p.city} ${p.state} ${p.zip}`,
  no_commas_lower: (p) => `${p.street} ${p.city} ${p.state}`.toLowerCase(),
  no_commas_state_name: (p) => `${p.street} ${p.city} ${p.stateName}`,
  no_commas_country: (p) => `${p.street} ${p.city} ${p.stateName} ${p.zip}-0001 United States of America`.toUpperCase(),
  one_comma: (p) => `${p.street} ${p.city}, ${p.state} ${p.zip}`,
  one_comma_before_city: (p) => `${p.street}, ${p.city} ${p.state} ${p.zip}`,
  zip_plus_four: (p) => `${p.street}, ${p.city}, ${p.state} ${p.zip}-1234`,
  zip_plus_four_apart: (p) => `${p.street}, ${p.city}, ${p.state}, ${p.zip} 1234`,
  spaces: (p) => `  ${p.street.replaceAll(' ', '   ')} ,  ${p.city} ,${p.state}   ${p.zip} , `,
  periods: (p) => `${p.street}., ${p.city}., ${p.state}. ${p.zip}.`,
  dash: (p) => `${p.street} - ${p.city}, ${p.state}`,
  city_only: (p) => `${p.street}, ${p.city}`,
  city_without_comma: (p) => `${p.street} ${p.city}`,
  zip_only: (p) => `${p.street}, ${p.zip}`,
  zip_without_comma: (p) => `${p.street} ${p.zip}`,
  state_and_zip: (p) => `${p.street} ${p.state} ${p.zip}`,
  geocoder: (p) =>
    `${p.street.replace(/^(\S+) /u, '$1, ')}, ${p.city}, ${p.county}, ${p.stateName}, ${p.zip}, United States`,
  other_saint: (p) => `${p.street}, ${otherSaint(p.city)}, ${p.state}`,
  other_saint_no_commas: (p) => `${p.street} ${otherSaint(p.city)} ${p.state} ${p.zip}`,
};

const WITH_UNIT: Readonly<Record<string, (p: Property, unit: string) => string>> = {
  unit_after_street: (p, unit) => `${p.street} Apt ${unit}, ${p.city}, ${p.state} ${p.zip}`,
  unit_as_piece: (p, unit) => `${p.street}, Unit ${unit}, ${p.city}, ${p.state} ${p.zip}`,
  unit_first: (p, unit) => `Apt ${unit}, ${p.street}, ${p.city} ${p.state}`,
  unit_first_without_comma: (p, unit) => `#${unit} ${p.street}, ${p.city}, ${p.state}`,
  unit_last: (p, unit) => `${p.street}, ${p.city}, ${p.state} ${p.zip}, Apt. ${unit}`,
  unit_last_no_commas: (p, unit) => `${p.street} ${p.city} ${p.state} ${p.zip} apt ${unit}`,
  unit_before_city: (p, unit) => `${p.street} # ${unit} ${p.city} ${p.state} ${p.zip}`,
  unit_after_house: (p, unit) => `${p.street.replace(/^(\S+) /u, `$1 Unit ${unit} `)}, ${p.city}, ${p.stateName}`,
};

/** Every way to type the address of a property. */
function typedForms(property: Property): TypedForm[] {
  const { unit } = property;
  const lines =
    unit === undefined
      ? Object.entries(WITHOUT_UNIT).map(([form, write]) => ({ form, query: { address: write(property) } }))
      : Object.entries(WITH_UNIT).map(([form, write]) => ({ form, query: { address: write(property, unit) } }));
  const street = unit === undefined ? property.street : `${property.street} #${unit}`;
  return [
    ...lines,
    { form: 'parameters', query: { address: street, city: otherSaint(property.city), state: property.state } },
    { form: 'city_twice', query: { address: `${street}, ${property.city}`, city: property.city.toUpperCase() } },
  ];
}
