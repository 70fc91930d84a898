/** The report in plain sentences, each of them from figures that stand in it. */
import type { z } from 'zod';
import type { Deal } from '../../../models/marts/deals.ts';
import type { Report } from '../../../models/marts/reports.ts';

type DealRow = z.infer<typeof Deal.schema>;
type ReportRow = z.infer<typeof Report.schema>;

/** "225000.00" as "$225,000"; cents are said only where there are any. */
const dollars = (amount: string): string => `$${amount.replace(/\.00$/, '').replaceAll(/\B(?=(\d{3})+(?!\d))/g, ',')}`;
const words = (code: string): string => code.replaceAll('_', ' ');

const ABSENT_DISTRESS: Readonly<Record<DealRow['distress_status'], string>> = {
  matched: '',
  none_found: 'No tax delinquency and no sheriff sale at this address, in a county where both are read.',
  partly_covered:
    'No county record at this address; only one of tax delinquency and sheriff sales is read for this county.',
  county_not_covered: 'Neither tax delinquency nor sheriff sales are read for this county.',
  address_unknown: 'County records could not be matched, as the street address is not known.',
};

function price({ list_price, units, price_per_unit, price_reduction_pct }: DealRow): string {
  const [cut, count] = [
    price_reduction_pct === null || price_reduction_pct === '0.00'
      ? ''
      : `, after a cut of ${price_reduction_pct}% seen by this service`,
    units === null ? 'an unstated number of units' : `${units} unit${units === 1 ? '' : 's'}`,
  ];
  return list_price === null
    ? `No asking price is published, for ${count}.`
    : `Asking ${dollars(list_price)} for ${count}${price_per_unit === null || units === 1 ? '' : `, ${dollars(price_per_unit)} a unit`}${cut}.`;
}

function underwriting({
  cap_rate,
  cap_rate_source,
  cap_rate_underwritten,
  cap_gap_pct,
  underwrite_reliability,
  underwrite_reason,
}: DealRow): string[] {
  const claim =
    cap_rate === null
      ? 'No cap rate is advertised'
      : `The ${cap_rate_source === 'advertised' ? 'advertised cap rate is' : 'stated income gives a cap rate of'} ${cap_rate}%`;
  const own =
    cap_rate_underwritten === null
      ? `; it could not be underwritten${underwrite_reason === null ? '' : ` (${words(underwrite_reason)})`}.`
      : `; HUD rents under the declared assumptions give ${cap_rate_underwritten}%${cap_gap_pct === null ? '' : `, a gap of ${cap_gap_pct} points`}.`;
  return [
    claim + own,
    ...(underwrite_reliability === 'proxy_out_of_range'
      ? [
          `HUD's 2-bedroom rent does not fit this property (${words(underwrite_reason ?? 'out of range')}), so the underwriting is not to be relied on.`,
        ]
      : []),
  ];
}

function debt({ dscr, dscr_reason, noi_source }: DealRow, { debt_terms: { bank } }: ReportRow): string {
  return dscr === null
    ? `There is no DSCR: ${words(dscr_reason ?? 'not computed')}.`
    : `DSCR ${dscr} on ${noi_source === 'underwritten' ? 'the underwritten' : "the broker's"} NOI, with a loan of ${Math.round(Number(bank.loan_to_value) * 100)}% at ${bank.rate_pct}% over ${bank.years} years.`;
}

function offerOf({ offer: { status, low, high, target_cap_pct, high_binding } }: ReportRow): string {
  if (low === null || high === null) return `No offer is suggested: ${words(status)}.`;
  return (
    `Suggested offer ${low === high ? dollars(high) : `${dollars(low)} to ${dollars(high)}`} at a target cap rate of ${target_cap_pct}%, limited by the ${words(high_binding ?? 'asking price')}` +
    `${status === 'claimed_basis_unverified' ? "; it rests on the broker's unverified claim" : ''}.`
  );
}

function distress({ distress_status, distress_matches }: DealRow): string {
  if (distress_status !== 'matched') return ABSENT_DISTRESS[distress_status];
  const said = distress_matches.map((m) =>
    m.kind === 'sheriff_sale'
      ? `a sheriff sale${m.sale_date === null ? '' : ` on ${m.sale_date}`}`
      : `delinquent tax${m.amount === null ? '' : ` of ${dollars(m.amount)}`}`,
  );
  return `County records at this address: ${said.join(', ')}.`;
}

/** What the report says, in plain sentences. */
export const summaryOf = (deal: DealRow, report: ReportRow): string[] => [
  deal.why_this_is_interesting,
  price(deal),
  ...underwriting(deal),
  debt(deal, report),
  `Rental ${deal.rental_status}, wholesale ${deal.wholesale_status}, creative finance ${deal.creative_finance_status}.`,
  offerOf(report),
  distress(deal),
];
