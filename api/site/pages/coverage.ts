/** /coverage: a mark for each metro and kind of record, and a page of each kind behind the marks. */
import type { z } from 'zod';
import { COVERED_KINDS, KIND_MEANINGS } from '../../../models/fields.ts';
import type { Coverage } from '../../../models/marts/coverage.ts';
import type { Value } from '../../serving/columns.ts';
import { Filters } from '../../serving/filters.ts';
import { activeDeals } from '../../routes/deals.ts';
import { figuresOf } from '../../routes/figures.ts';
import { unclaimed } from '../../routes/leads/lead_claims.ts';
import { upcomingAuctions } from '../../routes/auctions.ts';
import { sellableLeads } from '../../routes/leads/leads.ts';
import { currentSignals } from '../../routes/signals.ts';
import { COVERAGE_PATH } from '../../routes/coverage.ts';
import { count, day } from '../format.ts';
import { html, type Html, type Piece } from '../html.ts';
import { cardTable, externalLink, figures, num, plainTable, sub, tag, terms } from '../layout.ts';
import { metroNamed, pathOf } from '../map/metros.ts';
import { textOrNull, type Page, type PageContext } from '../page.ts';
import { RECORDS } from './report/words.ts';

type Row = z.infer<typeof Coverage.schema>;

const rowsOf = ({ request: { snapshot } }: PageContext): readonly Row[] =>
  snapshot.all('coverage') as unknown as readonly Row[];

const kindPath = (kind: string): string => `/coverage/${kind.replaceAll('_', '-')}`;
const anchorOf = (metro: string): string => metro.toLowerCase().replaceAll(/[^a-z]+/gu, '-');

/** The name of a metro, with its page. A county outside every metro has none. */
function metroLink(name: string): Piece {
  const metro = metroNamed(name);
  return metro ? html`<a href="${pathOf(metro)}">${name}</a>` : name;
}

const MARKS = {
  covered: ['●', 'all'],
  partly_covered: ['◐', 'in part'],
  not_covered: ['–', 'not read'],
} as const;

const markOf = ({ metro, kind, status }: Row): Html =>
  html`<a href="${kindPath(kind)}#${anchorOf(metro)}" aria-label="${MARKS[status][1]}">${MARKS[status][0]}</a>`;

async function marks(context: PageContext): Promise<Html> {
  const { snapshot } = context.request;
  const deals = (await figuresOf(snapshot, activeDeals())).counts('metro');
  const byMetro = [...Map.groupBy(rowsOf(context), ({ metro }) => metro)];
  return html`<h2>What we read in each metro</h2>
    <p>
      <b aria-hidden="true">●</b> all of its counties, <b aria-hidden="true">◐</b> in part, – not read, blank: not
      looked at. Behind each mark are the counties and the sources, or the reason. Where a kind is read in part, no
      record does not mean no debt.
    </p>
    <div class="marks">
      ${plainTable(
        '',
        'Kinds of records by metro',
        ['Metro', num('Deals for sale'), ...COVERED_KINDS.map((kind) => RECORDS[kind] ?? kind)],
        byMetro.map(([metro, rows]) => [
          metroLink(metro),
          count(deals.get(metro) ?? 0),
          ...COVERED_KINDS.map((kind) => {
            const row = rows.find((one) => one.kind === kind);
            return row ? markOf(row) : '';
          }),
        ]),
      )}
    </div>
    <p>
      How many of these deals are hot is part of what we sell. <a href="/build">The query builder</a> tells it as a
      range, free, for any place. Programs read this table at <a href="${COVERAGE_PATH}">${COVERAGE_PATH}</a>, with the
      terms of each source.
    </p>`;
}

