/** /scores: how scores are computed, with the values of the assumption set, and the back-test. */
import { barChart } from '../../charts.ts';
import { html, type Html } from '../../html.ts';
import { code, wideTable } from '../../layout.ts';
import { countText, words } from '../../format.ts';
import { rowsFor, type PageContext, type Page } from '../../page.ts';
import { backtestTables } from './backtest.ts';
import { realNoi } from './real_noi.ts';

/** Groups of assumptions; a key belongs to the first group whose pattern matches. */
const GROUPS: readonly (readonly [title: string, keys: RegExp])[] = [
  ['Sensitivity grid of the report', /^grid_/],
  ['Condition and stressed coverage', /^(upfront_repairs_|taper_|stress_(coverage|variable|monthly)_)/],
  ['Offers', /^(target_cap_pct|offer_|stress_)/],
  ['Confidence', /^confidence_/],
  ['Deal score', /^(score_|material_gap|claim_contradiction)/],
  ['Motivation and distress', /^(motivation_|distress_)/],
  ['Paths', /^(minimum_units|rental_|wholesale_|creative_)/],
  ['Loans', /^(loan_|minimum_loan|closing_cost_|seller_)/],
  ['Leads', /^(lead_|auction_|tax_)/],
  ['Limits of the proxy', /^proxy_/],
  ['Rent and expenses', /./],
];

async function assumptions(context: PageContext): Promise<Html> {
  const rows = await context.request.snapshot.records('assumptions', 'ORDER BY key');
  const groups = Map.groupBy(rows, (r) => GROUPS.find(([, keys]) => keys.test(String(r['key'])))?.[0] ?? '');
  return html`${[...groups]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(
      ([title, group]) =>
        html`<details>
          <summary>${title} (${group.length})</summary>
          ${wideTable(
            `Assumptions: ${title}`,
            html`<table class="declared">
              <thead>
                <tr>
                  <th scope="col">Key</th>
                  <th scope="col" class="num">Value</th>
                  <th scope="col">Unit</th>
                  <th scope="col">Kind</th>
                  <th scope="col">Basis</th>
                </tr>
              </thead>
              <tbody>
                ${group.map(
                  (r) =>
                    html`<tr>
                      <th scope="row">${String(r['key'])}</th>
                      <td>${String(r['value']).slice(0, 12)}</td>
                      <td>${words(String(r['unit']))}</td>
                      <td>${String(r['kind'])}</td>
                      <td>${String(r['basis'])}</td>
                    </tr>`,
                )}
              </tbody>
            </table>`,
          )}
        </details>`,
    )}`;
}

async function distribution(context: PageContext): Promise<Html> {
  const rows = await rowsFor(
    context,
    "SELECT least(9, deal_score // 10) AS tens, count(*) AS n FROM deals WHERE listing_status = 'active' GROUP BY 1",
  );
  const counts = new Map(rows.map((r) => [Number(r['tens']), Number(r['n'])]));
  return barChart({
    caption: 'Active deals by score',
    head: ['Score', 'Deals'],
    bars: Array.from({ length: 10 }, (_, i) => 9 - i).map((tens) => ({
      label: `${tens * 10} to ${tens === 9 ? 100 : tens * 10 + 9}`,
      figure: countText(counts.get(tens) ?? 0),
      to: counts.get(tens) ?? 0,
      tone: 'hud' as const,
    })),
  });
}

/** The underwriting of sets whose expenses are line by line; the simple proxy is a figure of its own there. */
const BY_LINE = [
  'noi_underwritten = units × contract rent × 12 × (1 − vacancy of the metropolitan area) − expenses',
  'contract rent    = HUD’s rents by bedrooms, brought to what sitting tenants pay, less their utilities',
  'expenses         = property tax after a sale + insurance + management + repairs',
  '                   + utilities of the owner + other, held within the quartiles of real buildings',
];

const underwritingFormula = (v: (key: string) => string, isByLine = v('underwriting_method') === 'by_line'): string =>
  [
    ...(isByLine ? BY_LINE : []),
    `${isByLine ? 'noi_hud_2br     ' : 'noi_underwritten'} = units × HUD 2-bedroom rent × (1 − ${v('utility_share')})`,
    `                   × 12 × (1 − ${v('vacancy')}) × (1 − expense ratio)`,
    `expense ratio    = ${v('expense_ratio_2_4')} to ${v('small_units_max')} units,`,
    `                   ${v('expense_ratio_5_12')} to ${v('medium_units_max')},`,
    `                   ${v('expense_ratio_13_50')} to ${v('large_units_max')}, ${v('expense_ratio_51_up')} above;`,
    `                   ${v('expense_old_adjustment')} more if built before ${v('old_before_year')},`,
    `                   ${v('expense_new_adjustment')} if built from ${v('new_from_year')} on`,
    `bank loan        = ${v('loan_to_value')} of the price over ${v('loan_years')} years, paid monthly, at`,
    v('loan_rate_method') === 'survey'
      ? `                   the newest survey rate of 30-year mortgages plus ${v('loan_rate_spread')} points`
      : `                   ${v('loan_rate_pct')}%`,
  ].join('\n');

