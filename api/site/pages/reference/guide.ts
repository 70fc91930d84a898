/** The guide at the top of /reference: paying, formats, lists, errors and receipts. */
import { HEADERS, PURCHASE_HEADERS } from '../../../docs/headers.ts';
import { MCP_PATH } from '../../../docs/openapi.ts';
import { MAX_URL_LENGTH, PROBLEMS, type Reason } from '../../../http/problem.ts';
import { paymentRoutes } from '../../../docs/x402_extensions.ts';
import { routeKey } from '../../../routes/define.ts';
import { FORMULA_RULE } from '../../../routes/list/csv.ts';
import { LIST_HEADERS } from '../../../../lib/list_headers.ts';
import { EXCLUSIVE_SECONDS, PAYMENT_SECONDS } from '../../../../lib/network.ts';
import { html, type Html, type Piece } from '../../html.ts';
import { code, fold, terms } from '../../layout.ts';
import type { PageContext, SiteOptions } from '../../page.ts';

export const REFERENCE = '/reference';

/** The page of an operation. */
export const endpointPath = (operation: string): string => `${REFERENCE}/${operation.replaceAll('_', '-')}`;

/** Sections that other pages of the reference link to. */
export const GUIDE = {
  paying: `${REFERENCE}#paying`,
  lists: `${REFERENCE}#lists`,
  errors: `${REFERENCE}#errors`,
} as const;

const SECTIONS = ['start', 'paying', 'formats', 'lists', 'changes', 'errors', 'receipts', 'endpoints', 'records'];

/** The call that the guide pays for. */
const SHOWN_PATH = '/api/deals';
const SHOWN_CALL = `${SHOWN_PATH}?state=OH&limit=5`;

const json = (value: unknown): string => JSON.stringify(value, null, 2);

const facts = (texts: Readonly<Record<string, Piece>>): Html => terms('page-facts', Object.entries(texts));

/** PAYMENT-REQUIRED of the call, decoded, without its extensions for catalogs. */
function shownTerms({ routes, publicUrl, payTo, network: on }: SiteOptions): string {
  const route = routes.find(({ path }) => path === SHOWN_PATH);
  if (!route) throw new Error(`there is no route ${SHOWN_PATH}`);
  const { accepts, description, mimeType, serviceName } = paymentRoutes([route], payTo, on)[routeKey(route)] ?? {};
  return json({
    x402Version: 2,
    error: 'Payment required',
    resource: { url: publicUrl + SHOWN_CALL, description, mimeType, serviceName },
    accepts: [accepts].flat().flatMap((offer) => {
      if (!offer || typeof offer.price !== 'object') return [];
      const { scheme, network, payTo: to, maxTimeoutSeconds, price } = offer;
      return [{ scheme, network, ...price, payTo: to, maxTimeoutSeconds }];
    }),
  });
}

const paidCall = (url: string, network: string): string =>
  `// npm install @x402/fetch @x402/evm viem
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPaymentFromConfig } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';

const wallet = privateKeyToAccount(process.env.BUYER_KEY as \`0x\${string}\`);
const pay = wrapFetchWithPaymentFromConfig(fetch, {
  schemes: [{ network: '${network}', client: new ExactEvmScheme(wallet) }],
  spendControls: { maxAmountPerPayment: '$0.05' },
});

const response = await pay('${url}');
console.log(response.status, response.headers.get('Receipt-Id'));
console.log(await response.json());`;

const paying = ({ site }: PageContext): Html =>
  html`<h2 id="paying">Paying</h2>
    <p>
      Each priced call is paid with <a href="https://www.x402.org" rel="noreferrer">x402</a>: a signed transfer of USDC,
      sent with the request. You send no transaction and pay no gas. A client such as <code>@x402/fetch</code> does all
      three steps below.
    </p>
    ${code('A paid call in TypeScript', paidCall(site.publicUrl + SHOWN_CALL, site.network.name))}
    <ol>
      <li>
        <strong>Send the request.</strong> The response is 402; <code>PAYMENT-REQUIRED</code> has the terms as base64 of
        JSON. An invalid request is 400 at this step.
      </li>
      <li>
        <strong>Sign the terms.</strong> The wallet signs an EIP-3009 transfer of exactly <code>amount</code> (USDC has
        6 decimals) to <code>payTo</code>, valid for at most <code>maxTimeoutSeconds</code>.
      </li>
      <li>
        <strong>Send the request again</strong> with <code>PAYMENT-SIGNATURE</code>. The server responds once the chain
        shows the payment. Only a 200 is charged: a request that matches nothing is 404 and free. If the response is
        lost, <a href="#receipts">collect it again</a>, free.
      </li>
    </ol>
    ${fold('The terms of a 402, decoded', code(`Terms of GET ${SHOWN_CALL}`, shownTerms(site)))}`;

const formats = html`<h2 id="formats">Formats</h2>
  ${facts({
    'Money, percent, ratios': html`Decimal strings with two decimals unless the field says otherwise:
      <code>"329000.00"</code>, <code>"8.60"</code>.`,
    'Days and instants': html`<code>2026-11-20</code>; <code>2026-11-20T12:00:00Z</code>, always UTC.`,
    'Absent values': html`<code>null</code>, never an empty string. <code>absent</code> of the record says why.`,
    Snapshots: html`Every response is computed from one snapshot, an immutable daily data set, which
      <code>snapshot_id</code> names. <code>as_of</code> is its day, to which past and upcoming are relative.`,
    Parameters:
      'Filters combine with AND. An unknown, repeated or invalid parameter is 400 and names the accepted values.',
  })}`;

