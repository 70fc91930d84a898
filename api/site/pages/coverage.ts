/** /coverage: a mark for each metro and kind of record, and behind each mark the sources that are read. */
import type { z } from 'zod';
import { COVERED_KINDS } from '../../../models/fields.ts';
import type { Coverage } from '../../../models/marts/coverage.ts';
import { COVERAGE_PATH } from '../../routes/coverage.ts';
import { Filters } from '../../serving/filters.ts';
import { cardTable, externalLink, figures, fold, h2, link, num, plainTable, sub, terms } from '../components.ts';
import { count, day, rangeText, sentence } from '../format.ts';
import { element, html, type Html, type Piece } from '../html.ts';
import { metroNamed, pathOf } from '../map/metros.ts';
import type { Page, PageContext } from '../page.ts';
import { byCounty, countOf } from '../place_figures.ts';
import { recordName } from './report/words.ts';

type Row = z.infer<typeof Coverage.schema>;

/** The sources of each kind in a metro, or in a county outside all metros; all of them if no place is given. */
export const coverageOf = ({ request: { snapshot } }: PageContext, metro?: string): readonly Row[] =>
  (snapshot.all('coverage') as unknown as readonly Row[]).filter((row) => metro === undefined || row.metro === metro);

const anchorOf = (metro: string): string => metro.toLowerCase().replaceAll(/[^a-z]+/gu, '-');

/** The address of what is read in a metro, or in a county outside every metro. */
function sourcesPath(name: string): string {
  const metro = metroNamed(name);
  return metro ? `${pathOf(metro)}#sources` : `#${anchorOf(name)}`;
}

const MARKS = {
  covered: ['●', 'all'],
  partly_covered: ['◐', 'in part'],
  not_covered: ['–', 'not read'],
} as const;

function markOf(row: Row | undefined): Piece {
  if (!row) return '';
  const [mark, label] = MARKS[row.status];
  return link(sourcesPath(row.metro), mark, { 'aria-label': label });
}

async function marks(context: PageContext): Promise<Html> {
  const byMetro = [...Map.groupBy(coverageOf(context), ({ metro }) => metro)].map(async ([metro, rows]) => {
    const deals = await countOf(context, 'Deals', metroNamed(metro) ? { metro } : { county: metro });
    const found = COVERED_KINDS.map((kind) => markOf(rows.find((row) => row.kind === kind)));
    return [link(sourcesPath(metro).replace('#sources', ''), metro), rangeText(deals), ...found];
  });
  return html`<h2>What we read in each metro</h2>
    <p>
      <b aria-hidden="true">●</b> all of its counties, <b aria-hidden="true">◐</b> in part, – not read, blank: not
      looked at. A mark leads to the sources and their age, or to the reason. Where a kind is read in part, no record
      does not mean no debt.
    </p>
    <div class="marks">
      ${plainTable(
        '',
        'Kinds of records by metro',
        ['Metro', num('Deals for sale'), ...COVERED_KINDS.map(recordName)],
        await Promise.all(byMetro),
      )}
    </div>
    <p>
      Exact numbers, and how many deals are hot, come with the records. <a href="/build">The query builder</a> gives the
      range for any place, free. Programs read this table at ${link(COVERAGE_PATH, COVERAGE_PATH)}, with the terms of
      each source.
    </p>`;
}

async function registers({ request: { snapshot } }: PageContext): Promise<Html> {
  const all = new Filters('filings');
  const rows = [...(await snapshot.counts(all, 'source_state'))].map(async ([state, registered]) => {
    const own = all.and('source_state', '=', String(state));
    const agents = await snapshot.counts(own, 'registered_agent_status');
    const [newest = null] = [...(await snapshot.counts(own, 'filing_date')).keys()].map(String).slice(-1);
    return [String(state), count(registered), count(agents.get('available') ?? 0), day(newest)];
  });
  const columns = ['State', num('Registrations'), num('With an agent'), 'Newest'];
  return cardTable('', columns, await Promise.all(rows));
}

/** Why a kind is not read, for readers who put no files into folders of ours. */
function reasonText(why: string | null): string {
  if (why === null || why === 'No public source is declared.') return 'We know no public source.';
  return why.startsWith('Not read yet') ? 'A source exists; we do not read it yet.' : why;
}

const ageText = (days: number | null): string =>
  days === 0 ? 'today' : days === 1 ? 'yesterday' : `${days ?? '?'} days ago`;

/** The sources that are read, with their age, and the kinds that are not. */
export function sourcesOf(rows: readonly Row[]): Html {
  const bySource = Map.groupBy(
    rows.flatMap(({ kind, sources: read }) => read.map((source) => ({ kind, source }))),
    ({ source }) => source.source,
  );
  const table = [...bySource.values()].map((ofSource) => {
    const [{ source }] = ofSource as [(typeof ofSource)[number]];
    const { title, home, county, covered_city: city, age_days: age, every_days: every } = source;
    return [
      externalLink(home, title),
      sentence(ofSource.map(({ kind }) => kind.replaceAll('_', ' ')).join(', ')),
      `${county ?? 'The whole metro'}${city === null ? '' : `, ${city} only`}`,
      [day(source.last_good_at), sub(`${ageText(age)}, every ${every === 1 ? 'day' : `${every} days`}`)],
    ];
  });
  const notRead = rows.filter(({ status }) => status === 'not_covered');
  const caption = 'A missing record means that there is none only where its kind is read in the whole county.';
  const reasons = notRead.map(({ kind, why }) => [sentence(kind), reasonText(why)]);
  const kinds = `${notRead.length} ${notRead.length === 1 ? 'kind' : 'kinds'} we do not read, and why`;
  return html`${table.length === 0 && html`<p>We read no public records here yet.</p>`}
  ${table.length > 0 && cardTable(caption, ['Source', 'What it has', 'Where', 'Read'], table)}
  ${notRead.length > 0 && fold(kinds, terms('page-facts', reasons))}`;
}

export const coverage: Page = {
  path: '/coverage',
  label: 'Coverage',
  title: 'Coverage',
  cache: 'snapshot',
  about: 'Where we read listings and public records, of which kinds, and how fresh they are.',
  async content(context) {
    const { coverage: ofDeals, refresh_cadence: cadence } = context.meta;
    const outside = [...new Set(coverageOf(context).map(({ metro }) => metro))].filter((name) => !metroNamed(name));
    return html`<h1>Coverage</h1>
      <p class="lead">Where we read listings and public records, and how fresh they are. ${cadence}</p>
      ${figures(
        ['Deals for sale', count(ofDeals.active_records), html`in ${count(ofDeals.cities)} cities`],
        ['With debt coverage', count(ofDeals.dscr_computed)],
        [
          'Prices checked',
          day(ofDeals.freshest_verification),
          html`the oldest on ${day(ofDeals.oldest_active_verification)}`,
        ],
      )}
      ${await marks(context)}
      ${
        outside.length > 0 && [
          h2('Counties outside the metros'),
          await byCounty(context, outside),
          outside.map((name) => [element('h3', { id: anchorOf(name) }, name), sourcesOf(coverageOf(context, name))]),
        ]
      }
      <h2>New businesses</h2>
      ${await registers(context)}
      <p><a href="/status">The status of each source</a></p>`;
  },
};
