/**
 * Why a field of a deal is null: the reasons, each with its condition and its words. `absent` of a response, the
 * dictionary, the statuses and the audits of nulls follow from them. Of several reasons, the first that applies.
 */
import { type Absence, because, type Cause } from '../../lib/record.ts';
import { NO_WHOLE_NUMBER } from '../fields.ts';

/** Inputs of figures. */
export const PRICE = { code: 'price_missing', if: 'list_price IS NULL', about: 'the site publishes no price' } as const;
export const UNITS = {
  code: 'units_missing',
  if: 'units IS NULL',
  about: 'the site does not state the units',
} as const;
export const RENT = {
  code: 'rent_missing',
  if: 'market_rent_2br IS NULL',
  about: "HUD's rent of the ZIP is not known",
} as const;
/** Why a property has no income: values of dscr_reason. */
export const NO_INCOME_KINDS = ['single_unit', 'not_income_property'] as const;

const NOT_APPLICABLE: Cause = {
  code: 'dscr_not_applicable',
  if: "dscr_status = 'not_applicable'",
  about: 'no lender makes such a loan, as dscr_reason says',
};
const NOT_SCORED: readonly Cause[] = [
  { of: 'underwrite_reason' },
  { of: 'dscr_reason', if: `dscr_reason IN (${NO_INCOME_KINDS.map((kind) => `'${kind}'`).join(', ')})` },
];
const NOT_ON_ROLL: readonly Cause[] = [
  { of: 'roll_status', if: "roll_status <> 'matched'" },
  { code: 'not_on_roll', about: 'the roll publishes none, or a token amount' },
];
const HIDDEN: Cause = { of: 'address_status', if: "address_status = 'hidden_by_source'" };
const INCOMPLETE: Cause = { of: 'address_status', if: "address_status <> 'available'" };

const notRead = (field: string): Cause => ({
  code: 'not_readable_at_source',
  if: `contains(' ' || unread_fields || ' ', ' ${field} ')`,
  about: 'the site states it in a form that is not read',
});

/** Reasons that follow from the SQL of a figure: it is null exactly if one of its inputs is. */
export const NO_PRICE = because(PRICE);
export const NO_UNITS = because(UNITS);
export const NO_RENT = because(RENT);
export const NO_PRICE_OR_UNITS = because(PRICE, UNITS);
export const NO_INCOME = because(UNITS, RENT);
export const NO_UNDERWRITING = because(PRICE, UNITS, RENT);
export const NO_SCORE = because(...NOT_SCORED);
export const NO_RANGE = because({ of: 'noi_range_reason', if: "noi_range_reason <> 'owners_of_survey'" });
export const NO_DSCR = because({ of: 'dscr_reason' });
export const NO_DSCR_UNDERWRITTEN = because(NOT_APPLICABLE, PRICE, UNITS, RENT);
export const NO_PITIA = because(
  NOT_APPLICABLE,
  PRICE,
  UNITS,
  RENT,
  { code: 'more_than_four_units', if: 'units > 4', about: 'there are more than 4 units' },
  { code: 'no_expense_lines', if: "expense_lines = '[]'", about: 'no expense lines are known' },
);
export const NO_OFFER = because({
  of: 'offer_status',
  if: "offer_status NOT IN ('computed', 'claimed_basis_unverified')",
});

/** Reasons of claims and statuses. */
export const NO_GAP = because({
  of: 'cap_gap_basis',
  if: "cap_gap_basis NOT IN ('advertised_cap_rate', 'derived_cap_rate')",
});
export const NO_NOI = because({
  code: 'not_stated_and_not_underwritten',
  about: 'the site does not state it, and it cannot be computed',
});
export const NO_NOI_SOURCE = because({ code: 'noi_missing', if: 'noi IS NULL', about: 'noi is null' });
export const NOT_ADVERTISED = because(
  { code: 'noi_stated_instead', if: 'cap_rate_derived IS NOT NULL', about: 'the site states an NOI instead' },
  notRead('cap_rate'),
  { code: 'not_advertised', about: 'the site advertises none' },
);
export const NOT_DERIVED = because(
  { code: 'cap_rate_advertised', if: 'cap_rate IS NOT NULL', about: 'cap_rate is advertised' },
  PRICE,
  { code: 'noi_not_stated', if: "noi_source IS DISTINCT FROM 'stated'", about: 'the site states no NOI' },
);
export const RELIABLE = because({
  code: 'reliability_ok',
  if: "underwrite_reliability = 'ok'",
  about: 'underwrite_reliability is ok',
});
export const COMPUTED = because({
  code: 'dscr_computed',
  if: "dscr_status = 'computed'",
  about: 'dscr_status is computed',
});
export const CURRENT_RENT = because(RENT, { code: 'rent_not_outdated', about: 'the rent is not outdated' });
export const DECLARED_RATE = because({
  code: 'loan_rate_declared',
  if: "loan_rate_basis = 'declared'",
  about: 'loan_rate_basis is declared',
});
export const DECLARED_VACANCY = because({
  code: 'vacancy_declared',
  if: "vacancy_basis = 'declared'",
  about: 'vacancy_basis is declared',
});

const NO_RECORD: Cause = {
  code: 'no_condition_record',
  if: "condition_record = 'none'",
  about: 'no record in force says anything about the condition of the building',
};
export const NO_CONDITION_RECORD = because(NO_RECORD);
export const UNDATED = because(NO_RECORD, { code: 'record_undated', about: 'the publisher does not date the record' });

/** Reasons of what a listing, a roll or a map states. */
export const NO_STREET = because(HIDDEN);
export const NO_ADDRESS_KEY = because(INCOMPLETE);
export const NO_NUMBER = because(INCOMPLETE, NO_WHOLE_NUMBER);
export const NO_UNIT = because(INCOMPLETE, { code: 'no_unit', about: 'the address has no unit' });
export const NOT_STATED = because({ code: 'not_stated_by_site', about: 'the site does not state it' });
/** Reasons of an optional field of a listing. */
export const notStated = (field: string): Absence =>
  because(notRead(field), { code: 'not_stated_by_site', about: 'the site does not state it' });
export const ALL_READ = because({ code: 'all_read', about: 'every field that the site states was read' });
export const NO_UNIT_MIX = because({
  code: 'unit_mix_not_stated',
  about: 'the listing does not state it in a form that is read',
});
export const LISTED = because({
  code: 'not_delisted',
  if: "listing_status <> 'delisted'",
  about: 'listing_status is not delisted',
});
export const NO_PARCEL = because({ of: 'roll_status', if: "roll_status <> 'matched'" });
export const NO_ROLL_FIGURE = because(...NOT_ON_ROLL);
export const NO_COUNTY = because(
  {
    code: 'zip_not_listed',
    if: "geo_basis = 'zip_not_listed' AND county IS NULL",
    about: 'geo_basis is zip_not_listed',
  },
  {
    code: 'zip_in_other_state',
    if: 'county IS NULL',
    about: 'most land of the ZIP is in another state than the listing',
  },
);
