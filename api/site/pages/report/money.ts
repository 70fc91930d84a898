/** The money of a report: claim and underwriting, from rent to cash flow, and the offer with its limits. */
import { barChart, type Bar } from '../../charts.ts';
import { html, type Html, type Piece } from '../../html.ts';
import { absent, day, dollars, dollarsText, percent, points, ratio } from '../../format.ts';
import { externalLink, outcome, tag } from '../../components.ts';
import { LOAN_LIMITS } from '../../../routes/report/summary.ts';
import type { ReportBody } from '../../../routes/report/report.ts';
import { CLAIMS, OFFERS, RELIABILITIES, RENTS, UNDERWRITE_REASONS } from './words.ts';

type Line = ReportBody['comparison']['lines'][number];
type Bank = ReportBody['debt_terms']['bank'];

const FIGURES: Readonly<Record<Line['figure'], readonly [title: string, write: (value: string | null) => Html]>> = {
  noi: ['Net operating income', dollars],
  cap_rate_pct: ['Cap rate', percent],
  dscr: ['Debt coverage', ratio],
};

/** Claim and underwriting of one figure, on one scale. */
function pair({ figure, claimed, underwritten, difference }: Line): Html {
  const [title, write] = FIGURES[figure];
  const bar = (label: string, value: string | null, tone: Bar['tone']): Bar => ({
    label,
    figure: write(value),
    to: Number(value ?? 0),
    tone,
  });
  const gap = difference === null ? absent : figure === 'cap_rate_pct' ? points(difference) : write(difference);
  return barChart({
    caption: html`<strong>${title}</strong>, claim minus underwriting: ${gap}`,
    head: ['Source', title],
    bars: [bar('Broker’s claim', claimed, 'claimed'), bar('HUD rents', underwritten, 'hud')],
  });
}

export function comparison({ comparison: compared, deal }: ReportBody): Html {
  const reason = compared.reliability_reason === null ? '' : ` ${UNDERWRITE_REASONS[compared.reliability_reason]}`;
  return html`<h2 id="claimed">Claimed and underwritten</h2>
    <p>
      Claim: ${CLAIMS[compared.claim_basis]}. ${RELIABILITIES[compared.reliability]}.${reason} The rent:
      ${RENTS[deal.rent_basis]}${deal.rent_area_name === null ? '' : html`, ${deal.rent_area_name}`}.
      <a href="#rent">From HUD’s rent to ours</a>.
    </p>
    ${compared.lines.map(pair)}`;
}

/** The basis of the loan rate. */
function rateBasis({ rate_on: on, rate_source_url: url, rate_is_made_up: isMadeUp }: Bank, spread: string): Piece {
  if (on === null || url === null) return ' (our assumption, not a rate of the day)';
  const survey = externalLink(url, isMadeUp ? 'a made-up survey' : 'the survey of mortgage rates');
  return [' (', survey, ' of ', day(on), `, plus ${spread} points)`];
}

/** The loan that a lender sizes, and the cash that it leaves to the buyer. */
function sizedLoan({ debt_terms: { sized } }: ReportBody): Html | '' {
  if (sized.loan_amount === null) return '';
  const loan = Number(sized.loan_amount) === 0 ? 'nothing' : dollars(sized.loan_amount);
  const limit = sized.binding === null ? '' : html` (${LOAN_LIMITS[sized.binding]})`;
  return html`A lender that wants coverage of ${sized.coverage} after reserves lends ${loan}${limit}, so a buyer needs
  ${dollars(sized.cash_needed)} in cash and earns ${percent(sized.cash_on_cash_pct)} on it.`;
}

