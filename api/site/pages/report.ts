/** The free example report as a page to read: the same answer a buyer gets, figure by figure. */
import type { z } from 'zod';
import { PRICES } from '../../routes/prices.ts';
import { Problem } from '../../http/problem.ts';
import { EXAMPLE_PATH, type Report } from '../../routes/report/report.ts';
import { partsChart } from '../charts.ts';
import { html, type Html } from '../html.ts';
import { cardTable, figures, outside, wideTable } from '../layout.ts';
import { absent, count, day, dollars, percent, points, ratio, sentence, words } from '../format.ts';
import type { Given, Page } from '../page.ts';
import { comparison, income, offer } from './report_money.ts';
import { sensitivity } from './report_grid.ts';

export type ReportBody = z.infer<typeof Report>;

const toneOf = (status: string): string => (status === 'Hot' ? 'good' : status === 'Warm' ? 'thin' : 'plain');
const tag = (status: string): Html => html`<span class="tag ${toneOf(status)}">${status}</span>`;

const PATHS: readonly (readonly [name: keyof ReportBody['paths'], title: string, about: string])[] = [
  ['rental', 'Rental', 'Hold it on a bank loan: does the income carry the debt, after reserves?'],
  ['wholesale', 'Wholesale', 'Assign the contract: is the asking price below what a rehabber could pay?'],
  ['creative_finance', 'Creative finance', 'Buy on the seller’s terms: does it carry, and is there a reason to agree?'],
];

/** One path: its decision, with what it was decided from. */
function path(report: ReportBody, [name, title, about]: (typeof PATHS)[number]): Html {
  const { status, reason, thresholds, inputs } = report.paths[name];
  const list = (of: Readonly<Record<string, string | null>>): Html =>
    html`<dl class="headers">
      ${Object.entries(of).map(
        ([key, value]) =>
          html`<div>
            <dt>${words(key)}</dt>
            <dd>${value === null ? absent : words(value)}</dd>
          </div>`,
      )}
    </dl>`;
  return html`<section class="panel">
    <h3>${title} ${tag(status)}</h3>
    <p>${about}</p>
    <p>Because: <strong>${words(reason)}</strong>.</p>
    <h4>Inputs</h4>
    ${list(inputs)}
    <details>
      <summary>Thresholds</summary>
      ${list(thresholds)}
    </details>
  </section>`;
}

const BASES: Readonly<Record<string, string>> = {
  address_exact: 'the same address',
  address_range: 'an address range that covers it',
  address_without_unit: 'the same house, unit not given',
  address_without_zip: 'the same street address, no ZIP printed',
  apn_exact: 'the same parcel',
};

function distress({ distress: d }: ReportBody): Html {
  const rows = (records: ReportBody['distress']['matches']) =>
    records.map(({ kind, match_basis, source_url, signal, auction }) => [
      kind === 'tax_delinquent' ? 'Tax delinquency' : 'Sheriff sale',
      signal?.county ?? auction?.county ?? absent,
      dollars(signal?.amount ?? auction?.opening_bid),
      kind === 'sheriff_sale' ? day(auction?.sale_date) : html`seen ${day(signal?.last_seen)}`,
      BASES[match_basis] ?? words(match_basis),
      outside(source_url, 'County page'),
    ]);
  const columns = [
    { label: 'Record' },
    { label: 'County' },
    { label: 'Debt or opening bid', num: true },
    { label: 'Day' },
    { label: 'Matched by' },
    { label: 'Source' },
  ];
  return html`<h2>Distress</h2>
    <p>
      ${sentence(d.status)}. Distress score ${d.score} of 100. Tax lists: ${words(d.coverage.tax_delinquent)}; sheriff
      sales: ${words(d.coverage.sheriff_sale)}.
    </p>
    ${d.matches.length > 0 && cardTable('County records of exactly this address', columns, rows(d.matches))}
    ${
      d.candidates.length > 0 &&
      html`<h3>May be of this property</h3>
        <p>These score nothing: one owner’s debt must not be put on another’s house.</p>
        ${cardTable('County records that may be of this property', columns, rows(d.candidates))}`
    }`;
}