const lists = ({ site }: PageContext): Html =>
  html`<h2 id="lists">Lists</h2>
    ${facts({
      Pages: html`<code>limit</code> is the number of records of a page. <code>next_cursor</code> is the
        <code>cursor</code> of the next page, and null on the last one. Each page is a call, and its price does not
        depend on <code>limit</code>. <a href="${endpointPath('count')}">Count the matches</a> first, free.`,
      Fields: html`<code>fields</code> takes fields and groups of fields, with commas between them;
        <code>fields=all</code> returns every field. A record always has <code>id</code> and <code>absent</code>. The
        price does not depend on <code>fields</code>. The page of each record lists its groups.`,
      CSV: html`With <code>Accept: text/csv</code> the first line has the names of the fields. An absent value is an
        empty cell; an object or a list is JSON. ${FORMULA_RULE} Errors stay JSON. The other fields of the response are
        in headers: ${Object.values(LIST_HEADERS).map((name) => html`<code>${name}</code>, `)} and <code>Link</code>.`,
    })}
    ${code('A list as CSV', `curl -i -H 'Accept: text/csv' '${site.publicUrl}${SHOWN_CALL}'`)}
    <h3 id="changes">Changes</h3>
    <p>
      Buy the whole list once and save its <code>changes_through</code>. Later, send it as <code>updated_since</code>:
      the list then returns what is new, changed or gone since, oldest first, at its usual price. If nothing changed,
      the response is 404 and free.
    </p>
    <ul>
      <li>
        A record with only an <code>id</code> is no longer in the list for these filters: delete it. Store every other
        record under its <code>id</code>.
      </li>
      <li>
        When you have stored all pages, use the smallest <code>changes_through</code> as the next
        <code>updated_since</code>.
      </li>
      <li>
        An <code>updated_since</code> before <code>complete_since</code> is 400, and nothing is charged: buy the whole
        list again.
      </li>
      <li>Only filters by place and kind combine with <code>updated_since</code>.</li>
    </ul>
    ${code(
      'A record that left the list',
      json({
        id: '7a7e9ab3-f4a1-5943-bda0-e88495c12afd',
        change: { event: 'gone', at: '2026-11-21T12:00:00Z', fields: null, reason: 'called_off' },
      }),
    )}`;

/** Reasons that leave open whether the call was billed. */
const UNKNOWN: readonly Reason[] = ['settlement_unknown', 'settlement_pending'];

const errors = ({ site }: PageContext): Html =>
  html`<h2 id="errors">Errors and limits</h2>
    <p>
      Every error is a problem document (RFC 9457). Branch on <code>reason</code>; <code>detail</code> is for people and
      may change. Further fields depend on the reason. <code>instance</code> is also in <code>X-Request-Id</code> and in
      the server's log. An error is never charged.
    </p>
    ${fold(
      `${Object.keys(PROBLEMS).length} reasons`,
      terms(
        'page-facts',
        (Object.entries(PROBLEMS) as [Reason, (typeof PROBLEMS)[Reason]][]).map(([reason, { status, title }]) => [
          html`<code>${reason}</code> <small>${status}</small>`,
          html`${title}. ${UNKNOWN.includes(reason) && html`<code>billed</code> is null: collect the response later.`}
          ${[429, 503].includes(status) && html`Wait <code>Retry-After</code> seconds.`}`,
          reason,
        ]),
      ),
    )}
    ${facts({
      'Unpaid responses': html`Counted per minute and client address (IPv6: /64), including priced 402s. A signed
        payment counts by its wallet, if that has $1 or more. A purchase takes back its 402. <code>RateLimit</code> says
        what is left; above the limit, the response is 429 with <code>Retry-After</code>.`,
      'Length of path and query': html`${MAX_URL_LENGTH}
      characters${site.routes
        .filter((route) => route.maxUrlLength !== undefined)
        .map((route) => html`; ${route.maxUrlLength} for <a href="${endpointPath(route.name)}">${route.path}</a>`)}.`,
      'Validity of a payment': `At most ${PAYMENT_SECONDS} seconds; ${EXCLUSIVE_SECONDS} for an exclusive lead.`,
      Methods: 'GET and HEAD. HEAD has the headers of the GET, so it shows the price of a call.',
    })}`;

const receipts = html`<h2 id="receipts">Receipts</h2>
  <p>
    <a href="${endpointPath('collect')}"><code>/api/purchases/{id}</code></a> returns the same bytes again, free, to the
    wallet that paid: by <code>Receipt-Id</code>, or by the nonce of the payment if no response arrived. The first
    response is 401, with a challenge to sign and send in <code>SIGN-IN-WITH-X</code>. Or send an identifier of your own
    with the payment (x402 extension <code>payment-identifier</code>), and repeat the request with it.
  </p>
  ${facts(Object.fromEntries(PURCHASE_HEADERS.map((name) => [name, HEADERS[name].description])))}
  ${code('Verify what was sold', 'make verify FILE=answer.json RECEIPT=answer.jws KEYS=jwks.json')}`;

export const guide = (context: PageContext): Piece => [
  html`<nav class="ref-toc" aria-label="On this page">
    ${SECTIONS.map((name) => html`<a href="#${name}">${name}</a> `)}
  </nav>`,
  html`<h2 id="start">Start</h2>
    <p>
      The base URL is <code>${context.site.publicUrl}</code>. Every call is a GET. There is no key and no account. Free
      calls need nothing. The same calls are tools of the MCP server at
      <code>${context.site.publicUrl}${MCP_PATH}</code>, and <a href="/openapi.json">openapi.json</a> describes them for
      client generators.
    </p>
    ${code('A free call', `curl '${context.site.publicUrl}/api/count/deals?state=OH'`)}`,
  paying(context),
  formats,
  lists(context),
  errors(context),
  receipts,
];
