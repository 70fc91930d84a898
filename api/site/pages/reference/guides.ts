/** The reference's pages about all calls: errors and limits, lists, and receipts. */
import { PROBLEMS, MAX_URL_LENGTH, type Reason } from '../../../http/problem.ts';
import { PURCHASE_HEADERS, HEADERS } from '../../../docs/headers.ts';
import { FORMULA_RULE } from '../../../routes/list/csv.ts';
import { paramFacts } from '../../../routes/params.ts';
import { LIST_HEADERS } from '../../../../lib/list_headers.ts';
import { EXCLUSIVE_SECONDS, PAYMENT_SECONDS } from '../../../../lib/network.ts';
import { html, type Html, type Piece } from '../../html.ts';
import { code } from '../../layout.ts';
import type { Page, PageContext } from '../../page.ts';
import { GUIDES, referenceFrame, type Section } from './frame.ts';
import { modelOf } from './model.ts';
import { endpointPath } from './paths.ts';
import { listed } from './tables.ts';

interface Guide {
  readonly guide: (typeof GUIDES)[keyof typeof GUIDES];
  readonly about: string;
  readonly toc: readonly Section[];
  content(context: PageContext): Piece;
}

const guidePage = ({ guide: { href, label }, about, toc, content }: Guide): Page => ({
  path: href,
  title: label,
  cache: 'snapshot',
  about,
  content: (context) =>
    referenceFrame(
      context,
      { path: href, toc },
      {
        lead: html`<p class="ref-group">Guide</p>
          <h1>${label}</h1>
          <p class="lead">${about}</p>`,
        content: content(context),
      },
    ),
});

/** Reasons that leave open whether the call was billed. */
const UNKNOWN: readonly Reason[] = ['settlement_unknown', 'settlement_pending'];
/** Reasons that are worth the same request again, after Retry-After. */
const isTemporary = (reason: Reason): boolean => [429, 503].includes(PROBLEMS[reason].status);

const reasonRow = (reason: Reason): Html =>
  html`<tr role="row" id="${reason}">
    <th scope="row" role="rowheader"><code>${reason}</code><small>${PROBLEMS[reason].status}</small></th>
    <td role="cell">
      ${PROBLEMS[reason].title}.
      ${UNKNOWN.includes(reason) && html`<code>billed</code> is null: collect the response later.`}
      ${isTemporary(reason) && html`Wait <code>Retry-After</code> seconds.`}
    </td>
  </tr>`;

const PROBLEM_EXAMPLE = {
  type: 'urn:dealfeed:problem:invalid_parameter',
  title: PROBLEMS.invalid_parameter.title,
  status: PROBLEMS.invalid_parameter.status,
  detail: 'min_score is "101", expected a whole number from 0 to 100.',
  instance: 'urn:uuid:2f1c7a4e-6d3b-4c55-9d0a-1f6f0c9f8f11',
  reason: 'invalid_parameter',
  billed: false,
  field: 'min_score',
  value: '101',
  accepted: ['a whole number from 0 to 100'],
};

/** The highest `limit` of a list. */
const largestPage = ({ site }: PageContext): number =>
  Math.max(
    ...site.routes.flatMap(({ params }) => (params['limit'] ? [paramFacts(params['limit']).range?.[1] ?? 0] : [])),
  );

