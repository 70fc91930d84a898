/** Headings of county delinquency lists, by the field they mean. */
import type { Cell } from '../../csv/xlsx.ts';

/** Headings with a bar between two. Compared without case, spaces and punctuation. */
export const HEADINGS = {
  parcel: 'Parcel | Parcel ID | Parcel Number | Parcel No | Parcel # | Permanent Parcel Number | PPN | PIN | APN',
  amount:
    'Amount | Amount Due | Total Due | Delinquent Amount | Amount Delinquent | Delinquent Taxes | Delinquent Tax | ' +
    'Taxes Due | Unpaid Amount | Delinquent Balance | Net Delinquent | Net Delinquent Balance | Total Delinquent | ' +
    'Delinquent Total | Balance | Balance Due',
  owner: 'Owner | Owner Name | Owner Name 1 | Owner 1 | Taxpayer | Taxpayer Name | Name',
  second_owner: 'Owner Name 2 | Owner 2 | Second Owner | Co-Owner',
  street:
    'Property Address | Parcel Address | Site Address | Situs | Situs Address | Location | Property Location | ' +
    'Location Address | Parcel Location',
  city: 'Property City | Site City | Situs City | Location City',
  zip: 'Property Zip | Property Zip Code | Site Zip | Situs Zip | Location Zip',
  mailing_address:
    'Mailing Address | Mailing Address 1 | Mail Address | Mailing Street | Owner Address | Owner Address 1 | ' +
    'Taxpayer Address | Mail 1',
  mailing_address_2: 'Mailing Address 2 | Owner Address 2 | Mail 2',
  mailing_address_3: 'Mailing Address 3 | Owner Address 3 | Mail 3',
  mailing_city: 'Mailing City | Mail City | Owner City | Taxpayer City',
  mailing_state: 'Mailing State | Mail State | Owner State | Taxpayer State',
  mailing_zip: 'Mailing Zip | Mailing Zip Code | Mail Zip | Owner Zip | Taxpayer Zip',
  years_delinquent: 'Years | Years Delinquent | Delinquent Years | Number of Years Delinquent',
  certified_year: 'Certified Year | Certified Delinquent Year | Year Certified | Cert Year | Delinquent Year Certified',
  market_value:
    'Market Value | Total Market Value | Appraised Value | Total Appraised Value | Appraised Total | County Value | ' +
    'Auditor Value',
  /** 35 % of the market value, which Ohio taxes. */
  taxable_value: 'Taxable Value | Total Taxable Value | Taxable Total | Assessed Value (35%)',
  property_class:
    'Property Class | Class | Class Code | Land Use | Land Use Code | Land Use Description | Property Type | LUC',
} satisfies Readonly<Record<string, string>>;

export type ListField = keyof typeof HEADINGS;

/** Further headings of one county. */
export type OwnHeadings = Partial<Record<ListField, readonly string[]>>;

export const normalizeHeading = (heading: Cell | undefined): string =>
  String(heading ?? '')
    .toUpperCase()
    .replace(/[^A-Z0-9#]/gu, '');

export const LIST_FIELDS = Object.keys(HEADINGS) as ListField[];

/** Field by normalized heading. @throws if a heading means two fields */
export function fieldsByHeading(own: OwnHeadings = {}): ReadonlyMap<string, ListField> {
  const fields = new Map<string, ListField>();
  for (const field of LIST_FIELDS) {
    for (const heading of [...HEADINGS[field].split(' | '), ...(own[field] ?? [])]) {
      const key = normalizeHeading(heading);
      const earlier = fields.get(key);
      if (earlier !== undefined && earlier !== field)
        throw new Error(`the heading ${JSON.stringify(heading)} means both ${earlier} and ${field}`);
      fields.set(key, field);
    }
  }
  return fields;
}

/** Headings of a place or a value: of the property or the owner, of the market or for the tax. First match. */
const UNCLEAR: readonly (readonly [heading: RegExp, ...fields: ListField[]])[] = [
  [/CITY.*ZIP/u, 'mailing_address_2', 'mailing_address_3', 'street'],
  [/CITY|TOWN$/u, 'city', 'mailing_city'],
  [/ZIP|POSTAL/u, 'zip', 'mailing_zip'],
  [/ADDRESS|STREET/u, 'street', 'mailing_address', 'mailing_address_2', 'mailing_address_3'],
  [/^STATE$/u, 'mailing_state'],
  [/ASSESSEDVALUE|^ASSESSED$|^ASSESSEDTOTAL$/u, 'taxable_value', 'market_value'],
  [/(?:MARKET|APPRAISED|COUNTY|AUDITORS?)VALUE|^VALUE$/u, 'market_value', 'taxable_value'],
];

/** A heading that may mean one of several fields, and the first of them that no other column has. */
export interface UnclearHeading {
  readonly heading: string;
  readonly fields: readonly ListField[];
  readonly suggestion: ListField | null;
}

/** Headings that the map does not name and that may mean a field: without a map their columns would be lost. */
export function unclearHeadings(
  headings: readonly (Cell | undefined)[],
  fields: ReadonlyMap<string, ListField | null>,
): UnclearHeading[] {
  const keys = headings.map(normalizeHeading);
  const taken = new Set(keys.map((key) => fields.get(key)));
  return headings.flatMap((heading, index) => {
    const key = keys[index] ?? '';
    const [, ...meanings] = (fields.has(key) ? undefined : UNCLEAR.find(([pattern]) => pattern.test(key))) ?? [];
    if (meanings.length === 0) return [];
    const isOwners = /OWNER|MAIL|TAXPAYER|BILL/u.test(key);
    const suggestion =
      meanings.find((field) => !taken.has(field) && (!isOwners || field.startsWith('mailing'))) ?? null;
    taken.add(suggestion ?? undefined);
    return [{ heading: String(heading), fields: meanings, suggestion }];
  });
}
