/** /scores: how scores are computed, with the values of the assumption set. */
import { readAccuracies, SOURCES } from '../../../models/calibration/accuracy.ts';
import { cardTable, code, fold, num, plainTable, terms } from '../components.ts';
import { countText, words } from '../format.ts';
import { html, type Html } from '../html.ts';
import type { Page, PageContext } from '../page.ts';

type Source = keyof typeof SOURCES;

const share = (percent: number | null): string => (percent === null ? '' : `${percent}%`);

/** Our NOI over that of one source, by size of building and by our cap rate. */
function accuracyTable(source: Source): Html {
  const rows = readAccuracies().filter((row) => row.source === source && (row.by === 'units' || row.by === 'cap'));
  const columns = ['Number', 'Ours over theirs', 'Simple proxy over theirs', 'Less than ours', 'Less than our middle'];
  return plainTable(
    `Compared with ${SOURCES[source]}: medians, and how many earned less`,
    `Compared with ${SOURCES[source]}`,
    ['Buildings', ...columns.map(num)],
    rows.map((row) => [
      row.group,
      countText(row.n),
      html`<strong>${(row.held_out ?? row.ours_over_real)?.toFixed(2) ?? ''}</strong>`,
      row.shortcut_over_real?.toFixed(2) ?? '',
      share(row.below_ours_pct),
      share(row.below_middle_pct),
    ]),
  );
}

/** How far the underwriting is from known income, and how to read it. It is the same for every snapshot. */
const realNoi = (): Html =>
  html`<h2 id="real-noi">How close is it to what owners earned?</h2>
    <p>
      We underwrote buildings whose income is known and divided our NOI by theirs: 1.10 means that ours is at least 10%
      too high for half of them. The owners answered one national survey, about 2011, and are measured in areas whose
      answers we did not use.
    </p>
    ${accuracyTable('owners')}
    ${fold(
      'Two weaker comparisons: an assessor’s model, and a few securitized loans',
      (Object.keys(SOURCES) as Source[]).filter((source) => source !== 'owners').map(accuracyTable),
    )}
    <p>
      <strong>A high cap rate of ours is mostly our optimism.</strong> The underwriting knows place, size, year and
      bedrooms. It cannot know the rent roll, the condition of the units, staff, or a bad year. The middle of the range
      corrects for that. Ask the seller for twelve months of rents and bills.
    </p>`;

function assumptions({ request: { snapshot } }: PageContext): Html {
  const rows = snapshot.all('assumptions').toSorted((a, b) => (String(a['key']) < String(b['key']) ? -1 : 1));
  const values = rows.map(({ key, value, unit, kind, basis }) => [
    html`<code>${String(key)}</code>`,
    html`<b>${String(value).slice(0, 12)} ${words(String(unit))}</b>. ${String(kind)}: ${String(basis)}`,
  ]);
  return fold(`All ${rows.length} values`, terms('page-facts', values));
}

/** Value of an assumption by its key. */
type ValueOf = (key: string) => string;

/** The underwriting. The simple proxy is a figure of its own. */
function underwritingFormula(value: ValueOf): string {
  const survey = `the newest survey rate of 30-year mortgages plus ${value('loan_rate_spread')} points`;
  const rate = value('loan_rate_method') === 'survey' ? survey : `${value('loan_rate_pct')}%`;
  return `noi_underwritten = units × contract rent × 12 × (1 − vacancy of the metropolitan area) − expenses
contract rent    = HUD’s rents by bedrooms, adjusted to sitting tenants, less their utilities
expenses         = property tax after a sale + insurance + management + repairs
                   + utilities of the owner + other, half of it the typical ratio
noi_hud_2br      = units × HUD 2-bedroom rent × (1 − ${value('utility_share')})
                   × 12 × (1 − ${value('vacancy')}) × (1 − expense ratio)
expense ratio    = ${value('expense_ratio_2_4')} to ${value('small_units_max')} units,
                   ${value('expense_ratio_5_12')} to ${value('medium_units_max')},
                   ${value('expense_ratio_13_50')} to ${value('large_units_max')},
                   ${value('expense_ratio_51_up')} above;
                   ${value('expense_old_adjustment')} more if built before ${value('old_before_year')},
                   ${value('expense_new_adjustment')} if built from ${value('new_from_year')} on
bank loan        = ${value('loan_to_value')} of the price over ${value('loan_years')} years, paid monthly, at
                   ${rate}`;
}