const errors = guidePage({
  guide: GUIDES.errors,
  about: 'Every error is a problem document (RFC 9457) with a reason to branch on. An error is never charged.',
  toc: [
    { id: 'problem', title: 'The problem document' },
    { id: 'reasons', title: 'Reasons' },
    { id: 'limits', title: 'Limits' },
  ],
  content: (context) => [
    html`<section id="problem">
      <h2>The problem document</h2>
      <p>
        Branch on <code>reason</code>; <code>detail</code> is for people and may change. Further fields depend on the
        reason. <code>instance</code> is also in <code>X-Request-Id</code> and in the server's log.
      </p>
      ${code('A problem document', JSON.stringify(PROBLEM_EXAMPLE, null, 2))}
    </section>`,
    html`<section id="reasons">
      <h2>Reasons</h2>
      <table class="ref-fields" role="table" aria-label="Reasons">
        <thead role="rowgroup">
          <tr role="row">
            <th scope="col" role="columnheader">Reason and status</th>
            <th scope="col" role="columnheader">Meaning</th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          ${(Object.keys(PROBLEMS) as Reason[]).map(reasonRow)}
        </tbody>
      </table>
    </section>`,
    html`<section id="limits">
      <h2>Limits</h2>
      <dl class="ref-terms">
        <dt>Unpaid responses</dt>
        <dd>
          Counted per minute and client address, including priced 402s. Above the server's limit, the response is 429
          with
          <code>limit_per_minute</code> and <code>Retry-After</code>. Paid responses are not counted.
        </dd>
        <dt>Records on a page</dt>
        <dd>${largestPage(context)}, with <code>limit</code>.</dd>
        <dt>Length of path and query</dt>
        <dd>
          ${MAX_URL_LENGTH}
          characters${context.site.routes
            .filter((route) => route.maxUrlLength !== undefined)
            .map((route) => html`; ${route.maxUrlLength} for <a href="${endpointPath(route)}">${route.path}</a>`)}.
        </dd>
        <dt>Validity of a payment</dt>
        <dd>At most ${PAYMENT_SECONDS} seconds; ${EXCLUSIVE_SECONDS} for an exclusive lead.</dd>
        <dt>Methods</dt>
        <dd>GET and HEAD. HEAD has the headers of the GET, so it shows the price of a call.</dd>
      </dl>
    </section>`,
  ],
});

const listLinks = (context: PageContext, has: (params: readonly string[]) => boolean): Piece =>
  listed(
    modelOf(context.site.routes)
      .endpoints.filter(({ params }) => has(params.map(({ name }) => name)))
      .map(({ path, href }) => html`<a href="${href}"><code>${path}</code></a>`),
  );

