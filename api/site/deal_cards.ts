/** The deals of the free index as cards, and the filters of their lists. A card has the fields of the index alone. */
import type { z } from 'zod';
import { problemOf } from '../http/problem.ts';
import { dealIds, deals, type DealIndex } from '../routes/deals.ts';
import { readParams, type Params, type ParamValues } from '../routes/params.ts';
import { PRICES } from '../../lib/prices.ts';
import { link } from './components.ts';
import { dollars, dollarsText, percentText } from './format.ts';
import { element, html, type Html } from './html.ts';
import type { MapDeal } from './map/metro_map.ts';
import { metroNamed, type Metro } from './map/metros.ts';
import type { PageContext } from './page.ts';

type IndexBody = z.infer<typeof DealIndex>;

export interface FreeDeal extends Pick<MapDeal, 'zip' | 'point'> {
  readonly record: IndexBody['records'][number];
  readonly metro: Metro | undefined;
  /** Row of the table. */
  readonly row: number;
}

export const REPORT_PRICE = `$${PRICES['/api/deals/:id/report']}`;
export const DEALS_PRICE = `$${PRICES['/api/deals']}`;
export const dealPath = (id: string): string => `/deals/${id}`;
export const streetOf = ({ record }: FreeDeal): string => record.address ?? 'Street not published';

/** Where a deal is drawn: at its parcel if that is known, else at its ZIP. */
export const pointOf = (deal: Readonly<Record<string, unknown>>): MapDeal['point'] =>
  deal['geo_basis'] === 'parcel_layer' ? [Number(deal['longitude']), Number(deal['latitude'])] : null;

/** The free index, each deal with its place. */
export async function freeDeals({ request }: Pick<PageContext, 'request'>): Promise<readonly FreeDeal[]> {
  const { records } = (await dealIds.handle(request)) as IndexBody;
  const { snapshot } = request;
  return records.flatMap((record) => {
    const rows = snapshot.withKey('deals', 'id', [record.id]);
    const places = snapshot.records('deals', rows, ['metro', 'zip', 'latitude', 'longitude', 'geo_basis']);
    return places.map((place, i) => ({
      record,
      row: rows[i] ?? -1,
      metro: metroNamed(String(place['metro'])),
      zip: String(place['zip'] ?? ''),
      point: pointOf(place),
    }));
  });
}

/** 1250000 as "$1.25M". */
export function shortPrice(price: string | null): string {
  const number = Number(price);
  if (price === null) return '$?';
  if (number < 1_000_000) return `$${Math.round(number / 1000)}k`;
  return `$${(number / 1_000_000).toFixed(2).replace(/\.?0+$/u, '')}M`;
}

export const mapDealOf = (deal: FreeDeal): MapDeal => ({
  href: dealPath(deal.record.id),
  price: shortPrice(deal.record.list_price),
  title: `${streetOf(deal)}, ${deal.record.city ?? ''}`,
  zip: deal.zip,
  point: deal.point,
});

/** "4 units at $79,500, 7.50% cap rate advertised" */
export function factsOf({ record: { units, list_price: price, cap_rate: rate } }: FreeDeal): string {
  const each = price !== null && units ? ` at ${dollarsText(Number(price) / units)}` : '';
  const cap = rate === null ? 'no cap rate advertised' : `${percentText(Number(rate))} cap rate advertised`;
  return `${units ?? '?'} units${each}, ${cap}`;
}

export const scoreOf = ({ record: { deal_score: score } }: FreeDeal): Html =>
  html`<span class="score">${score ?? '–'}<small>/100</small></span>`;

const card = (deal: FreeDeal): Html =>
  html`<li class="deal">
    <a href="${dealPath(deal.record.id)}">
      <b>${dollars(deal.record.list_price)}</b> ${scoreOf(deal)}
      <span>${streetOf(deal)}, ${deal.record.city}, ${deal.record.state}</span>
      <small>${factsOf(deal)}</small>
    </a>
  </li>`;

export const dealList = (found: readonly FreeDeal[]): Html => element('ul', { class: 'deals' }, found.map(card));

/** Label and example of each filter. */
const FIELDS = [
  ['min_price', 'Price from', '$100,000'],
  ['max_price', 'Price to', '$500,000'],
  ['min_units', 'Units from', '4'],
  ['min_score', 'Score from', '60'],
] as const;

/** A refusal with the labels of the fields in place of their names. */
const inWords = (message: string): string =>
  FIELDS.reduce((text, [name, label]) => text.replaceAll(name, `“${label}”`), message);

/**
 * The form of the filters in the address, the deals that match them, and the query of the filters for the paid call,
 * "&min_price=100000" or ''. Other parameters are left out.
 */
export async function filtered(
  action: string,
  free: readonly FreeDeal[],
  { query, request }: Pick<PageContext, 'query' | 'request'>,
) {
  const given = FIELDS.flatMap(([name]): [string, string][] => {
    const value = (query.get(name) ?? '').replaceAll(/[$,\s]/gu, '');
    return value === '' ? [] : [[name, value]];
  });
  const text = new URLSearchParams(given).toString();
  let params: ParamValues<Params> = {};
  const refusal = await problemOf(() => (params = readParams(deals.params, text)));
  const fields = FIELDS.map(([name, label, placeholder]) => {
    const isRefused = name === refusal?.extras['field'];
    const input = element('input', {
      id: `f-${name}`,
      name,
      placeholder,
      inputmode: 'numeric',
      autocomplete: 'off',
      value: query.get(name) ?? '',
      'aria-invalid': isRefused && 'true',
      'aria-describedby': isRefused && 'refused',
    });
    return html`<p class="field"><label for="f-${name}">${label}</label>${input}</p>`;
  });
  const form = html`<form class="filters" method="get" action="${action}" aria-label="Filter the free deals">
    ${fields}
    <button type="submit">Filter</button>${given.length > 0 && link(action, 'All')}
    ${refusal && html`<p class="refused" id="refused">${inWords(refusal.message)} No filter is applied.</p>`}
  </form>`;
  if (refusal || text === '') return { form, found: free, query: '' };
  const rows = new Set(await request.snapshot.select(await deals.matching({ ...request, params })));
  return { form, found: free.filter(({ row }) => rows.has(row)), query: `&${text}` };
}
