/** /report: the free example report as a page, with every figure that a buyer gets. */
import { PRICES } from '../../../../lib/prices.ts';
import { Problem } from '../../../http/problem.ts';
import { EXAMPLE_PATH, type ReportBody } from '../../../routes/report.ts';
import { citedPages, type CitedPage, ARCHIVE_PATH } from '../../archive/cited_pages.ts';
import { barChart, type Bar } from '../../charts.ts';
import { html, type Html } from '../../html.ts';
import { cardTable, externalLink, figures, fold, link, num, terms } from '../../components.ts';
import { absent, count, day, dollars, percent, points, ratio, words } from '../../format.ts';
import type { PageContext, Page } from '../../page.ts';
import { comparison, income, offer, threePaths, incomeSteps } from './sections.ts';
import { sensitivity } from './grid.ts';
import { CAP_SOURCES, DISTRESSES, dscrText, MATCHES, recordName } from './words.ts';

/** Characters of a hash that are unique within a report. */
const SHORT = 12;

const pagesBehind = (pages: readonly CitedPage[], isExample: boolean): Html =>
  html`<h2 id="pages">Pages behind this report</h2>
    <p>
      Each row names the page it was read from, by the SHA-256 of its archived bytes.
      ${
        isExample &&
        'The site shows an archived page where the terms of its source allow that and no other property is on it.'
      }
    </p>
    ${cardTable(
      'Pages that the report cites',
      ['Record', 'Source', 'Read', 'SHA-256', ...(isExample ? ['Archived page'] : [])],
      pages.map(({ role, title, address, readAt, sha256, hiddenBecause: hidden }) => {
        const view = link(`${ARCHIVE_PATH}/${sha256}`, 'View the archived page');
        return [
          recordName(role),
          externalLink(address, title),
          day(readAt),
          html`<code title="${sha256}">${sha256.slice(0, SHORT)}…</code>`,
          ...(isExample ? [hidden === null ? view : `not shown: ${hidden}`] : []),
        ];
      }),
    )}`;

const coveredKinds = (coverage: ReportBody['distress']['coverage']): string[] =>
  Object.entries(coverage).flatMap(([kind, status]) => (status === 'covered' ? [kind] : []));

function distress({ distress: found }: ReportBody): Html {
  const rows = (records: ReportBody['distress']['matches']) =>
    records.map(({ kind, match_basis, source_url, signal, auction }) => [
      recordName(kind),
      signal?.county ?? auction?.county ?? absent,
      dollars(signal?.amount ?? auction?.opening_bid),
      auction ? day(auction.sale_date) : html`seen ${day(signal?.last_seen)}`,
      MATCHES[match_basis as keyof typeof MATCHES],
      externalLink(source_url, 'County page'),
    ]);
  const columns = ['Record', 'County', num('Debt or opening bid'), 'Day', 'Matched by', 'Source'];
  return html`<h2 id="distress">Distress</h2>
    <p>
      ${DISTRESSES[found.status]} Distress score ${found.score} of 100. Kinds of records we read for this place:
      ${
        coveredKinds(found.coverage)
          .map((kind) => recordName(kind).toLowerCase())
          .join(', ') || 'none'
      }.
    </p>
    ${found.matches.length > 0 && cardTable('County records with exactly this address', columns, rows(found.matches))}
    ${
      found.candidates.length > 0 &&
      html`<h3>Possible matches</h3>
        <p>These do not affect scores: one owner’s debt must not count against another owner’s house.</p>
        ${cardTable('County records that may belong to this property', columns, rows(found.candidates))}`
    }`;
}

const recompute = ({ recompute: steps }: ReportBody): Html =>
  html`<h2 id="recompute">Recompute every figure</h2>
    <p>
      ${steps.length} figures, each a formula over named inputs. Decimals are exact; <code>round2</code> rounds half
      away from zero, <code>clamp</code> limits to 0 to 1, <code>floor_to</code> rounds down to a multiple. The inputs
      of each are in <code>recompute</code> of the same report as JSON.
    </p>
    ${fold(
      `Show all ${steps.length} formulas`,
      terms(
        'formulas',
        steps.map(({ figure, formula, result }) => [`${figure} = ${result}`, formula]),
      ),
    )}`;

const history = ({ history: versions }: ReportBody, titleOf: (source: string) => string): Html | '' =>
  versions.length > 0
    ? html`<h2 id="history">History of the listing</h2>
        ${cardTable(
          'Every version of every listing of the property',
          ['First seen', 'Change', num('Asking price'), num('Advertised cap'), 'Availability', 'Listing'],
          versions.map((version) => [
            day(version.version_first_seen),
            words(version.change),
            dollars(version.list_price),
            percent(version.cap_rate),
            words(version.availability),
            externalLink(version.listing_url, titleOf(version.source)),
          ]),
        )}`
    : '';

