/** /reference: a guide, and a page for each endpoint and record from the OpenAPI document. */
import { noteOf, type RecordDefinition } from '../../../../lib/record.ts';
import { exampleUrl } from '../../../docs/examples.ts';
import { openApi, templateOf } from '../../../docs/openapi.ts';
import type { Route } from '../../../routes/define.ts';
import { FIELD_GROUPS, type FieldGroups } from '../../../routes/list/field_groups.ts';
import { priceText } from '../../../../lib/prices.ts';
import { TABLES } from '../../../../models/serving/tables.ts';
import { html, type Html, type Piece } from '../../html.ts';
import { code, fold, terms } from '../../layout.ts';
import type { Page, PageContext } from '../../page.ts';
import { endpointPath, GUIDE, guide, REFERENCE } from './guide.ts';

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
interface Parameter {
  readonly name: string;
  readonly required: boolean;
  readonly description: string;
  readonly example?: string | number;
}
interface Response {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;
}
interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly responses: Readonly<Record<string, Response>>;
}
interface OpenApi {
  readonly info: { readonly description: string; readonly version: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
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

/** A page has at most this many bytes of fields and examples: deeper objects are left to /openapi.json. */
const MAX_BYTES = 47_000;
const MAX_DEPTH = 4;

interface RecordPage extends FieldGroups, RecordDefinition {
  readonly href: string;
}
const RECORDS = (Object.keys(FIELD_GROUPS) as (keyof typeof FIELD_GROUPS)[]).map((table): RecordPage => ({
  ...FIELD_GROUPS[table],
  ...(TABLES[table] as RecordDefinition),
  href: `${REFERENCE}/records/${TABLES[table].name}`,
}));

const references = new WeakMap<readonly Route[], Reference>();

function referenceOf(routes: readonly Route[]): Reference {
  const known = references.get(routes);
  if (known) return known;
  const api = openApi(routes, '') as unknown as OpenApi;
  const endpoints = Object.entries(api.paths).map(([path, { get }]) => ({
    ...get,
    path,
    href: endpointPath(get.operationId),
    route: routes.find((route) => templateOf(route) === path),
  }));
  references.set(routes, { api, endpoints });
  return { api, endpoints };
}

const costOf = ({ route }: Endpoint): string => (route ? priceText(route) : 'free');
const shortPriceOf = ({ route }: Endpoint): string => (route?.price ? `$${route.price}` : 'free');

/** The record that a reference names, also for a list's selection of its fields. */
const recordAt = ($ref = ''): RecordPage | undefined =>
  RECORDS.find(({ name }) => [name, `${name}_in_list`].includes($ref.split('/').at(-1) ?? ''));

function typeOf(schema: Schema): Piece {
  const { $ref, const: only, enum: values, items, type, format, pattern, properties } = schema;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.map((one, i) => [i > 0 && ' or ', typeOf(one)]);
  const record = recordAt($ref);
  if (record) return html`<a href="${record.href}">${record.name}</a>`;
  if (only !== undefined) return JSON.stringify(only);
  if (values) return values.join(' | ');
  if (items) return ['list of ', typeOf(items)];
  if (properties ?? schema.additionalProperties) return 'object';
  if (format !== undefined) return format;
  if (pattern?.includes(String.raw`\d`) === true) return 'decimal';
  return typeof type === 'object' ? type.join(' or ') : (type ?? 'any value');
}

/** The fields inside a value: its own, those of one of its choices, or those of the items of its list. */
function fieldsIn({ properties, anyOf, oneOf, items, additionalProperties: map }: Schema): Fields | undefined {
  if (properties) return properties;
  if (items) return fieldsIn(items);
  if (typeof map === 'object') return fieldsIn(map);
  return [...(anyOf ?? []), ...(oneOf ?? [])].map(fieldsIn).find((fields) => fields !== undefined);
}

/** The record that most of these fields are from, if any, and the fields that are not. */
function sharedWith({ api }: Reference, fields: Fields) {
  const all = Object.entries(fields);
  for (const record of RECORDS) {
    const known = api.components.schemas[record.name]?.properties ?? {};
    const others = all.filter(([name, schema]) => JSON.stringify(known[name]) !== JSON.stringify(schema));
    if (others.length < all.length / 2) return { record, others };
  }
  return { others: all };
}

/** A term with its type, price or status. */
const noted = (term: Piece, note: Piece): Html => html`${term} <small>${note}</small>`;

/** A field of an object. The fields inside it are behind a summary, which browser find opens. */
function fieldRow(reference: Reference, name: string, schema: Schema, depth: number, type = typeOf(schema)): Piece[] {
  const inner = depth > 0 ? fieldsIn(schema) : undefined;
  return [
    noted(name, type),
    [schema.description, inner && fold(`${Object.keys(inner).length} fields`, fieldList(reference, inner, depth - 1))],
  ];
}

function fieldList(reference: Reference, fields: Fields, depth: number): Piece {
  const { record, others } = sharedWith(reference, fields);
  const areOnlyNames = others.every(([, schema]) => schema.description === undefined && !fieldsIn(schema));
  return [
    record && html`<p>The fields of <a href="${record.href}">${record.name}</a>${others.length > 0 && ', and:'}</p>`,
    areOnlyNames
      ? html`<p>${others.map(([name, schema]) => html`<code>${name}</code> <small>${typeOf(schema)}</small> `)}</p>`
      : terms(
          'page-facts',
          others.map(([name, schema]) => fieldRow(reference, name, schema, depth)),
        ),
  ];
}

/** An example with one item of each list, and with … for what is deeper. */
function excerpt(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return value;
  if (depth === 0) return '…';
  if (Array.isArray(value)) return value.slice(0, 1).map((item) => excerpt(item, depth));
  return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, excerpt(of, depth - 1)]));
}

