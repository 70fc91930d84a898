/** Values that all listing sources share: fields as printed, parsed or refused. */
import type { Page } from '../contract.ts';
import {
  date,
  decimal,
  hundredths,
  integer,
  line,
  money,
  optional,
  percent,
  Refusal,
  refuse,
  required,
  state,
  year,
  zip,
} from '../values.ts';
import { isZipOfState, stateCode, stateName } from '../../lib/states.ts';
import { mixValues, type UnitMix } from './unit_mix.ts';
import { LIST_PRICE } from '../ranges.ts';

export type Availability = 'for_sale' | 'under_contract' | 'sold' | 'unknown';

/** Fields of a listing that are parsed from the text that the source prints. */
const PRINTED = [
  ...(['street', 'city', 'state', 'zip', 'list_price', 'units', 'cap_rate', 'noi'] as const),
  ...(['annual_taxes', 'year_built', 'property_type', 'listed_on'] as const),
];
export type PrintedField = (typeof PRINTED)[number];
type PrintedFields = Readonly<Record<PrintedField, unknown>>;

/** These fields by what a site prints of each. */
export const printedFields = (printed: (name: PrintedField) => unknown): PrintedFields =>
  Object.fromEntries(PRINTED.map((name) => [name, printed(name)])) as PrintedFields;

/** A listing's fields as the source prints them. */
export interface PrintedListing extends PrintedFields {
  readonly listing_id: string;
  readonly listing_url: string;
  readonly unit_mix: UnitMix | null;
  /** Only of sites that date it. */
  readonly off_market_on?: unknown;
  readonly availability: Availability;
}

/** Printed instead of a street that the site hides. */
const HIDDEN_STREET = /\b(?:withheld|undisclosed|not disclosed|upon request|on request|confidential)\b/iu;

/** Printed instead of a price. */
const NO_PRICE = /^(?:call|contact|price|please|inquire|ask|negotiable|upon|best offer|make offer|auction)\b(?!.*\d)/iu;

const [LEAST_PRICE] = LIST_PRICE;

function price(value: unknown): string | null {
  if (typeof value === 'string' && NO_PRICE.test(line(value) ?? '')) return null;
  const amount = money('list_price', value, { zeroIsUnknown: true });
  if (amount !== null && Number(amount) < Number(LEAST_PRICE))
    return refuse(
      'sentinel_value',
      `list_price is ${JSON.stringify(value)}, expected at least $${Number(LEAST_PRICE)}: ` +
        'it may be in thousands, or a placeholder',
    );
  return amount;
}

/** The street line, or null if the site hides it. */
export function shownStreet(value: unknown): string | null {
  const text = optional(value);
  return text === null || HIDDEN_STREET.test(text) ? null : text;
}

function units(value: unknown): number | null {
  const count = integer('units', value, { zeroIsUnknown: true });
  if (count !== null && (count < 0 || count >= 9999))
    return refuse('sentinel_value', `units is ${JSON.stringify(value)}, a placeholder rather than a count`);
  return count;
}

/** "$4,312.18", "4312", "$4,312/yr", "$4,312 (2025)". */
const TAXES =
  /^\$? ?(\d{1,3}(?:,\d{3})+|\d+)(\.\d{1,2})?(?: ?\/ ?(?:yr|year)\.?| per year| annually)?(?: ?\(20\d\d\))?$/iu;
/** Fields hold 0 or 1 for an unknown amount. */
const MIN_TAXES = 1_00n;

/** Property tax of one year; null for any other text, because a bad tax must not reject the listing. */
function annualTaxes(value: unknown): string | null {
  const text = typeof value === 'number' || typeof value === 'string' ? optional(value) : null;
  const [, dollars = '', cents = ''] = TAXES.exec(text ?? '') ?? [];
  const size = hundredths(`${dollars.replaceAll(',', '')}${cents}`);
  return size === null || size <= MIN_TAXES || dollars.length > 11 || /^9{7,}$/u.test(dollars) ? null : decimal(size);
}

