/** How a report gets from HUD's rent to NOI: rent, expenses, their check, the tax after a sale, and the weak points. */
import { html, type Html, type Piece } from '../../html.ts';
import { absent, dollars, percent, shareText } from '../../format.ts';
import { cardTable, externalLink, listed, num, sub } from '../../components.ts';
import type { ReportBody } from '../../../routes/report/report.ts';
import {
  CONTRACTS,
  IN_PLACE,
  LINES,
  lineBasis,
  MIXES,
  RENTS,
  RANGES,
  RISKS,
  SOURCES,
  TAX_AFTER,
  TAX_AT_SALE,
  TAX_BILLS,
  TAX_RATES,
  TAX_RULES,
} from './words.ts';

type Deal = ReportBody['deal'];
type ByBedrooms = Deal['rent_steps']['market']['rents'];

const BEDROOMS: readonly (readonly [key: keyof ByBedrooms, label: string])[] = [
  ['br_0', 'no bedroom'],
  ['br_1', 'one bedroom'],
  ['br_2', 'two bedrooms'],
  ['br_3', 'three bedrooms'],
  ['br_4', 'four or more bedrooms'],
];

/** "41% with one bedroom, 59% with two bedrooms", or units if the listing states them. */
const mixText = ({ basis, weights }: Deal['rent_steps']['mix']): string =>
  BEDROOMS.flatMap(([key, label]) => {
    const weight = weights[key];
    if (weight === null || Number(weight) === 0) return [];
    return [`${basis === 'listing' ? String(Number(weight)) : shareText(weight)} with ${label}`];
  }).join(', ');

function ratiosText(ratios: ByBedrooms): string {
  const known = BEDROOMS.flatMap(([key]) => ratios[key] ?? []).sort((a, b) => Number(a) - Number(b));
  const [least, most] = [known[0], known.at(-1)];
  if (least === undefined || most === undefined) return '';
  return `${least === most ? '' : `${shareText(least)} to `}${shareText(most)} of HUD’s rents`;
}

/** Place and year of a step, with a link to the source if there is one. */
function placeOf(url: string | null, ...parts: readonly (Piece | null)[]): Piece {
  const known = parts.filter((piece) => piece !== null);
  if (known.length === 0) return absent;
  return url === null ? listed(known) : externalLink(url, listed(known));
}

function rentSteps(deal: Deal): Html {
  const { mix, in_place: inPlace, contract } = deal.rent_steps;
  const fiscalYear = deal.rent_fiscal_year === null ? null : `fiscal year ${deal.rent_fiscal_year}`;
  return html`<h2 id="rent">From HUD’s rent to contract rent</h2>
    ${cardTable(
      'Rent of a unit for a month, step by step',
      ['Step', num('Rent'), 'Based on', 'Place and year'],
      [
        [
          'Rent of two bedrooms',
          dollars(deal.market_rent_2br),
          RENTS[deal.rent_basis],
          placeOf(deal.rent_source_url, deal.rent_area_name, fiscalYear),
        ],
        [
          'Rent for the bedrooms of the building',
          dollars(deal.market_rent_mix),
          [MIXES[mix.basis], sub(mixText(mix))],
          absent,
        ],
        [
          'Rent that sitting tenants pay',
          dollars(deal.rent_in_place),
          [IN_PLACE[inPlace.basis], sub(ratiosText(inPlace.ratios))],
          placeOf(inPlace.source_url, inPlace.area, inPlace.year),
        ],
        [
          html`<strong>Contract rent</strong>, without utilities that tenants pay`,
          dollars(deal.contract_rent),
          [
            CONTRACTS[contract.basis],
            contract.utility_share !== null && sub(`utilities are ${shareText(contract.utility_share)} of the rent`),
          ],
          placeOf(contract.source_url, contract.area, contract.year),
        ],
      ],
    )}`;
}

