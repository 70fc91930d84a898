/** /reference: a guide, and a page for each endpoint and record from the OpenAPI document. */
import { LIST_HEADERS } from '../../../lib/list_headers.ts';
import { EXCLUSIVE_SECONDS, PAYMENT_SECONDS } from '../../../lib/network.ts';
import { priceText } from '../../../lib/prices.ts';
import { noteOf, type RecordDefinition } from '../../../lib/record.ts';
import { TABLES } from '../../../models/serving/tables.ts';
import { exampleUrl } from '../../docs/examples.ts';
import { COLLECT_PATH, collectOperation, HEADERS, MCP_PATH, openApi, PURCHASE_HEADERS } from '../../docs/openapi.ts';
import { MAX_URL_LENGTH, PROBLEMS, type Reason } from '../../http/problem.ts';
import { templateOf, type Route } from '../../routes/define.ts';
import { FORMULA_RULE } from '../../routes/list/csv.ts';
import { FIELD_GROUPS, type FieldGroups } from '../../routes/list/field_groups.ts';
import { code, externalLink, facts, fold, h2, link, list, terms } from '../components.ts';
import { html, type Html, type Piece } from '../html.ts';
import type { Page, PageContext } from '../page.ts';

const REFERENCE = '/reference';

/** The page of an operation. */
export const endpointPath = (operation: string): string => `${REFERENCE}/${operation.replaceAll('_', '-')}`;

/** The call that the guide pays for. */
const SHOWN_CALL = '/api/deals?state=OH&limit=5';

