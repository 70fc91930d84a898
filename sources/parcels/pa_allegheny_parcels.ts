/**
 * Allegheny County, Pennsylvania: the assessment roll, about 585,000 parcels, monthly. A parcel with several buildings
 * has a row (card) for each. The columns read here are equal on all cards except the year built, which is taken from
 * the first card. The roll has no owner's name; the address for change notices is the owner's mailing address. Known
 * from public readers and part of a recorded row: the columns; SALECODE 0 is a valid sale and H one of several parcels;
 * the meaning of other codes is unknown. A SALEPRICE of 0 or 1 is no price.
 */
import { mailing } from '../readers/addresses.ts';
import { ALLEGHENY, wprdcTerms } from '../readers/open_data/portals.ts';
import { ckanTable } from '../readers/open_data/ckan.ts';
import type { Cells, Group } from '../readers/open_data/table.ts';
import { cents, date, decimal, integer, joined, money, optional, published, refuse, year, zip } from '../values.ts';

const HOME = 'https://data.wprdc.org/dataset/property-assessments';
/** Cents of the largest token price. */
const TOKEN_PRICE = 100n;

/** Day, price and kind of the last sale. The day is printed as 06-21-2022. */
function lastSale({ SALEDATE, SALEPRICE, SALECODE }: Cells) {
  const day = date('SALEDATE', optional(SALEDATE)?.replaceAll('-', '/'));
  const amount = cents('SALEPRICE', SALEPRICE);
  const price = amount === null || amount <= TOKEN_PRICE ? null : decimal(amount);
  const code = published(SALECODE)?.toUpperCase();
  const basis = code === 'H' || price === null ? 'not_market' : code === '0' ? 'market' : 'unknown';
  return { last_sale_date: day, last_sale_price: price, last_sale_basis: day === null ? null : basis } as const;
}

/** The card of the first building; of several cards each must have a number. */
function firstCard([only, ...others]: Group): Cells {
  const numberOf = ({ CARDNUMBER: card }: Cells): number =>
    integer('CARDNUMBER', card) ?? refuse('blank_card', 'CARDNUMBER is blank on one of several cards');
  return others.reduce((first, row) => (numberOf(row) < numberOf(first) ? row : first), only);
}

const houseNumber = (cell: unknown): string | null => ((text) => (text === '0' ? null : text))(optional(cell));

export default ckanTable<'parcels'>({
  name: 'pa_allegheny_parcels',
  family: 'parcels',
  title: 'Allegheny County parcels (assessment roll)',
  home: HOME,
  county: ALLEGHENY.county,
  covers: { kinds: ['parcel_roll'] },
  terms: wprdcTerms('CC0', HOME),
  everyDays: 31,
  expect: { minRows: 1, maxRejectShare: 0.02, maxDropShare: 0.1, joins: { address: 0.9, zip: 0.9 } },
  portal: ALLEGHENY.portal,
  resource: '65855e14-549e-4992-b5be-d629afc676fa',
  columns: (
    'PARID PROPERTYHOUSENUM PROPERTYADDRESS PROPERTYUNIT PROPERTYCITY PROPERTYZIP USEDESC SALEDATE SALEPRICE ' +
    'SALECODE CHANGENOTICEADDRESS1 CHANGENOTICEADDRESS2 CHANGENOTICEADDRESS3 CHANGENOTICEADDRESS4 FAIRMARKETTOTAL ' +
    'YEARBLT CARDNUMBER'
  ).split(' '),
  optional: ['PROPERTYFRACTION'],
  dump: 'too_large',
  group: ['PARID'],
  link: 'PARID',
  identity: ({ PARID }) => ({ parcel_raw: published(PARID) }),
  record: (rows) => {
    const row = firstCard(rows);
    const address = [houseNumber(row.PROPERTYHOUSENUM), row.PROPERTYFRACTION, row.PROPERTYADDRESS, row.PROPERTYUNIT];
    const { CHANGENOTICEADDRESS1: first, CHANGENOTICEADDRESS2: second } = row;
    return {
      is_lot: false,
      street: optional(row.PROPERTYADDRESS) === null ? null : joined(address),
      city: optional(row.PROPERTYCITY),
      city_is_municipality: false,
      zip: zip('PROPERTYZIP', row.PROPERTYZIP),
      county_value: money('FAIRMARKETTOTAL', row.FAIRMARKETTOTAL, { zeroIsUnknown: true }),
      ...mailing([first, second, joined([row.CHANGENOTICEADDRESS3, row.CHANGENOTICEADDRESS4])]),
      ...lastSale(row),
      year_built: year('YEARBLT', row.YEARBLT),
      property_class: optional(row.USEDESC),
    };
  },
});
