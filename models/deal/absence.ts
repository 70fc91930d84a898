/**
 * Why a field of a deal is null: the reasons, each with its condition and its words. `absent` of a response, the
 * dictionary, the statuses and the audits of nulls follow from them. Of several reasons, the first that applies.
 */
import { type Absence, because, cause, type Cause } from '../../lib/record.ts';
import { NO_WHOLE_NUMBER } from '../fields.ts';

/** Inputs of figures. */
export const PRICE = cause('price_missing', 'the site publishes no price', 'list_price IS NULL');
export const UNITS = cause('units_missing', 'the site does not state the units', 'units IS NULL');
export const RENT = cause('rent_missing', "HUD's rent of the ZIP is not known", 'market_rent_2br IS NULL');
/** Why a property has no income: values of dscr_reason. */
export const NO_INCOME_KINDS = ['single_unit', 'not_income_property'] as const;

const NOT_APPLICABLE = cause(
  'dscr_not_applicable',
  'no lender makes such a loan, as dscr_reason says',
  "dscr_status = 'not_applicable'",
);
const NOT_SCORED: readonly Cause[] = [
  { of: 'underwrite_reason' },
  { of: 'dscr_reason', if: `dscr_reason IN (${NO_INCOME_KINDS.map((kind) => `'${kind}'`).join(', ')})` },
];
const NOT_ON_ROLL: readonly Cause[] = [
  { of: 'roll_status', if: "roll_status <> 'matched'" },
  cause('not_on_roll', 'the roll publishes none, or a token amount'),
];
const HIDDEN: Cause = { of: 'address_status', if: "address_status = 'hidden_by_source'" };
const INCOMPLETE: Cause = { of: 'address_status', if: "address_status <> 'available'" };

const notRead = (field: string): Cause =>
  cause(
    'not_readable_at_source',
    'the site states it in a form that is not read',
    `contains(' ' || unread_fields || ' ', ' ${field} ')`,
  );

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
  cause('more_than_four_units', 'there are more than 4 units', 'units > 4'),
  cause('no_expense_lines', 'no expense lines are known', "expense_lines = '[]'"),
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
export const NO_NOI = because(
  cause('not_stated_and_not_underwritten', 'the site does not state it, and it cannot be computed'),
);
export const NO_NOI_SOURCE = because(cause('noi_missing', 'noi is null', 'noi IS NULL'));
export const NOT_ADVERTISED = because(
  cause('noi_stated_instead', 'the site states an NOI instead', 'cap_rate_derived IS NOT NULL'),
  notRead('cap_rate'),
  cause('not_advertised', 'the site advertises none'),
);
export const NOT_DERIVED = because(
  cause('cap_rate_advertised', 'cap_rate is advertised', 'cap_rate IS NOT NULL'),
  PRICE,
  cause('noi_not_stated', 'the site states no NOI', "noi_source IS DISTINCT FROM 'stated'"),
);
export const RELIABLE = because(
  cause('reliability_ok', 'underwrite_reliability is ok', "underwrite_reliability = 'ok'"),
);
export const COMPUTED = because(cause('dscr_computed', 'dscr_status is computed', "dscr_status = 'computed'"));
export const CURRENT_RENT = because(RENT, cause('rent_not_outdated', 'the rent is not outdated'));
export const DECLARED_RATE = because(
  cause('loan_rate_declared', 'loan_rate_basis is declared', "loan_rate_basis = 'declared'"),
);
export const DECLARED_VACANCY = because(
  cause('vacancy_declared', 'vacancy_basis is declared', "vacancy_basis = 'declared'"),
);

const NO_RECORD = cause(
  'no_condition_record',
  'no record in force says anything about the condition of the building',
  "condition_record = 'none'",
);
export const NO_CONDITION_RECORD = because(NO_RECORD);
export const UNDATED = because(NO_RECORD, cause('record_undated', 'the publisher does not date the record'));

/** Reasons of what a listing, a roll or a map states. */
export const NO_STREET = because(HIDDEN);
export const NO_ADDRESS_KEY = because(INCOMPLETE);
export const NO_NUMBER = because(INCOMPLETE, NO_WHOLE_NUMBER);
export const NO_UNIT = because(INCOMPLETE, cause('no_unit', 'the address has no unit'));
export const NOT_STATED = because(cause('not_stated_by_site', 'the site does not state it'));
/** Reasons of an optional field of a listing. */
export const notStated = (field: string): Absence =>
  because(notRead(field), cause('not_stated_by_site', 'the site does not state it'));
export const ALL_READ = because(cause('all_read', 'every field that the site states was read'));
export const NO_UNIT_MIX = because(
  cause('unit_mix_not_stated', 'the listing does not state it in a form that is read'),
);
export const LISTED = because(cause('not_delisted', 'listing_status is not delisted', "listing_status <> 'delisted'"));
export const NO_PARCEL = because({ of: 'roll_status', if: "roll_status <> 'matched'" });
export const NO_ROLL_FIGURE = because(...NOT_ON_ROLL);
export const NO_COUNTY = because(
  cause('zip_not_listed', 'geo_basis is zip_not_listed', "geo_basis = 'zip_not_listed' AND county IS NULL"),
  cause('zip_in_other_state', 'most land of the ZIP is in another state than the listing', 'county IS NULL'),
);
