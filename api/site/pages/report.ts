/** /report: the free example report as a page, with every figure that a buyer gets. */
import type { z } from 'zod';
import { PRICES } from '../../routes/prices.ts';
import { Problem } from '../../http/problem.ts';
import { EXAMPLE_PATH, type Report } from '../../routes/report/report.ts';
import { citedPages, type CitedPage } from '../archive/cited_pages.ts';
import { partsChart } from '../charts.ts';
import { html, type Html } from '../html.ts';
import { cardTable, figures, externalLink, wideTable } from '../layout.ts';
import { absent, count, day, dollars, percent, points, ratio, sentence, words } from '../format.ts';
import type { PageContext, Page } from '../page.ts';
import { comparison, income, offer } from './report_money.ts';
import { sensitivity } from './report_grid.ts';
import { pagesBehind } from './report_pages.ts';
import { incomeSteps } from './report_steps.ts';

export type ReportBody = z.infer<typeof Report>;

const toneOf = (status: string): string => (status === 'Hot' ? 'good' : status === 'Warm' ? 'thin' : 'plain');
const tag = (status: string): Html => html`<span class="tag ${toneOf(status)}">${status}</span>`;

const PATHS: readonly (readonly [name: keyof ReportBody['paths'], title: string, about: string])[] = [
  ['rental', 'Rental', 'Hold it with a bank loan: does the income cover the debt, after reserves?'],
  ['wholesale', 'Wholesale', 'Assign the contract: is the asking price below what a rehabber could pay?'],
  [
    'creative_finance',
    'Creative finance',
    'Buy on seller terms: does the income cover the payments, and does the seller have a reason to agree?',
  ],
];

/** One path: its decision, reason, inputs and thresholds. */
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
    <p>Reason: <strong>${words(reason)}</strong>.</p>
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
  address_range: 'an address range that contains it',
  address_without_unit: 'the same house, unit not given',
  address_without_zip: 'the same street address, no ZIP printed',
  address_exact_place_unknown: 'the same street address in the county, city and ZIP unknown',
  apn_exact: 'the same parcel',
};

const coveredKinds = (coverage: ReportBody['distress']['coverage']): string[] =>
  Object.entries(coverage).flatMap(([kind, status]) => (status === 'covered' ? [kind] : []));

function distress({ distress: d }: ReportBody): Html {
  const rows = (records: ReportBody['distress']['matches']) =>
    records.map(({ kind, match_basis, source_url, signal, auction }) => [
      kind === 'tax_delinquent' ? 'Tax delinquency' : sentence(kind),
      signal?.county ?? auction?.county ?? absent,
      dollars(signal?.amount ?? auction?.opening_bid),
      auction ? day(auction.sale_date) : html`seen ${day(signal?.last_seen)}`,
      BASES[match_basis] ?? words(match_basis),
      externalLink(source_url, 'County page'),
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
      ${sentence(d.status)}. Distress score ${d.score} of 100. Kinds of records that are read for this place:
      ${coveredKinds(d.coverage).map(words).join(', ') || 'none'}.
    </p>
    ${d.matches.length > 0 && cardTable('County records with exactly this address', columns, rows(d.matches))}
    ${
      d.candidates.length > 0 &&
      html`<h3>Possible matches</h3>
        <p>These do not affect scores: one owner’s debt must not count against another owner’s house.</p>
        ${cardTable('County records that may belong to this property', columns, rows(d.candidates))}`
    }`;
}

const recompute = ({ recompute: steps }: ReportBody): Html =>
  html`<h2 id="recompute">Recompute every figure</h2>
    <p>
      ${steps.length} figures, each a formula over named inputs. Decimals are exact; <code>round2</code> rounds half
      away from zero, <code>clamp</code> limits to 0 to 1, <code>floor_to</code> rounds down to a multiple.
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
    ? html`<h2>History of the listing</h2>
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
            externalLink(v.listing_url, v.source),
          ]),
        )}`
    : '';

function reportContent(report: ReportBody, pages: readonly CitedPage[]): Html {
  const { deal } = report;
  const all = report.assumptions.values;
  const weight = (key: string): number => Number(all[key] ?? 0);
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
      {
        label: 'Claimed cap',
        value: percent(deal.cap_rate ?? deal.cap_rate_derived),
        note: words(deal.cap_rate_source),
      },
      {
        label: 'HUD-underwritten cap',
        value: percent(deal.cap_rate_underwritten),
        note: html`gap ${points(deal.cap_gap_pct)}`,
      },
      { label: 'DSCR', value: ratio(deal.dscr), note: words(deal.dscr_reason ?? deal.dscr_status) },
    ])}
    <p>
      This is the free example, the response of <a href="${EXAMPLE_PATH}"><code>${EXAMPLE_PATH}</code></a
      >. The report of any other deal costs $${PRICES['/api/deals/:id/report']}. Listed by
      ${externalLink(deal.listing_url, deal.source)}, verified ${day(deal.last_verified)}.
    </p>
    <div class="split">
      <section>${comparison(report)}</section>
      <section>${income(report)}</section>
    </div>
    ${incomeSteps(report)} ${offer(report)}
    <h2>Three paths</h2>
    <div class="split">${PATHS.map((p) => path(report, p))}</div>
    <h2>Parts of the score</h2>
    <div class="split">
      ${partsChart('Deal score: four parts, each with its maximum', [
        { label: 'Yield', points: deal.deal_score_yield, most: weight('score_yield_weight') },
        { label: 'Debt coverage', points: deal.deal_score_coverage, most: weight('score_coverage_weight') },
        { label: 'Motivation', points: deal.deal_score_motivation, most: weight('score_motivation_weight') },
        { label: 'Distress', points: deal.deal_score_distress, most: weight('score_distress_weight') },
      ])}
      <p>
        The parts add up to ${deal.deal_score}. Confidence is ${deal.confidence_score}:
        ${Object.entries(deal.confidence_parts)
          .map(([k, v]) => `${words(k)} ${v}`)
          .join(', ')}. <a href="/scores">How scores are computed</a>
      </p>
    </div>
    ${distress(report)} ${sensitivity(report)} ${history(report)} ${pagesBehind(pages)} ${recompute(report)}`;
}

export const report: Page = {
  path: '/report',
  label: 'Example report',
  title: 'Example report',
  cache: 'snapshot',
  about:
    'The full report of one deal: claim compared with underwriting, offer range, three paths, what-ifs, and a ' +
    'formula for every figure.',
  async content({ site, request }: PageContext) {
    try {
      const example = site.routes.find((r) => r.path === EXAMPLE_PATH);
      if (!example) throw new Error(`there is no route ${EXAMPLE_PATH}`);
      const body = (await example.handle(request)) as ReportBody;
      return reportContent(body, await citedPages(body, request.snapshot));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return html`<h1>Example report</h1>
        <p>${error.message}</p>`;
    }
  },
};
