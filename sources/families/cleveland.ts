/** Shared by the layers of the City of Cleveland. */
import type { SourceSpec } from '../contract.ts';

/** Address of the city's hosted layers. */
export const CLEVELAND_LAYERS = 'https://services3.arcgis.com/dty2kHktVXHrqO8i/arcgis/rest/services';

export const CUYAHOGA = { fips: '39035', name: 'Cuyahoga County', state: 'OH' } as const;

/** Terms of the city's open data. @param limits what is unknown about one layer */
export const clevelandTerms = (limits = ''): SourceSpec['terms'] => ({
  basis: 'open_data',
  note: `Published on the city's open data portal${limits}; its terms of use were not obtained.`,
  url: 'https://data.clevelandohio.gov/',
});

/** A parcel number of the county, with dashes or without; a letter at the end marks a condominium. */
export const CUYAHOGA_PARCEL = /^\d{3}-?\d{2}-?\d{3}[A-Z]?$/u;
