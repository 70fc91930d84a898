/** /coverage: contents of the snapshot by metro and county, and their freshness. */
import { DAY_MS } from '../../../../lib/time.ts';
import type { Value } from '../../../serving/columns.ts';
import { Filters } from '../../../serving/filters.ts';
import { activeDeals } from '../../../routes/deals.ts';
import { figuresOf } from '../../../routes/figures.ts';
import { unclaimed } from '../../../routes/leads/lead_claims.ts';
import { upcomingAuctions } from '../../../routes/auctions.ts';
import { sellableLeads } from '../../../routes/leads/leads.ts';
import { currentSignals } from '../../../routes/signals.ts';
import { barChart } from '../../charts.ts';
import { html, type Html, type Piece } from '../../html.ts';
import { cardTable, figures, plainTable } from '../../layout.ts';
import { count, countText, day, percent, points, rangeText, words } from '../../format.ts';
import { pathOf, metroNamed } from '../../map/metros.ts';
import { allGaps, isCompared, MIN_DEALS, metrosOf, type GapFigures } from '../../metro_figures.ts';
import { COLUMNS_PATH } from './columns.ts';
import { textOrNull, type PageContext, type Page } from '../../page.ts';
import { COVERAGE_PATH } from '../../../routes/coverage.ts';

/** Families of sources in words, in the order of the pages, and the products that use each. */
export const SOURCE_FAMILIES: readonly (readonly [family: string, title: string, buys: string])[] = [
  ['listings', 'Listings', 'deals'],
  ['tax', 'Tax delinquency', 'signals and leads'],
  ['distress', 'Filings, liens and code cases', 'signals and leads'],
  ['sheriff', 'Ohio sheriff sales', 'auctions and leads'],
  ['auctions', 'Other auctions', 'auctions and leads'],
  ['parcels', 'Parcels', 'addresses and owners'],
  ['register', 'New businesses', 'filings'],
  ['fmr', 'HUD rents', 'underwriting'],
  ['benchmarks', 'Rates, vacancy and census', 'underwriting'],
];

/** The title of a family; a family without one keeps its name. */
const familyTitle = (family: string): string => SOURCE_FAMILIES.find(([name]) => name === family)?.[1] ?? family;

type Row = Readonly<Record<string, unknown>>;

/** The name of a metro, with its page. A county outside every metro has no page. */
function metroLink(name: string): Piece {
  const metro = metroNamed(name);
  return metro ? html`<a href="${pathOf(metro)}">${name}</a>` : name;
}

const kindText = ({ kind, status }: Row): string =>
  `${words(String(kind))}${status === 'partly_covered' ? ' (in part)' : ''}`;

function metroCells(name: string, rows: readonly Row[]): Piece[] {
  const read = rows.filter(({ status }) => status !== 'not_covered');
  const oldest = read.flatMap(({ oldest_read: at }) => (at === null ? [] : [String(at)])).toSorted()[0];
  return [
    metroLink(name),
    read.map(kindText).join(', ') || 'none',
    count(rows.length - read.length),
    count(read.reduce((sum, { listed_rows: listed }) => sum + Number(listed), 0)),
    day(oldest),
  ];
}

/** The table of kinds by metro. */
function kindsByMetro(context: PageContext): Html {
  const rows = context.request.snapshot.all('coverage');
  return html`<h2>Kinds of records</h2>
    <p>
      A missing record means that there is none only where the kind is covered in full. Each metro’s page lists its
      counties, its sources and the kinds we do not read. For programs,
      <a href="${COVERAGE_PATH}">${COVERAGE_PATH}</a> has the same, free, with the terms of each source. For a kind that
      is not read, it gives the reason.
    </p>
    ${plainTable(
      'Kinds we read in each metro, and in each county outside a metro',
      'Kinds of records by metro',
      [
        { label: 'Metro' },
        { label: 'Kinds read' },
        { label: 'Not read', isNumeric: true },
        { label: 'Rows in force', isNumeric: true },
        { label: 'Oldest read' },
      ],
      [...Map.groupBy(rows, ({ metro }) => String(metro))].map(([name, ofMetro]) => metroCells(name, ofMetro)),
    )}`;
}

type State = 'fresh' | 'late' | 'broken' | 'not read';

const TONES: Readonly<Record<State, string>> = { fresh: 'good', late: 'thin', broken: 'bad', 'not read': 'plain' };
const STATES = Object.keys(TONES) as State[];

function stateOf({ status, freshness: age }: Row): State {
  if (status === 'quarantined' || status === 'unavailable') return 'broken';
  if (age === 'never_read') return 'not read';
  return age === 'fresh' ? 'fresh' : 'late';
}

const countIn = (rows: readonly Row[], state: State): number => rows.filter((row) => stateOf(row) === state).length;

const square = (row: Row): Html =>
  html`<i class="key key-${TONES[stateOf(row)]}" title="${String(row['source'])}"></i>`;

