/** Which records of distress each county or city publishes in the made-up world, and how it numbers them. */
import type { DISTRESS_TYPES } from '../../sources/kinds.ts';
import { pad } from './digits.ts';
import { onLienHub } from './parcels_elsewhere.ts';
import type { Property } from './types.ts';

export type DistressKind = (typeof DISTRESS_TYPES)[number];

export interface Numbered {
  /** Year of filing. */
  readonly year: number;
  /** Unique per publisher and kind. */
  readonly serial: number;
  readonly property: Property;
}

/** One kind of record of one publisher. */
export interface Publisher {
  readonly fips: string;
  /** The only city that it covers, if it is not the whole county. */
  readonly city: string | null;
  readonly kind: DistressKind;
  /** Records on the default day, in percent of the option `distress`. */
  readonly size: number;
  readonly number: (of: Numbered) => string;
  /** The number is the parcel's, so that a property has one record. */
  readonly isByParcel: boolean;
  /** Whether closed records stay on the list. */
  readonly keepsClosed: boolean;
}

const short = (year: number): string => pad(year % 100, 2);
const parcelNumber = ({ property }: Numbered): string => property.parcel ?? '';

type Place = Pick<Publisher, 'fips' | 'city'>;
const county = (fips: string): Place => ({ fips, city: null });
const MILWAUKEE: Place = { fips: '55079', city: 'Milwaukee' };
const KANSAS_CITY: Place = { fips: '29095', city: 'Kansas City' };
const CLEVELAND: Place = { fips: '39035', city: 'Cleveland' };
const PITTSBURGH: Place = { fips: '42003', city: 'Pittsburgh' };
const CHICAGO: Place = { fips: '17031', city: 'Chicago' };

const byCase = { isByParcel: false, keepsClosed: true };
/** A list by parcel that drops closed records. */
const byParcel = { isByParcel: true, keepsClosed: false, number: parcelNumber };

/** The tax collector's list of certificates for sale, the same from April on. */
const certificates = (fips: string, size: number): Publisher => ({
  ...county(fips),
  ...byParcel,
  kind: 'tax_lien',
  size,
  number: ({ property }) => onLienHub(property),
});

export const publishers: readonly Publisher[] = [
  { ...MILWAUKEE, ...byParcel, kind: 'vacant_building', size: 90 },
  { ...county('29510'), ...byParcel, kind: 'vacant_building', size: 120 },
  {
    ...KANSAS_CITY,
    ...byCase,
    kind: 'code_violation',
    size: 120,
    number: ({ year, serial }) => `NPD-${year}-${pad(serial, 5)}`,
  },
  {
    ...KANSAS_CITY,
    ...byCase,
    kind: 'condemned',
    size: 60,
    number: ({ year, serial }) => `DB-${year}-${pad(serial, 5)}`,
  },
  {
    fips: '26163',
    city: 'Detroit',
    ...byCase,
    kind: 'blight_judgment',
    size: 150,
    number: ({ year, serial }) => `${short(year)}${pad(serial, 6)}DAH`,
  },
  certificates('12031', 80),
  certificates('12057', 80),
  certificates('12103', 70),
  certificates('12101', 60),
  {
    fips: '37119',
    city: 'Charlotte',
    ...byCase,
    kind: 'code_violation',
    size: 100,
    number: ({ year, serial }) => `CE-${year}-${pad(serial, 6)}`,
  },
  {
    ...CLEVELAND,
    ...byCase,
    kind: 'code_violation',
    size: 150,
    number: ({ year, serial }) => `V${short(year)}${pad(serial, 6)}`,
  },
  { ...CLEVELAND, ...byParcel, kind: 'condemned', size: 60, keepsClosed: true },
  {
    fips: '39049',
    city: 'Columbus',
    ...byCase,
    kind: 'code_violation',
    size: 90,
    number: ({ year, serial }) => `${short(year)}440-${pad(serial, 5)}`,
  },
  {
    fips: '39061',
    city: 'Cincinnati',
    ...byCase,
    kind: 'code_violation',
    size: 110,
    number: ({ year, serial }) => `H${year}${pad(serial, 5)}`,
  },
  {
    ...county('42003'),
    ...byCase,
    kind: 'foreclosure_filing',
    size: 60,
    number: ({ year, serial }) => `${serial % 3 === 0 ? 'GD' : 'MG'}-${short(year)}-${pad(serial, 6)}`,
  },
  {
    ...county('42003'),
    ...byCase,
    kind: 'tax_lien',
    size: 70,
    number: ({ year, serial }) => `DTD-${short(year)}-${pad(serial, 6)}`,
  },
  {
    ...PITTSBURGH,
    ...byCase,
    kind: 'code_violation',
    size: 60,
    number: ({ year, serial }) => `CF-PLI-${year}-${pad(serial, 6)}`,
  },
  { ...PITTSBURGH, ...byParcel, kind: 'condemned', size: 40, keepsClosed: true },
  { ...CHICAGO, ...byCase, kind: 'code_violation', size: 60, number: ({ serial }) => `7${pad(serial, 6)}` },
  { ...CHICAGO, ...byCase, kind: 'vacant_building', size: 40, number: ({ serial }) => `75${pad(serial, 5)}` },
];
