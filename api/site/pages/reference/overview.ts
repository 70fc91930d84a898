/** /reference: how to call and pay the API, every endpoint with its price, and every record. */
import { codeExamples } from '../../../docs/code_examples.ts';
import { MCP_PATH } from '../../../docs/openapi.ts';
import { html, type Html } from '../../html.ts';
import { code } from '../../layout.ts';
import type { Page, PageContext } from '../../page.ts';
import { SHOWN_CALL, shownExchange, shownRoute } from './exchange.ts';
import { GUIDES, referenceFrame } from './frame.ts';
import { costOf, modelOf, type Endpoint } from './model.ts';
import { ENUMS_PATH, ERRORS_PATH, LISTS_PATH, RECEIPTS_PATH, REFERENCE } from './paths.ts';
import { RECORDS } from './records.ts';

const TEST_PURCHASE = `/sandbox/buy?call=${encodeURIComponent(SHOWN_CALL)}`;

const TOC = [
  { id: 'start', title: 'Start' },
  { id: 'paying', title: 'Paying' },
  { id: 'formats', title: 'Formats' },
  { id: 'endpoints', title: 'Endpoints' },
  { id: 'records', title: 'Records' },
];

const start = ({ site }: PageContext): Html =>
  html`<section id="start">
    <h2>Start</h2>
    <p>
      The base URL is <code>${site.publicUrl}</code>. Every call is a GET. There is no key and no account. Free calls
      need nothing:
    </p>
    ${code('A free call', `curl '${site.publicUrl}/api/count/deals?state=OH'`)}
    <p>
      Each priced call is paid with <a href="https://www.x402.org" rel="noreferrer">x402</a>: a signed transfer of USDC,
      sent with the request.
      ${site.hasTestPurchase && html`<a href="${TEST_PURCHASE}">Buy a call with test money</a> to see each step.`} The
      same calls are tools of the MCP server at <code>${site.publicUrl}${MCP_PATH}</code>, and
      <a href="/openapi.json">openapi.json</a> describes them for client generators.
    </p>
  </section>`;

function paying(context: PageContext): Html {
  const { site } = context;
  const { asked, signed, paid } = shownExchange(site);
  const route = shownRoute(site.routes);
  const [network = ''] = site.networks.map(({ name }) => name);
  const typescript = codeExamples(route, { publicUrl: site.publicUrl, network }).find(({ id }) => id === 'ts');
  return html`<section id="paying">
    <h2>Paying in three steps</h2>
    <p>A client such as <code>@x402/fetch</code> does all three. You sign; you send no transaction and pay no gas.</p>
    ${typescript && code('A paid call in TypeScript', typescript.text)}
    <h3>1. Request: 402 with the price</h3>
    <p>
      An invalid request is 400 at this step. A request that matches nothing can still be 404 after step 3. Neither is
      charged. The example below leaves out <code>extensions</code>, which are for catalogs.
    </p>
    ${code('Request and 402', asked)}
    <h3>2. Sign the terms</h3>
    <p>
      The wallet signs an EIP-3009 transfer of exactly <code>amount</code> (USDC has 6 decimals) to <code>payTo</code>.
    </p>
    ${code('PAYMENT-SIGNATURE, decoded', signed)}
    <h3>3. Request again with the signature: 200</h3>
    <p>
      The server responds once the chain shows the payment. Only a 200 is charged. If the response is lost, you can
      <a href="${RECEIPTS_PATH}#collect">collect it again</a>, free.
    </p>
    ${code('Paid request and 200', paid)}
  </section>`;
}

