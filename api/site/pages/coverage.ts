/** /coverage: a mark for each metro and kind of record, and a page of each kind behind the marks. */
import type { z } from 'zod';
import { COVERED_KINDS, KIND_MEANINGS } from '../../../models/fields.ts';
import type { Coverage } from '../../../models/marts/coverage.ts';
import { COVERAGE_PATH } from '../../routes/coverage.ts';
import { rangeOf } from '../../routes/count/coarse.ts';
import { Filters } from '../../serving/filters.ts';
import {
  above,
  cardTable,
  externalLink,
  figures,
  h2,
  link,
  listed,
  num,
  plainTable,
  sub,
  tag,
  terms,
} from '../components.ts';
import { count, day, rangeText } from '../format.ts';
import { html, type Html, type Piece } from '../html.ts';
import { metroNamed, pathOf } from '../map/metros.ts';
import type { Page, PageContext } from '../page.ts';
import { byCounty, countOf } from '../place_figures.ts';
import { RECORDS } from './report/words.ts';

type Row = z.infer<typeof Coverage.schema>;

const rowsOf = ({ request: { snapshot } }: PageContext): readonly Row[] =>
  snapshot.all('coverage') as unknown as readonly Row[];

const kindPath = (kind: string): string => `/coverage/${kind.replaceAll('_', '-')}`;
const anchorOf = (metro: string): string => metro.toLowerCase().replaceAll(/[^a-z]+/gu, '-');

/** The name of a metro, with its page. A county outside every metro has none. */
function metroLink(name: string): Piece {
  const metro = metroNamed(name);
  return metro ? link(pathOf(metro), name) : name;
}

const MARKS = {
  covered: ['●', 'all'],
  partly_covered: ['◐', 'in part'],
  not_covered: ['–', 'not read'],
} as const;

function markOf(row: Row | undefined): Piece {
  if (!row) return '';
  const [mark, label] = MARKS[row.status];
  return link(`${kindPath(row.kind)}#${anchorOf(row.metro)}`, mark, { 'aria-label': label });
}

async function marks(context: PageContext): Promise<Html> {
  const byMetro = [...Map.groupBy(rowsOf(context), ({ metro }) => metro)].map(async ([metro, rows]) => {
    const deals = await countOf(context, 'Deals', metroNamed(metro) ? { metro } : { county: metro });
    const found = COVERED_KINDS.map((kind) => markOf(rows.find((row) => row.kind === kind)));
    return [metroLink(metro), rangeText(deals), ...found];
  });
  return html`<h2>What we read in each metro</h2>
    <p>
      <b aria-hidden="true">●</b> all of its counties, <b aria-hidden="true">◐</b> in part, – not read, blank: not
      looked at. A mark leads to the counties and sources, or to the reason. Where a kind is read in part, no record
      does not mean no debt.
    </p>
    <div class="marks">
      ${plainTable(
        '',
        'Kinds of records by metro',
        ['Metro', num('Deals for sale'), ...COVERED_KINDS.map((kind) => RECORDS[kind] ?? kind)],
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

export const coverage: Page = {
  path: '/coverage',
  label: 'Coverage',
  title: 'Coverage',
  cache: 'snapshot',
  about: 'Where we read listings and public records, of which kinds, and how fresh they are.',
  async content(context) {
    const { coverage: ofDeals, refresh_cadence: cadence } = context.meta;
    const outside = [...new Set(rowsOf(context).map(({ metro }) => metro))].filter((name) => !metroNamed(name));
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
      ${outside.length > 0 && [h2('Counties outside the metros'), await byCounty(context, outside)]}
      <h2>New businesses</h2>
      ${await registers(context)}
      <p><a href="/status">The status of each source</a></p>`;
  },
};

const plural = (number: number, one: string, many: string): string => `${number} ${number === 1 ? one : many}`;
const range = (number: number): string => rangeText(rangeOf(number, true));

function kindRow(row: Row): Piece[] {
  const { metro, status, counties: read, counties_total: total, sources } = row;
  return [
    html`<span id="${anchorOf(metro)}">${metroLink(metro)}</span>`,
    [
      tag(status === 'covered' ? 'good' : 'thin', MARKS[status][1]),
      sub(`${read.length} of ${plural(total, 'county', 'counties')}`),
    ],
    read.map(({ county, covered_city: city }) => (city === null ? county : `${city} in ${county}`)).join('; '),
    listed(sources.map(({ title, home }) => externalLink(home, title))),
    day(row.oldest_read),
    range(row.listed_rows),
    range(row.listings_matched),
  ];
}

/** Why a kind is not read, for readers who put no files into folders of ours. */
export function reasonText(why: string | null): string {
  if (why === null || why === 'No public source is declared.') return 'We know no public source.';
  return why.startsWith('Not read yet') ? 'A source exists; we do not read it yet.' : why;
}

/** A page for each kind of record: where it is read from, and why it is not. */
const kindPage = (kind: Row['kind']): Page => {
  const title = RECORDS[kind] ?? kind;
  return {
    path: kindPath(kind),
    title: `${title}: where we read it`,
    cache: 'snapshot',
    about: `${title}: the metros and counties where we read it, its sources and their age.`,
    content(context) {
      const rows = rowsOf(context).filter((row) => row.kind === kind);
      const [read = [], others = []] = [false, true].map((isOther) =>
        rows.filter(({ status }) => (status === 'not_covered') === isOther),
      );
      const reasons = others.map(({ metro, why }) => [metroLink(metro), reasonText(why), anchorOf(metro)]);
      return html`${above('/coverage', 'Coverage')}
        <h1>${title}</h1>
        <p class="lead">${KIND_MEANINGS[kind]} We read it in ${plural(read.length, 'metro', 'metros')}.</p>
        ${
          read.length > 0 &&
          cardTable(
            'No record means that there is none only where the kind is read in all counties',
            ['Metro', 'Read', 'Counties', 'Sources', 'Oldest read', num('In force'), num('Listings matched')],
            read.map(kindRow),
          )
        }
        ${reasons.length > 0 && [h2('Not read, and why'), terms('page-facts', reasons)]}`;
    },
  };
};

/** Pages that /coverage links to. */
export const COVERAGE_PAGES: readonly Page[] = COVERED_KINDS.map(kindPage);