function expenses(deal: Deal): Html {
  const { expense_lines: lines } = deal;
  if (lines.length === 0)
    return html`<h2 id="expenses">Expenses</h2>
      <p>The income is unknown, and so are the expenses.</p>`;
  return html`<h2 id="expenses">Expenses, line by line</h2>
    ${cardTable(
      'Dollars per year',
      ['Expense', num('Amount'), 'Based on', 'Source, place, date'],
      lines.map((line) => [
        LINES[line.line],
        dollars(line.amount),
        lineBasis(line, deal.property_tax),
        [SOURCES[line.source] ?? line.source, sub(listed([line.place, line.as_of].filter((piece) => piece !== null)))],
      ]),
    )}
    <p>
      Tables by size say little about one building, so half of these lines, the tax excepted, is replaced by what
      buildings of this size and age typically spend: ${percent(deal.expense_typical_pct)} of the income in all.
      Operating expenses are ${dollars(deal.operating_expenses)}, or ${percent(deal.expense_ratio_pct)}. Reserves of
      ${dollars(deal.reserves)} come after NOI.
    </p>`;
}

function tax({ property_tax: propertyTax, tax_after_reset: after, ...deal }: Deal): Html {
  const factor = Number(propertyTax.class_factor);
  return html`<h2 id="tax">Property tax after a sale</h2>
    <p>
      Today’s tax is ${dollars(propertyTax.current)} (${TAX_BILLS[propertyTax.current_basis]}). At the asking price it
      is ${dollars(propertyTax.at_price)}: ${percent(propertyTax.rate_pct)} of the price
      (${TAX_RATES[propertyTax.rate_basis]})${factor === 1 ? '' : ` times ${factor} for rental buildings`}. After a sale
      a buyer pays <strong>${dollars(after)}</strong> (${TAX_AFTER[propertyTax.after_basis]}); in this state
      ${TAX_AT_SALE[propertyTax.at_sale]}.
      ${TAX_RULES[propertyTax.rule_basis]}${propertyTax.statute === null ? '' : html` (${propertyTax.statute})`}.
      ${
        propertyTax.if_appealed !== null &&
        html`The county assesses the building above the price; an appeal may lower the tax to
        ${dollars(propertyTax.if_appealed)}, which this report does not count.`
      }
      NOI is ${dollars(deal.noi_at_current_tax)} with today’s tax and ${dollars(deal.noi_after_reset)} after a sale.
    </p>`;
}

/** Both underwritings, so that a reader sees how much the method matters. */
const underwritings = (deal: Deal): Html =>
  html`<h2 id="noi">Two underwritings</h2>
    ${cardTable(
      'Net operating income per year',
      ['Underwriting', num('NOI'), num('Cap rate')],
      [
        ['Ours: it counts in scores and offers', dollars(deal.noi_underwritten), percent(deal.cap_rate_underwritten)],
        [
          'Simple proxy: HUD’s 2-bedroom rent for every unit, one expense ratio',
          dollars(deal.noi_hud_2br),
          percent(deal.cap_rate_hud_2br),
        ],
      ],
    )}
    <p><a href="/scores#real-noi">How both compare with what owners earned</a></p>`;

/** The public record of the condition, with its page. */
const recordOf = ({ condition_record_url: url, condition_record_on: on }: ReportBody['deal']): Html =>
  url === null
    ? html` Nobody has inspected the building.`
    : html` ${externalLink(url, `The public record${on === null ? '' : ` of ${on}`}`)}.`;

/** What owners of such buildings earned, and what points to a building in bad condition. */
function risks({ deal }: ReportBody): Html {
  const share =
    deal.score_share_pct === null || Number(deal.score_share_pct) === 100
      ? ''
      : html` ${percent(deal.score_share_pct)} of the points for yield and coverage count.`;
  return html`<h2 id="risks">What owners earned, and the condition</h2>
    <p>${deal.noi_range_note ?? RANGES[deal.noi_range_reason]}</p>
    <p><strong>Condition:</strong> ${RISKS[deal.condition_risk]}${share}${recordOf(deal)}</p>`;
}

/** Every step from rent to NOI, and what can go wrong. */
export const incomeSteps = (report: ReportBody): Html =>
  html`${rentSteps(report.deal)} ${expenses(report.deal)} ${tax(report.deal)} ${underwritings(report.deal)}
  ${risks(report)}`;