/** What `write` makes at the greatest depth for which a page has room. */
function deepest(write: (depth: number) => Html, depth = MAX_DEPTH): Html {
  const written = write(depth);
  return depth === 0 || Buffer.byteLength(written.text) <= MAX_BYTES ? written : deepest(write, depth - 1);
}

/** The bodies of an endpoint: its answer, the free answer to its template, and a 404 with fields of its own. */
function bodiesOf({ api }: Reference, { responses }: Endpoint) {
  const resolved = ({ $ref }: Schema): Schema => api.components.schemas[$ref?.split('/').at(-1) ?? ''] ?? {};
  const given = responses['200']?.content?.['application/json']?.schema;
  const [answer, template] = given?.oneOf ?? [given];
  const miss = responses['404']?.content?.['application/problem+json']?.schema;
  const isOwn = miss?.$ref?.endsWith('_miss') === true;
  return [
    ...(answer ? [{ title: 'Response fields', schema: resolved(answer) }] : []),
    ...(template ? [{ title: 'Fields of the free response to the path template', schema: resolved(template) }] : []),
    ...(miss && isOwn ? [{ title: 'Fields of the 404', schema: resolved(miss) }] : []),
  ];
}

function endpointContent(reference: Reference, endpoint: Endpoint, { site }: PageContext): Piece {
  const { path, summary, description: cost, parameters, responses, route, tags } = endpoint;
  const bodies = bodiesOf(reference, endpoint);
  const isFree = route?.price === null || !route;
  const sample = Object.values(responses['200']?.content ?? {})[0]?.example;
  const canBuild = !isFree && !path.includes('{') && !route.media;
  return html`<p class="eyebrow">${tags[0]}</p>
    <h1><code>${path}</code></h1>
    <p class="lead">${summary}</p>
    <p>
      <span class="tag">GET, ${costOf(endpoint)}</span> ${cost}
      ${!isFree && html`<a href="${GUIDE.paying}">How to pay</a>. `}
      ${canBuild && html`<a href="/build?call=${path}">Build a query</a>.`}
    </p>
    ${code('The call', route ? `curl -i '${exampleUrl(route, site.publicUrl)}'` : 'make collect RECEIPT=RECEIPT_ID')}
    <h2>Parameters</h2>
    ${
      parameters.length === 0
        ? html`<p>None.</p>`
        : terms(
            'page-facts',
            parameters.map(({ name, required, description, example }) => [
              noted(html`<code>${name}</code>`, required && 'in the path'),
              [description, example !== undefined && html` For example <code>${example}</code>.`],
              name,
            ]),
          )
    }
    ${deepest(
      (depth) =>
        html`${bodies.map(
          ({ title, schema }) =>
            html`<h2>${title}</h2>
              ${fieldList(reference, schema.properties ?? {}, depth)}`,
        )}
        ${
          sample !== undefined &&
          html`<h2>Sample response</h2>
            <p><small>Made from sample records; nothing in it is real. … marks what is left out.</small></p>
            ${code(
              'A sample response',
              typeof sample === 'string' ? sample : JSON.stringify(excerpt(sample, depth + 1), null, 2),
            )}`
        }`,
    )}
    <h2>Statuses</h2>
    ${terms(
      'page-facts',
      Object.entries(responses).map(([status, { description: about }]) => [html`<code>${status}</code>`, about]),
    )}
    <p>Reasons are explained under <a href="${GUIDE.errors}">errors</a>.</p>`;
}