const lists = guidePage({
  guide: GUIDES.lists,
  about: 'Features of all lists: pages, fields, CSV, and the changes since an earlier response.',
  toc: [
    { id: 'pages', title: 'Pages' },
    { id: 'fields', title: 'Fields' },
    { id: 'csv', title: 'CSV' },
    { id: 'changes', title: 'Changes' },
  ],
  content: (context) => {
    const base = context.site.publicUrl;
    return [
      html`<section id="pages">
        <h2>Pages</h2>
        <p>
          A list returns <code>limit</code> records, at most ${largestPage(context)}, and <code>total_matches</code>.
          <code>next_cursor</code> is the <code>cursor</code> of the next page, and null on the last one. A cursor
          belongs to its path and filters. Each page is a call; the price does not depend on <code>limit</code>, so a
          longer page costs less per record. <a href="${endpointPath({ name: 'count' })}">Count the matches</a> first,
          free.
        </p>
        ${code('The next page', `curl '${base}/api/deals?state=OH&limit=500&cursor=NEXT_CURSOR'`)}
        <p>Lists: ${listLinks(context, (params) => params.includes('cursor'))}.</p>
      </section>`,
      html`<section id="fields">
        <h2>Fields</h2>
        <p>
          <code>fields</code> takes a comma-separated list of fields and groups of fields;
          <code>fields=all</code> returns every field. A record always has <code>id</code> and <code>absent</code>. The
          price does not depend on <code>fields</code>. Each record's page lists its groups.
        </p>
        ${code('Two groups and one field', `curl '${base}/api/deals?state=OH&fields=card,place,deal_score'`)}
      </section>`,
      html`<section id="csv">
        <h2>CSV</h2>
        <p>
          Send <code>Accept: text/csv</code> to any list. The first line has the names of the fields. An absent value is
          an empty cell; an object or a list is JSON. ${FORMULA_RULE} Errors stay JSON.
        </p>
        ${code('The price of a list as CSV', `curl -i -H 'Accept: text/csv' '${base}/api/deals?state=OH'`)}
        <p>Headers have the fields of the JSON response other than its records:</p>
        <dl class="ref-terms">
          ${Object.entries(LIST_HEADERS).map(
            ([field, header]) =>
              html`<dt><code>${header}</code></dt>
                <dd><code>${field}</code></dd>`,
          )}
          <dt><code>Link</code></dt>
          <dd>The next page, with <code>rel="next"</code>.</dd>
        </dl>
      </section>`,
      html`<section id="changes">
        <h2>Changes</h2>
        <p>
          Buy the whole list once and save its <code>changes_through</code>. Later, send it as
          <code>updated_since</code>: the list then returns what is new, changed or gone since, oldest first, at its
          usual price. If nothing changed, the response is 404 and free.
        </p>
        ${code('Changes since a response', `curl -i '${base}/api/auctions?updated_since=2026-11-20T12:00:00Z'`)}
        ${code(
          'One change in records',
          JSON.stringify(
            {
              id: '7a7e9ab3-f4a1-5943-bda0-e88495c12afd',
              change: { event: 'gone', at: '2026-11-21T12:00:00Z', fields: null, reason: 'called_off' },
            },
            null,
            2,
          ),
        )}
        <ul>
          <li>
            A record with only an <code>id</code> is no longer in the list for these filters: delete it. Store every
            other record under its <code>id</code>.
          </li>
          <li>
            When you have stored all pages, use the smallest <code>changes_through</code> as the next
            <code>updated_since</code>.
          </li>
          <li>
            An <code>updated_since</code> before <code>complete_since</code> is 400, and nothing is charged: buy the
            whole list again.
          </li>
          <li>Only filters by place and kind combine with <code>updated_since</code>.</li>
        </ul>
        <p>Lists with changes: ${listLinks(context, (params) => params.includes('updated_since'))}.</p>
      </section>`,
    ];
  },
});

const receipts = guidePage({
  guide: GUIDES.receipts,
  about: 'Every paid response has a signed receipt, and the wallet that paid can collect the response again, free.',
  toc: [
    { id: 'headers', title: 'Headers of a paid response' },
    { id: 'collect', title: 'Collect a response again' },
    { id: 'verify', title: 'Verify a receipt' },
  ],
  content: () => [
    html`<section id="headers">
      <h2>Headers of a paid response</h2>
      <dl class="ref-terms">
        ${PURCHASE_HEADERS.map(
          (name) =>
            html`<dt><code>${name}</code></dt>
              <dd>${HEADERS[name].description}</dd>`,
        )}
      </dl>
    </section>`,
    html`<section id="collect">
      <h2>Collect a response again</h2>
      <p>
        <a href="${endpointPath({ name: 'collect' })}"><code>/api/purchases/{id}</code></a> returns the same bytes to
        the wallet that paid: by <code>Receipt-Id</code>, or by the nonce of the payment if no response arrived. The
        first response is 401, with a challenge to sign.
      </p>
      <p>
        Or send an identifier of your own with the payment (x402 extension <code>payment-identifier</code>). The same
        request with the same identifier returns the same response. Anyone who knows the identifier and can sign as the
        payer can read it.
      </p>
    </section>`,
    html`<section id="verify">
      <h2>Verify a receipt</h2>
      <p>
        <code>Signed-Receipt</code> is a compact JWS (EdDSA) over the price, payment, request, SHA-256 of the body and
        snapshot. The keys are at <a href="/.well-known/jwks.json">/.well-known/jwks.json</a>. Save the receipt and the
        keys next to the response to verify it offline.
      </p>
      ${code('Verify what was sold', 'make verify FILE=answer.json RECEIPT=answer.jws KEYS=jwks.json')}
    </section>`,
  ],
});

export const GUIDE_PAGES: readonly Page[] = [errors, lists, receipts];
