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
