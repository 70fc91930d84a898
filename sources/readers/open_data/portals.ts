/** Portals of which several sources read tables: that of Allegheny County and Pittsburgh, and that of Milwaukee. */
import { situs, type Situs } from '../addresses.ts';
import { published } from '../../values.ts';

export const ALLEGHENY = {
  portal: 'https://data.wprdc.org',
  county: { fips: '42003', name: 'Allegheny County', state: 'PA' },
  city: 'Pittsburgh',
} as const;

/** Terms of a table. @param license as the portal names it for the table */
export const wprdcTerms = (license: 'CC0' | 'CC-BY', page: string) =>
  ({
    basis: 'open_data',
    note:
      `Published by the Western Pennsylvania Regional Data Center under ${license}` +
      `${license === 'CC-BY' ? ', which asks for attribution' : ''}; the portal's terms of use were not read.`,
    url: page,
  }) as const;

/** The address of a property in the city: "5217 EXAMPLE ST, Pittsburgh, PA 15224". */
export const cityAddress = (cell: unknown): Situs => {
  const text = published(cell);
  return text === null || /^no primary address/iu.test(text)
    ? { street: null, city: null, zip: null }
    : situs(text, [ALLEGHENY.city.toUpperCase()]);
};

/** Shared by the tables of the City of Milwaukee's portal. */
export const MILWAUKEE = {
  portal: 'https://data.milwaukee.gov',
  county: { fips: '55079', name: 'Milwaukee County', state: 'WI' },
  city: 'Milwaukee',
} as const;

/** Terms of a table. @param page address of its page on the portal */
export const milwaukeeTerms = (page: string) =>
  ({
    basis: 'open_data',
    note: "Published as open data by the city; the portal's terms of use were not read.",
    url: page,
  }) as const;