const SECTIONS = {
  claimed: 'Claim and underwriting',
  cash: 'From rent to cash flow',
  rent: 'The rent, step by step',
  expenses: 'Expenses',
  tax: 'Property tax after a sale',
  noi: 'Two underwritings',
  risks: 'Stress and condition',
  offer: 'Offer',
  paths: 'Three paths',
  score: 'Parts of the score',
  distress: 'Distress',
  'what-if': 'What if',
  history: 'History',
  pages: 'Pages behind it',
  recompute: 'Every formula',
};

const contents = ({ history: versions }: ReportBody): Html =>
  html`<nav class="contents" aria-label="Sections of the report">
    <ol>
      ${Object.entries(SECTIONS)
        .filter(([id]) => id !== 'history' || versions.length > 0)
        .map(([id, title]) => html`<li>${link(`#${id}`, title)}</li>`)}
    </ol>
  </nav>`;

/** A report as a page. @param of the free example, or a report that its reader bought */
export function reportContent(report: ReportBody, pages: readonly CitedPage[], of: 'example' | 'bought'): Html {
  const { deal } = report;
  const isExample = of === 'example';
  const titleOf = (source: string): string => pages.find((page) => page.source === source)?.title ?? source;
  const scorePart = (label: string, earned: number, weight: string): Bar => {
    const most = Number(report.assumptions.values[weight] ?? 0);
    return { label, figure: html`${earned} <span class="of">of ${most}</span>`, to: earned, mark: most, tone: 'hud' };
  };
  const whoseDscr = deal.noi_source === 'underwritten' ? 'DSCR, underwritten' : 'DSCR, by the broker’s claim';
  return html`${isExample ? html`<h1>${report.property}</h1>` : html`<h2>${report.property}</h2>`}
    <p class="lead">${deal.why_this_is_interesting}</p>
    ${figures(
      [
        'Asking',
        dollars(deal.list_price),
        html`${count(deal.units)} units, built ${deal.year_built ?? 'in an unknown year'}`,
      ],
      ['Deal score', html`${deal.deal_score}<span class="of">/100</span>`, `confidence ${deal.confidence_score}`],
      ['Claimed cap', percent(deal.cap_rate ?? deal.cap_rate_derived), CAP_SOURCES[deal.cap_rate_source]],
      ['Underwritten cap', percent(deal.cap_rate_underwritten), html`gap ${points(deal.cap_gap_pct)}`],
      [whoseDscr, ratio(deal.dscr), dscrText(deal)],
    )}
    <p>
      ${
        isExample &&
        html`This is the free example, the response of <a href="${EXAMPLE_PATH}"><code>${EXAMPLE_PATH}</code></a
          >. The report of any other deal costs $${PRICES['/api/deals/:id/report']}.`
      }
      Listed by ${externalLink(deal.listing_url, titleOf(deal.source))}, verified ${day(deal.last_verified)}.
    </p>
    ${contents(report)}
    <div class="split">
      <section>${comparison(report)}</section>
      <section>${income(report)}</section>
    </div>
    ${incomeSteps(report)} ${offer(report)} ${threePaths(report)}
    <h2 id="score">Parts of the score</h2>
    <div class="split">
      ${barChart({
        caption: 'Deal score: the parts that earn points, each with its maximum',
        head: ['Part', 'Points'],
        bars: [
          scorePart('Yield', deal.deal_score_yield, 'score_yield_weight'),
          scorePart('Debt coverage', deal.deal_score_coverage, 'score_coverage_weight'),
          scorePart('Motivation', deal.deal_score_motivation, 'score_motivation_weight'),
          scorePart('Distress', deal.deal_score_distress, 'score_distress_weight'),
        ],
      })}
      <p>
        The parts ${deal.deal_score_condition === 0 ? '' : html`and ${deal.deal_score_condition} for the condition `}add
        up to ${deal.deal_score}. Confidence is ${deal.confidence_score}:
        ${Object.entries(deal.confidence_parts)
          .filter(([, part]) => Number(part) !== 0)
          .map(([key, part]) => `${words(key)} ${part}`)
          .join(', ')}. <a href="/scores">How scores are computed</a>
      </p>
    </div>
    ${distress(report)} ${sensitivity(report)} ${history(report, titleOf)} ${pagesBehind(pages, isExample)}
    ${recompute(report)}`;
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
      const example = site.routes.find((route) => route.path === EXAMPLE_PATH);
      if (!example) throw new Error(`there is no route ${EXAMPLE_PATH}`);
      const body = (await example.handle(request)) as ReportBody;
      return reportContent(body, citedPages(body, request.snapshot), 'example');
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return html`<h1>Example report</h1>
        <p>${error.message}</p>`;
    }
  },
};
