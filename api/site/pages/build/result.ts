/** The result of the query builder: price, number of matching records, and how to buy. */
import { coarseCount, coarseFiltersOf, MIN_SCORE, SCORE_STEPS } from '../../../routes/count/coarse.ts';
import type { Range } from '../../../routes/count/ranges.ts';
import type { Route } from '../../../routes/define.ts';
import type { ListRoute } from '../../../routes/list/route.ts';
import { html, type Html } from '../../html.ts';
import { code } from '../../layout.ts';
import { rangeText } from '../../format.ts';
import type { PageContext } from '../../page.ts';
import type { CheckedQuery } from './errors.ts';
import { fieldOf } from './fields.ts';

export const isList = (route: Route): route is ListRoute => Object.hasOwn(route, 'matching');

export interface Counted {
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
  const coarse = new Set(coarseFiltersOf(route));
  const isCoarse = ([name, value]: [string, unknown]): boolean =>
    coarse.has(name) && (name !== MIN_SCORE || SCORE_STEPS.some((step) => step === String(value)));
  const taken = Object.entries(filters).filter(isCoarse);
  const counted = await coarseCount(route, { ...context.request, params: Object.fromEntries(taken) });
  const leftOut = Object.keys(filters).filter((name) => !taken.some(([known]) => known === name));
  return counted && { matches: counted.matches, leftOut };
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
  readonly address: string;
  readonly counted: Counted | null;
  readonly purchase: boolean;
}

export function result(route: Route, { address, path, counted, purchase }: Built): Html {
  const isEmpty = counted?.matches.at_most === 0;
  return html`<p>
      <span class="price">$${route.price}</span> for
      ${route.units ? `each ${route.units.of}` : 'one call'}${isList(route) ? ', up to 500 records' : ''}.
    </p>
    ${counted && matchesText(counted)} ${code('URL to buy', address)}
    ${
      !isEmpty &&
      purchase &&
      html`<p class="actions">
        <a class="button" href="/sandbox/buy?call=${encodeURIComponent(path)}">Buy it with test money</a>
      </p>`
    }
    <details>
      <summary>Call it from a program</summary>
      ${code('With curl: the 402 with the price, free', `curl -i '${address}'`)}
      ${code('In TypeScript', typescript(address, route.media === 'text/csv'))}
      ${purchase && code('In this folder, with test money', `make buy URL='${path}'`)}
    </details>`;
}
