/** The result of the query builder: price, number of matching records, and how to buy. */
import { coarseRange, type Range } from '../../../routes/count/coarse.ts';
import type { Route } from '../../../routes/define.ts';
import type { ListRoute } from '../../../routes/list/route.ts';
import { html, type Html } from '../../html.ts';
import { code, cardTable } from '../../layout.ts';
import { rangeText, count, dollars, percent } from '../../format.ts';
import type { PageContext, SiteOptions } from '../../page.ts';
import { payPanel } from '../../pay/panel.ts';
import type { CheckedQuery } from './form.ts';
import { fieldOf, limitedField } from './form.ts';
import { dealIds } from '../../../routes/deals.ts';

type Values = Readonly<Record<string, unknown>>;

/** Fields shown of a record's shape besides those that a filter limits. */
const MAX_FIELDS = 14;
/** Deals shown of the free index. */
const MAX_DEALS = 3;

/** Type of a value in the free sample. */
function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  if (value === null) return 'text or null';
  if (typeof value !== 'string') return typeof value === 'boolean' ? 'true or false' : typeof value;
  if (/^-?\d+\.\d+$/u.test(value)) return 'decimal';
  if (/^\d{4}-\d{2}-\d{2}$/u.test(value)) return 'day';
  if (/^\d{4}-\d{2}-\d{2}T/u.test(value)) return 'instant';
  return /^https?:/u.test(value) ? 'URL' : 'text';
}

const OPERATORS = { '': '', 'at least': '≥ ', 'at most': '≤ ', from: 'from ', to: 'to ', has: 'has ' } as const;

/** The shape of a record: the limits of the filters, and the types of the other fields. */
function shapeOf(sample: Values, table: string, params: Values): Record<string, string> {
  const limits = new Map<string, string>();
  for (const [name, value] of Object.entries(params)) {
    const field = limitedField(name, table);
    if (field === undefined) continue;
    const [, how = ''] = fieldOf(name).limits ?? [];
    const text = `${OPERATORS[how]}${String(value)}`;
    const other = limits.get(field);
    limits.set(field, other === undefined ? text : `${other}, ${text}`);
  }
  const names = Object.keys(sample);
  const shown = new Set([...names.slice(0, MAX_FIELDS), ...limits.keys()]);
  const ordered = [...new Set([...names, ...limits.keys()])].filter((name) => shown.has(name));
  return Object.fromEntries(ordered.map((name) => [name, limits.get(name) ?? `(${typeOf(sample[name])})`]));
}

/** Filters by fields that the free index has. */
const IN_INDEX: Readonly<Record<string, (deal: Values, value: string) => boolean>> = {
  state: (deal, value) => deal['state'] === value,
  city: (deal, value) => String(deal['city']).toLowerCase() === value.toLowerCase(),
  min_price: (deal, value) => Number(deal['list_price'] ?? Number.NaN) >= Number(value),
  max_price: (deal, value) => Number(deal['list_price'] ?? Number.NaN) <= Number(value),
  min_cap: (deal, value) => Number(deal['cap_rate'] ?? Number.NaN) >= Number(value),
  min_units: (deal, value) => Number(deal['units'] ?? Number.NaN) >= Number(value),
  max_units: (deal, value) => Number(deal['units'] ?? Number.NaN) <= Number(value),
  min_score: (deal, value) => Number(deal['deal_score'] ?? Number.NaN) >= Number(value),
};

async function fromIndex(context: PageContext, params: Values): Promise<Html | ''> {
  const { records } = (await dealIds.handle(context.request)) as { records: readonly Values[] };
  const names = Object.keys(params).filter((name) => !['limit', 'fields'].includes(name));
  const leftOut = names.filter((name) => !Object.hasOwn(IN_INDEX, name));
  const found = records.filter((deal) =>
    Object.entries(params).every(([name, value]) => IN_INDEX[name]?.(deal, String(value)) ?? true),
  );
  const note =
    leftOut.length === 0
      ? ''
      : ` The index cannot check these filters: ${leftOut.map((name) => fieldOf(name).label).join(', ')}.`;
  return html`<h3>In the free index</h3>
    <p>
      ${found.length} of the ${records.length} deals in the free index match the filters that the index can
      check.${note}
    </p>
    ${
      found.length > 0 &&
      cardTable(
        'Deals of the free index',
        [
          { label: 'Address' },
          { label: 'Asking price', isNumeric: true },
          { label: 'Units', isNumeric: true },
          { label: 'Advertised cap', isNumeric: true },
          { label: 'Deal score', isNumeric: true },
        ],
        found
          .slice(0, MAX_DEALS)
          .map((deal) => [
            `${String(deal['address'] ?? 'Street not published')}, ${String(deal['city'])}, ${String(deal['state'])}`,
            dollars(deal['list_price'] as string | null),
            count(deal['units'] as number | null),
            percent(deal['cap_rate'] as string | null),
            count(deal['deal_score'] as number | null),
          ]),
      )
    }`;
}