const scoreParts = (value: ValueOf): Html => {
  const yields = `none at ${value('score_yield_from_pct')}%, all ${value('score_yield_span_pct')} points higher`;
  const coverage = `none up to ${value('score_coverage_from')}, all ${value('score_coverage_span')} higher`;
  const [cap, open] = [value('condition_score_cap'), value('condition_case_points')];
  return cardTable(
    'The parts of a deal score',
    ['Part', num('Maximum'), 'Based on'],
    [
      [
        'Yield',
        value('score_yield_weight'),
        `what owners of such buildings typically earn, over price and repairs: ${yields}`,
      ],
      [
        'Debt coverage',
        value('score_coverage_weight'),
        `what owners typically earn, less reserves, over the payments: ${coverage}`,
      ],
      ['Motivation', value('score_motivation_weight'), 'price cuts and days on the market, as seen by this service'],
      ['Distress', value('score_distress_weight'), 'tax delinquency and sheriff sale at exactly this address'],
      [
        'Condition',
        '0',
        `condemned, ordered to be vacated or registered as vacant: ${cap} points at most; an open case on a serious
        fault takes ${open}`,
      ],
    ],
  );
};

const threePaths = (value: ValueOf): Html => {
  const both = (path: string, rating: string): string =>
    `coverage ${value(`${path}_${rating}_coverage`)} and cap rate ${value(`${path}_${rating}_cap_pct`)}%`;
  const fee = countText(Number(value('wholesale_fee')));
  return cardTable(
    'What each path needs',
    ['Path', 'Hot', 'Warm'],
    [
      ['Rental', both('rental', 'hot'), both('rental', 'warm')],
      [
        'Wholesale',
        `asking at most ${value('wholesale_share')} of the income value at ${value('wholesale_arv_cap_pct')}%, minus
        repairs by age of building and a fee of $${fee}`,
        `asking up to ${value('wholesale_warm_multiple')} times that, with motivation
        ${value('wholesale_warm_motivation')}`,
      ],
      [
        'Creative finance',
        `coverage ${value('creative_hot_coverage')} at seller terms, with motivation or distress
        ${value('creative_hot_motivation')}`,
        `coverage ${value('creative_warm_coverage')}, with ${value('creative_warm_motivation')}`,
      ],
    ],
  );
};

export const scores: Page = {
  path: '/scores',
  label: 'Scores',
  title: 'How scores are computed',
  cache: 'snapshot',
  about: 'The formulas and declared assumptions of every score.',
  content(context) {
    const { values, assumption_set_id: set } = context.meta.assumptions;
    const value: ValueOf = (key) => values[key] ?? '?';
    return html`<h1>How scores are computed</h1>
      <p class="lead">
        A score is a sum of named parts, each a formula over figures of the deal and the declared values
        <code>${set}</code>. A report prints every step, so you can recompute it.
      </p>
      <h2>Deal score, 0 to 100</h2>
      ${scoreParts(value)}
      <p>
        <strong>A broker’s claim never raises a score.</strong> The score uses the lower of our NOI and the midpoint
        between ours and the claim. If HUD’s rent does not fit (a price per unit above ${value('proxy_high_multiple')}
        or below ${value('proxy_low_multiple')} monthly rents), yield and coverage get no points and every path is Pass.
        Near these limits, at low prices per unit and at high cap rates the points taper: such a price points to a
        building in bad condition.
      </p>
      <h2>Underwriting</h2>
      ${code('The formulas of underwritten NOI', underwritingFormula(value))} ${realNoi()}
      <h2>Three paths</h2>
      ${threePaths(value)}
      <h2>Confidence, 0 to 1</h2>
      <p>
        How much of a deal is known rather than assumed: price, units, year, bedrooms, rents, utilities, vacancy, tax,
        expenses, loan rate, the claim, and whether claim and underwriting agree. Each has a weight; one known in part
        earns ${value('confidence_partly')} of it, an assumed one nothing. 1.00 means that all are known; insurance,
        repairs and other lines are always estimates and do not count. A building in bad condition lowers it.
      </p>
      <h2>Lead score</h2>
      <p>
        A tax lead starts at ${value('tax_base')} points and gets more for debt relative to the county’s value, months
        of delinquency, an absentee owner, corroboration and freshness. An auction lead starts at
        ${value('auction_base')} and gets more for the equity that published debts leave, and for urgency, which is
        highest from ${value('auction_days_2')} to ${value('auction_days_3')} days before the sale: a letter to the
        owner takes days. Both get points for the kind of property, up to ${value('lead_kind_two_to_four')}, and for
        each further independent kind of distress (a foreclosure filing, a code case, a vacant or condemned building),
        up to ${value('stacked_building')} each.
      </p>
      <p>The weights are our choices, not findings. Nobody knows yet whether the score predicts what happens later.</p>
      <h2 id="assumptions">Every declared value</h2>
      <p>
        <em>evidence</em>: from a public source. <em>proposal</em>: our choice. <em>computed</em>: derived from other
        values. <em>override</em>: set by the operator of this server.
      </p>
      ${assumptions(context)}`;
  },
};
