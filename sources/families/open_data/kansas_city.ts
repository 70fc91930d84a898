/** Shared by the tables of Kansas City, Missouri. */
import type { Group } from './table.ts';
import { published } from '../../values.ts';

export const KANSAS_CITY = {
  portal: 'https://data.kcmo.org',
  county: { fips: '29095', name: 'Jackson County', state: 'MO' },
  city: 'Kansas City',
} as const;

/** ZIPs of the city north of the Missouri River, in Clay County and Platte County. */
const NORTH_OF_RIVER = /^641(?:1[6-9]|5[0-8]|6[0-8])$/u;

/** A ZIP that the portal holds as a number: "64131.0" is 64131. */
export const zipOfNumber = (cell: unknown): string | null => published(cell)?.replace(/\.0+$/u, '') ?? null;

/** Why rows are not of Jackson County, which most of the city is in. The tables do not state the county. */
export const inOtherCounty =
  (column: string) =>
  ([row]: Group): readonly [string, string] | null => {
    const zip = zipOfNumber(row[column]);
    return zip !== null && NORTH_OF_RIVER.test(zip)
      ? ['other_county', `${column} is ${zip}, which is in Clay or Platte County`]
      : null;
  };

/** Terms of a table. @param page address of its page on the portal */
export const kansasCityTerms = (page: string) =>
  ({
    basis: 'open_data',
    note: "Published as open data by the city; neither a license nor the portal's terms of use were read.",
    url: page,
  }) as const;
