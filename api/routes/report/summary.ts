/** The report in plain sentences, each from figures of the report. */
import type { z } from 'zod';
import { isSale } from '../../../models/fields.ts';
import type { Deal } from '../../../models/marts/deals.ts';
import type { Report } from '../../../models/marts/reports.ts';
import { Fraction } from '../../../lib/fraction.ts';

/** "225000.00" as "$225,000"; cents only if there are any. */
function exactDollars(amount: string): string {
  const grouped = amount.replace(/\.00$/, '').replaceAll(/\B(?=(\d{3})+(?!\d))/g, ',');
  return `$${grouped}`;
}

type DealRow = z.infer<typeof Deal.schema>;

const SALE_BASES: Readonly<Record<NonNullable<DealRow['last_sale_basis']>, string>> = {
  market: 'a sale at market by the roll',
  not_market: 'no sale at market by the roll',
  unknown: 'the roll does not say whether at market',
};

const shareOf = (paid: string, of: string): string =>
  Fraction.of(paid).times(Fraction.of(100)).over(Fraction.of(of)).rounded(0);

/** Sentences on the assessed value and the last sale, if the roll has them. */
function rollSentences(deal: DealRow): string[] {
  const { list_price: asking, assessed_market_value: value, last_sale_date: day, last_sale_price: paid } = deal;
  const sentences: string[] = [];
  if (value !== null) {
    const share = asking === null ? '' : `; the asking price is ${shareOf(asking, value)}% of it`;
    sentences.push(`The county's roll values the parcel at ${exactDollars(value)}${share}.`);
  }
  if (deal.last_sale_basis !== null && (day !== null || paid !== null)) {
    const when = day === null ? 'on an unknown day' : `on ${day}`;
    const amount = paid === null ? 'without a price' : `for ${exactDollars(paid)}`;
    const share = asking === null || paid === null ? '' : `; the asking price is ${shareOf(asking, paid)}% of it`;
    sentences.push(`It was last transferred ${when} ${amount} (${SALE_BASES[deal.last_sale_basis]})${share}.`);
  }
  return sentences;
}

type ReportRow = z.infer<typeof Report.schema>;

const words = (code: string): string => code.replaceAll('_', ' ');

type CountyRecord = DealRow['distress_matches'][number];

/** Which county sources are read for a property without a match. "No record" appears only if no candidate exists. */
const ABSENT_DISTRESS: Readonly<Record<DealRow['distress_status'], readonly [none: string, read: string]>> = {
  matched: ['', ''],
  none_found: [
    'No tax delinquency and no auction at this address, in a county where both are read.',
    'Both tax delinquency and auctions are read for this county.',
  ],
  partly_covered: [
    'No public record at this address; tax delinquency and auctions are not both read for all of this county.',
    'Tax delinquency and auctions are not both read for all of this county.',
  ],
  county_not_covered: [
    'Neither tax delinquency nor auctions are read for this county.',
    'Neither tax delinquency nor auctions are read for this county now.',
  ],
  address_unknown: [
    'Public records could not be matched: the street address is unknown.',
    'The street address is unknown.',
  ],
};

/** Why a candidate is no match. */
const CANDIDATE_REASONS: Readonly<Record<CountyRecord['match_basis'], string>> = {
  address_exact: 'the same address',
  parcel_exact: 'the parcel at this address',
  address_range: 'the house numbers overlap as a range',
  address_without_unit: 'only one of the two has a unit',
  address_without_zip: 'the county prints no ZIP',
  address_exact_place_unknown: 'the county prints no city and no ZIP',
  condominium_of_building: 'a condominium of the building',
};

function price({ list_price, units, price_per_unit, price_reduction_pct }: DealRow): string {
  const [cut, count] = [
    price_reduction_pct === null || price_reduction_pct === '0.00'
      ? ''
      : `, after a cut of ${price_reduction_pct}% seen by this service`,
    units === null ? 'an unstated number of units' : `${units} unit${units === 1 ? '' : 's'}`,
  ];
  if (list_price === null) return `No asking price is published, for ${count}.`;
  const perUnit = price_per_unit === null || units === 1 ? '' : `, ${exactDollars(price_per_unit)} per unit`;
  return `Asking ${exactDollars(list_price)} for ${count}${perUnit}${cut}.`;
}

function underwriting({
  cap_rate,
  cap_rate_derived,
  cap_rate_source,
  cap_rate_underwritten,
  cap_gap_pct,
  underwrite_reliability,
  underwrite_reason,
}: DealRow): string[] {
  const basis = cap_rate_source === 'advertised' ? 'advertised cap rate is' : 'stated income gives a cap rate of';
  const claimed = cap_rate ?? cap_rate_derived;
  const claim = claimed === null ? 'No cap rate is advertised' : `The ${basis} ${claimed}%`;
  const reason = underwrite_reason === null ? '' : ` (${words(underwrite_reason)})`;
  const gap = cap_gap_pct === null ? '' : `, a gap of ${cap_gap_pct} points`;
  const underwritten =
    cap_rate_underwritten === null
      ? `; it could not be underwritten${reason}.`
      : `; HUD rents under the declared assumptions give ${cap_rate_underwritten}%${gap}.`;
  if (underwrite_reliability !== 'proxy_out_of_range') return [claim + underwritten];
  return [
    claim + underwritten,
    `HUD's 2-bedroom rent does not fit this property (${words(underwrite_reason ?? 'out of range')}), so do not rely ` +
      'on the underwriting.',
  ];
}

