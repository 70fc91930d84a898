/**
 * The parcel layer of the City of St. Louis, which is its own county. Known from public readers: about 135,000 parcels,
 * ParcelId of eleven digits, SITEADDR with repeated spaces, ZIP as a number, ResSaleDate in milliseconds, and the codes
 * below from the city's published vocabularies. No row was recorded.
 */
import type { SourceSpec } from '../contract.ts';
import { cents, decimal, divide, line, optional, zip } from '../values.ts';
import { postcode, type Mailing, type Situs } from './addresses.ts';
import type { Attributes } from './arcgis/layer.ts';

/** Fields that the declarations of the layer share. */
export const ST_LOUIS = {
  county: { fips: '29510', name: 'St. Louis City', state: 'MO' },
  layer: 'https://maps8.stlouis-mo.gov/arcgis/rest/services/ASSESSOR/Assessor_Public_Parcels/MapServer/11',
  terms: {
    basis: 'public_record',
    note:
      "The Assessor publishes the layer, and the same table is on the city's open data portal under a license of its " +
      'own, whose text was not obtained.',
    url: 'https://www.stlouis-mo.gov/data/datasets/dataset.cfm?id=3',
  },
  parcel: 'ParcelId',
  parcelForm: /^\d{11}$/u,
} as const satisfies Pick<SourceSpec, 'terms' | 'county'> & Readonly<Record<string, unknown>>;

/** Fields of the address, the owner and the classes. */
export const ST_LOUIS_FIELDS = ['SITEADDR', 'ZIP', 'OwnerName', 'AsrClassCode', 'PropertyClassCode'] as const;
export const ST_LOUIS_OWNER_FIELDS = ['OwnerAddr', 'OwnerCity', 'OwnerState', 'OwnerZIP'] as const;

export const situsOf = (attributes: Attributes): Situs => ({
  street: line(attributes.SITEADDR),
  city: 'St. Louis',
  zip: zip('ZIP', attributes.ZIP),
});

export const ownerOf = (attributes: Attributes): { readonly owner_name: string | null } & Mailing => ({
  owner_name: optional(attributes.OwnerName),
  mail_street: optional(attributes.OwnerAddr),
  mail_city: optional(attributes.OwnerCity),
  mail_state: optional(attributes.OwnerState),
  mail_zip: postcode(attributes.OwnerZIP),
});

/** AsrClassCode of the Land Reutilization Authority, the city's land bank. */
const LAND_BANK = 49;

/** Whether the city's land bank owns the parcel: it pays no tax, and its owner is not a seller. */
export const isLandBank = (attributes: Attributes): boolean =>
  Number(attributes.AsrClassCode) === LAND_BANK || optional(attributes.OwnerName)?.toUpperCase() === 'LRA';

/** PropertyClassCode in the city's words, with the share of the market value that is assessed (RSMo 137.115). */
const CLASSES: Readonly<Record<string, { readonly name: string; readonly share?: string }>> = {
  '10': { name: 'Agricultural', share: '0.12' },
  '12': { name: 'Commercial', share: '0.32' },
  '15': { name: 'Residential', share: '0.19' },
  '17': { name: 'Exempt' },
};

/** The class in the city's words; the code of a mixed class. The land bank's parcels are a class of their own. */
export function propertyClassOf(attributes: Attributes): string | null {
  const code = optional(attributes.PropertyClassCode);
  return isLandBank(attributes) ? 'Land bank (LRA)' : code === null ? null : (CLASSES[code]?.name ?? code);
}

/** Market value of a parcel of one class, from its assessed value. Null for mixed classes, whose shares differ. */
export function marketValueOf(attributes: Attributes): string | null {
  const assessed = cents('AsdTotal', attributes.AsdTotal, { zeroIsUnknown: true });
  const share = CLASSES[optional(attributes.PropertyClassCode) ?? '']?.share;
  return assessed === null || share === undefined ? null : decimal(divide(assessed, share));
}
