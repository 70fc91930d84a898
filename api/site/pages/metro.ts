/** /metros/<slug>: the gap of one metro, the records we read there, their sources and their age. */
import type { z } from 'zod';
import type { Coverage } from '../../../models/marts/coverage.ts';
import { COVERAGE_PATH } from '../../routes/coverage.ts';
import { barChart } from '../charts.ts';
import { dealCard, freeIndex, type IndexedDeal } from '../deal_cards.ts';
import { count, countText, day, percent, percentText, rangeText, sentence } from '../format.ts';
import { html, type Html } from '../html.ts';
import { cardTable, externalLink, figures } from '../layout.ts';
import { METROS, METROS_PATH, pathOf, type Metro } from '../map/metros.ts';
import { usMap } from '../map/us_map.ts';
import { figuresOf, MIN_DEALS, type GapFigures } from '../metro_figures.ts';
import type { Page, PageContext } from '../page.ts';

type Row = z.infer<typeof Coverage.schema>;

/** Cards of the free index on a page. */
const MAX_CARDS = 8;

const nameOf = ({ name, state }: Metro): string => `${name}, ${state}`;

function coverageOf({ request: { snapshot } }: PageContext, { name }: Metro): readonly Row[] {
  return snapshot.all('coverage').filter(({ metro }) => metro === name) as unknown as readonly Row[];
}

/** The median gap of single deals, which may differ from the difference of the two medians. */
const gapSentence = ({ gap: points }: GapFigures): string =>
  points === null
    ? ''
    : `At the median, a cap rate is advertised ${Math.abs(points).toFixed(2)} points ` +
      `${points < 0 ? 'below' : 'above'} the one that HUD’s rents support.`;

function gap({ deals, compared, claimed, underwritten }: GapFigures): Html {
  if (compared === null || claimed === null || underwritten === null)
    return html`<p class="outcome">
      ${deals === 0 ? 'No deal here' : `Fewer than ${MIN_DEALS} of the deals here`} can be compared, because a
      comparison needs a broker’s claim and a HUD rent that fits. Medians of fewer than ${MIN_DEALS} deals are not
      shown: they would disclose figures of single deals, which we sell.
    </p>`;
  return barChart({
    caption: html`Median cap rate of the same ${count(compared)} deals, those with a broker’s claim and a HUD rent that
    fits`,
    head: ['Source', 'Cap rate'],
    bars: [
      { label: 'Advertised by brokers', figure: percentText(claimed), to: claimed, tone: 'claimed' },
      { label: 'Underwritten', figure: percentText(underwritten), to: underwritten, tone: 'hud' },
    ],
  });
}

const plural = (number: number, one: string, many: string): string =>
  `${countText(number)} ${number === 1 ? one : many}`;

/** Counties of a kind, and the only city that is covered, if it is not the county. */
const countiesText = ({ counties, counties_total: total }: Row): Html =>
  html`${counties
      .map(({ county, covered_city: city }) => (city === null ? county : `${city} in ${county}`))
      .join(', ')}<span class="sub">${counties.length} of ${plural(total, 'county', 'counties')}</span>`;

const sourcesText = ({ sources }: Row): Html =>
  html`${sources.map(
    ({ title, home, last_good_at: read, every_days: every }) =>
      html`${externalLink(home, title)}<span class="sub"
          >read ${day(read)}, every ${every === 1 ? 'day' : `${every} days`}</span
        >`,
  )}`;

