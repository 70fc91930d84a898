/** Counties outside Ohio with foreclosure and tax sales in the made-up world, and how their sites number them. */
import { DAY_MS } from '../../lib/time.ts';
import type { AuctionType } from '../../sources/kinds.ts';
import { weekday } from './days.ts';
import { pad } from './digits.ts';
import { DUVAL, HILLSBOROUGH, onForeclosureSite, PASCO, PINELLAS } from './parcels_elsewhere.ts';
import type { Property, SaleStatus } from './types.ts';

export interface Numbered {
  readonly year: number;
  /** Unique per county and type. */
  readonly serial: number;
}

/** One kind of sale of one county. */
export interface SaleSite {
  readonly fips: string;
  readonly county: string;
  readonly type: Exclude<AuctionType, 'sheriff_sale'>;
  /** Items of the default day or later, in percent of the option `auctions`. */
  readonly size: number;
  readonly startsAt: string;
  readonly isSaleDay: (day: number) => boolean;
  /** Number of the case; the county's number of the whole sale where items have none. */
  readonly caseNumber: (of: Numbered) => string;
  readonly certificate: ((of: Numbered) => string) | null;
  readonly parcel: (property: Property) => string;
  /** Words that replace the time of an item. */
  readonly words: readonly (readonly [{ readonly status: SaleStatus; readonly words: string }, number])[];
  /** Whether it has the debt, the value on the roll and the plaintiff's bid; the opening bid. */
  readonly hasJudgment: boolean;
  readonly hasOpeningBid: boolean;
}

const on =
  (...days: readonly number[]) =>
  (day: number): boolean =>
    days.includes(weekday(day));
const WORKDAYS = on(1, 2, 3, 4, 5);
/** The first Tuesday of a month, on which Texas sells (Property Code 51.002, Tax Code 34.01). */
const FIRST_TUESDAY = (day: number): boolean => weekday(day) === 2 && new Date(day * DAY_MS).getUTCDate() <= 7;
const printed = ({ parcel }: Property): string => parcel ?? '';

const FORECLOSURE = {
  type: 'foreclosure_sale',
  certificate: null,
  parcel: onForeclosureSite,
  hasJudgment: true,
  hasOpeningBid: false,
  words: [
    [{ status: 'cancelled', words: 'Canceled per Order' }, 5],
    [{ status: 'cancelled', words: 'Canceled per Bankruptcy' }, 3],
    [{ status: 'cancelled', words: 'Canceled per County' }, 2],
    [{ status: 'postponed', words: 'Rescheduled' }, 3],
  ],
} as const;

const TAX_DEED = {
  type: 'tax_deed_sale',
  parcel: printed,
  hasJudgment: false,
  hasOpeningBid: true,
  words: [
    [{ status: 'cancelled', words: 'Redeemed' }, 7],
    [{ status: 'cancelled', words: 'Canceled per County' }, 2],
    [{ status: 'cancelled', words: 'Canceled per Bankruptcy' }, 1],
  ],
} as const;

/** Lists without results: an item that is called off leaves the list. */
const OTHER = {
  parcel: printed,
  certificate: null,
  hasJudgment: false,
  words: [[{ status: 'withdrawn', words: '' }, 1]],
} as const;

const DUVAL_SITE = { fips: DUVAL, county: 'Duval', startsAt: '11:00 AM ET' };
const HILLSBOROUGH_SITE = { fips: HILLSBOROUGH, county: 'Hillsborough', startsAt: '10:00 AM ET' };
const PINELLAS_SITE = { fips: PINELLAS, county: 'Pinellas', startsAt: '10:00 AM ET' };
const PASCO_SITE = { fips: PASCO, county: 'Pasco', startsAt: '11:00 AM ET' };
const BEXAR_SITE = { fips: '48029', county: 'Bexar', startsAt: '10:00 AM CT', isSaleDay: FIRST_TUESDAY };

export const saleSites: readonly SaleSite[] = [
  {
    ...DUVAL_SITE,
    ...FORECLOSURE,
    size: 36,
    isSaleDay: WORKDAYS,
    caseNumber: ({ year, serial }) => `16-${year}-CA-${pad(serial, 6)}-${serial % 5 === 0 ? 'AXXX' : 'XXXX'}-MA`,
  },
  {
    ...DUVAL_SITE,
    ...TAX_DEED,
    size: 24,
    isSaleDay: on(3),
    caseNumber: ({ year, serial }) => `${year}-${pad(serial % 10_000, 4)}TD`,
    certificate: ({ year, serial }) => `${pad(serial % 100_000, 5)}-${year - 3}`,
  },
  {
    ...HILLSBOROUGH_SITE,
    ...FORECLOSURE,
    size: 36,
    isSaleDay: WORKDAYS,
    caseNumber: ({ year, serial }) => `29${year}${serial % 4 === 0 ? 'CC' : 'CA'}${pad(serial, 6)}A001HC`,
  },
  {
    ...HILLSBOROUGH_SITE,
    ...TAX_DEED,
    size: 24,
    isSaleDay: on(4),
    caseNumber: ({ year, serial }) => `${year}-${serial}`,
    certificate: ({ year, serial }) => `${year - 3} / ${serial}`,
  },
  {
    ...PINELLAS_SITE,
    ...FORECLOSURE,
    size: 28,
    isSaleDay: WORKDAYS,
    caseNumber: ({ year, serial }) =>
      `52${year}${serial % 4 === 0 ? `CC${pad(serial, 6)}XXCOCO` : `CA${pad(serial, 6)}XXCICI`}`,
  },
  {
    ...PINELLAS_SITE,
    ...TAX_DEED,
    size: 22,
    isSaleDay: on(3),
    caseNumber: ({ year, serial }) => `${year}-${pad(serial, 5)}`,
    certificate: ({ year, serial }) => `${year}-${pad(serial, 5)}`,
  },
  {
    ...PASCO_SITE,
    ...FORECLOSURE,
    size: 24,
    isSaleDay: WORKDAYS,
    caseNumber: ({ year, serial }) => `51-${year}-CA-${pad(serial, 6)}-CAAX-${serial % 2 === 0 ? 'ES' : 'WS'}`,
  },
  {
    ...PASCO_SITE,
    ...TAX_DEED,
    size: 20,
    isSaleDay: on(4),
    caseNumber: ({ year, serial }) => `51${year}XX${pad(serial, 6)}TDAXXX`,
    certificate: ({ year, serial }) => `${String(year - 3).slice(2)}${pad(serial, 5)}`,
  },
  {
    ...BEXAR_SITE,
    ...OTHER,
    type: 'foreclosure_sale',
    size: 40,
    caseNumber: ({ year, serial }) => `${year}${pad((serial % 12) + 1, 2)}${pad(serial, 5)}`,
    hasOpeningBid: false,
  },
  {
    ...BEXAR_SITE,
    ...OTHER,
    type: 'tax_sale',
    size: 32,
    caseNumber: ({ year, serial }) => `${year}TA1${pad(serial, 5)}`,
    hasOpeningBid: true,
  },
  {
    ...OTHER,
    type: 'tax_sale',
    fips: '47157',
    county: 'Shelby',
    size: 36,
    startsAt: '10:00 AM CT',
    // One sale each month, on its first Thursday.
    isSaleDay: (day) => weekday(day) === 4 && new Date(day * DAY_MS).getUTCDate() <= 7,
    caseNumber: ({ year }) => `${String(year).slice(2)}01`,
    hasOpeningBid: false,
  },
];
