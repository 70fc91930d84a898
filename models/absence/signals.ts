/** Why a field of a signal is null. */
import { because, cause, type Cause } from '../../lib/record.ts';
import { NO_WHOLE_NUMBER } from '../fields.ts';

const STREET: Cause = { of: 'address_status', if: "address_status <> 'available'" };
const OF_COUNTY = cause('not_published_by_county', "neither the source nor the county's parcel layer has it");
const OF_SOURCE = cause('not_published_by_source', 'the source does not publish it');

export const NOT_PUBLISHED = because(OF_COUNTY);
export const NO_PARCEL = because(cause('no_parcel_number_published', 'the source prints no parcel number'));
export const NO_ADDRESS = because({ of: 'address_status', if: "address_status = 'pending_parcel_lookup'" });
export const NO_STREET = because(STREET);
export const NO_NUMBER = because(NO_WHOLE_NUMBER, STREET);
export const NO_UNIT = because(STREET, cause('no_unit', 'the address has no unit'));
export const IN_NO_SOURCE = because(cause('in_no_source', 'no source has it'));
export const NO_TAX = because(
  cause('not_a_tax_delinquency', 'the record is no tax delinquency', "signal_type <> 'tax_delinquent'"),
  OF_COUNTY,
);
export const NO_RATIO = because(
  cause('amount_missing', 'amount is null', 'amount IS NULL'),
  cause('county_value_missing', 'county_value is null', 'county_value IS NULL'),
);
export const TAX_RECORD = because(cause('tax_delinquency', 'a tax delinquency: its parcel identifies it'));
export const NO_RECORD = because(
  cause('tax_delinquency', 'the record is a tax delinquency', "signal_type = 'tax_delinquent'"),
  OF_SOURCE,
);
export const NO_LIEN = because(
  cause('not_a_tax_lien', 'the record is no tax lien', "signal_type <> 'tax_lien'"),
  OF_SOURCE,
);
export const NO_AMOUNT = because(cause('amount_missing', 'amount is null', 'amount IS NULL'));