const formats = html`<section id="formats">
  <h2>Formats</h2>
  <dl class="ref-terms">
    <dt>Money, percent, ratios</dt>
    <dd>
      Decimal strings with two decimals unless the field says otherwise: <code>"329000.00"</code>, <code>"8.60"</code>.
    </dd>
    <dt>Days and instants</dt>
    <dd><code>2026-11-20</code>; <code>2026-11-20T12:00:00Z</code>, always UTC.</dd>
    <dt>Absent values</dt>
    <dd>
      <code>null</code>, never an empty string. Each field's description says when, and <code>absent</code> of the
      record says why.
    </dd>
    <dt>Snapshots</dt>
    <dd>
      Every response is computed from one snapshot, an immutable daily data set, which <code>snapshot_id</code> names.
      <code>as_of</code> is its day: past, upcoming and recent are relative to that day.
    </dd>
    <dt>Parameters</dt>
    <dd>
      Filters combine with AND. An unknown, repeated or invalid parameter is 400; the error names the accepted values.
    </dd>
    <dt>More</dt>
    <dd>
      <a href="${LISTS_PATH}">Pages, fields, CSV and changes of lists</a>;
      <a href="${ERRORS_PATH}">errors and limits</a>; <a href="${RECEIPTS_PATH}">receipts</a>;
      <a href="${ENUMS_PATH}">values of enums</a>.
    </dd>
  </dl>
</section>`;

/** Rows have the anchors that endpoints had when the reference was one page. */
const endpointRow = (endpoint: Endpoint): Html =>
  html`<tr role="row" id="${endpoint.path.replaceAll(/\{(\w+)\}/gu, ':$1')}" data-page="${endpoint.href}">
    <th scope="row" role="rowheader">
      <a href="${endpoint.href}"><code>${endpoint.path}</code></a
      ><small>${costOf(endpoint)}</small>
    </th>
    <td role="cell">${endpoint.summary}</td>
  </tr>`;

const endpoints = ({ site }: PageContext): Html =>
  html`<section id="endpoints">
    <h2>Endpoints</h2>
    <table class="ref-fields" role="table" aria-label="Endpoints">
      <thead role="rowgroup">
        <tr role="row">
          <th scope="col" role="columnheader">Call and price</th>
          <th scope="col" role="columnheader">What you get</th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${modelOf(site.routes).endpoints.map(endpointRow)}
      </tbody>
    </table>
  </section>`;

/** Anchors of records and answers from when the reference was one page. */
const records = ({ site }: PageContext): Html => {
  const answers = new Map(
    modelOf(site.routes)
      .endpoints.toReversed()
      .flatMap(({ bodies, href }) => bodies.map(({ name }): [string, string] => [name, href])),
  );
  return html`<section id="records">
    <h2>Records</h2>
    <dl class="ref-terms">
      ${RECORDS.map(
        ({ name, about, parts, definition }) =>
          html`<dt id="schema-${name}" data-page="${parts[0]?.path}">
              <a href="${parts[0]?.path}" id="schema-${name}_in_list" data-page="${parts[0]?.path}">${name}</a>
            </dt>
            <dd>${about} ${definition.columns.length} fields.</dd>`,
      )}
    </dl>
    <h3 id="schema-problem" data-page="${ERRORS_PATH}">Responses and errors</h3>
    <p class="ref-names">
      ${[...answers].map(
        ([name, href]) =>
          html`<a href="${href}" id="schema-${name}" data-page="${href}">${name.replaceAll('_', ' ')}</a>, `,
      )}
      <a href="${ERRORS_PATH}">problem</a>
    </p>
  </section>`;
};

export const overviewPage: Page = {
  path: REFERENCE,
  label: 'Reference',
  title: 'Reference',
  cache: 'snapshot',
  about: 'The API: how to call and pay it, every endpoint with its price, every record, and examples.',
  content(context) {
    const { version, description } = modelOf(context.site.routes);
    return referenceFrame(
      context,
      { path: GUIDES.overview.href, toc: TOC },
      {
        lead: html`<p class="ref-group">API version ${version}</p>
          <h1>Reference</h1>
          <p class="lead">${description}</p>`,
        content: [start(context), paying(context), formats, endpoints(context), records(context)],
      },
    );
  },
};
