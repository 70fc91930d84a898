/** Shared by the layers of the City of Detroit. */
import type { SourceSpec } from '../contract.ts';

export const WAYNE = { fips: '26163', name: 'Wayne County', state: 'MI' } as const;

/** Address of the city's hosted layers. */
export const DETROIT_LAYERS = 'https://services2.arcgis.com/qvkbeam7Wirps6zC/arcgis/rest/services';

export const DETROIT_TERMS: SourceSpec['terms'] = {
  basis: 'open_data',
  note: "Published on the city's open data portal; its terms of use were not obtained.",
  url: 'https://data.detroitmi.gov/',
};

/** Eight digits and a dot, with a suffix of some splits: "12004687.", "02000185-6", "01004253.002L". */
export const DETROIT_PARCEL = /^\d{8}(?:[.-][0-9A-Z.-]*)?$/iu;
