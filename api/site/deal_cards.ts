/** Deals of the free index as cards. A card shows the fields of the index, and what says that the building is in poor
 * condition. */
import type { z } from 'zod';
import { dealIds, type DealIndex } from '../routes/deals.ts';
import { PRICES } from '../routes/prices.ts';
import { metroNamed, type Metro } from './map/metros.ts';
import { dollars, dollarsText, percent } from './format.ts';
import { html, type Html } from './html.ts';
import type { PageContext } from './page.ts';

type IndexBody = z.infer<typeof DealIndex>;

export interface IndexedDeal {
  readonly record: IndexBody['records'][number];
  readonly metro: Metro | undefined;
  /** Its condition_risk in words, if there is one. */
  readonly risk: string | undefined;
}

const RISKS: Readonly<Record<string, string>> = {
  condemned: 'condemned',
  order_to_vacate: 'ordered to be vacated',
  vacant_building: 'registered as vacant',
  low_price_per_unit: 'price suggests bad condition',
  high_cap_rate: 'price suggests bad condition',
  low_price_to_rent: 'price suggests bad condition',
  code_case: 'open case on a serious fault',
};

/** The free index, each deal with its metro and its condition. */
export async function freeIndex({ request }: PageContext): Promise<readonly IndexedDeal[]> {
  const { records } = (await dealIds.handle(request)) as IndexBody;
  if (records.length === 0) return [];
  const { snapshot } = request;
  const [metro, risk] = [snapshot.column('deals', 'metro'), snapshot.column('deals', 'condition_risk')];
  return records.flatMap((record) =>
    snapshot
      .withKey('deals', 'id', [record.id])
      .map((row) => ({ record, metro: metroNamed(String(metro.at(row))), risk: RISKS[String(risk.at(row))] })),
  );
}

export const REPORT_PRICE = `$${PRICES['/api/deals/:id/report']}`;

const cap = (rate: string | null): Html =>
  rate === null ? html`no cap rate advertised` : html`<b>${percent(rate)}</b> cap rate advertised`;

const note = (risk: string | undefined): Html | '' => (risk === undefined ? '' : html`<br />${risk}`);

export function dealCard({ record, risk }: IndexedDeal): Html {
  const { id, address, city, state, list_price: price, units, cap_rate: rate, deal_score: score } = record;
  const street = address ?? 'Street not published';
  const similar = new URLSearchParams({
    call: '/api/deals',
    state: state ?? '',
    city: city ?? '',
    ...(price === null ? {} : { max_price: String(Math.round(Number(price))) }),
  });
  return html`<li class="tile deal">
    <p class="deal-top">
      <b>${dollars(price)}</b><span class="score">${score ?? '–'}<small>/100</small></span>
    </p>
    <h3>${street}</h3>
    <p>${city}, ${state}<br />${units ?? '?'} units${perUnit(price, units)}<br />${cap(rate)}${note(risk)}</p>
    <p class="tile-end">
      <a href="/api/deals/${id}/report" rel="nofollow">Report, ${REPORT_PRICE}<span class="sr">, of ${street}</span></a>
      <a href="/build?${similar.toString()}" rel="nofollow"
        >Similar deals<span class="sr"> in ${city}, up to this price</span></a
      >
    </p>
  </li>`;
}

const perUnit = (price: string | null, units: number | null): string =>
  price === null || units === null || units === 0 ? '' : `, ${dollarsText(Number(price) / units)} each`;