export const scores: Page = {
  path: '/scores',
  label: 'Scores',
  title: 'How scores are computed',
  cache: 'snapshot',
  about: 'The formulas and declared assumptions of every score, and the back-test against later outcomes.',
  async content(context) {
    const a = context.meta.assumptions.values;
    const v = (key: string): string => a[key] ?? '?';
    return html`<h1>How scores are computed</h1>
      <p class="lead">
        A score is a sum of named parts. Each part is a formula over figures of the record and the values declared here,
        so anyone can recompute it; a report prints every step. The current set is
        <code>${context.meta.assumptions.assumption_set_id}</code>.
      </p>
      <h2>Deal score, 0 to 100</h2>
      <div class="split">
        <div>
          <table>
            <thead>
              <tr>
                <th scope="col">Part</th>
                <th scope="col" class="num">Maximum</th>
                <th scope="col">Based on</th>
              </tr>
            </thead>
            <tbody>
              <tr>
                <th scope="row">Yield</th>
                <td class="num">${v('score_yield_weight')}</td>
                <td>
                  NOI over price and repairs: none at ${v('score_yield_from_pct')}%, the maximum
                  ${v('score_yield_span_pct')} points higher
                </td>
              </tr>
              <tr>
                <th scope="row">Debt coverage</th>
                <td class="num">${v('score_coverage_weight')}</td>
                <td>
                  with less rent and a higher rate, on the loan that the income supports: none at
                  ${v('score_coverage_from')}, the maximum ${v('score_coverage_span')} higher
                </td>
              </tr>
              <tr>
                <th scope="row">Motivation</th>
                <td class="num">${v('score_motivation_weight')}</td>
                <td>price cuts and days on the market, as seen by this service</td>
              </tr>
              <tr>
                <th scope="row">Distress</th>
                <td class="num">${v('score_distress_weight')}</td>
                <td>tax delinquency and sheriff sale at exactly this address</td>
              </tr>
            </tbody>
          </table>
          <p>
            <strong>Claims never raise a score.</strong> The scoring NOI is the lower of the underwritten NOI and the
            midpoint between it and the claim. If HUD’s rent does not fit (a price per unit above
            ${v('proxy_high_multiple')} or below ${v('proxy_low_multiple')} monthly rents), yield and coverage get no
            points and every path is Pass. Near these limits, at low prices per unit and at high cap rates the points
            taper: such a price tells of the condition of the building.
          </p>
        </div>
        <div>${await distribution(context)}</div>
      </div>
      <h2>Underwriting</h2>
      ${code('The formulas of underwritten NOI', underwritingFormula(v))} ${realNoi()}
      <h2>Three paths</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Path</th>
            <th scope="col">Hot</th>
            <th scope="col">Warm</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">Rental</th>
            <td>coverage ${v('rental_hot_coverage')} and cap rate ${v('rental_hot_cap_pct')}%</td>
            <td>coverage ${v('rental_warm_coverage')} and cap rate ${v('rental_warm_cap_pct')}%</td>
          </tr>
          <tr>
            <th scope="row">Wholesale</th>
            <td>
              asking at most ${v('wholesale_share')} of the income value at ${v('wholesale_arv_cap_pct')}%, minus
              repairs by age of building and a fee of $${v('wholesale_fee')}
            </td>
            <td>
              asking up to ${v('wholesale_warm_multiple')} times that, with motivation ${v('wholesale_warm_motivation')}
            </td>
          </tr>
          <tr>
            <th scope="row">Creative finance</th>
            <td>
              coverage ${v('creative_hot_coverage')} at seller terms, with motivation or distress
              ${v('creative_hot_motivation')}
            </td>
            <td>coverage ${v('creative_warm_coverage')}, with ${v('creative_warm_motivation')}</td>
          </tr>
        </tbody>
      </table>
      <h2>Confidence, 0 to 1</h2>
      <p>
        How much of the record is verified or computed rather than assumed: the age of the price, units, rent by ZIP or
        metro, the source of the NOI, whether claim and underwriting agree, whether HUD’s rent fits, the year of
        construction. Condition risk and claims that contradict each other take some off.
        <code>confidence_parts</code> has the parts, which add up to the score, and <code>confidence_reasons</code> says
        why parts are low.
      </p>
      <h2>Lead score</h2>
      <p>
        A tax lead starts at ${v('tax_base')} points and gets more for debt relative to the county’s value, months of
        delinquency, an absentee owner, corroboration and freshness. An auction lead starts at ${v('auction_base')} and
        gets more for the gap between opening bid and appraisal, and for urgency, which is highest from
        ${v('auction_days_2')} to ${v('auction_days_3')} days before the sale: a letter to the owner takes days. Both
        get points for the kind of property, up to ${v('lead_kind_two_to_four')}, and for each further independent kind
        of distress of the property (a foreclosure filing, a code case, a vacant or condemned building), up to
        ${v('stacked_building')} each. <code>score_rationale</code> lists each part with its points.
      </p>
      <h2 id="backtest">Does the score predict outcomes?</h2>
      <p>
        This is measured, not claimed. Each deal counts once, with its first score, so no later information is used. For
        each score decile the table shows the share of deals with an outcome within 30, 60 and 90 days (a price cut,
        leaving the market as sold or withdrawn, a sheriff sale held, a tax debt cleared), with the number of deals and
        Wilson’s 95% interval. The last table scores deals again on days 7, 30, 60 and 90 on the feed and compares the
        score with the underwritten cap rate alone: the rank correlation of each with the outcome, and their difference.
        A decile with fewer than 30 deals, or a horizon that the snapshots do not cover yet, shows “not enough history”.
      </p>
      <p>The weights above are declared choices, not findings. <code>make backtest</code> prints the same tables:</p>
      ${await backtestTables(context.site.snapshotsDir)}
      <h2 id="assumptions">Every declared value</h2>
      <p>
        <em>evidence</em>: from a public source. <em>proposal</em>: a declared choice. <em>computed</em>: derived from
        other values. <em>override</em>: set by the operator of this server.
      </p>
      ${await assumptions(context)}`;
  },
};
