/** /metros: the United States as the entry to the metros, and a table of them. */
import { cardTable, link, num } from '../components.ts';
import { freeDeals } from '../deal_cards.ts';
import { percentText, rangeText } from '../format.ts';
import { html, type Html } from '../html.ts';
import { METROS_PATH, pathOf } from '../map/metros.ts';
import { usMap } from '../map/us_map.ts';
import type { Page, PageContext } from '../page.ts';
import { countOf, metrosOf, MIN_DEALS } from '../place_figures.ts';

/** The metros with a deal or a record, each with its range of deals. */
async function entriesOf(context: PageContext) {
  const entries = (await metrosOf(context.request.snapshot)).map(async (entry) => {
    const range = await countOf(context, 'Deals', { metro: entry.metro.name });
    return { ...entry, range, about: range.at_most === 0 ? 'public records only' : rangeText(range) };
  });
  return Promise.all(entries);
}

/** The map of the United States, with a circle per metro that links to its page. */
export const entryMap = async (context: PageContext): Promise<Html> =>
  usMap(
    (await entriesOf(context)).map(({ metro, range, about }) => ({
      metro,
      size: range.at_least,
      title: `${metro.name}: ${about}${range.at_most === 0 ? '' : ' deals'}`,
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
        `Median cap rates of deals with a broker’s claim and a rent that fits, if there are ${MIN_DEALS} of them`,
        ['Metro', ...['Deals', 'Free today', 'Advertised cap', 'Supported by rents'].map(num)],
        entries.map(({ metro, figures: { claimed, underwritten }, about }) => [
          link(pathOf(metro), `${metro.name}, ${metro.state}`),
          about,
          free.filter((deal) => deal.metro === metro).length || '',
          claimed !== null && percentText(claimed),
          underwritten !== null && percentText(underwritten),
        ]),
      )}`;
  },
};