const json = (value: unknown): string => JSON.stringify(value, null, 2);
/** A term with its type, price or status. */
const noted = (term: Piece, note: Piece): Html => html`${term} <small>${note}</small>`;

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
console.log(response.status, response.headers.get('Receipt-Id'), await response.json());`;

/** Reasons that leave open whether the call was billed. */
const UNKNOWN: readonly Reason[] = ['settlement_unknown', 'settlement_pending'];

const reasons = (): Html =>
  terms(
    'page-facts',
    (Object.entries(PROBLEMS) as [Reason, (typeof PROBLEMS)[Reason]][]).map(([reason, { status, title }]) => [
      noted(html`<code>${reason}</code>`, status),
      html`${title}. ${UNKNOWN.includes(reason) && html`<code>billed</code> is null: collect the response later.`}
      ${[429, 503].includes(status) && html`Wait <code>Retry-After</code> seconds.`}`,
      reason,
    ]),
  );

const guide = ({ site }: PageContext): Html =>
  html`<h2>Start</h2>
    <p>
      The base URL is <code>${site.publicUrl}</code>. Every call is a GET, without key or account; free calls need
      nothing. The same calls are tools of the MCP server at <code>${site.publicUrl}${MCP_PATH}</code>, and
      <a href="/openapi.json">openapi.json</a> describes them for client generators.
    </p>
    ${code('A free call', `curl '${site.publicUrl}/api/count/deals?state=OH'`)}
    <h2 id="paying">Paying</h2>
    <p>
      Each priced call is paid with ${externalLink('https://www.x402.org', 'x402')}: a signed transfer of USDC, sent
      with the request. You send no transaction and pay no gas. A client such as <code>@x402/fetch</code> does all three
      steps:
    </p>
    <ol>
      <li>
        <strong>Send the request.</strong> The response is 402; <code>PAYMENT-REQUIRED</code> has the terms as base64 of
        JSON. An invalid request is 400 at this step.
      </li>
      <li>
        <strong>Sign the terms</strong>: an EIP-3009 transfer of exactly <code>amount</code> (USDC has 6 decimals) to
        <code>payTo</code>, valid for at most <code>maxTimeoutSeconds</code>.
      </li>
      <li>
        <strong>Send the request again</strong> with <code>PAYMENT-SIGNATURE</code>. The server responds once the chain
        shows the payment. Only a 200 is charged: a request that matches nothing is 404 and free. If the response is
        lost, <a href="#receipts">collect it again</a>, free.
      </li>
    </ol>
    ${code('A paid call in TypeScript', paidCall(site.publicUrl + SHOWN_CALL, site.network.name))}
    <h2>Formats</h2>
    ${facts({
      'Money, percent, ratios': html`Decimal strings with two decimals unless the field says otherwise:
        <code>"329000.00"</code>.`,
      'Days and instants': html`<code>2026-11-20</code>; <code>2026-11-20T12:00:00Z</code>, always UTC.`,
      'Absent values': html`<code>null</code>, never an empty string. <code>absent</code> of the record says why.`,
      Snapshots: html`Every response is of one immutable daily data set, <code>snapshot_id</code>; past and upcoming are
        relative to its day, <code>as_of</code>.`,
      Parameters: 'Filters combine with AND. An unknown, repeated or invalid one is 400 and names what is accepted.',
    })}
    <h2 id="lists">Lists</h2>
    ${facts({
      Pages: html`<code>limit</code> is the number of records of a page. <code>next_cursor</code> is the
        <code>cursor</code> of the next page, and null on the last one. Each page is a call at the same price.
        <a href="${endpointPath('count')}">Count the matches</a> first, free.`,
      Fields: html`<code>fields</code> takes fields and groups of fields, with commas between them;
        <code>fields=all</code> returns every field. The price does not depend on it.`,
      CSV: html`With <code>Accept: text/csv</code> the first line has the names of the fields. An absent value is an
        empty cell; an object or a list is JSON. ${FORMULA_RULE} Errors stay JSON. The other fields of the response are
        in headers: ${Object.values(LIST_HEADERS).map((name) => html`<code>${name}</code>, `)} and <code>Link</code>.`,
      Changes: html`Buy the whole list once and save the smallest <code>changes_through</code> of its pages. Later, send
        it as <code>updated_since</code>: the list then has what is new, changed or gone since, oldest first, at its
        usual price, or 404 and free if nothing is. Store each record under its <code>id</code>; one with only an
        <code>id</code> and a <code>change</code> left the list: delete it. Before <code>complete_since</code> it is
        400, free: buy the whole list again. Only filters by place and kind combine with it.`,
    })}
    ${code('A list as CSV', `curl -i -H 'Accept: text/csv' '${site.publicUrl}${SHOWN_CALL}'`)}
    <h2 id="errors">Errors and limits</h2>
    <p>
      Every error is a problem document (RFC 9457), and never charged. Branch on <code>reason</code>;
      <code>detail</code> is for people and may change. <code>instance</code> is also in <code>X-Request-Id</code>.
    </p>
    ${fold(`${Object.keys(PROBLEMS).length} reasons`, reasons())}
    ${facts({
      'Unpaid responses': html`Counted per minute and client address (IPv6: /64), including priced 402s. A signed
        payment counts by its wallet, if that has $1 or more. A purchase takes back its 402. <code>RateLimit</code> says
        what is left; above the limit, the response is 429 with <code>Retry-After</code>.`,
      'Length of path and query': `${MAX_URL_LENGTH} characters.`,
      'Validity of a payment': `At most ${PAYMENT_SECONDS} seconds; ${EXCLUSIVE_SECONDS} for an exclusive lead.`,
      Methods: 'GET and HEAD. HEAD has the headers of the GET, so it shows the price of a call.',
    })}
    <h2 id="receipts">Receipts</h2>
    <p>
      <a href="${endpointPath('collect')}"><code>/api/purchases/{id}</code></a> returns the same bytes again, free, to
      the wallet that paid: by <code>Receipt-Id</code>, or by the nonce of the payment if no response arrived. The first
      response is 401, with a challenge to sign and send in <code>SIGN-IN-WITH-X</code>. Or send an identifier of your
      own with the payment (x402 extension <code>payment-identifier</code>), and repeat the request with it.
    </p>
    ${facts(Object.fromEntries(PURCHASE_HEADERS.map((name) => [name, HEADERS[name].description])))}
    ${code('Verify what was sold', 'make verify FILE=answer.json RECEIPT=answer.jws KEYS=jwks.json')}`;

type Fields = Readonly<Record<string, Schema>>;
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Fields;
  readonly additionalProperties?: Schema | boolean;
}
interface Parameter extends Schema {
  readonly name: string;
  readonly required: boolean;
  readonly example?: string | number;
}
interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly responses: Readonly<
    Record<string, { description: string; content?: Record<string, { schema: Schema; example?: unknown }> }>
  >;
}
interface OpenApi {
  readonly info: { readonly description: string; readonly version: string };
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, { readonly get: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}
interface Endpoint extends Operation {
  /** With parameters in braces. */
  readonly path: string;
  readonly href: string;
  /** Undefined for collecting a purchase, which is no route of the table. */
  readonly route: Route | undefined;
}
interface Reference {
  readonly api: OpenApi;
  readonly endpoints: readonly Endpoint[];
}

interface RecordPage extends FieldGroups, RecordDefinition {
  readonly href: string;
}
const RECORDS = (Object.keys(FIELD_GROUPS) as (keyof typeof FIELD_GROUPS)[]).map((table): RecordPage => ({
  ...FIELD_GROUPS[table],
  ...(TABLES[table] as RecordDefinition),
  href: `${REFERENCE}/records/${TABLES[table].name}`,
}));

function referenceOf(routes: readonly Route[]): Reference {
  const api = openApi(routes, '') as unknown as OpenApi;
  const endpoints = Object.entries(api.paths).map(([path, { get }]) => ({
    ...get,
    path,
    href: endpointPath(get.operationId),
    route: routes.find((route) => templateOf(route) === path),
  }));
  return { api, endpoints };
}

const costOf = ({ route }: Endpoint): string => (route ? priceText(route) : 'free');

/** Name of the schema that a reference names. */
const refName = ($ref = ''): string => $ref.split('/').at(-1) ?? '';

/** The record that a reference names, also for a list's selection of its fields. */
const recordAt = ($ref?: string): RecordPage | undefined =>
  RECORDS.find(({ name }) => [name, `${name}_in_list`].includes(refName($ref)));

function typeOf(schema: Schema): Piece {
  const { $ref, const: only, enum: values, items, type, format, pattern, properties } = schema;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.map((one, i) => [i > 0 && ' or ', typeOf(one)]);
  const record = recordAt($ref);
  if (record) return link(record.href, record.name);
  if (only !== undefined) return JSON.stringify(only);
  if (values) return values.join(' | ');
  if (items) return ['list of ', typeOf(items)];
  if (properties ?? schema.additionalProperties) return 'object';
  if (format !== undefined) return format;
  if (pattern?.includes(String.raw`\d`) === true) return 'decimal';
  return typeof type === 'object' ? type.join(' or ') : (type ?? 'any value');
}

/** The fields inside a value: its own, those of one of its choices, or those of the items of its list. */
function fieldsIn({ properties, anyOf, oneOf, items, additionalProperties: map }: Schema): Fields {
  if (properties) return properties;
  if (items) return fieldsIn(items);
  if (typeof map === 'object') return fieldsIn(map);
  return [...(anyOf ?? []), ...(oneOf ?? [])].map(fieldsIn).find((fields) => Object.keys(fields).length > 0) ?? {};
}

/** Fields by their paths, such as offer.high, down to a depth. Of an object with a record's fields, the others. */
function fieldRows(reference: Reference, fields: Fields, depth: number, parent = ''): Piece[][] {
  const all = Object.entries(fields);
  const othersOf = ({ name }: RecordPage) =>
    all.filter(([own, one]) => json(reference.api.components.schemas[name]?.properties?.[own]) !== json(one));
  const record = RECORDS.find((one) => othersOf(one).length < all.length / 2);
  return [
    ...(record ? [[`${parent}…`, html`The fields of ${link(record.href, record.name)}.`]] : []),
    ...(record ? othersOf(record) : all).flatMap(([name, schema]) => [
      [noted(parent + name, typeOf(schema)), schema.description],
      ...(depth > 0 ? fieldRows(reference, fieldsIn(schema), depth - 1, `${parent}${name}.`) : []),
    ]),
  ];
}

/** An example with one item of each list, and with … for what is deeper. */
function excerpt(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return value;
  if (depth === 0) return '…';
  if (Array.isArray(value)) return value.slice(0, 1).map((item) => excerpt(item, depth));
  return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, excerpt(of, depth - 1)]));
}

/** Depth of fields and examples; /openapi.json has the rest. */
const DEPTH = 1;

/** The bodies of an endpoint: its answer, the free answer to its template, and a 404 with fields of its own. */
function bodiesOf({ api }: Reference, { responses }: Endpoint): (readonly [title: string, Fields])[] {
  const given = responses['200']?.content?.['application/json']?.schema;
  const [answer, template] = given?.oneOf ?? [given];
  const miss = responses['404']?.content?.['application/problem+json']?.schema;
  const bodies = [
    ['Response fields', answer],
    ['Fields of the free response to the path template', template],
    ['Fields of the 404', miss?.$ref?.endsWith('_miss') === true ? miss : undefined],
  ] as const;
  return bodies.flatMap(([title, schema]) =>
    schema ? [[title, api.components.schemas[refName(schema.$ref)]?.properties ?? {}]] : [],
  );
}

function endpointContent(reference: Reference, asked: string, { site }: PageContext): Html {
  const endpoint = reference.endpoints.find((one) => one.path === asked);
  if (!endpoint) throw new Error(`OpenAPI has no ${asked}`);
  const { path, summary, description: cost, parameters, responses, route, tags } = endpoint;
  const isSold = route !== undefined && route.price !== null;
  const hasForm = isSold && !path.includes('{') && !route.media;
  const sample = Object.values(responses['200']?.content ?? {})[0]?.example;
  return html`<p class="eyebrow">${tags[0]}</p>
    <h1><code>${path}</code></h1>
    <p class="lead">${summary}</p>
    <p>
      <span class="tag">GET, ${costOf(endpoint)}</span> ${cost}
      ${isSold && [link('/reference#paying', 'How to pay'), '. ']}
      ${hasForm && [link(`/build?call=${path}`, 'Build a query'), '.']}
    </p>
    ${code('The call', route ? `curl -i '${exampleUrl(route, site.publicUrl)}'` : 'make collect RECEIPT=RECEIPT_ID')}
    <h2>Parameters</h2>
    ${parameters.length === 0 && html`<p>None.</p>`}
    ${terms(
      'page-facts',
      parameters.map(({ name, required, description, example }) => [
        noted(html`<code>${name}</code>`, required && 'in the path'),
        [description, example !== undefined && html` For example <code>${example}</code>.`],
        name,
      ]),
    )}
    ${bodiesOf(reference, endpoint).map(([title, fields]) => [
      h2(title),
      terms('page-facts', fieldRows(reference, fields, DEPTH)),
    ])}
    ${
      sample !== undefined && [
        html`<h2>Sample response</h2>
          <p><small>Made from sample records; nothing in it is real. … marks what is left out.</small></p>`,
        code('A sample response', typeof sample === 'string' ? sample : json(excerpt(sample, DEPTH + 1))),
      ]
    }
    <h2>Statuses</h2>
    ${facts(Object.fromEntries(Object.entries(responses).map(([status, { description }]) => [status, description])))}
    <p>Reasons are explained under <a href="/reference#errors">errors</a>.</p>`;
}

function recordContent(reference: Reference, { name, about, columns, groups, byDefault }: RecordPage): Html {
  const { properties = {} } = reference.api.components.schemas[name] ?? {};
  // The note says when a field is null.
  const valueOf = (field: string): Schema => {
    const { anyOf, ...rest } = properties[field] ?? {};
    return anyOf?.find(({ type }) => type !== 'null') ?? { ...rest, type: [rest.type ?? []].flat()[0] ?? '' };
  };
  const published = Object.entries(groups).map(([group, members]): [string, string] => [
    group,
    members.filter((member) => Object.hasOwn(properties, member)).join(', '),
  ]);
  return html`<p class="eyebrow">Record</p>
    <h1>${name}</h1>
    <p class="lead">${about}</p>
    <h2>Groups of fields</h2>
    <p>
      <code>fields</code> of <a href="/reference#lists">a list</a> takes names of fields and of these groups. Without
      it, a record has ${byDefault ? byDefault.join(', ') : 'all fields'}.
    </p>
    ${facts(Object.fromEntries(published))}
    <h2>Fields</h2>
    <p>
      <code>absent</code> of a record has the reason for each field that is null.
      <a href="/openapi.json">openapi.json</a> has the fields of every object.
    </p>
    ${terms(
      'page-facts',
      columns.map((column) => [
        noted(column.name, column.values ? 'text' : typeOf(valueOf(column.name))),
        noteOf(column),
        column.name,
      ]),
    )}`;
}

/** The menu is beside the content on a wide screen, and after it on a narrow one. */
function frame({ api, endpoints }: Reference, current: string, content: Piece): Html {
  const item = (href: string, ...label: readonly Piece[]): Html =>
    link(href, label, { 'aria-current': href === current && 'page' });
  const ofTag = (tag: string): Html[] =>
    endpoints
      .filter(({ tags }) => tags.includes(tag))
      .map((one) => item(one.href, noted(one.path, one.route?.price ? `$${one.route.price}` : 'free')));
  const records = RECORDS.map(({ name, href }) => item(href, name));
  return html`<div class="ref">
    <article>
      <p class="ref-jump"><a href="#menu">All endpoints and records</a></p>
      ${content}
    </article>
    <nav id="menu" aria-label="Reference">
      ${list([item(REFERENCE, 'Guide')])} ${api.tags.map(({ name }) => [h2(name), list(ofTag(name))])} ${h2('records')}
      ${list(records)}
    </nav>
  </div>`;
}

const overviewContent = ({ api, endpoints }: Reference, context: PageContext): Html =>
  html`<p class="eyebrow">API version ${api.info.version}</p>
    <h1>Reference</h1>
    <p class="lead">${api.info.description}</p>
    ${guide(context)} ${h2('Endpoints', 'endpoints')}
    ${terms(
      'page-facts',
      endpoints.map((one) => [noted(link(one.href, one.path), costOf(one)), one.summary]),
    )}
    ${h2('Records', 'records')}
    ${terms(
      'page-facts',
      RECORDS.map(({ name, about, href, columns }) => [link(href, name), `${about} ${columns.length} fields.`]),
    )}`;

export const overviewPage: Page = {
  path: REFERENCE,
  label: 'Reference',
  title: 'Reference',
  cache: 'snapshot',
  about: 'The API: how to call and pay it, every endpoint with its price, and every record.',
  content(context) {
    const reference = referenceOf(context.site.routes);
    return frame(reference, REFERENCE, overviewContent(reference, context));
  },
};

/** All pages but the overview, which is in the navigation of the site. */
export function referencePages(routes: readonly Route[]): readonly Page[] {
  type Content = (reference: Reference, context: PageContext) => Html;
  // Written with the first page that is asked for.
  let written: Reference | undefined;
  const page = (path: string, title: string, about: string, content: Content): Page => ({
    path,
    title,
    about,
    cache: 'snapshot',
    content(context) {
      const reference = (written ??= referenceOf(routes));
      return frame(reference, path, content(reference, context));
    },
  });
  const operations = routes.map((route): [path: string, operation: string] => [templateOf(route), route.name]);
  return [
    ...[...operations, [COLLECT_PATH, collectOperation.operationId] as const].map(([path, operation]) =>
      page(
        endpointPath(operation),
        path,
        `${path}: price, parameters, response fields, a sample response and errors.`,
        (reference, context) => endpointContent(reference, path, context),
      ),
    ),
    ...RECORDS.map((one) =>
      page(
        one.href,
        one.name,
        `${one.about} Every field with its type, unit and meaning, and when it is null.`,
        (reference) => recordContent(reference, one),
      ),
    ),
  ];
}