/** Whether the free sample record, which is public as a whole, is among the matches. */
async function isMatch(route: ListRoute, context: PageContext, params: Values, sample: Values): Promise<boolean> {
  const { limit: _, fields: __, updated_since: ___, ...filters } = params;
  const matching = await route.matching({ ...context.request, params: filters });
  return (await context.request.snapshot.select(matching.and('id', '=', String(sample['id'])))).length > 0;
}

/** @param sample the free sample record of the list */
export async function sampleSection(
  route: ListRoute,
  context: PageContext,
  { params, sample }: { readonly params: Values; readonly sample: Values },
): Promise<Html> {
  const matches = await isMatch(route, context, params, sample);
  const { table } = await route.matching({ ...context.request, params: {} });
  const whole = code('The free sample record', JSON.stringify(sample, null, 2));
  return html`<h2>A sample</h2>
    ${
      matches
        ? html`<p>The free sample record matches these filters. It has every field.</p>
            ${whole}`
        : html`<p>
              Every record you get is within these limits, with a value in place of each type. The free sample below is
              a complete record outside them.
            </p>
            ${code('The shape of a matching record', JSON.stringify(shapeOf(sample, table, params), null, 2))}`
    }
    ${route.path.startsWith('/api/deals') && (await fromIndex(context, params))}
    ${
      !matches &&
      html`<details>
        <summary>The free sample record, complete</summary>
        ${whole}
      </details>`
    }`;
}

export const isList = (route: Route): route is ListRoute => Object.hasOwn(route, 'matching');

interface Counted {
  readonly matches: Range;
  /** Filters that the free count does not take. */
  readonly leftOut: readonly string[];
}

/** The count of /api/count, by the filters that it accepts; null if the route is not a list. */
export async function freeCount(
  route: Route,
  context: PageContext,
  params: CheckedQuery['params'],
): Promise<Counted | null> {
  if (!isList(route)) return null;
  const { limit: _, fields: __, ...filters } = params;
  const { filters: taken, ...matches } = await coarseRange(route, { ...context.request, params: filters });
  return { matches, leftOut: Object.keys(filters).filter((name) => !Object.hasOwn(taken, name)) };
}

function matchesText({ matches, leftOut }: Counted): Html {
  if (matches.at_most === 0)
    return html`<p class="outcome thin">No match today. This call would return 404 and cost nothing.</p>`;
  const range = `${rangeText(matches)} records match today`;
  return leftOut.length === 0
    ? html`<p class="outcome ${matches.at_least === 0 ? 'thin' : 'good'}">
        ${range}. If none does, nothing is charged.
      </p>`
    : html`<p class="outcome plain">
        ${range} without ${leftOut.map((name) => `“${fieldOf(name).label}”`).join(', ')}: the free count supports
        filters by place, kind, status and score step only. If nothing matches, the call returns 404 and costs nothing.
      </p>`;
}

const typescript = (address: string, isCsv: boolean): string =>
  [
    "import { wrapFetchWithPaymentFromConfig } from '@x402/fetch'; // examples/buy.ts is a complete program",
    `const response = await pay('${address}');`,
    isCsv ? 'const csv = await response.text();' : 'const { records } = await response.json();',
  ].join('\n');

interface Built {
  readonly path: string;
  readonly counted: Counted | null;
}

export function result(route: Route, site: SiteOptions, { path, counted }: Built): Html {
  const isEmpty = counted?.matches.at_most === 0;
  const address = site.publicUrl + path;
  return html`<p>
      <span class="price">$${route.price}</span> for one call${isList(route) ? ', up to 500 records' : ''}.
    </p>
    ${counted && matchesText(counted)} ${code('URL to buy', address)} ${!isEmpty && payPanel(site, route, path)}
    <details>
      <summary>Call it from a program</summary>
      ${code('With curl: the 402 with the price, free', `curl -i '${address}'`)}
      ${code('In TypeScript', typescript(address, route.media === 'text/csv'))}
      ${site.hasTestWallet && code('In this folder, with test money', `make buy URL='${path}'`)}
    </details>`;
}