function sourcesByFamily(context: PageContext): Html | '' {
  const rows = context.request.snapshot
    .all('sources')
    .sort((a, b) => (String(a['family']) < String(b['family']) ? -1 : 1));
  if (rows.length === 0) return '';
  const families = [...Map.groupBy(rows, ({ family }) => String(family))];
  return html`<figure class="ranges">
    <figcaption>
      <h2>Freshness by source</h2>
      <p>
        Each square is a source. A source is late if its last read is older than its read interval. It is broken if its
        page changed or does not respond; its last good rows stay and show their age.
        <a href="/status">The status page</a> names each source.
      </p>
    </figcaption>
    <ul class="legend">
      ${STATES.map((state) => html`<li><span class="key key-${TONES[state]}"></span>${state}</li>`)}
    </ul>
    <div role="img" aria-label="Freshness by source. The figures are in the table below.">
      ${families.map(
        ([family, sources]) =>
          html`<div class="range">
            <span>${familyTitle(family)}</span><span class="squares">${sources.map(square)}</span
            ><b class="figure">${countIn(sources, 'fresh')} of ${sources.length} fresh</b>
          </div>`,
      )}
    </div>
    <details>
      <summary>The figures as a table</summary>
      ${plainTable(
        'Sources by family',
        'Freshness by source',
        [{ label: 'Family' }, ...STATES.map((label) => ({ label, isNumeric: true }))],
        families.map(([family, sources]) => [familyTitle(family), ...STATES.map((state) => countIn(sources, state))]),
      )}
    </details>
  </figure>`;
}

/** Bins of the gap, in percentage points; the first and the last are open. */
const GAP_BINS: readonly (readonly [low: number, high: number, label: string])[] = [
  [-1e9, -2, 'more than 2 below'],
  [-2, -1, '1 to 2 below'],
  [-1, 0, 'up to 1 below'],
  [0, 1, 'up to 1 above'],
  [1, 2, '1 to 2 above'],
  [2, 4, '2 to 4 above'],
  [4, 1e9, 'more than 4 above'],
];

const gapCells = ({ deals, hot, compared, claimed, underwritten, gap }: GapFigures): Piece[] => [
  count(deals),
  rangeText(hot),
  count(compared),
  percent(claimed),
  percent(underwritten),
  points(gap),
];

async function metros({ request: { snapshot } }: PageContext): Promise<Html> {
  const entries = (await metrosOf(snapshot)).filter(({ figures: { deals } }) => deals > 0);
  return plainTable(
    html`Active deals by metro. The three medians are of the compared deals: those with a broker’s claim and a HUD rent
    that fits. The median gap may differ from the difference of the two medians. Metros with fewer than ${MIN_DEALS}
    compared deals have no medians and no count. Hot deals are a range, as in a free count.`,
    'Deals by metro',
    [
      { label: 'Metro' },
      { label: 'Deals', isNumeric: true },
      { label: 'Hot', isNumeric: true },
      { label: 'Compared', isNumeric: true },
      { label: 'Claimed cap', isNumeric: true },
      { label: 'Underwritten', isNumeric: true },
      { label: 'Gap', isNumeric: true },
    ],
    [
      ...entries.map(({ metro, figures: ofMetro }) => [
        html`<a href="${pathOf(metro)}">${metro.name}</a>`,
        ...gapCells(ofMetro),
      ]),
      ['All deals', ...gapCells(await allGaps(snapshot))],
    ],
  );
}

async function gaps(context: PageContext): Promise<Html> {
  const { snapshot } = context.request;
  const gapColumn = snapshot.column('deals', 'cap_gap_pct');
  const compared = (await snapshot.select(activeDeals())).filter(isCompared(snapshot));
  const values = compared.map((row) => Number(gapColumn.at(row)));
  if (values.length < MIN_DEALS)
    return html`<p>Fewer than ${MIN_DEALS} deals have a broker’s claim and a HUD rent that fits.</p>`;
  return barChart({
    caption: html`Claimed minus underwritten cap rate, in percentage points: ${countText(values.length)} active deals
    with a broker’s claim and a HUD rent that fits`,
    head: ['Claim minus underwriting', 'Deals'],
    bars: GAP_BINS.map(([low, high, label]) => {
      const number = values.filter((gap) =>
        low < 0 ? gap >= low && gap < high : gap >= low && (gap < high || high > 1e8),
      ).length;
      return { label, figure: countText(number), to: number, tone: low >= 0 ? 'claimed' : 'hud' } as const;
    }),
  });
}