/** "1924", "1924.0", "c. 1924", "1,924", "1/1/1924", and the first of "1924/1985" and "1924-1968". */
const YEAR_BUILT =
  /^(?:(?:ca?|circa|about|est|built(?: in)?)\b\.?\s*|\d{1,2}\/\d{1,2}\/)?(\d),?(\d{3})(?:\.0+)?(?:\s*[-/]\s*\d{4})?$/iu;

const yearBuilt = (value: unknown): number | null => {
  const [, thousand, rest] = YEAR_BUILT.exec(optional(value) ?? '') ?? [];
  return year('year_built', thousand === undefined ? value : `${thousand}${rest}`);
};

/** A cap rate in percent. A workbook stores 7.25 % as 0.0725: a value below 0.5 without a percent sign is a share. */
function capRate(value: unknown): string | null {
  const text = optional(value);
  const size = text !== null && /^0*\.\d+$/u.test(text) && Number(text) < 0.5 ? hundredths(`${text}e2`) : null;
  return percent('cap_rate', size === null ? value : decimal(size), { zeroIsUnknown: true });
}

/** The first day of a calendar stands for no date. */
const listedOn = (value: unknown): string | null =>
  (optional(value) ?? '').startsWith('0001-01-01') ? null : date('listed_on', value);

/** The first day; null for any other text. */
function offMarketOn(value: unknown): string | null {
  try {
    return date('off_market_on', value);
  } catch {
    return null;
  }
}

/** State and ZIP. @throws Refusal bad_zip if the ZIP is of another state */
function stateAndZip(printed: PrintedListing): { readonly state: string | null; readonly zip: string } {
  const inState = state('state', required('state', printed.state));
  const text = String(required('zip', printed.zip));
  // A spreadsheet that takes 07307 for a number drops its zero.
  const isShort = /^\d{4}(?:\.0)?$/u.test(text) && inState !== null && isZipOfState(`0${text}`, inState);
  const inZip = zip('zip', isShort ? `0${text}` : text) ?? refuse('blank_zip', 'zip is all zeros, expected a ZIP');
  if (inState !== null && !isZipOfState(inZip, inState))
    refuse(
      'bad_zip',
      `zip is ${inZip}, which is not in ${stateName(inState)}, but state is ${JSON.stringify(printed.state)}`,
    );
  return { state: inState, zip: inZip };
}

/**
 * Values of a listing. Zero means unknown in every field where zero is impossible. An optional field that cannot be
 * read is null and named in `unread_fields`; it does not cost the listing.
 */
export function listingValues(printed: PrintedListing): Readonly<Record<string, unknown>> {
  const unread: string[] = [];
  const optionally = <T>(name: string, read: () => T): T | null => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      unread.push(name);
      return null;
    }
  };
  const values = {
    listing_id: printed.listing_id,
    listing_url: printed.listing_url,
    street: shownStreet(printed.street),
    city: required('city', printed.city),
    ...stateAndZip(printed),
    list_price: price(printed.list_price),
    units: optionally('units', () => units(printed.units)),
    ...mixValues(printed.unit_mix),
    cap_rate: optionally('cap_rate', () => capRate(printed.cap_rate)),
    noi: optionally('noi', () => money('noi', printed.noi, { zeroIsUnknown: true })),
    annual_taxes: annualTaxes(printed.annual_taxes),
    year_built: optionally('year_built', () => yearBuilt(printed.year_built)),
    property_type: optionally('property_type', () => optional(printed.property_type)),
    listed_on: optionally('listed_on', () => listedOn(printed.listed_on)),
    off_market_on: printed.availability === 'for_sale' ? null : offMarketOn(printed.off_market_on),
    availability: printed.availability,
  };
  return { ...values, unread_fields: unread.join(' ') || null };
}

