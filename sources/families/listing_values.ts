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
  refuse,
  required,
  state,
  year,
  zip,
} from '../values.ts';
import { mixValues, type UnitMix } from './unit_mix.ts';

export type Availability = 'for_sale' | 'under_contract' | 'sold' | 'unknown';

/** A listing's fields as the source prints them. */
export interface PrintedListing {
  readonly listing_id: string;
  readonly listing_url: string;
  readonly street: unknown;
  readonly city: unknown;
  readonly state: unknown;
  readonly zip: unknown;
  readonly list_price: unknown;
  readonly units: unknown;
  readonly unit_mix: UnitMix | null;
  readonly cap_rate: unknown;
  readonly noi: unknown;
  readonly annual_taxes: unknown;
  readonly year_built: unknown;
  readonly property_type: unknown;
  readonly listed_on: unknown;
  readonly availability: Availability;
}

/** Printed instead of a street that the site hides. */
const HIDDEN_STREET = /\b(?:withheld|undisclosed|not disclosed|upon request|on request|confidential)\b/iu;

/** Printed instead of a price. */
const NO_PRICE = /^(?:call|contact|price|please|inquire|ask|negotiable|upon|best offer|make offer|auction)\b(?!.*\d)/iu;

function price(value: unknown): string | null {
  if (typeof value === 'string' && NO_PRICE.test(line(value) ?? '')) return null;
  const amount = money('list_price', value, { zeroIsUnknown: true });
  if (amount !== null && (amount.startsWith('-') || amount === '1.00' || amount.startsWith('0.')))
    return refuse('sentinel_value', `list_price is ${JSON.stringify(value)}, a placeholder rather than a price`);
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

/** Values of a listing. Zero means unknown in every field where zero is impossible. */
export const listingValues = (printed: PrintedListing): Readonly<Record<string, unknown>> => ({
  listing_id: printed.listing_id,
  listing_url: printed.listing_url,
  street: shownStreet(printed.street),
  city: required('city', printed.city),
  state: state('state', required('state', printed.state)),
  zip: zip('zip', required('zip', printed.zip)) ?? refuse('blank_zip', 'zip is all zeros, expected a ZIP'),
  list_price: price(printed.list_price),
  units: units(printed.units),
  ...mixValues(printed.unit_mix),
  cap_rate: percent('cap_rate', printed.cap_rate, { zeroIsUnknown: true }),
  noi: money('noi', printed.noi, { zeroIsUnknown: true }),
  annual_taxes: annualTaxes(printed.annual_taxes),
  year_built: year('year_built', printed.year_built),
  property_type: optional(printed.property_type),
  listed_on: date('listed_on', printed.listed_on),
  availability: printed.availability,
});

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