async function freshness(context: PageContext): Promise<Html> {
  const { snapshot, today } = context.request;
  const verified = (await figuresOf(snapshot, activeDeals())).counts('last_verified');
  const ages = [...verified].map(([at, deals]) => ({
    days: (Date.parse(today) - Date.parse(String(at).slice(0, 10))) / DAY_MS,
    deals,
  }));
  const bins: readonly (readonly [string, number, number])[] = [
    ['the same day', 0, 0],
    ['1 day', 1, 1],
    ['2 to 3 days', 2, 3],
    ['4 to 7 days', 4, 7],
    ['more than 7 days', 8, 1e9],
  ];
  return barChart({
    caption: 'Days since the price of an active deal was last verified',
    head: ['Age', 'Deals'],
    bars: bins.map(([label, from, to]) => {
      const number = ages.reduce((sum, { days, deals }) => sum + (days >= from && days <= to ? deals : 0), 0);
      return { label, figure: countText(number), to: number, tone: to <= 3 ? 'good' : to <= 7 ? 'thin' : 'bad' };
    }),
  });
}

async function counties(context: PageContext): Promise<Html> {
  const { snapshot, today, claims } = context.request;
  const byCounty = async (filters: Filters): Promise<ReadonlyMap<Value, number>> =>
    (await figuresOf(snapshot, filters)).counts('county');
  const signals = await byCounty(currentSignals());
  const addressed = await byCounty(currentSignals().and('has_address', '=', true));
  const upcoming = await figuresOf(snapshot, upcomingAuctions(today));
  const sales = upcoming.counts('county');
  const [countyOf, dayOf] = [snapshot.column('auctions', 'county'), snapshot.column('auctions', 'sale_date')];
  // Sales are in the order of their days.
  const next = new Map(upcoming.all.toReversed().map((row) => [countyOf.at(row), dayOf.at(row)]));
  const sellable = await byCounty(unclaimed(await sellableLeads(context.request), await claims()));
  return plainTable(
    'County records by county',
    'County records',
    [
      { label: 'County' },
      { label: 'Signals', isNumeric: true },
      { label: 'with an address', isNumeric: true },
      { label: 'Upcoming sales', isNumeric: true },
      { label: 'Next sale' },
      { label: 'Leads', isNumeric: true },
    ],
    [...new Set([...signals.keys(), ...sales.keys(), ...sellable.keys()])]
      .map(String)
      .sort()
      .map((county) => [
        county,
        count(signals.get(county) ?? null),
        count(signals.has(county) ? (addressed.get(county) ?? 0) : null),
        count(sales.get(county) ?? null),
        day(textOrNull(next.get(county))),
        count(sellable.get(county) ?? null),
      ]),
  );
}

async function registers(context: PageContext): Promise<Html> {
  const { snapshot } = context.request;
  const states = snapshot.column('filings', 'source_state').counts(await snapshot.select(new Filters('filings')));
  const byState = await Promise.all(
    [...states.keys()].map(async (state) => ({
      state: String(state),
      figures: await figuresOf(snapshot, new Filters('filings').and('source_state', '=', String(state))),
    })),
  );
  return cardTable(
    'Business registrations',
    [
      { label: 'State' },
      { label: 'Filings', isNumeric: true },
      { label: 'with an agent', isNumeric: true },
      { label: 'Newest filing' },
      { label: 'Last read' },
    ],
    byState.map(({ state, figures: found }) => [
      state,
      count(found.all.length),
      count(found.counts('registered_agent_status').get('available') ?? 0),
      day(found.ends('filing_date')[1]),
      day(found.ends('last_seen')[1]),
    ]),
  );
}

export const coverage: Page = {
  path: '/coverage',
  label: 'Coverage',
  title: 'Coverage and freshness',
  cache: 'snapshot',
  about: 'Contents of the current snapshot by metro and county, and their freshness.',
  async content(context) {
    const { coverage: ofDeals } = context.meta;
    return html`<h1>Coverage and freshness</h1>
      <p class="lead">Contents of the current snapshot. ${context.meta.refresh_cadence}</p>
      ${figures([
        {
          label: 'Active deals',
          value: count(ofDeals.active_records),
          note: html`of ${count(ofDeals.total_records)} in total`,
        },
        { label: 'Hot', value: count(ofDeals.hot), note: html`and ${count(ofDeals.warm)} warm` },
        { label: 'With a DSCR', value: count(ofDeals.dscr_computed) },
        { label: 'Cities', value: count(ofDeals.cities) },
        {
          label: 'Freshest',
          value: day(ofDeals.freshest_verification),
          note: html`oldest ${day(ofDeals.oldest_active_verification)}`,
        },
      ])}
      <div class="split">
        <section>${await gaps(context)}</section>
        <section>${await freshness(context)}</section>
      </div>
      <h2>Deals</h2>
      ${await metros(context)}
      <p><a href="/metros">The metros on a map, with the gap of each</a></p>
      <h2>Counties</h2>
      <p>
        Signals of distress, sales and the leads derived from them. A lead is sold only if its signal was verified
        within the last seven days. A dash means that the county has none here.
      </p>
      ${await counties(context)} ${kindsByMetro(context)}
      <h2>Registers</h2>
      ${await registers(context)} ${sourcesByFamily(context)}
      <p>
        <a href="${COLUMNS_PATH}">The rows of each source against its site’s own count, and its filled columns</a>
      </p>`;
  },
};
