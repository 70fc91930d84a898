/**
 * How the parcel numbers of each county are made, printed and confused. All numbers are invented; the forms are those
 * of models/reference/parcel_formats.csv.
 */

/** The parts of a parcel number, such as book, page and parcel. */
export type Parts = readonly string[];

export interface CountyNumbers {
  readonly county_fips: string;
  readonly county: string;
  readonly city: string;
  /** ZIPs of two of its towns. */
  readonly zips: readonly [string, string];
  /** The invented number of an index; three apart, so that no neighbor is the number of another index. */
  number(index: number): Parts;
  /** Forms in which its sources print the number. */
  readonly forms: readonly ((parts: Parts) => string)[];
  /** Forms that say less than the number, so that a row of this form may be of another parcel: same, but no match. */
  readonly vague?: readonly ((parts: Parts) => string)[];
  /** Other parcels whose numbers look alike, besides those of the next number and of exchanged digits. */
  readonly others?: readonly ((parts: Parts) => string)[];
}

/** Digits that look random, by index and salt. */
const digits = (index: number, salt: number, size: number): string =>
  String(((index * 7919 + salt * 104729 + 13) % (9 * 10 ** (size - 1) - 1)) + 10 ** (size - 1));
const counted = (index: number, first: number, size: number): string => String(first + 3 * index).padStart(size, '0');
const joined =
  (separator: string) =>
  (parts: Parts): string =>
    parts.join(separator);
const plain = joined('');
const dashed = joined('-');
const small = (parts: Parts): string => dashed(parts).toLowerCase();
/** As a spreadsheet leaves it that reads the number as one. */
const withoutZeros = (parts: Parts): string => plain(parts).replace(/^0{1,2}/u, '');
const part = (parts: Parts, index: number): string => parts[index] ?? '';
const after =
  (text: string) =>
  (parts: Parts): string =>
    `${dashed(parts)}${text}`;

/** Section, township and range; every sixth section reads as a range of Pinellas too. */
const section = (index: number): string => String(1 + ((index * 5) % 36)).padStart(2, '0');

const OHIO: readonly CountyNumbers[] = [
  {
    county_fips: '39035',
    county: 'Cuyahoga County, OH',
    city: 'Cleveland',
    zips: ['44102', '44109'],
    number: (i) => [`0${digits(i, 1, 2)}`, digits(i, 2, 2), counted(i, 101, 3)],
    forms: [dashed, plain, joined(' '), withoutZeros],
    others: [after('C'), after('1')],
  },
  {
    county_fips: '39049',
    county: 'Franklin County, OH',
    city: 'Columbus',
    zips: ['43205', '43211'],
    number: (i) => ['010', counted(i, 100101, 6)],
    forms: [dashed, plain, after('-00'), withoutZeros],
    others: [after('-01'), after('-80')],
  },
  {
    county_fips: '39061',
    county: 'Hamilton County, OH',
    city: 'Cincinnati',
    zips: ['45205', '45211'],
    number: (i) => ['054', `0${digits(i, 1, 3)}`, counted(i, 1001, 4), '00'],
    forms: [dashed, plain, withoutZeros],
    others: [(p) => `${dashed(p.slice(0, 3))}-90`],
    vague: [(p) => dashed(p.slice(0, 3))],
  },
  {
    county_fips: '39095',
    county: 'Lucas County, OH',
    city: 'Toledo',
    zips: ['43605', '43609'],
    number: (i) => ['03', counted(i, 10101, 5)],
    forms: [dashed, plain, withoutZeros],
  },
  {
    county_fips: '39113',
    county: 'Montgomery County, OH',
    city: 'Dayton',
    zips: ['45405', '45406'],
    number: (i) => ['R72', digits(i, 1, 5), counted(i, 1001, 4)],
    forms: [joined(' '), plain, small],
    others: [(p) => `E72 ${part(p, 1)} ${part(p, 2)}`],
    vague: [(p) => `72 ${part(p, 1)} ${part(p, 2)}`],
  },
  {
    county_fips: '39151',
    county: 'Stark County, OH',
    city: 'Canton',
    zips: ['44703', '44705'],
    number: (i) => ['02', counted(i, 10101, 5)],
    forms: [dashed, plain, withoutZeros],
    others: [(p) => `1${plain(p)}`],
  },
  {
    county_fips: '39153',
    county: 'Summit County, OH',
    city: 'Akron',
    zips: ['44305', '44306'],
    number: (i) => ['02', counted(i, 10101, 5)],
    forms: [dashed, plain, withoutZeros],
  },
];