/** The parts of a listing's place as its own fields state them. */
export interface StatedPlace {
  readonly city: unknown;
  readonly state: unknown;
  readonly zip: unknown;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`);

/** A street line may end with city, state, ZIP and country. Removes them if they are the listing's own. */
export function withoutPlace(street: string, { city, state: inState, zip: inZip }: StatedPlace): string | null {
  // Never matches: a part that the listing does not have cannot end its street.
  const part = (text: string | null | undefined): string => (text ? escaped(text) : '(?!)');
  const code = stateCode(optional(inState) ?? '');
  const states = code === null ? '(?!)' : `(?:${code}|${stateName(code)})`;
  const cities = part(optional(city));
  const zips = `${part(optional(inZip)?.slice(0, 5))}(?:-?\\d{4})?`;
  const gap = '(?:^|[,\\s]+)';
  const comma = '(?:^|\\s*,\\s*)';
  const place = [
    `${gap}${cities}[,\\s]+${states}(?:[,\\s]+${zips})?`,
    `${comma}${cities}(?:[,\\s]+${zips})?`,
    `${comma}${states}[,\\s]+${zips}`,
    `${comma}${zips}`,
  ].join('|');
  return street.replace(new RegExp(`(?:${place})(?:[,\\s]+USA?)?$`, 'iu'), '') || null;
}

const UNIT_AT_END = /(?:#|\b(?:apt|unit|ste|suite|apartment)\b\.?)\s*[\w-]+$/iu;

/** The street with its unit, unless it ends in one: "12 Elm St" and "4" are "12 Elm St #4". */
export function withUnit(street: string | null, value: unknown): string | null {
  const unit = optional(value);
  if (street === null || unit === null || UNIT_AT_END.test(street)) return street;
  return `${street} ${/^(?:#|[a-z]{2,}\b)/iu.test(unit) ? unit : `#${unit}`}`;
}

/** Address of the listing's page; the page's own if there is none. Refuses an address on another host. */
export function ownUrl(value: unknown, page: Page): string {
  const text = optional(value);
  if (text === null) return page.url;
  if (!URL.canParse(text, page.url))
    return refuse('bad_listing_url', `listing_url is ${JSON.stringify(value)}, expected a web address`);
  const url = new URL(text, page.url);
  const { host, protocol } = new URL(page.url);
  if (url.host !== host)
    return refuse('bad_listing_url', `listing_url is ${JSON.stringify(value)}, expected an address on ${host}`);
  url.protocol = protocol;
  return url.href;
}

/** Address of the listing's page on any site, or `fallback` if there is none. Refuses other than http and https. */
export function webUrl(value: unknown, fallback: string): string {
  const text = optional(value);
  if (text === null) return fallback;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/u.test(url.protocol) || url.username !== '' || url.password !== '')
    return refuse('bad_listing_url', `listing_url is ${JSON.stringify(value)}, expected an http or https address`);
  return url.href;
}

/** Availability by the words of brokers and MLSs, in upper case without punctuation. */
const AVAILABILITY: ReadonlyMap<string, Availability> = new Map([
  ...['ACTIVE', 'AVAILABLE', 'FOR SALE', 'NEW', 'COMING SOON', 'BACK ON MARKET', 'PRICE REDUCED', 'PRE ON MARKET'].map(
    (word) => [word, 'for_sale'] as const,
  ),
  ...[
    'PENDING',
    'CONTINGENT',
    'ACTIVE UNDER CONTRACT',
    'UNDER CONTRACT',
    'UNDER AGREEMENT',
    'SALE PENDING',
    'IN ESCROW',
  ].map((word) => [word, 'under_contract'] as const),
  ...['SOLD', 'CLOSED'].map((word) => [word, 'sold'] as const),
]);

/** Availability from a word such as "Active" or "ActiveUnderContract"; "unknown" for any other word. */
export const parseAvailability = (value: unknown): Availability =>
  AVAILABILITY.get(
    (optional(value) ?? '')
      .replace(/(?<=[a-z])(?=[A-Z])/gu, ' ')
      .toUpperCase()
      .replace(/[^A-Z]+/gu, ' ')
      .trim(),
  ) ?? 'unknown';
