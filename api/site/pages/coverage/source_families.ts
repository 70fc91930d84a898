/** Families of sources in words, in the order of the pages, and the products that use each. */
export const SOURCE_FAMILIES: readonly (readonly [family: string, title: string, buys: string])[] = [
  ['listings', 'Listings', 'deals'],
  ['tax', 'Tax delinquency', 'signals and leads'],
  ['distress', 'Filings, liens and code cases', 'signals and leads'],
  ['sheriff', 'Ohio sheriff sales', 'auctions and leads'],
  ['auctions', 'Other auctions', 'auctions and leads'],
  ['parcels', 'Parcels', 'addresses and owners'],
  ['register', 'New businesses', 'filings'],
  ['fmr', 'HUD rents', 'underwriting'],
  ['benchmarks', 'Rates, vacancy and census', 'underwriting'],
];

/** The title of a family; a family without one keeps its name. */
export const familyTitle = (family: string): string => SOURCE_FAMILIES.find(([name]) => name === family)?.[1] ?? family;