const FLORIDA: readonly CountyNumbers[] = [
  {
    county_fips: '12031',
    county: 'Duval County, FL',
    city: 'Jacksonville',
    zips: ['32208', '32209'],
    number: (i) => [counted(i, 35801, 6), '0000'],
    forms: [dashed, plain, joined(' '), withoutZeros, (p) => `${part(p, 0).slice(1)}-${part(p, 1)}`],
    others: [(p) => `${part(p, 0)}-0010`, (p) => `${part(p, 0)}-000`],
  },
  {
    county_fips: '12057',
    county: 'Hillsborough County, FL',
    city: 'Tampa',
    zips: ['33605', '33610'],
    number: (i) => [counted(i, 13841, 6), '0000'],
    forms: [plain, (p) => `A${plain(p)}`, joined('.'), withoutZeros, dashed],
    others: [(p) => `${part(p, 0)}.0100`, (p) => `A${part(p, 0)}0002`],
  },
  {
    county_fips: '12101',
    county: 'Pasco County, FL',
    city: 'Hudson',
    zips: ['34667', '34669'],
    number: (i) => [section(i), '24', '16', `0${digits(i, 1, 2)}A`, '00000', counted(i, 1001, 4)],
    forms: [dashed, plain, small],
    others: [(p) => `${dashed(p.slice(0, 5))}-006A`, (p) => `${dashed(p.slice(0, 4))}-00100-${part(p, 5)}`],
  },
  {
    county_fips: '12103',
    county: 'Pinellas County, FL',
    city: 'Clearwater',
    zips: ['33755', '33759'],
    number: (i) => [section(i), '29', '15', digits(i, 1, 5), '005', counted(i, 1001, 4)],
    forms: [dashed, plain, (p) => plain([part(p, 2), part(p, 1), part(p, 0), ...p.slice(3)])],
    others: [
      (p) => dashed([...p.slice(0, 3), '00000', ...p.slice(4)]),
      (p) => dashed([...p.slice(0, 4), '006', part(p, 5)]),
    ],
  },
];

const OTHERS: readonly CountyNumbers[] = [
  {
    county_fips: '17031',
    county: 'Cook County, IL',
    city: 'Chicago',
    zips: ['60629', '60636'],
    number: (i) => [`0${1 + (i % 9)}`, '18', '411', counted(i, 101, 3), '0000'],
    forms: [dashed, plain, (p) => plain(p).slice(1)],
    others: [(p) => dashed([...p.slice(0, 4), '1001'])],
    vague: [(p) => dashed(p.slice(0, 4))],
  },
  {
    county_fips: '26163',
    county: 'Wayne County, MI',
    city: 'Detroit',
    zips: ['48205', '48227'],
    number: (i) => ['02', counted(i, 100101, 6)],
    forms: [(p) => `${plain(p)}.`, (p) => plain(p), (p) => `${plain(p).slice(1)}.`],
    others: [(p) => `${plain(p)}.001`, (p) => `${plain(p)}.002L`, (p) => `${plain(p)}-6`, (p) => `${plain(p)}001`],
  },
  {
    county_fips: '29510',
    county: 'St. Louis city, MO',
    city: 'St. Louis',
    zips: ['63112', '63120'],
    number: (i) => [`00${digits(i, 1, 2)}`, '9', counted(i, 101, 3), '000'],
    forms: [plain, (p) => `${part(p, 0)}-9-${part(p, 2)}.${part(p, 3)}`, withoutZeros],
    others: [(p) => `${part(p, 0)}-9-${part(p, 2)}.010`],
  },
  {
    county_fips: '37119',
    county: 'Mecklenburg County, NC',
    city: 'Charlotte',
    zips: ['28205', '28208'],
    number: (i) => ['019', counted(i, 101, 3), digits(i, 1, 2)],
    forms: [plain, dashed, withoutZeros],
    others: [(p) => `${plain(p)}2`, (p) => `${part(p, 0)}${part(p, 1)}9A`],
  },
  {
    county_fips: '42003',
    county: 'Allegheny County, PA',
    city: 'Pittsburgh',
    zips: ['15210', '15204'],
    number: (i) => ['0063', 'ABCDEFGHJKLMNPRS'.charAt(i % 16), counted(i, 10001, 5), '000000'],
    forms: [
      plain,
      (p) => `63${part(p, 1)}${part(p, 2)}`,
      (p) => `63${part(p, 1)}${part(p, 2)} 000000`,
      (p) => `0-${dashed(p.slice(0, 3))}-0000-00`,
      (p) => plain(p).toLowerCase(),
    ],
    others: [(p) => `${plain(p.slice(0, 3))}000A00`, (p) => `63${part(p, 1)}${part(p, 2)} 1002`],
    vague: [(p) => `63${part(p, 2)}`],
  },
  {
    county_fips: '47157',
    county: 'Shelby County, TN',
    city: 'Memphis',
    zips: ['38106', '38109'],
    number: (i) => [`0${digits(i, 1, 5)}`, counted(i, 101, 5)],
    forms: [joined('  '), joined(' '), (p) => `${part(p, 0)}00${part(p, 1)}0`, plain],
    others: [after('C'), (p) => `${part(p, 0)} A${part(p, 1)}`, (p) => `${part(p, 0)}0A${part(p, 1)}0`],
  },
  {
    county_fips: '48029',
    county: 'Bexar County, TX',
    city: 'San Antonio',
    zips: ['78207', '78237'],
    number: (i) => [`02${digits(i, 1, 3)}`, '004', counted(i, 1001, 4)],
    forms: [plain, dashed, withoutZeros],
    others: [(p) => `${part(p, 0)}-005-${part(p, 2)}`, (p) => part(p, 0) + part(p, 2).slice(0, 2)],
  },
  {
    county_fips: '55079',
    county: 'Milwaukee County, WI',
    city: 'Milwaukee',
    zips: ['53206', '53210'],
    number: (i) => [`0${digits(i, 1, 2)}`, counted(i, 1001, 4), '000'],
    forms: [plain, dashed, withoutZeros],
    others: [(p) => `${part(p, 0)}-${part(p, 1)}-100`],
  },
];

/** Counties with a form of their own, in the order of their FIPS. */
export const COUNTY_NUMBERS = [...OHIO, ...FLORIDA, ...OTHERS].toSorted((a, b) =>
  a.county_fips.localeCompare(b.county_fips),
);
