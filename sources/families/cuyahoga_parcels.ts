/** Fields of the county's parcel roll, which its own layer and the City of Cleveland's copy of it have. */
import { joined, line, optional, zip } from '../values.ts';
import { joinedSitus, postcode, type Mailing, type Situs } from './addresses.ts';
import type { Attributes } from './arcgis/layer.ts';

/** Address of the property. The layer's own fields for city and ZIP are more reliable than the joined text. */
export function situsOf(a: Attributes): Situs {
  const whole = joinedSitus(a.par_addr_all);
  // A street without a suffix is printed as "ERIEVIEW PLAZA NO SUFFIX".
  const street = line(whole.street?.replace(/\s+NO SUFFIX\b/giu, ''));
  const unit = optional(a.parcel_unit);
  return {
    street: street === null || unit === null ? street : `${street} ${/^\w+$/u.test(unit) ? `UNIT ${unit}` : unit}`,
    city: optional(a.parcel_city) ?? whole.city,
    zip: zip('parcel_zip', a.parcel_zip) ?? whole.zip,
  };
}

export const ownerOf = (a: Attributes): string | null => joined([a.parcel_owner, a.second_owner], ' & ');

export const mailingOf = (a: Attributes): Mailing => ({
  mail_street: joined([a.mail_addr_street, a.mail_unit_no]),
  mail_city: optional(a.mail_city),
  mail_state: optional(a.mail_state),
  mail_zip: postcode(a.mail_zip),
});

export const propertyClassOf = (a: Attributes): string | null =>
  optional(a.tax_luc_description) ?? optional(a.prop_class_desc);
