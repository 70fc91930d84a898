/** How scores are made, with the values that stand in the assumption set, and what is known of their worth. */
import { barChart } from '../charts.ts';
import { html, type Html } from '../html.ts';
import { code, wideTable } from '../layout.ts';
import { countText, words } from '../format.ts';
import { rowsFor, type Given, type Page } from '../page.ts';
import { backtestTables } from './backtest.ts';

/** Assumptions by the part of the work they belong to: the first part whose pattern fits takes a key. */
const GROUPS: readonly (readonly [title: string, keys: RegExp])[] = [
  ['Sensitivity grid of the report', /^grid_/],
  ['Offers', /^(target_cap_pct|offer_|stress_)/],
  ['Confidence', /^confidence_/],
  ['Deal score', /^(score_|material_gap)/],
  ['Motivation and distress', /^(motivation_|distress_)/],
  ['Paths', /^(minimum_units|rental_|wholesale_|creative_)/],
  ['Loans', /^(loan_|minimum_loan|seller_)/],
  ['Leads', /^(lead_|auction_|tax_)/],
  ['Limits of the proxy', /^proxy_/],
  ['Rent and expenses', /./],
];

async function assumptions(given: Given): Promise<Html> {
  const rows = await given.asked.snapshot.whole('assumptions', 'ORDER BY key');
  const groups = Map.groupBy(rows, (r) => GROUPS.find(([, keys]) => keys.test(String(r['key'])))?.[0] ?? '');
  return html`${[...groups]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(
      ([title, of]) =>
        html`<details>
          <summary>${title} (${of.length})</summary>
          ${wideTable(
            `Assumptions: ${title}`,
            html`<table>
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
                ${of.map(
                  (r) =>
                    html`<tr>
                      <th scope="row"><code>${String(r['key'])}</code></th>
                      <td class="num">${String(r['value']).slice(0, 12)}</td>
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

async function distribution(given: Given): Promise<Html> {
  const rows = await rowsFor(
    given,
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

export const scores: Page = {
  path: '/scores',
  label: 'Scores',
  title: 'How scores are made',
  made: 'snapshot',
  about: 'The formulas and declared assumptions behind every score, and how they are tested against what happened.',
  async content(given) {
    const a = given.meta.assumptions.values;
    const v = (key: string): string => a[key] ?? '?';
    return html`<h1>How scores are made</h1>
      <p class="lead">
        A score is a sum of named parts. Each part is a formula over figures of the record and values declared here, so
        anybody can make it again; a report prints every step. The set in force is
        <code>${given.meta.assumptions.assumption_set_id}</code>.
      </p>
      <h2>Deal score, 0 to 100</h2>
      <div class="split">
        <div>
          <table>
            <thead>
              <tr>
                <th scope="col">Part</th>
                <th scope="col" class="num">Most</th>
                <th scope="col">From</th>
              </tr>
            </thead>
            <tbody>
              <tr>
                <th scope="row">Yield</th>
                <td class="num">${v('score_yield_weight')}</td>
                <td>
                  scoring cap rate: nothing at ${v('score_yield_from_pct')} %, all of it ${v('score_yield_span_pct')}
                  points above
                </td>
              </tr>
              <tr>
                <th scope="row">Debt coverage</th>
                <td class="num">${v('score_coverage_weight')}</td>
                <td>
                  after reserves: nothing at ${v('score_coverage_from')}, all of it ${v('score_coverage_span')} above
                </td>
              </tr>
              <tr>
                <th scope="row">Motivation</th>
                <td class="num">${v('score_motivation_weight')}</td>
                <td>price cuts and days that this service saw itself</td>
              </tr>
              <tr>
                <th scope="row">Distress</th>
                <td class="num">${v('score_distress_weight')}</td>
                <td>tax delinquency and sheriff sale of exactly this address</td>
              </tr>
            </tbody>
          </table>
          <p>
            <strong>Claims never lift a score.</strong> The scoring NOI is the lower of the underwritten one and the
            middle between it and the claim. Where HUD’s rent is no fitting proxy (a price per unit above
            ${v('proxy_high_multiple')} or below ${v('proxy_low_multiple')} monthly rents), yield and coverage earn
            nothing and every path is Pass.
          </p>
        </div>
        <div>${await distribution(given)}</div>
      </div>
      <h2>Underwriting</h2>
      ${code(
        'The formula of underwritten NOI',
        `noi_underwritten = units × HUD 2-bedroom rent × (1 − ${v('utility_share')}) × 12 × (1 − ${v('vacancy')}) × (1 − expense ratio)
expense ratio    = ${v('expense_ratio_2_4')} to ${v('small_units_max')} units, ${v('expense_ratio_5_12')} to ${v('medium_units_max')}, ${v('expense_ratio_13_50')} to ${v('large_units_max')}, ${v('expense_ratio_51_up')} above; ${v('expense_old_adjustment')} more before ${v('old_before_year')}, ${v('expense_new_adjustment')} from ${v('new_from_year')}
bank loan        = ${v('loan_to_value')} of the price at ${v('loan_rate_pct')} % over ${v('loan_years')} years, paid monthly`,
      )}
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
            <td>coverage ${v('rental_hot_coverage')} and cap rate ${v('rental_hot_cap_pct')} %</td>
            <td>coverage ${v('rental_warm_coverage')} and cap rate ${v('rental_warm_cap_pct')} %</td>
          </tr>
          <tr>
            <th scope="row">Wholesale</th>
            <td>
              asking at most ${v('wholesale_share')} of the income value at ${v('wholesale_arv_cap_pct')} %, less
              repairs of $${v('wholesale_repairs_per_unit')} a unit and a fee of $${v('wholesale_fee')}
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
        How much of the record is verified or computed and how much assumed: the price’s age, units, rent by ZIP or
        metro, whose NOI it is, whether claim and underwriting agree, whether the proxy fits, the year of construction.
        The parts stand in <code>confidence_parts</code> and add up.
      </p>
      <h2>Lead score</h2>
      <p>
        A tax lead starts at ${v('tax_base')} points and earns from the debt over the county’s value, its years, an
        owner elsewhere, corroboration and freshness; an auction lead starts at ${v('auction_base')} and earns from the
        gap of opening bid and appraisal, and urgency. <code>score_rationale</code> names each part with its points.
      </p>
      <h2 id="backtest">Does it foretell anything?</h2>
      <p>
        That is measured and not claimed. Each deal counts once, as it stood when it was first scored, so nothing
        learned later is used. For each decile of the score the share is counted to which something happened within 30,
        60 and 90 days: a price cut, going off the market, a sheriff sale held, a tax debt cleared; with the number of
        deals and Wilson’s 95 % interval. A decile with fewer than 30 deals, or a horizon that the snapshots do not
        cover yet, says “not enough history” instead of a figure.
      </p>
      <p>
        The weights above are declared choices, not findings. <code>make backtest</code> prints the same as this page
        shows:
      </p>
      ${await backtestTables(given.site.snapshotsDir)}
      <h2 id="assumptions">Every declared value</h2>
      <p>
        <em>evidence</em>: read in a public source. <em>proposal</em>: a declared choice. <em>computed</em>: follows
        from others. <em>override</em>: set by the operator of this server.
      </p>
      ${await assumptions(given)}`;
  },
};
