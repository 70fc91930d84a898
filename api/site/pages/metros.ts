/** /metros: the United States as the entry to the metros, and a table of them. */
import { coarseRange } from '../../routes/count/coarse.ts';
import { deals } from '../../routes/deals.ts';
import { freeDeals } from '../deal_cards.ts';
import { percentText, rangeText } from '../format.ts';
import { html, type Html } from '../html.ts';
import { cardTable } from '../layout.ts';
import { METROS_PATH, pathOf } from '../map/metros.ts';
import { usMap } from '../map/us_map.ts';
import { MIN_DEALS, metrosOf } from '../metro_figures.ts';
import type { Page, PageContext } from '../page.ts';

/** The metros with a deal or a record, each with its range of deals, as the free count gives it. */
async function entriesOf({ request }: PageContext) {
  const entries = await metrosOf(request.snapshot);
  return Promise.all(
    entries.map(async ({ metro, figures }) => {
      const range = await coarseRange(deals, { ...request, params: { metro: metro.name } });
      return {
        metro,
        figures,
        range,
        about: range.at_most === 0 ? 'public records only' : `${rangeText(range)} deals`,
      };
    }),
  );
}

/** The map of the United States, with a circle per metro that links to its page. */
export const entryMap = async (context: PageContext): Promise<Html> =>
  usMap(
    (await entriesOf(context)).map(({ metro, range, about }) => ({
      metro,
      size: range.at_least,
      title: `${metro.name}: ${about}`,
    })),
  );

export const metros: Page = {
  path: METROS_PATH,
  label: 'Metros',
  title: 'Metros with small apartment buildings for sale',
  cache: 'snapshot',
  about: 'Each metro on its map: deals for sale, advertised and underwritten cap rates, and the records we read there.',
  async content(context) {
    const entries = await entriesOf(context);
    const free = await freeDeals(context);
    return html`<h1>Choose a metro</h1>
      <p class="lead">A larger circle has more small apartment buildings for sale.</p>
      ${await entryMap(context)}
      ${cardTable(
        `Median cap rates are of deals with a broker’s claim and a rent that fits; they need ${MIN_DEALS} such deals.`,
        [
          { label: 'Metro' },
          { label: 'Deals', isNumeric: true },
          { label: 'Free today', isNumeric: true },
          { label: 'Advertised cap', isNumeric: true },
          { label: 'Supported by rents', isNumeric: true },
        ],
        entries.map(({ metro, figures: { claimed, underwritten }, about, range }) => [
          html`<a href="${pathOf(metro)}">${metro.name}, ${metro.state}</a>`,
          range.at_most === 0 ? about : rangeText(range),
          free.filter((deal) => deal.metro === metro).length || '',
          claimed === null ? '' : percentText(claimed),
          underwritten === null ? '' : percentText(underwritten),
        ]),
      )}`;
  },
};
