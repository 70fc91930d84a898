/** The fields of a deal on rents in place, income and expenses, each step with its source. */
import { z } from 'zod';
import { json, money, oneOf, percent } from '../../lib/record.ts';
import { TAX_AT_SALE } from '../references.ts';
import { DECLARED_VACANCY, NO_INCOME, NO_PRICE, NO_UNDERWRITING, NO_UNITS } from '../absence/deals.ts';
import { INSIDE } from '../absence/inside.ts';
import { RENT_BASES } from './underwriting.ts';

const text = z.string();
const nullableText = z.string().nullable();
const ByBedrooms = z.strictObject({
  br_0: nullableText,
  br_1: nullableText,
  br_2: nullableText,
  br_3: nullableText,
  br_4: nullableText,
});

const UNIT_MIX_BASES = [
  'listing',
  'size_and_age',
  'size',
  'size_and_age_stated_mix_does_not_add_up',
  'size_stated_mix_does_not_add_up',
  'unknown',
] as const;

const IN_PLACE_BASES = ['metro_of_source', 'metro_of_reference', 'declared'] as const;
const CONTRACT_BASES = ['county', 'largest_county_of_area', 'declared'] as const;
const TAX_RATE_BASES = [
  'county',
  'largest_county_of_area',
  'metro_of_source',
  'metro_of_reference',
  'declared',
] as const;
const TAX_BILL_BASES = ['parcel', 'listing', 'estimated', 'unknown'] as const;
const TAX_AFTER_BASES = ['bill', 'reset', 'uncapped_to_assessment', 'exemption_ends', 'estimated', 'unknown'] as const;
const TAX_APPEAL_BASES = [
  'assessment_above_price',
  'assessment_not_above_price',
  'assessment_missing',
  'bill_missing',
  'price_missing',
] as const;
const TAX_RULE_BASES = ['confirmed', 'unconfirmed', 'declared'] as const;

const RentSteps = z.strictObject({
  mix: z.strictObject({ basis: z.enum(UNIT_MIX_BASES), weights: ByBedrooms, sum: nullableText }),
  market: z.strictObject({ basis: z.enum(RENT_BASES), rents: ByBedrooms }),
  in_place: z.strictObject({
    basis: z.enum(IN_PLACE_BASES),
    area: nullableText,
    year: z.int().nullable(),
    ratios: ByBedrooms,
    source_url: nullableText,
  }),
  contract: z.strictObject({
    basis: z.enum(CONTRACT_BASES),
    area: nullableText,
    year: z.int().nullable(),
    utility_share: nullableText,
    source_url: nullableText,
  }),
});

const ExpenseLine = z.strictObject({
  line: z.enum(['property_tax', 'insurance', 'management', 'repairs', 'owner_utilities', 'other']),
  amount: text,
  basis: z.enum([...TAX_AFTER_BASES, 'size_and_state', 'size', 'declared']),
  place: nullableText,
  as_of: z.iso.date().nullable(),
  source: text,
});

const VacancySurvey = z.strictObject({
  area: text,
  region: z.enum(['northeast', 'midwest', 'south', 'west']),
  year: z.int(),
  quarter: z.int(),
  quarters: z.int(),
  metro_pct: text,
  margin_pct: text,
  region_pct: text,
  metro_weight: text,
  shrunk_pct: text,
  source_url: text,
});

const PropertyTax = z.strictObject({
  rate_pct: text,
  rate_basis: z.enum(TAX_RATE_BASES),
  rate_area: nullableText,
  rate_year: z.int().nullable(),
  rate_source_url: nullableText,
  class_factor: text,
  at_price: nullableText,
  bill: nullableText,
  current: nullableText,
  current_basis: z.enum(TAX_BILL_BASES),
  at_sale: z.enum([...TAX_AT_SALE, 'unknown']),
  reset_share: text,
  taxed_value: nullableText,
  after_basis: z.enum(TAX_AFTER_BASES),
  if_appealed: nullableText,
  appeal_basis: z.enum(TAX_APPEAL_BASES),
  rule_basis: z.enum(TAX_RULE_BASES),
  statute: nullableText,
});

export const income = {
  // Rent
  market_rent_mix: money("HUD's rent of a unit and month, weighted by the mix of bedrooms.", {
    absent: NO_INCOME,
  }),
  rent_in_place: money('Gross rent of sitting tenants for a unit and month: each rent in rent_steps times its ratio.', {
    absent: NO_INCOME,
  }),
  contract_rent: money('rent_in_place less the utilities that tenants pay themselves.', { absent: NO_INCOME }),
  rent_steps: json(
    RentSteps,
    "Steps from HUD to contract_rent: units by bedrooms, HUD's rents, the census's rent over HUD's, and " +
      'the share of utilities, each with its basis, place and year.',
    { inside: INSIDE.rent_steps },
  ),

  // Income and expenses
  vacancy_pct: percent('Vacancy and credit loss.'),
  vacancy_basis: oneOf(['metro_survey', 'declared'], 'metro_survey: vacancy_survey; declared: an assumption.'),
  vacancy_survey: json(
    VacancySurvey,
    'The survey behind vacancy_pct: the mean of the area, shrunk toward that of its region.',
    { absent: DECLARED_VACANCY },
  ),
  operating_expenses: money('effective_gross_income less noi_underwritten.', { absent: NO_INCOME }),
  expense_lines: json(
    z.array(ExpenseLine),
    'Operating expenses line by line, with basis, place, year and source. Empty if units or the rent is unknown.',
    { inside: INSIDE.expense_lines },
  ),
  expense_typical_pct: percent('Typical expense ratio at this size and age in the survey of landlords.', {
    absent: NO_UNITS,
  }),
  reserves: money('Replacement reserves of a year, below NOI.', { absent: NO_UNITS }),

  // Property tax
  property_tax: json(
    PropertyTax,
    "Property tax of a year: today's bill, the tax at the asking price, the share that a sale resets, " +
      'and the bill after an appeal.',
    { inside: INSIDE.property_tax },
  ),
  tax_after_reset: money(
    'Of property_tax, reset_share x at_price + (1 - reset_share) x bill, at least the bill; at_price without a bill.',
    { absent: NO_PRICE },
  ),
  noi_at_current_tax: money("NOI with today's tax bill.", { absent: NO_INCOME }),
  noi_after_reset: money('NOI with tax_after_reset.', { absent: NO_INCOME }),

  // The simple proxy
  noi_hud_2br: money("NOI by the simple proxy: HUD's 2-bedroom rent for every unit, and one expense ratio.", {
    absent: NO_INCOME,
  }),
  cap_rate_hud_2br: percent('noi_hud_2br over list_price.', { absent: NO_UNDERWRITING }),
};