const NOI_NAMES: Readonly<Record<NonNullable<DealRow['noi_source']>, string>> = {
  stated: "the broker's NOI",
  derived_from_advertised_cap: 'the NOI of the advertised cap rate',
  underwritten: 'the underwritten NOI',
};

function debt({ dscr, dscr_reason, noi_source }: DealRow, { debt_terms: { bank } }: ReportRow): string {
  if (dscr === null) return `There is no DSCR: ${words(dscr_reason ?? 'not computed')}.`;
  const noi = noi_source === null ? 'the NOI' : NOI_NAMES[noi_source];
  const share = Math.round(Number(bank.loan_to_value) * 100);
  const survey = bank.rate_is_made_up === true ? 'a made-up survey' : 'the survey';
  const basis = bank.rate_on === null ? 'a declared rate' : `from ${survey} of ${bank.rate_on}`;
  return `DSCR ${dscr} on ${noi}, with a loan of ${share}% at ${bank.rate_pct}% (${basis}) over ${bank.years} years.`;
}

/** The limit that determines the size of the loan. */
export const LOAN_LIMITS: Readonly<Record<NonNullable<DealRow['loan_binding']>, string>> = {
  loan_to_value: 'limited by the price',
  debt_coverage: 'limited by the income',
  minimum_loan: 'the income covers less than the smallest loan',
  none: 'no income is left after reserves',
};

function cash({ loan_sized, loan_binding, cash_needed, cash_on_cash_pct }: DealRow): string[] {
  if (loan_sized === null || loan_binding === null || cash_needed === null) return [];
  const loan = Number(loan_sized) === 0 ? 'no loan' : `a loan of ${exactDollars(loan_sized)}`;
  return [
    `A lender sizes ${loan} (${LOAN_LIMITS[loan_binding]}): ${exactDollars(cash_needed)} of cash is needed and earns ` +
      `${cash_on_cash_pct ?? ''}% a year before income tax.`,
  ];
}

function offerOf({ offer: { status, low, high, target_cap_pct, high_binding } }: ReportRow): string {
  if (low === null || high === null) return `No offer is suggested: ${words(status)}.`;
  const range = low === high ? exactDollars(high) : `${exactDollars(low)} to ${exactDollars(high)}`;
  const limit = high_binding === null ? '' : `, limited by the ${words(high_binding)}`;
  const basis = status === 'claimed_basis_unverified' ? "; it is based on the broker's unverified claim" : '';
  return `Suggested offer ${range} at a target cap rate of ${target_cap_pct}%${limit}${basis}.`;
}

function recordSentence({ kind, amount, sale_date }: CountyRecord): string {
  if (isSale(kind)) return `a ${words(kind)}${sale_date === null ? '' : ` on ${sale_date}`}`;
  const name =
    kind === 'tax_delinquent' ? 'delinquent tax' : `a ${kind === 'condemned' ? 'condemned building' : words(kind)}`;
  return `${name}${amount === null ? '' : ` of ${exactDollars(amount)}`}`;
}

/** Sentences on the county records. A possible match is listed, so that no debt is reported as absent. */
function distress({ distress_status, distress_matches, distress_candidates }: DealRow): string[] {
  const matches = distress_matches.map(
    (match) => recordSentence(match) + (match.match_basis === 'parcel_exact' ? ' (of the parcel at it)' : ''),
  );
  const candidates = distress_candidates.map(
    (candidate) => `${recordSentence(candidate)} (${CANDIDATE_REASONS[candidate.match_basis]})`,
  );
  const maybe = `may be of this property and score nothing: ${candidates.join(', ')}.`;
  const [none, read] = ABSENT_DISTRESS[distress_status];
  if (matches.length > 0) {
    const found = `County records at this address: ${matches.join(', ')}.`;
    return candidates.length === 0 ? [found] : [found, `Other county records ${maybe}`];
  }
  if (candidates.length === 0) return [none];
  return [`No county record matches this property exactly. County records that ${maybe}`, read];
}

export const summaryOf = (deal: DealRow, report: ReportRow): string[] => [
  deal.why_this_is_interesting,
  price(deal),
  ...underwriting(deal),
  debt(deal, report),
  ...cash(deal),
  `Rental ${deal.rental_status}, wholesale ${deal.wholesale_status}, creative finance ${deal.creative_finance_status}.`,
  offerOf(report),
  ...rollSentences(deal),
  ...distress(deal),
];
