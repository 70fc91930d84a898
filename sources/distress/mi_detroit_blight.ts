/**
 * City of Detroit, Michigan: blight tickets for which a hearing found the owner responsible, with a balance due.
 *
 * Known from public readers: about 362,000 of 907,655 tickets have a balance; 1,000 features per request; dispositions
 * that begin with "Responsible"; judgment_date and ticket_issued_date as days, of which some issue dates are impossible
 * (year 8535); ticket_updated_at in milliseconds, of the same or the day before. No row was recorded. The address has
 * no city, and often no street suffix.
 */
import { postcode } from '../readers/addresses.ts';
import { arcgisDistress } from '../readers/arcgis/adapter.ts';
import { EASTERN, inForceOrTouched, layerDay } from '../readers/arcgis/values.ts';
import { DETROIT_LAYERS, DETROIT_PARCEL, DETROIT_TERMS, WAYNE } from '../readers/detroit.ts';
import { money, optional, refuse, zip } from '../values.ts';

export default arcgisDistress({
  name: 'mi_detroit_blight',
  title: 'City of Detroit blight tickets with a balance due',
  county: WAYNE,
  layer: `${DETROIT_LAYERS}/blight_tickets/FeatureServer/0`,
  where: (ctx) =>
    `disposition LIKE 'Responsible%' AND ${inForceOrTouched('amt_balance_due > 0', 'ticket_updated_at')(ctx)}`,
  covers: { kinds: ['blight_judgment'], city: 'Detroit' },
  terms: DETROIT_TERMS,
  everyDays: 7,
  expect: {
    minRows: 1,
    maxRejectShare: 0.02,
    maxDropShare: 0.5,
    joins: { address: 0.7 },
    newest: { column: 'last_activity_on', maxAgeDays: 180 },
  },
  signalType: 'blight_judgment',
  record: 'ticket_number',
  parcel: 'parcel_id',
  parcelForm: DETROIT_PARCEL,
  needed: ['address', 'zip_code', 'ordinance_description', 'disposition', 'amt_balance_due', 'ticket_updated_at'],
  optional: (
    'ticket_issued_date payment_status property_owner_name property_owner_address property_owner_city ' +
    'property_owner_state property_owner_zip_code'
  ).split(' '),
  values: (feature, { readOn }) => {
    const amount =
      money('amt_balance_due', feature.amt_balance_due) ?? refuse('blank_amount', 'amt_balance_due is blank');
    const past = { zone: EASTERN, latest: readOn, impossible: 'null' } as const;
    const isOpen = !/^-|^0\.00$/u.test(amount);
    return {
      street: optional(feature.address),
      city: 'Detroit',
      zip: zip('zip_code', feature.zip_code),
      owner_name: optional(feature.property_owner_name),
      mail_street: optional(feature.property_owner_address),
      mail_city: optional(feature.property_owner_city),
      mail_state: optional(feature.property_owner_state),
      mail_zip: postcode(feature.property_owner_zip_code),
      ...(isOpen ? { amount, amount_basis: 'balance_due' } : {}),
      filed_on: layerDay('ticket_issued_date', feature.ticket_issued_date, past),
      last_activity_on: layerDay('ticket_updated_at', feature.ticket_updated_at, past),
      record_state: isOpen ? 'open' : 'closed',
      state_raw: optional(feature.payment_status) ?? optional(feature.disposition),
      description: optional(feature.ordinance_description),
    };
  },
});
