/** Compares the figures, days and statuses of a report's summary with the fields that state them. */
import assert from 'node:assert/strict';
import type { summaryOf } from '../../../api/routes/report/summary.ts';
import { isSale } from '../../../sources/kinds.ts';

type Deal = Parameters<typeof summaryOf>[0];
type Report = Parameters<typeof summaryOf>[1];

/** "$1,000,500.50" and "1000500.50" are the same figure. The sign is not compared. */
const figureOf = (text: string): string =>
  /^\d{4}-/u.test(text) ? text : String(Math.abs(Number(text.replaceAll(',', ''))));

/** Figures and days of a text, without those that are part of a word. */
const figuresIn = (text: string): string[] =>
  (text.match(/\d{4}-\d{2}-\d{2}|\b\d[\d,]*(?:\.\d+)?(?![\w-])/gu) ?? []).map((found) =>
    figureOf(found.replace(/,$/u, '')),
  );

/** Figures and days that the summary must state, by field. Every other figure is a contradiction. */
function statedFigures(deal: Deal, { offer, debt_terms: { bank } }: Report): Map<string, string> {
  const isCut = deal.price_reduction_pct !== '0.00';
  const hasLoan = deal.loan_sized !== null && deal.loan_binding !== null && deal.cash_needed !== null;
  const hasOffer = offer.low !== null && offer.high !== null;
  const percentOfPrice = (value: string | null): number | null =>
    value === null || deal.list_price === null ? null : Math.round((100 * Number(deal.list_price)) / Number(value));
  const figures: Record<string, string | number | null | false> = {
    list_price: deal.list_price,
    units: deal.units,
    price_per_unit: deal.list_price !== null && deal.units !== 1 && deal.price_per_unit,
    price_reduction_pct: deal.list_price !== null && isCut && deal.price_reduction_pct,
    cap_rate: deal.cap_rate ?? deal.cap_rate_derived,
    cap_rate_underwritten: deal.cap_rate_underwritten,
    cap_gap_pct: deal.cap_rate_underwritten !== null && deal.cap_gap_pct,
    dscr: deal.dscr,
    loan_to_value: deal.dscr !== null && Math.round(Number(bank.loan_to_value) * 100),
    rate_pct: deal.dscr !== null && bank.rate_pct,
    rate_on: deal.dscr !== null && bank.rate_on,
    years: deal.dscr !== null && bank.years,
    loan_sized: hasLoan && Number(deal.loan_sized) > 0 && deal.loan_sized,
    cash_needed: hasLoan && deal.cash_needed,
    cash_on_cash_pct: hasLoan && deal.cash_on_cash_pct,
    'offer.low': hasOffer && offer.low,
    'offer.high': hasOffer && offer.high,
    'offer.target_cap_pct': hasOffer && offer.target_cap_pct,
    assessed_market_value: deal.assessed_market_value,
    'price of assessed value': percentOfPrice(deal.assessed_market_value),
    last_sale_date: deal.last_sale_basis !== null && deal.last_sale_date,
    last_sale_price: deal.last_sale_basis !== null && deal.last_sale_price,
    'price of last sale': deal.last_sale_basis === null ? null : percentOfPrice(deal.last_sale_price),
  };
  for (const { id, kind, amount, sale_date: day } of [...deal.distress_matches, ...deal.distress_candidates])
    figures[`${kind} ${id}`] = isSale(kind) ? day : amount;
  return new Map(
    Object.entries(figures).flatMap(([field, value]) =>
      value === null || value === false ? [] : [[field, figureOf(String(value))] as const],
    ),
  );
}

/** What the summary states and the report does not, or the reverse, one line each. */
function contradictions([, ...sentences]: readonly string[], deal: Deal, report: Report): string[] {
  const text = sentences.join(' ');
  const stated = statedFigures(deal, report);
  const found = figuresIn(text);
  const statuses = [deal.rental_status, deal.wholesale_status, deal.creative_finance_status].join();
  const records = deal.distress_matches.length + deal.distress_candidates.length;
  return [
    ...[...stated].filter(([, figure]) => !found.includes(figure)).map(([field, figure]) => `${field} ${figure}`),
    ...found.filter((figure) => ![...stated.values()].includes(figure)).map((figure) => `no field states ${figure}`),
    ...((text.match(/\b(?:Hot|Warm|Pass)\b/gu) ?? []).join() === statuses ? [] : [`statuses ${statuses}`]),
    ...(/No county record|No tax delinquency|No public record/u.test(text) && deal.distress_matches.length > 0
      ? ['a match is reported as absent']
      : []),
    ...(/County records/u.test(text) === records > 0 ? [] : [`${records} records`]),
  ];
}

/** Assert that no sentence contradicts a field. */
export const assertConsistent = (sentences: readonly string[], deal: Deal, report: Report): void =>
  assert.deepEqual(contradictions(sentences, deal, report), [], `${deal.id}: ${sentences.join(' ')}`);