/** Waterfall from potential rent to cash flow after debt; each step starts where the previous one ends. */
export function income(report: ReportBody): Html {
  const { deal, debt_terms: debt, assumptions } = report;
  const {
    gross_potential_rent: gross,
    effective_gross_income: effective,
    noi_underwritten: noi,
    annual_debt_service: service,
  } = deal;
  if (gross === null || effective === null || noi === null)
    return html`<h2 id="cash">From rent to cash flow</h2>
      <p>There is no underwriting. ${UNDERWRITE_REASONS[deal.underwrite_reason ?? 'rent_missing']}</p>`;
  const [all, left, net] = [Number(gross), Number(effective), Number(noi)];
  const cash = net - Number(service ?? 0);
  /** A figure from zero, or a step from one figure down to the next. */
  const bar = (label: Piece, tone: Bar['tone'], to: number, from?: number): Bar => ({
    label,
    figure: dollarsText(from === undefined ? to : from - to),
    to,
    tone,
    ...(from !== undefined && { from }),
  });
  const afterDebt = [
    bar('minus debt service', 'muted', net, cash),
    bar(html`<strong>Cash flow after debt</strong>`, cash < 0 ? 'bad' : 'good', cash),
  ];
  const bars: Bar[] = [
    bar('Rent of all units', 'hud', all),
    bar('minus vacancy', 'muted', all, left),
    bar(['minus expenses (', percent(deal.expense_ratio_pct), ')'], 'muted', left, net),
    bar(html`<strong>Net operating income</strong>`, 'hud', net),
    ...(service === null ? [] : afterDebt),
  ];
  const low = Math.min(0, ...bars.map((b) => Math.min(b.from ?? 0, b.to)));
  return html`<h2 id="cash">From rent to cash flow</h2>
    <p>
      Bank loan: ${dollars(debt.bank.loan_amount)} at ${percent(debt.bank.rate_pct)} over ${debt.bank.years}
      years${rateBasis(debt.bank, assumptions.values['loan_rate_spread'] ?? '0')}. ${sizedLoan(report)}
    </p>
    ${barChart({ caption: 'Dollars per year', head: ['Step', 'Dollars'], bars, low })}`;
}

const LIMITS: Readonly<Record<string, string>> = {
  list_price: 'Asking price',
  target_cap: 'Income at the target cap rate',
  debt_coverage: 'Debt coverage',
};

export function offer({ offer: offered, deal }: ReportBody): Html {
  if (offered.high === null || offered.low === null)
    return html`<h2 id="offer">Offer</h2>
      <p>There is no offer range. ${OFFERS[offered.status]}</p>`;
  const [low, high] = [Number(offered.low), Number(offered.high)];
  return html`<h2 id="offer">Offer</h2>
    <p>
      <strong class="price">${low === high ? dollarsText(high) : `${dollarsText(low)} to ${dollarsText(high)}`}</strong>
      at a target cap rate of ${percent(offered.target_cap_pct)}, on
      ${offered.noi_basis === 'claimed_noi' ? 'the broker’s unverified claim' : 'our NOI'}. The high end is limited by:
      <strong>${LIMITS[offered.high_binding ?? ''] ?? absent}</strong>.
      ${
        offered.low_binding === 'stress'
          ? 'The low end is the offer in the stress case.'
          : 'Low equals high: the stress case changes nothing.'
      }
    </p>
    ${barChart({
      caption: html`Limits of the offer; the line marks the high end`,
      head: ['Limit', 'Dollars'],
      bars: [
        ...offered.constraints.map((limit): Bar => ({
          label: [LIMITS[limit.constraint], limit.binding && [' ', tag('good', 'sets the offer')]],
          figure: dollars(limit.figure),
          to: Number(limit.figure),
          mark: high,
          tone: limit.binding ? 'hud' : 'muted',
        })),
        {
          label: html`<strong>Offer range</strong>`,
          figure: low === high ? dollarsText(high) : html`${dollarsText(low)} –<br />${dollarsText(high)}`,
          from: low,
          to: high,
          mark: high,
          tone: 'good',
        },
      ],
    })}
    ${
      deal.offer_status === 'claimed_basis_unverified' &&
      outcome('thin', 'HUD’s rent does not fit this property, so the range rests on the broker’s unverified claim.')
    }`;
}
