/** info.x-guidance of OpenAPI: instructions for agents before their first call, short enough to be read every time. */
import { templateOf, type Route } from '../routes/define.ts';
import { priceText } from '../routes/pricing.ts';

/** Catalogs warn above this many characters. */
export const MAX_GUIDANCE = 4_000;

/** "GET /api/deals $0.05": one line per call. */
const callLine = (route: Route): string => `- GET ${templateOf(route)} ${priceText(route)}`;

export function guidanceOf(routes: readonly Route[], publicUrl: string): string {
  const calls = routes.filter(({ path }) => !/^\/(?:ohio|colorado)\//u.test(path));
  return [
    'Dealfeed sells data of small multifamily deals, signals of distress, sheriff and tax sales, off-market leads, ' +
      'owners, and new business registrations of Ohio and Colorado, priced per call.',
    'How to pay: send the GET request. The 402 has its terms in the PAYMENT-REQUIRED header (x402 version 2, USDC on ' +
      'the networks in accepts). Sign them and repeat the request with PAYMENT-SIGNATURE; @x402/fetch does both. ' +
      'There is no API key and no account. You are billed for a 200 only: 400 (a parameter is wrong) and 404 (no ' +
      'match) are free.',
    [
      'Before you pay:',
      '- GET /api/meta: coverage, freshness, and a note on every field.',
      '- GET /api/count/{list} with the filters of a list: how many records match, as a range.',
      '- GET /api/deals/ids: the ids for GET /api/deals/{id}/report. GET /api/example_report shows such a report.',
      '- HEAD, or GET without a payment, returns the exact price of a call.',
    ].join('\n'),
    [
      'Rules:',
      '- All endpoints are GET. An unknown or repeated parameter is 400, and the problem document names what is ' +
        'accepted.',
      '- Money, percent and ratios are decimal strings. Absent values are null, and absent says why.',
      '- fields=all returns every field, fields=a,b returns these. limit and cursor page; each page is a call. ' +
        'Accept: text/csv returns a list as CSV. The price does not depend on them.',
      '- /api/lookup needs address, or apn, or parcel with county.',
      '- A paid response has Receipt-Id. The wallet that paid collects it again, free, at /api/purchases/{id}.',
    ].join('\n'),
    ['Calls:', ...calls.map(callLine)].join('\n'),
    'The filings of one register are under /ohio/api/ and /colorado/api/, at the same prices.',
    `More: ${publicUrl}/llms.txt. The same calls are tools of the MCP server at ${publicUrl}/mcp.`,
  ].join('\n\n');
}