const recompute = ({ recompute: steps }: ReportBody): Html =>
  html`<h2 id="recompute">Make every figure again</h2>
    <p>
      ${steps.length} figures, each a formula over named inputs. Decimals are exact; <code>round2</code> rounds half
      away from zero, <code>clamp</code> keeps to 0 to 1, <code>floor_to</code> goes down to a whole multiple.
    </p>
    <details>
      <summary>Show all ${steps.length} figures</summary>
      ${wideTable(
        'Every figure with its formula and inputs',
        html`<table>
          <thead>
            <tr>
              <th scope="col">Figure</th>
              <th scope="col" class="num">Result</th>
              <th scope="col">Formula and inputs</th>
            </tr>
          </thead>
          <tbody>
            ${steps.map(
              (s) =>
                html`<tr>
                  <th scope="row"><code>${s.figure}</code></th>
                  <td class="num">${s.result}</td>
                  <td>
                    <code>${s.formula}</code
                    ><span class="sub"
                      >${Object.entries(s.inputs)
                        .map(([k, v]) => `${k} = ${v ?? 'none'}`)
                        .join(', ')}</span
                    >
                  </td>
                </tr> `,
            )}
          </tbody>
        </table>`,
      )}
    </details>`;

const history = ({ history: versions }: ReportBody): Html | '' =>
  versions !== null && versions.length > 0
    ? html`<h2>What this service saw of the listing</h2>
        ${cardTable(
          'Every version of every listing of the property',
          [
            { label: 'First seen' },
            { label: 'Change' },
            { label: 'Asking price', num: true },
            { label: 'Advertised cap', num: true },
            { label: 'Availability' },
            { label: 'Listing' },
          ],
          versions.map((v) => [
            day(v.version_first_seen),
            words(v.change),
            dollars(v.list_price),
            percent(v.cap_rate),
            words(v.availability),
            outside(v.listing_url, v.source),
          ]),
        )}`
    : '';

function shown(report: ReportBody): Html {
  const { deal } = report;
  const all = report.assumptions.values;
  const most = (key: string): number => Number(all[key] ?? 0);
  return html`<h1>${report.property}</h1>
    <p class="lead">${deal.why_this_is_interesting}</p>
    ${figures([
      {
        label: 'Asking',
        value: dollars(deal.list_price),
        note: html`${count(deal.units)} units, built ${deal.year_built ?? 'in an unknown year'}`,
      },
      {
        label: 'Deal score',
        value: html`${deal.deal_score}<span class="of">/100</span>`,
        note: html`confidence ${deal.confidence_score}`,
      },
      { label: 'Claimed cap', value: percent(deal.cap_rate), note: words(deal.cap_rate_source) },
      {
        label: 'HUD-underwritten cap',
        value: percent(deal.cap_rate_underwritten),
        note: html`gap ${points(deal.cap_gap_pct)}`,
      },
      { label: 'DSCR', value: ratio(deal.dscr), note: words(deal.dscr_reason ?? deal.dscr_status) },
    ])}
    <p>
      This is the free example: the answer of <a href="${EXAMPLE_PATH}"><code>${EXAMPLE_PATH}</code></a
      >, laid out. Any other deal’s costs $${PRICES['/api/deals/:id/report']}. Listed by
      ${outside(deal.listing_url, deal.source)}, verified ${day(deal.last_verified)}.
    </p>
    <div class="split">
      <section>${comparison(report)}</section>
      <section>${income(report)}</section>
    </div>
    ${offer(report)}
    <h2>Three ways to buy it</h2>
    <div class="split">${PATHS.map((p) => path(report, p))}</div>
    <h2>Where the score comes from</h2>
    <div class="split">
      ${partsChart('Deal score: four parts, and the most each can earn', [
        { label: 'Yield', points: deal.deal_score_yield, most: most('score_yield_weight') },
        { label: 'Debt coverage', points: deal.deal_score_coverage, most: most('score_coverage_weight') },
        { label: 'Motivation', points: deal.deal_score_motivation, most: most('score_motivation_weight') },
        { label: 'Distress', points: deal.deal_score_distress, most: most('score_distress_weight') },
      ])}
      <p>
        The parts add up to ${deal.deal_score}. Confidence is ${deal.confidence_score}:
        ${Object.entries(deal.confidence_parts)
          .map(([k, v]) => `${words(k)} ${v}`)
          .join(', ')}. <a href="/scores">How scores are made</a>
      </p>
    </div>
    ${distress(report)} ${sensitivity(report)} ${history(report)} ${recompute(report)}`;
}

export const report: Page = {
  path: '/report',
  label: 'Example report',
  title: 'Example report',
  made: 'snapshot',
  about:
    'A whole report of one deal: claim beside underwriting, offer range, three paths, what-ifs, and every figure as a formula.',
  async content({ site, asked }: Given) {
    try {
      const example = site.routes.find((r) => r.path === EXAMPLE_PATH);
      if (!example) throw new Error(`${EXAMPLE_PATH} is not among the routes`);
      return shown((await example.handle(asked)) as ReportBody);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return html`<h1>Example report</h1>
        <p>${error.message}</p>`;
    }
  },
};
