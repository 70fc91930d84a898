/** Why a field of a signal is null. */
import { because, type Cause } from '../../lib/record.ts';
import { NO_WHOLE_NUMBER } from '../fields.ts';

const STREET: Cause = { of: 'address_status', if: "address_status <> 'available'" };
const OF_COUNTY: Cause = {
  code: 'not_published_by_county',
  about: "neither the source nor the county's parcel layer has it",
};
const OF_SOURCE: Cause = { code: 'not_published_by_source', about: 'the source does not publish it' };

export const NOT_PUBLISHED = because(OF_COUNTY);
export const NO_PARCEL = because({ code: 'no_parcel_number_published', about: 'the source prints no parcel number' });
export const NO_ADDRESS = because({ of: 'address_status', if: "address_status = 'pending_parcel_lookup'" });
export const NO_STREET = because(STREET);
export const NO_NUMBER = because(NO_WHOLE_NUMBER, STREET);
export const NO_UNIT = because(STREET, { code: 'no_unit', about: 'the address has no unit' });
export const IN_NO_SOURCE = because({ code: 'in_no_source', about: 'no source has it' });
export const NO_TAX = because(
  { code: 'not_a_tax_delinquency', if: "signal_type <> 'tax_delinquent'", about: 'the record is no tax delinquency' },
  OF_COUNTY,
);
export const NO_RATIO = because(
  { code: 'amount_missing', if: 'amount IS NULL', about: 'amount is null' },
  { code: 'county_value_missing', if: 'county_value IS NULL', about: 'county_value is null' },
);
export const TAX_RECORD = because({ code: 'tax_delinquency', about: 'a tax delinquency: its parcel identifies it' });
export const NO_RECORD = because(
  { code: 'tax_delinquency', if: "signal_type = 'tax_delinquent'", about: 'the record is a tax delinquency' },
  OF_SOURCE,
);
export const NO_LIEN = because(
  { code: 'not_a_tax_lien', if: "signal_type <> 'tax_lien'", about: 'the record is no tax lien' },
  OF_SOURCE,
);
export const NO_AMOUNT = because({ code: 'amount_missing', if: 'amount IS NULL', about: 'amount is null' });