function records(rows: readonly Row[], metro: Metro): Html {
  const read = rows.filter(({ status }) => status !== 'not_covered');
  const notRead = rows.filter(({ status }) => status === 'not_covered');
  return html`<h2>Public records</h2>
    ${
      read.length === 0
        ? html`<p>We read no records of distress or sales in ${metro.name} yet.</p>`
        : cardTable(
            'Kinds of records we read, with their counties and sources',
            [
              { label: 'Kind' },
              { label: 'In force', isNumeric: true },
              { label: 'Counties' },
              { label: 'Sources' },
              { label: 'Listings matched', isNumeric: true },
            ],
            read.map((row) => [
              html`${sentence(row.kind)}
              ${row.status === 'partly_covered' && html`<span class="tag thin">in part</span>`}`,
              count(row.listed_rows),
              countiesText(row),
              sourcesText(row),
              row.listings === 0 ? '' : html`${count(row.listings_matched)} of ${count(row.listings)}`,
            ]),
          )
    }
    ${
      notRead.length > 0 &&
      html`<details>
        <summary>${plural(notRead.length, 'kind', 'kinds')} we do not read, and why</summary>
        <dl class="page-facts">
          ${notRead.map(
            ({ kind, why }) =>
              html`<div>
                <dt>${sentence(kind)}</dt>
                <dd>${why}</dd>
              </div>`,
          )}
        </dl>
      </details>`
    }
    ${
      rows.length > 0 &&
      html`<p>
        A missing record means that there is none only where the kind is covered in full.
        <a href="${COVERAGE_PATH}?metro=${encodeURIComponent(metro.name)}" rel="nofollow"
          ><code>${COVERAGE_PATH}?metro=${metro.name}</code></a
        >
        has the same as JSON, free, with the terms of every source.
      </p>`
    }`;
}

function indexed(found: readonly IndexedDeal[], metro: Metro): Html | '' {
  if (found.length === 0) return '';
  return html`<h2>In the free index</h2>
    <ul class="tiles deals">
      ${found.slice(0, MAX_CARDS).map(dealCard)}
    </ul>
    <p>
      <a href="/deals?metro=${metro.slug}"
        >${found.length > MAX_CARDS ? html`All ${found.length} in the free index` : 'Filter them in the free index'}</a
      >
    </p>`;
}

async function content(context: PageContext, metro: Metro): Promise<Html> {
  const { request } = context;
  const ofMetro = await figuresOf(request.snapshot, metro);
  const rows = coverageOf(context, metro);
  const read = rows.filter(({ status }) => status !== 'not_covered');
  const oldest = read.map(({ oldest_read: at }) => at).filter((at) => at !== null);
  const deals = (await freeIndex(context)).filter((deal) => deal.metro === metro);
  return html`<div class="hero">
      <div>
        <p class="eyebrow"><a href="${METROS_PATH}">Metros</a></p>
        <h1>${nameOf(metro)}</h1>
        <p class="lead">
          ${
            ofMetro.deals === 0
              ? `We have no listings in this metro. ${
                  read.length === 0 ? 'We read no public records here yet.' : 'We read its public records.'
                }`
              : `${plural(ofMetro.deals, 'small multifamily deal', 'small multifamily deals')} for sale.`
          }
          ${gapSentence(ofMetro)}
        </p>
        ${
          ofMetro.deals > 0 &&
          html`${gap(ofMetro)}
            <p class="actions">
              <a class="button" href="/build?call=/api/deals&amp;metro=${encodeURIComponent(metro.name)}"
                >Query deals in ${metro.name}</a
              >
            </p>`
        }
      </div>
      ${usMap(
        [{ metro, size: 1, title: metro.name, isCurrent: true }],
        html`${plural(metro.counties.length, 'county', 'counties')}: ${metro.counties.join(', ')}.`,
      )}
    </div>
    ${figures([
      { label: 'Deals', value: count(ofMetro.deals), note: `${rangeText(ofMetro.hot)} hot` },
      { label: 'Compared', value: count(ofMetro.compared), note: 'with a claim and a rent that fits' },
      { label: 'Advertised', value: percent(ofMetro.claimed), note: 'median cap rate' },
      { label: 'Underwritten', value: percent(ofMetro.underwritten), note: 'median cap rate' },
      {
        label: 'Kinds of records',
        value: html`${read.length}${rows.length > 0 && html`<span class="of">/${rows.length}</span>`}`,
        note: oldest.length === 0 ? 'none is read yet' : html`oldest read ${day(oldest.toSorted()[0])}`,
      },
    ])}
    ${indexed(deals, metro)} ${records(rows, metro)}`;
}

/** A page for each metro. */
export const METRO_PAGES: readonly Page[] = METROS.map((metro) => ({
  path: pathOf(metro),
  title: `${nameOf(metro)}: advertised and underwritten cap rates`,
  cache: 'snapshot',
  about:
    `Small multifamily deals in ${nameOf(metro)}: advertised cap rates, the cap rates that rents support, and ` +
    'the public records of distress that we read there.',
  content: (context) => content(context, metro),
}));