function recordContent(reference: Reference, { name, about, columns, groups, byDefault }: RecordPage) {
  const { properties = {} } = reference.api.components.schemas[name] ?? {};
  return html`<p class="eyebrow">Record</p>
    <h1>${name}</h1>
    <p class="lead">${about}</p>
    <h2>Groups of fields</h2>
    <p>
      <code>fields</code> of <a href="${GUIDE.lists}">a list</a> takes names of fields and of these groups. Without it,
      a record has ${byDefault ? byDefault.join(', ') : 'all fields'}.
    </p>
    ${terms(
      'page-facts',
      Object.entries(groups).map(([group, members]) => [
        html`<code>${group}</code>`,
        members.filter((member) => Object.hasOwn(properties, member)).join(', '),
      ]),
    )}
    <h2>Fields</h2>
    <p>
      <code>absent</code> of a record has the reason for each field that is null.
      <a href="/openapi.json">openapi.json</a> has the fields of every object.
    </p>
    ${deepest((depth) =>
      terms(
        'page-facts',
        columns.map((column) => {
          // The note says when a field is null.
          const { anyOf, ...rest } = properties[column.name] ?? {};
          const value = anyOf?.find(({ type }) => type !== 'null') ?? rest;
          const type = [value.type ?? []].flat().filter((one) => one !== 'null');
          const schema = { ...value, ...(type.length > 0 && { type }), description: noteOf(column) };
          const row = fieldRow(reference, column.name, schema, depth, column.values ? 'text' : undefined);
          return [...row, column.name];
        }),
      ),
    )}`;
}

const menuItem = (path: string, current: string, label: Piece, price = ''): Html =>
  html`<li>
    <a href="${path}" ${path === current && html`aria-current="page"`}
      >${label}${price !== '' && html` <small>${price}</small>`}</a
    >
  </li>`;

/** The menu is beside the content on a wide screen, and after it on a narrow one. */
const frame = ({ api, endpoints }: Reference, current: string, content: Piece): Html =>
  html`<div class="ref">
    <article>
      <p class="ref-jump"><a href="#menu">All endpoints and records</a></p>
      ${content}
    </article>
    <nav id="menu" aria-label="Reference">
      <ul>
        ${menuItem(REFERENCE, current, 'Guide')}
      </ul>
      ${api.tags.map(
        ({ name }) =>
          html`<h2>${name}</h2>
            <ul>
              ${endpoints
                .filter(({ tags }) => tags.includes(name))
                .map((one) => menuItem(one.href, current, one.path, shortPriceOf(one)))}
            </ul>`,
      )}
      <h2>records</h2>
      <ul>
        ${RECORDS.map(({ name, href }) => menuItem(href, current, name))}
      </ul>
    </nav>
  </div>`;

const overviewContent = ({ api, endpoints }: Reference, context: PageContext): Piece =>
  html`<p class="eyebrow">API version ${api.info.version}</p>
    <h1>Reference</h1>
    <p class="lead">${api.info.description}</p>
    ${guide(context)}
    <h2 id="endpoints">Endpoints</h2>
    ${api.tags.map(
      ({ name, description }) =>
        html`<h3>${description}</h3>
          ${terms(
            'page-facts',
            endpoints
              .filter(({ tags }) => tags.includes(name))
              .map((one) => [
                noted(html`<a href="${one.href}"><code>${one.path}</code></a>`, costOf(one)),
                one.summary,
                one.operationId,
              ]),
          )}`,
    )}
    <h2 id="records">Records</h2>
    ${terms(
      'page-facts',
      RECORDS.map(({ name, about, href, columns }) => [
        html`<a href="${href}">${name}</a>`,
        `${about} ${columns.length} fields.`,
      ]),
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
  const reference = referenceOf(routes);
  return [
    ...reference.endpoints.map((endpoint): Page => ({
      path: endpoint.href,
      title: endpoint.path,
      cache: 'snapshot',
      about: `${endpoint.path}: price, parameters, response fields, a sample response and errors.`,
      content: (context) => frame(reference, endpoint.href, endpointContent(reference, endpoint, context)),
    })),
    ...RECORDS.map((record): Page => ({
      path: record.href,
      title: record.name,
      cache: 'snapshot',
      about: `${record.about} Every field with its type, unit and meaning, and when it is null.`,
      content: () => frame(reference, record.href, recordContent(reference, record)),
    })),
  ];
}
