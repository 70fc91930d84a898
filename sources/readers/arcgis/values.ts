/** Values as ArcGIS layers publish them: dates in milliseconds, dates in conditions, prices of transfers. */
import type { Range } from '../../../lib/range.ts';
import { DAY_MS, HOUR_MS } from '../../../lib/time.ts';
import type { FetchContext } from '../../contract.ts';
import { addDays } from '../../days.ts';
import { LATITUDE, LONGITUDE } from '../../ranges.ts';
import { cents, date, decimal, refuse } from '../../values.ts';

/** Time zones of the counties read. */
export const EASTERN = 'America/New_York';
export const CENTRAL = 'America/Chicago';

interface DayOptions {
  /** Time zone of the place: a layer publishes instants. */
  readonly zone: typeof EASTERN | typeof CENTRAL;
  /** Last possible day, YYYY-MM-DD: for an event of the past, the day on which the page was read. */
  readonly latest: string;
  /** A day before `EARLIEST` or after `latest`: refuse the row, or read it as unknown. */
  readonly impossible: 'refuse' | 'null';
}

/** No layer has events before this day. */
const EARLIEST = '1800-01-01';

const formats = new Map<string, { readonly format: Intl.DateTimeFormat; readonly days: Map<number, string> }>();

/** The calendar day of an instant in a time zone. Days begin on the hour, and formatting one is slow. */
function dayIn(zone: string, ms: number): string {
  const known = formats.get(zone) ?? {
    format: new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }),
    days: new Map<number, string>(),
  };
  formats.set(zone, known);
  const hour = Math.floor(ms / HOUR_MS);
  const day = known.days.get(hour) ?? known.format.format(ms);
  known.days.set(hour, day);
  return day;
}

/**
 * Day of a date field: milliseconds since 1970 (esriFieldTypeDate), or text (esriFieldTypeDateOnly, or a text field).
 * An instant at midnight UTC is a day without a time. Others are days of the place. 0 is a blank, which some layers
 * print as 1969-12-31 or 1970-01-01.
 */
export function layerDay(field: string, value: unknown, { zone, latest, impossible }: DayOptions): string | null {
  let day: string | null;
  if (typeof value === 'number') {
    if (value === 0) return null;
    const isDay = value % DAY_MS === 0;
    if (!(Math.abs(value) <= 8.64e15)) return refused(field, value, impossible);
    day = isDay ? (new Date(value).toISOString().split('T')[0] ?? null) : dayIn(zone, value);
  } else {
    day = date(field, value);
  }
  if (day === null) return null;
  return /^\d{4}-/u.test(day) && day >= EARLIEST && day <= latest ? day : refused(field, value, impossible);
}

const refused = (field: string, value: unknown, impossible: DayOptions['impossible']): null =>
  impossible === 'null'
    ? null
    : refuse(
        'impossible_date',
        `${field} is ${JSON.stringify(value)}, expected a day from 1800 to the day of the read`,
      );

/**
 * Midnight of a day in a condition. A bare ISO text is refused by some servers. The server reads it in its own time
 * zone: UTC of a hosted layer, local time of others.
 */
export const timestampLiteral = (day: string): string => `timestamp '${day} 00:00:00'`;

/** Days before the last good read from which ended records are read again: they may be entered late. */
const OVERLAP_DAYS = 7;

/**
 * A condition on the features in force, or those touched since the last good read: so a record that its publisher
 * closes is read once more, as closed.
 * @param touched date field of a feature's latest event
 */
export const inForceOrTouched =
  (inForce: string, touched: string) =>
  ({ lastGoodOn }: Pick<FetchContext, 'lastGoodOn'>): string =>
    lastGoodOn === null
      ? inForce
      : `(${inForce} OR ${touched} >= ${timestampLiteral(addDays(lastGoodOn, -OVERLAP_DAYS))})`;

/** Transfers for no more than this are gifts or quitclaims, published as 0, 1 or 10 dollars. In cents. */
const TOKEN_CENTS = 10_000n;

/** Price of a transfer; null for none, and for a token amount of up to 100 dollars. */
export function transferPrice(field: string, value: unknown): string | null {
  const price = cents(field, value, { zeroIsUnknown: true });
  return price === null || (price >= 0n && price <= TOKEN_CENTS) ? null : decimal(price);
}

/** The last transfer of a roll that has no code for the validity of a sale. */
export const lastSale = (day: string | null, price: string | null) => ({
  last_sale_date: day,
  last_sale_price: price,
  last_sale_basis: day === null && price === null ? null : ('unknown' as const),
});

/** Year of a building, from a number or a text such as "1915"; null for 0, blanks and other text. */
export const builtYear = (value: unknown): number | null =>
  /^(?:1[6-9]|20)\d\d$/u.test(String(value)) ? Number(value) : null;

const degreesOf = (value: unknown, [low, high]: Range): string | null => {
  const degrees = typeof value === 'number' ? value : Number.NaN;
  return degrees >= Number(low) && degrees <= Number(high) ? degrees.toFixed(5) : null;
};

/** Point of a parcel in degrees; both values are null if one is missing or outside the United States. */
export function parcelPoint(latitude: unknown, longitude: unknown) {
  const point = {
    latitude: degreesOf(latitude, LATITUDE),
    longitude: degreesOf(longitude, LONGITUDE),
  };
  return point.latitude === null || point.longitude === null ? { latitude: null, longitude: null } : point;
}

/** Types of cases under other rules than those for buildings, housing and nuisances. */
const OTHER_CODES = /\b(?:noise|zoning|vehicles?|parking|graphics|signs?|right[ -]of[ -]way|permits?)\b/iu;

/** Why a case of this type is no code violation of a building, or null. @param field name of the type's field */
export const otherCode = (field: string, type: unknown): string | null =>
  OTHER_CODES.test(String(type ?? '')) ? `${field} is ${JSON.stringify(type)}, a case under another code` : null;