async function counties({ request }: PageContext): Promise<Html> {
  const { snapshot, today, claims } = request;
  const byCounty = async (filters: Filters): Promise<ReadonlyMap<Value, number>> =>
    (await figuresOf(snapshot, filters)).counts('county');
  const signals = await byCounty(currentSignals());
  const upcoming = await figuresOf(snapshot, upcomingAuctions(today));
  const sales = upcoming.counts('county');
  const [countyOf, dayOf] = [snapshot.column('auctions', 'county'), snapshot.column('auctions', 'sale_date')];
  // Sales are in the order of their days.
  const next = new Map(upcoming.all.toReversed().map((row) => [countyOf.at(row), dayOf.at(row)]));
  const sellable = await byCounty(unclaimed(await sellableLeads(request), await claims()));
  return plainTable(
    'Signs of distress in force, sales ahead, and leads that can be bought today',
    'County records',
    ['County', num('Signals'), num('Sales ahead'), 'Next sale', num('Leads')],
    [...new Set([...signals.keys(), ...sales.keys(), ...sellable.keys()])]
      .map(String)
      .sort()
      .map((county) => [
        county,
        ...[signals, sales].map((counted) => count(counted.get(county) ?? null)),
        day(textOrNull(next.get(county))),
        count(sellable.get(county) ?? null),
      ]),
  );
}

async function registers({ request: { snapshot } }: PageContext): Promise<Html> {
  const states = snapshot.column('filings', 'source_state').counts(await snapshot.select(new Filters('filings')));
  const rows = await Promise.all(
    [...states.keys()].map(String).map(async (state) => {
      const found = await figuresOf(snapshot, new Filters('filings').and('source_state', '=', state));
      const withAgent = found.counts('registered_agent_status').get('available') ?? 0;
      return [state, count(found.all.length), count(withAgent), day(found.ends('filing_date')[1])];
    }),
  );
  return cardTable('', ['State', num('Registrations'), num('With an agent'), 'Newest'], rows);
}

export const coverage: Page = {
  path: '/coverage',
  label: 'Coverage',
  title: 'Coverage',
  cache: 'snapshot',
  about: 'Where we read listings and public records, of which kinds, and how fresh they are.',
  async content(context) {
    const { coverage: ofDeals, refresh_cadence: cadence } = context.meta;
    return html`<h1>Coverage</h1>
      <p class="lead">Where we read listings and public records, and how fresh they are. ${cadence}</p>
      ${figures([
        {
          label: 'Deals for sale',
          value: count(ofDeals.active_records),
          note: html`in ${count(ofDeals.cities)} cities`,
        },
        { label: 'With debt coverage', value: count(ofDeals.dscr_computed) },
        {
          label: 'Prices checked',
          value: day(ofDeals.freshest_verification),
          note: html`the oldest on ${day(ofDeals.oldest_active_verification)}`,
        },
      ])}
      ${await marks(context)}
      <h2>Counties</h2>
      <p>A lead is for sale only while its record was seen within the last seven days.</p>
      ${await counties(context)}
      <h2>New businesses</h2>
      ${await registers(context)}
      <p><a href="/status">The status of each source</a>.</p>`;
  },
};

const plural = (number: number, one: string, many: string): string => `${number} ${number === 1 ? one : many}`;

function kindRow(row: Row): Piece[] {
  const { metro, status, counties: read, counties_total: total, sources, listed_rows: rows, oldest_read: oldest } = row;
  const names = read.map(({ county, covered_city: city }) => (city === null ? county : `${city} in ${county}`));
  return [
    html`<span id="${anchorOf(metro)}">${metroLink(metro)}</span>`,
    html`${tag(status === 'covered' ? 'good' : 'thin', MARKS[status][1])}
    ${sub(`${read.length} of ${plural(total, 'county', 'counties')}`)}`,
    names.join(', '),
    sources.map(({ title, home }, i) => [i > 0 && ', ', externalLink(home, title)]),
    day(oldest),
    count(rows),
    row.listings === 0 ? '' : html`${count(row.listings_matched)} of ${count(row.listings)}`,
  ];
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
      const read = rows.filter(({ status }) => status !== 'not_covered');
      const reasons = rows.filter(({ status }) => status === 'not_covered');
      return html`<p class="eyebrow"><a href="/coverage">Coverage</a></p>
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
        ${
          reasons.length > 0 &&
          html`<h2>Not read, and why</h2>
            ${terms(
              'page-facts',
              reasons.map(({ metro, why }) => [metroLink(metro), why, anchorOf(metro)]),
            )}`
        }`;
    },
  };
};

/** Pages that /coverage links to. */
export const COVERAGE_PAGES: readonly Page[] = COVERED_KINDS.map(kindPage);
