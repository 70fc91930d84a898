/** Unit mixes: the texts that are read, those that are not, and the sites' own words for them. */
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { unitTypeMix } from '../../sources/readers/reso/rows.ts';
import { bedroomsOfType, mixOfTypes, parseUnitMix, type UnitMix } from '../../sources/readers/unit_mix.ts';

const READ: Readonly<Record<string, UnitMix>> = {
  // A count, then a type
  '4x1BR, 4x2BR': [0, 4, 4, 0, 0],
  '(4) 1-bed / (4) 2-bed': [0, 4, 4, 0, 0],
  '4-1/1, 4-2/1': [0, 4, 4, 0, 0],
  '4 × 1 BR; 4 × 2 BR.': [0, 4, 4, 0, 0],
  '(2) Studios + (4) 1BR/1BA + (2) 2BR/1.5BA': [2, 4, 2, 0, 0],
  'Four one-bedroom units and two two-bedroom units': [0, 4, 2, 0, 0],
  '4 1BR 1BA, 4 2BR 1BA': [0, 4, 4, 0, 0],
  '12 2-bedroom apartments': [0, 0, 12, 0, 0],
  '2-2/1 and 1-3/2': [0, 0, 2, 1, 0],
  '(1) 5 bd & (3) 4+ bd': [0, 0, 0, 0, 4],
  '2-0/1 | 6-1/1': [2, 6, 0, 0, 0],
  '1-2BR/1-3BR': [0, 0, 1, 1, 0],
  '0 studios, 3 1BR': [0, 3, 0, 0, 0],
  // A type, then a count
  'Studio: 2, 1BR: 4': [2, 4, 0, 0, 0],
  '1BR/1BA: 4; 2BR/1BA: 4': [0, 4, 4, 0, 0],
  '1 bed (4), 2 bed (2 units)': [0, 4, 2, 0, 0],
  '1BR - 4, 2BR - 2': [0, 4, 2, 0, 0],
  '2BR x 6': [0, 0, 6, 0, 0],
  // With a title or a total
  'Unit Mix: 4x1BR\n4x2BR': [0, 4, 4, 0, 0],
  '8 units: 4x1BR, 4x2BR': [0, 4, 4, 0, 0],
  '3x2BR/1BA, 1x2BR/2BA': [0, 0, 4, 0, 0],
};

const NOT_READ = [
  '1BR, 2BR', // no counts
  '4BR',
  '4 bed 2 bath',
  '3 bed - 2', // beds and baths
  '4x2', // units and beds, or beds and baths
  '4-2',
  '1/1, 2/1', // types of units that are not counted
  '2-3 BR', // a range
  '1 - 2 bedrooms',
  '2-3/1',
  '2 1/2 BR',
  '1.5BR x 4',
  'All 2BR/1BA',
  'Mostly 2BR',
  'Unit 1: 2/1, Unit 2: 1/1',
  '4x1BR, 4x2BR, parking',
  '4x1BR @ $850, 4x2BR @ $950',
  '4x1BR 4x2BR', // no separator
  '9 units: 4x1BR, 4x2BR', // another total
  '0x1BR',
  '1,200 1BR',
  '12BR',
  'Call for unit mix',
  '',
  'N/A',
] as const;

describe('a text', () => {
  for (const [text, mix] of Object.entries(READ))
    test(`${JSON.stringify(text)} is read`, () => {
      assert.deepEqual(parseUnitMix(text), mix);
    });
  test('with two readings or none is null', () => {
    for (const text of NOT_READ) assert.equal(parseUnitMix(text), null, text);
    for (const value of [null, undefined, 4, true]) assert.equal(parseUnitMix(value), null);
  });
});

test('counts by type are a mix if each is a number', () => {
  const counts = (...values: readonly unknown[]) => mixOfTypes(values.map((count, bedrooms) => ({ bedrooms, count })));
  assert.deepEqual(counts('', '4', 4, '2 units', null), [0, 4, 4, 2, 0]);
  assert.equal(counts('', null, undefined, '-', 'N/A'), null);
  assert.equal(counts('0', 0, '', '', ''), null);
  for (const other of ['$850', '850.50', 'yes', true, -4]) assert.equal(counts('', other, 4), null, String(other));
  assert.deepEqual(mixOfTypes([{ bedrooms: 7, count: 2 }]), [0, 0, 0, 0, 2]);
  assert.equal(mixOfTypes([{ bedrooms: null, count: 2 }]), null);
});

describe('an MLS', () => {
  test("states bedrooms in the Data Dictionary's words, with and without spaces", () => {
    const words = ['Studio', 'Efficiency', '1 Bedroom', 'OneBedroom', '4 Bedroom Or More', 'FourBedroomOrMore'];
    assert.deepEqual(words.map(bedroomsOfType), [0, 0, 1, 1, 4, 4]);
    for (const other of ['Loft', 'Apartments', "Manager's Unit", null, 2]) assert.equal(bedroomsOfType(other), null);
  });
  test('has a mix if each type states its bedrooms and its number of units', () => {
    const row = (UnitTypeType: string, UnitTypeBedsTotal: number | null, UnitTypeUnitsTotal: number | null) => ({
      UnitTypeType,
      UnitTypeBedsTotal,
      UnitTypeUnitsTotal,
    });
    const mixOf = (...UnitTypes: ReturnType<typeof row>[]) => unitTypeMix({ UnitTypes });
    assert.deepEqual(mixOf(row('1 Bedroom', 1, 4), row('Loft', 2, 1)), [0, 4, 1, 0, 0]);
    // Some feeds sum the bedrooms over the units: the type comes first.
    assert.deepEqual(mixOf(row('2 Bedroom', 8, 4)), [0, 0, 4, 0, 0]);
    assert.equal(mixOf(row('Loft', null, 4)), null);
    assert.equal(mixOf(row('1 Bedroom', 1, 4), row('2 Bedroom', 2, null)), null);
    assert.equal(mixOf(), null);
    assert.equal(unitTypeMix({}), null);
  });
});
