/** Headings of county delinquency lists, by the field they mean. */
import type { Cell } from '../../csv/xlsx.ts';

/** Compared without case, spaces and punctuation. */
export const HEADINGS = {
  parcel: [
    'Parcel',
    'Parcel ID',
    'Parcel Number',
    'Parcel No',
    'Parcel #',
    'Permanent Parcel Number',
    'PPN',
    'PIN',
    'APN',
  ],
  amount: [
    'Amount',
    'Amount Due',
    'Total Due',
    'Delinquent Amount',
    'Amount Delinquent',
    'Delinquent Taxes',
    'Delinquent Tax',
    'Taxes Due',
    'Unpaid Amount',
    'Delinquent Balance',
    'Net Delinquent',
    'Net Delinquent Balance',
    'Total Delinquent',
    'Delinquent Total',
    'Balance',
    'Balance Due',
  ],
  owner: ['Owner', 'Owner Name', 'Owner Name 1', 'Owner 1', 'Taxpayer', 'Taxpayer Name', 'Name'],
  owner2: ['Owner Name 2', 'Owner 2', 'Second Owner', 'Co-Owner'],
  street: [
    'Property Address',
    'Parcel Address',
    'Site Address',
    'Situs',
    'Situs Address',
    'Location',
    'Property Location',
    'Location Address',
    'Parcel Location',
  ],
  city: ['Property City', 'Site City', 'Situs City', 'Location City'],
  zip: ['Property Zip', 'Property Zip Code', 'Site Zip', 'Situs Zip', 'Location Zip'],
  mail1: [
    'Mailing Address',
    'Mailing Address 1',
    'Mail Address',
    'Mailing Street',
    'Owner Address',
    'Owner Address 1',
    'Taxpayer Address',
    'Mail 1',
  ],
  mail2: ['Mailing Address 2', 'Owner Address 2', 'Mail 2'],
  mail3: ['Mailing Address 3', 'Owner Address 3', 'Mail 3'],
  mailCity: ['Mailing City', 'Mail City', 'Owner City', 'Taxpayer City'],
  mailState: ['Mailing State', 'Mail State', 'Owner State', 'Taxpayer State'],
  mailZip: ['Mailing Zip', 'Mailing Zip Code', 'Mail Zip', 'Owner Zip', 'Taxpayer Zip'],
  years: ['Years', 'Years Delinquent', 'Delinquent Years', 'Number of Years Delinquent'],
  certified: [
    'Certified Year',
    'Certified Delinquent Year',
    'Year Certified',
    'Cert Year',
    'Delinquent Year Certified',
  ],
  value: [
    'Market Value',
    'Total Market Value',
    'Appraised Value',
    'Total Appraised Value',
    'Appraised Total',
    'County Value',
    'Auditor Value',
  ],
  propertyClass: [
    'Property Class',
    'Class',
    'Class Code',
    'Land Use',
    'Land Use Code',
    'Land Use Description',
    'Property Type',
    'LUC',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type ListField = keyof typeof HEADINGS;

/** Further headings of one county. */
export type OwnHeadings = Partial<Record<ListField, readonly string[]>>;

export const normalizeHeading = (heading: Cell | undefined): string =>
  String(heading ?? '')
    .toUpperCase()
    .replace(/[^A-Z0-9#]/gu, '');

/** Field by normalized heading. @throws if a heading means two fields */
export function fieldsByHeading(own: OwnHeadings = {}): ReadonlyMap<string, ListField> {
  const fields = new Map<string, ListField>();
  for (const field of Object.keys(HEADINGS) as ListField[]) {
    for (const heading of [...HEADINGS[field], ...(own[field] ?? [])]) {
      const key = normalizeHeading(heading);
      const earlier = fields.get(key);
      if (earlier !== undefined && earlier !== field)
        throw new Error(`the heading ${JSON.stringify(heading)} means both ${earlier} and ${field}`);
      fields.set(key, field);
    }
  }
  return fields;
}
