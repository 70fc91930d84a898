/** What every listing source shares: fields as shown, turned into the values of a listing or refused. */
import type { Page } from '../contract.ts';
import { date, integer, line, money, optional, percent, refuse, required, state, year, zip } from '../values.ts';

export type Availability = 'for_sale' | 'under_contract' | 'sold' | 'unknown';

/** A listing's fields as a source shows them. */
export interface ShownListing {
  readonly listing_id: string;
  readonly listing_url: string;
  readonly street: unknown;
  readonly city: unknown;
  readonly state: unknown;
  readonly zip: unknown;
  readonly list_price: unknown;
  readonly units: unknown;
  readonly cap_rate: unknown;
  readonly noi: unknown;
  readonly year_built: unknown;
  readonly property_type: unknown;
  readonly listed_on: unknown;
  readonly availability: Availability;
}

/** Words that sites print in place of a street that they hide. */
const HIDDEN_STREET = /\b(?:withheld|undisclosed|not disclosed|upon request|on request|confidential)\b/iu;

/** Words that sites print in place of a price. */
const NO_PRICE = /^(?:call|contact|price|please|inquire|ask|negotiable|upon|best offer|make offer|auction)\b(?!.*\d)/iu;

function price(value: unknown): string | null {
  if (typeof value === 'string' && NO_PRICE.test(line(value) ?? '')) return null;
  const amount = money('list_price', value, { zeroIsUnknown: true });
  if (amount !== null && (amount.startsWith('-') || amount === '1.00' || amount.startsWith('0.'))) {
    return refuse('sentinel_value', `list_price is ${JSON.stringify(value)}, a placeholder rather than a price`);
  }
  return amount;
}

/** The street line, or null where the site hides it. */
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

/** Values of a listing. Zero means unknown wherever it cannot be meant. Refuses the row where a field cannot be what it claims. */
export const listingValues = (shown: ShownListing): Readonly<Record<string, unknown>> => ({
  listing_id: shown.listing_id,
  listing_url: shown.listing_url,
  street: shownStreet(shown.street),
  city: required('city', shown.city),
  state: state('state', required('state', shown.state)),
  zip: zip('zip', required('zip', shown.zip)) ?? refuse('blank_zip', 'zip is all zeros, expected a ZIP'),
  list_price: price(shown.list_price),
  units: units(shown.units),
  cap_rate: percent('cap_rate', shown.cap_rate, { zeroIsUnknown: true }),
  noi: money('noi', shown.noi, { zeroIsUnknown: true }),
  year_built: year('year_built', shown.year_built),
  property_type: optional(shown.property_type),
  listed_on: date('listed_on', shown.listed_on),
  availability: shown.availability,
});

/** Address of the listing's page, on the site's own host; a value that leads elsewhere is refused. */
export function ownUrl(value: unknown, page: Page): string {
  const text = optional(value);
  if (text === null) return page.url;
  if (!URL.canParse(text, page.url))
    return refuse('bad_listing_url', `listing_url is ${JSON.stringify(value)}, expected an address`);
  const url = new URL(text, page.url);
  if (url.host !== new URL(page.url).host)
    return refuse(
      'bad_listing_url',
      `listing_url is ${JSON.stringify(value)}, expected an address on ${new URL(page.url).host}`,
    );
  url.protocol = new URL(page.url).protocol;
  return url.href;
}

/** The listing's page, on whatever site, where there is one that can be opened; else `otherwise`. */
export function webUrl(value: unknown, otherwise: string): string {
  const text = optional(value);
  if (text === null) return otherwise;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/u.test(url.protocol) || url.username !== '' || url.password !== '') {
    return refuse('bad_listing_url', `listing_url is ${JSON.stringify(value)}, expected an address of the web`);
  }
  return url.href;
}

/** Words by which brokers and MLSs say where a sale stands, upper case without punctuation. What is not here is unknown. */
const STANDING: ReadonlyMap<string, Availability> = new Map([
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

/** Availability by a word such as "Active" or "ActiveUnderContract". */
export const standing = (value: unknown): Availability =>
  STANDING.get(
    (optional(value) ?? '')
      .replace(/(?<=[a-z])(?=[A-Z])/gu, ' ')
      .toUpperCase()
      .replace(/[^A-Z]+/gu, ' ')
      .trim(),
  ) ?? 'unknown';
