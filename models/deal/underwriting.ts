/** The fields of a deal on the claim, the rent and each step of underwriting. */
import { instant, integer, money, oneOf, percent, ratio, text, words } from '../../lib/record.ts';
import { UNDERWRITE_REASONS } from '../absence/inside.ts';
import { OUTDATED_REASONS } from '../../sources/fiscal_year.ts';
import { CURRENT_RENT, NO_INCOME, NO_RENT, NO_UNDERWRITING, NOT_DERIVED, RELIABLE } from '../absence/deals.ts';

/** Values of rent_basis. */
export const RENT_BASES = ['zip', 'zip_lowest_of_several', 'metro', 'metro_lowest_of_several', 'unknown'] as const;

export const underwriting = {
  // Claim
  cap_rate_source: oneOf(
    ['advertised', 'derived_from_stated_noi', 'none'],
    'Origin of the claim. advertised: in cap_rate; derived_from_stated_noi: in cap_rate_derived.',
  ),
  cap_rate_derived: percent('Stated NOI over list_price, if the site advertises no cap rate.', { absent: NOT_DERIVED }),
  cap_gap_basis: oneOf(
    ['advertised_cap_rate', 'derived_cap_rate', 'no_claim', 'no_underwriting', 'no_claim_and_no_underwriting'],
    'The claim in cap_gap_pct, or why that is null.',
  ),
  claim_consistency: oneOf(
    ['consistent', 'inconsistent', 'not_checkable'],
    'Whether the stated NOI gives the advertised cap rate to within 0.10 points.',
  ),
  claim_issue: oneOf(
    ['none', 'noi_not_positive', 'noi_contradicts_cap_rate', 'year_built_in_future'],
    'First impossible figure of the listing. noi_contradicts_cap_rate: the stated NOI gives another cap rate.',
  ),
  underwriting_agreement: oneOf(
    words('agrees claim_too_high claim_too_low rated_pass contradicted unreliable no_underwriting no_claim'),
    'Whether the underwriting agrees with the claim. agrees: less than material_gap apart, and ' +
      'rental_status is Warm or Hot; claim_too_high, claim_too_low: that far apart or more; ' +
      "rated_pass: closer, but Pass; contradicted: claim_issue names the NOI; unreliable: HUD's " +
      'rent does not fit.',
  ),
  underwriting_note: text('underwriting_agreement in one sentence, with the figures and rental_status.'),

  // Rent
  rent_basis: oneOf(
    RENT_BASES,
    "zip: small-area rent; metro: of the ZIP's HUD area; lowest_of_several: the ZIP is in several areas.",
  ),
  rent_area_code: text('HUD area of the rent.', { absent: NO_RENT }),
  rent_area_name: text('Name of the HUD area.', { absent: NO_RENT }),
  rent_fiscal_year: integer('HUD fiscal year of the rent.', { absent: NO_RENT, unit: 'year' }),
  rent_source_url: text("HUD's page with the rent.", { absent: NO_RENT }),
  rent_observed_at: instant('When the rent was read.', { absent: NO_RENT, follows: 'reads' }),
  rent_outdated_reason: oneOf(
    OUTDATED_REASONS,
    'Why the rent is outdated. fiscal_year_over: it ended more than 60 days ago.',
    { absent: CURRENT_RENT },
  ),

  // Income
  gross_potential_rent: money('units x contract_rent x 12.', { absent: NO_INCOME }),
  effective_gross_income: money('gross_potential_rent less vacancy_pct of it.', { absent: NO_INCOME }),
  expense_ratio_pct: percent('operating_expenses over effective_gross_income.', { absent: NO_INCOME }),
  report_status: oneOf(
    ['available', 'no_underwriting'],
    'Whether the report is sold. no_underwriting: cap_rate_underwritten is null.',
  ),
  underwrite_reason: oneOf(UNDERWRITE_REASONS, 'First reason why underwrite_reliability is not ok.', {
    absent: RELIABLE,
  }),

  // Yield
  gross_rent_multiplier: ratio('list_price over gross_potential_rent.', { absent: NO_UNDERWRITING }),
};
