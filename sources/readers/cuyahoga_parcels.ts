/** Fields of the county's parcel roll, which its own layer and the City of Cleveland's copy have; the city's site. */
import type { SourceSpec } from '../contract.ts';
import { joined, line, optional, zip } from '../values.ts';
import { joinedSitus, type Mailing, postcode, type Situs } from './addresses.ts';
import type { Attributes } from './arcgis/layer.ts';

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

/** Address of the property. The layer's own fields for city and ZIP are more reliable than the joined text. */
export function situsOf(attributes: Attributes): Situs {
  const whole = joinedSitus(attributes.par_addr_all);
  // A street without a suffix is printed as "ERIEVIEW PLAZA NO SUFFIX".
  const street = line(whole.street?.replace(/\s+NO SUFFIX\b/giu, ''));
  const unit = optional(attributes.parcel_unit);
  return {
    street: street === null || unit === null ? street : `${street} ${/^\w+$/u.test(unit) ? `UNIT ${unit}` : unit}`,
    city: optional(attributes.parcel_city) ?? whole.city,
    zip: zip('parcel_zip', attributes.parcel_zip) ?? whole.zip,
  };
}

export const ownerOf = (attributes: Attributes): string | null =>
  joined([attributes.parcel_owner, attributes.second_owner], ' & ');

export const mailingOf = (attributes: Attributes): Mailing => ({
  mail_street: joined([attributes.mail_addr_street, attributes.mail_unit_no]),
  mail_city: optional(attributes.mail_city),
  mail_state: optional(attributes.mail_state),
  mail_zip: postcode(attributes.mail_zip),
});

export const propertyClassOf = (attributes: Attributes): string | null =>
  optional(attributes.tax_luc_description) ?? optional(attributes.prop_class_desc);
