/** Parts of the sandbox's pages: HTML with its banner, printed amounts, CSV, and values computed once per day. */
import type { WorldDay } from '../world/world.ts';
import type { UnitMix } from '../world/types.ts';

const BANNER = 'SANDBOX: this page and everything on it is made up.';

/** Escape text for HTML or XML. */
export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const BANNER_STYLE = 'background:#ffd54d;color:#222;padding:.5em 1em;font:bold 14px sans-serif';
const banner = `<div class="sandbox-banner" role="note" style="${BANNER_STYLE}">${BANNER}</div>`;

/** A page with a banner; `head` and `body` are markup. */
export const htmlPage = (title: string, body: string, head = ''): string =>
  `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escapeHtml(title)}</title>
${head}</head>
<body>
${banner}
${body}
</body>
</html>
`;

/** A JSON-LD script element. Escapes `<`, so that the data cannot close it. */
export const jsonLd = (value: unknown): string =>
  `<script type="application/ld+json">\n${JSON.stringify(value, null, 1).replaceAll('<', '\\u003c')}\n</script>\n`;

/** "$1,250,000" */
export const wholeDollars = (amount: string): string =>
  `$${amount.replace(/\.\d\d$/u, '').replace(/\B(?=(\d{3})+$)/gu, ',')}`;

/** "$133,334.00" */
export const fullDollars = (amount: string): string => `${wholeDollars(amount)}${amount.slice(-3)}`;

/** A listing's price as brokers print it. */
export const priceText = (price: string | null): string => (price === null ? 'Call for price' : wholeDollars(price));

export function perDay<T>(make: (day: WorldDay) => T): (day: WorldDay) => T {
  const made = new WeakMap<WorldDay, { readonly value: T }>();
  return (day) => {
    const found = made.get(day) ?? { value: make(day) };
    made.set(day, found);
    return found.value;
  };
}

/** Text files of county and state offices: Windows-1252 and CSV fields. */

/** Characters of Windows-1252 between 0x80 and 0x9F that the world uses. */
const CP1252: Readonly<Record<string, number>> = { '’': 0x92, '“': 0x93, '”': 0x94, '–': 0x96 };

/** Bytes of a text in Windows-1252. @throws if it has a character without a code */
export function windows1252(text: string): Uint8Array {
  const coded = text.replace(/[\u0100-\u{10ffff}]/gu, (character) => {
    const code = CP1252[character];
    if (code === undefined) throw new Error(`no Windows-1252 code for ${character}`);
    return String.fromCharCode(code);
  });
  return Buffer.from(coded, 'latin1');
}

/** A CSV field, quoted only if necessary. */
export const csvField = (text: string): string => (/[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

interface Group {
  readonly count: number;
  readonly bedrooms: number;
}

/** Types of unit that the building has. */
const groupsOf = (mix: UnitMix): readonly Group[] =>
  mix.flatMap((count, bedrooms) => (count === 0 ? [] : [{ count, bedrooms }]));

const list = (mix: UnitMix, separator: string, print: (group: Group) => string): string =>
  groupsOf(mix).map(print).join(separator);

/** "2xStudio, 4x1BR, 1x4BR" */
export const timesText = (mix: UnitMix): string =>
  list(mix, ', ', ({ count, bedrooms }) => `${count}x${bedrooms === 0 ? 'Studio' : `${bedrooms}BR`}`);

/** "4-1/1, 4-2/1": units, bedrooms and baths. A single type has a cross, because "2-3/1" may be a range. */
export function bedsAndBathsText(mix: UnitMix): string {
  const joint = groupsOf(mix).length === 1 ? ' x ' : '-';
  return list(mix, ', ', ({ count, bedrooms }) => `${count}${joint}${bedrooms}/${bedrooms > 2 ? '1.5' : '1'}`);
}

/** schema.org floor plans. */
export const floorPlans = (mix: UnitMix): unknown[] =>
  groupsOf(mix).map(({ count, bedrooms }) => ({
    '@type': 'FloorPlan',
    name: bedrooms === 0 ? 'Studio' : `${bedrooms} Bedroom`,
    numberOfBedrooms: bedrooms,
    numberOfAccommodationUnits: { '@type': 'QuantitativeValue', value: count },
  }));

const TYPES = ['Studio', '1 Bedroom', '2 Bedroom', '3 Bedroom', '4 Bedroom Or More'];

/** Rows of the Data Dictionary's UnitTypes. */
export const unitTypes = (key: string, mix: UnitMix): Readonly<Record<string, string | number>>[] =>
  groupsOf(mix).map(({ count, bedrooms }, at) => ({
    UnitTypeKey: `${key}-${at + 1}`,
    UnitTypeType: TYPES[bedrooms] ?? '',
    UnitTypeBedsTotal: bedrooms,
    UnitTypeUnitsTotal: count,
  }));
