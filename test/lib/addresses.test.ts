/** The normalizer of addresses and the comparison of two of them, on streets as published and as typed. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { basisInCounty, placeAgreement } from '../../lib/addresses/match.ts';
import { addressesOf, addressParts, isPoBox, listingParts } from '../../lib/addresses/parts.ts';
import { organizationKey } from '../../lib/organizations.ts';
import { addressPairs, isOfAddressesOnly } from '../models/identity/near_misses.ts';

const keyOf = (street: string): string | null => addressParts(street)?.address_key ?? null;
const pairs = await addressPairs();

describe('address keys', () => {
  it('stay the same when normalized again', () => {
    const keys = pairs.flatMap(({ a, b }) => [a, b]).flatMap((street) => keyOf(street) ?? []);
    assert.ok(keys.length > 600);
    assert.deepEqual(keys.map(keyOf), keys);
  });

  it('are equal exactly for the pairs of the corpus that match exactly', () => {
    const differ = pairs.filter(isOfAddressesOnly).filter(({ a, b, a_zip, b_zip, units, found }) => {
      const stated = units === '?' ? null : Number(units || 4);
      const listed = [listingParts(a, stated), ...addressesOf(a)].flatMap((parts) => parts?.address_key ?? []);
      const isEqual = addressesOf(b).some((parts) => parts !== null && listed.includes(parts.address_key));
      return (isEqual && a_zip === b_zip.slice(0, 5)) !== (found === 'exact');
    });
    assert.deepEqual(
      differ.map(({ a, b, found }) => `${a} | ${b}: ${found}`),
      [],
    );
  });

  it('detect a post office box', () => {
    const streets = ['P.O. Box 12', 'PO BOX 7', 'Post Office Box 3', 'BOX 9', '12 Box Elder Ln', '12 Main St'];
    assert.deepEqual(streets.map(isPoBox), [true, true, true, true, false, false]);
  });

  it('are found in hostile text without catastrophic backtracking', () => {
    const hostile = ['1 UNIT 1 - ', '1- ', '# ', '1 A ST & ', ' REAR UP', '12 UNIT A,AND ', '1 APT 1 # & 2 '];
    for (const text of hostile) assert.match(keyOf(`12 Main St ${text.repeat(60)}zz`) ?? '', /^12 MAIN ST/u);
    for (const joint of [' - ', ' & ', ', ', ' TO ']) {
      assert.match(keyOf(`12${joint.repeat(60)}Main St`) ?? '', /MAIN ST$/u);
      assert.match(keyOf(`12 Main St Unit 1${joint.repeat(60)}zz`) ?? '', /^12 MAIN ST/u);
    }
  });
});

describe('two addresses', () => {
  it('are in one place by ZIP, or else by city; a municipality rules out no other city', () => {
    const record = { city: 'Akron', zip: '44301', city_basis: null };
    const municipality = { city: 'Akron', zip: null, city_basis: 'municipality' };
    const agreements = [
      placeAgreement(record, { city: 'AKRON', zip: null }),
      placeAgreement(record, { city: 'Kent', zip: null }),
      placeAgreement(record, { city: 'Akron', zip: '44302' }),
      placeAgreement(record, { city: null, zip: '44301' }),
      placeAgreement(record, { city: null, zip: null }),
      placeAgreement(municipality, { city: 'Kent', zip: '44301' }),
      placeAgreement({ ...municipality, zip: '44301' }, { city: 'Kent', zip: '44301' }),
    ];
    assert.deepEqual(agreements, ['same', 'other', 'other', 'same', 'unknown', 'unknown', 'same']);
    assert.deepEqual(
      (['same', 'unknown', 'other'] as const).map((agreement) => basisInCounty('address_range', agreement)),
      ['address_range', 'address_range_place_unknown', null],
    );
  });
});

describe('keys of organizations', () => {
  it('are the same for every spelling', () => {
    assert.deepEqual(
      [
        'Acme Limited Liability Company',
        'ACME, L.L.C.',
        'Ácme & Söns Assn',
        'Acme/Sons; Smith C/O Jones',
        'A/BC Corporation Limited',
        'O’Hara Limited Partnership',
      ].map(organizationKey),
      [
        'ACME LLC',
        'ACME LLC',
        'ACME AND SONS ASSOCIATION',
        'ACME AND SONS AND SMITH C O JONES',
        'A BC CORP LTD',
        'OHARA LP',
      ],
    );
  });
});
