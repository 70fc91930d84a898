/** The money of a report: claim beside underwriting, from rent to cash flow, and the offer with what limits it. */
import { barChart, type Bar } from '../charts.ts';
import { html, type Html } from '../html.ts';
import { absent, dollars, dollarsText, percent, percentText, points, ratio, ratioText, words } from '../format.ts';
import type { ReportBody } from './report.ts';

type Line = ReportBody['comparison']['lines'][number];

const FIGURES: Readonly<
  Record<
    Line['figure'],
    { readonly title: string; readonly write: (v: string | null) => Html; readonly text: (n: number) => string }
  >
> = {
  noi: { title: 'Net operating income', write: dollars, text: dollarsText },
  cap_rate_pct: { title: 'Cap rate', write: percent, text: percentText },
  dscr: { title: 'Debt coverage', write: ratio, text: ratioText },
};

/** Both figures of a line on one scale, where there are both. */
function pair({ figure, claimed, underwritten, difference }: Line): Html {
  const { title, write } = FIGURES[figure];
  const bar = (label: string, value: string | null, tone: Bar['tone']): Bar => ({
    label,
    figure: write(value),
    to: Number(value ?? 0),
    tone,
  });
  const gap = difference === null ? absent : figure === 'cap_rate_pct' ? points(difference) : write(difference);
  return barChart({
    caption: html`<strong>${title}</strong>, claim less underwriting: ${gap}`,
    head: ['Whose', title],
    bars: [bar('Broker’s claim', claimed, 'claimed'), bar('HUD rents', underwritten, 'hud')],
  });
}

export function comparison({ comparison: c, deal }: ReportBody): Html {
  return html`<h2>Claimed beside underwritten</h2>
    <p>
      Claim: ${words(c.claim_basis)}. The proxy is
      ${c.reliability === 'ok' ? html`within its range` : html`<strong>${words(c.reliability)}</strong> (${words(c.reliability_reason ?? '')})`};
      rent by ${words(deal.rent_basis)}${deal.rent_area_name === null ? '' : html`, ${deal.rent_area_name}`}.
    </p>
    ${c.lines.map(pair)}`;
}

/** From the rent that could be had to what is left after debt, each step from where the one before ends. */
export function income({ deal, debt_terms: debt }: ReportBody): Html {
  const {
    gross_potential_rent: gross,
    effective_gross_income: effective,
    noi_underwritten: noi,
    annual_debt_service: service,
  } = deal;
  if (gross === null || effective === null || noi === null)
    return html`<h2>From rent to cash flow</h2>
      <p>There is no underwriting: ${words(deal.underwrite_reason ?? 'unknown')}.</p>`;
  const [g, e, n] = [Number(gross), Number(effective), Number(noi)];
  const s = service === null ? null : Number(service);
  const bars: Bar[] = [
    { label: 'Rent of all units', figure: dollarsText(g), to: g, tone: 'hud' },
    { label: 'less vacancy', figure: dollarsText(e - g), from: e, to: g, tone: 'muted' },
    {
      label: html`less expenses (${percent(deal.expense_ratio_pct)})`,
      figure: dollarsText(n - e),
      from: n,
      to: e,
      tone: 'muted',
    },
    { label: html`<strong>Net operating income</strong>`, figure: dollarsText(n), to: n, tone: 'hud' },
    ...(s === null
      ? []
      : [
          { label: 'less debt service', figure: dollarsText(-s), from: n - s, to: n, tone: 'muted' } as const,
          {
            label: html`<strong>Left after debt</strong>`,
            figure: dollarsText(n - s),
            to: n - s,
            tone: n - s < 0 ? 'bad' : 'good',
          } as const,
        ]),
  ];
  return html`<h2>From rent to cash flow</h2>
    <p>
      HUD’s 2-bedroom rent is ${dollars(deal.market_rent_2br)} a month for fiscal year
      ${deal.rent_fiscal_year ?? 'unknown'}. Bank loan: ${dollars(debt.bank.loan_amount)} at
      ${percent(debt.bank.rate_pct)} over ${debt.bank.years} years.
    </p>
    ${barChart({ caption: 'A year, in dollars', head: ['Step', 'Dollars'], bars, low: Math.min(0, ...bars.map((b) => Math.min(b.from ?? 0, b.to))) })}`;
}

const LIMITS: Readonly<Record<string, string>> = {
  list_price: 'Asking price',
  target_cap: 'Income at the target cap rate',
  debt_coverage: 'What the debt can carry',
};

export function offer({ offer: o, deal }: ReportBody): Html {
  if (o.high === null || o.low === null)
    return html`<h2>Offer</h2>
      <p>No offer range: ${words(o.status)}.</p>`;
  const [low, high] = [Number(o.low), Number(o.high)];
  return html`<h2>Offer</h2>
    <p>
      <strong class="price">${low === high ? dollarsText(high) : `${dollarsText(low)} to ${dollarsText(high)}`}</strong>
      at a target cap rate of ${percent(o.target_cap_pct)}, on
      ${o.noi_basis === 'claimed_noi' ? 'the broker’s unverified claim' : 'the scoring NOI'}. What sets the high end:
      <strong>${LIMITS[o.high_binding ?? ''] ?? absent}</strong>. The low end is
      ${o.low_binding === 'stress' ? 'the same under the declared stress' : 'no lower, as the stress does not bind'}.
    </p>
    ${barChart({
      caption: html`What limits the offer; the line marks the high end`,
      head: ['Limit', 'Dollars'],
      bars: [
        ...o.constraints.map((c): Bar => ({
          label: html`${LIMITS[c.constraint]}${c.binding ? html` <span class="tag good">binds</span>` : ''}`,
          figure: dollars(c.figure),
          to: Number(c.figure),
          mark: high,
          tone: c.binding ? 'hud' : 'muted',
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
    ${deal.offer_status === 'claimed_basis_unverified' && html`<p class="outcome thin">The proxy does not fit this property, so the range rests on a claim that nobody has verified.</p>`}`;
}
