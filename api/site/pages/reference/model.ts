/** The content of the reference, from the routes, their OpenAPI document and the records. A new route needs no text. */
import { openApi } from '../../../docs/openapi.ts';
import { PROBLEMS, type Reason } from '../../../http/problem.ts';
import { templateOf, type Route } from '../../../routes/define.ts';
import { paramFacts } from '../../../routes/params.ts';
import { priceText } from '../../../routes/pricing.ts';
import { Enums, type EnumUse } from './enums.ts';
import { endpointPath } from './paths.ts';
import { fieldPath, RECORDS } from './records.ts';
import { columnRows, rowsOf, type FieldRow } from './rows.ts';
import { choicesOf, refName, type Document, type Operation, type Schema } from './schema.ts';

export interface ParamEntry {
  readonly name: string;
  readonly isInPath: boolean;
  readonly about: string;
  /** Accepted values, in words. */
  readonly expected: string;
  readonly values: readonly string[] | undefined;
}

export interface Outcome {
  readonly status: string;
  readonly description: string;
  readonly reasons: readonly Reason[];
}

export interface Body {
  /** The answer; the free answer to the path itself, with its parameters in braces; or the 404. */
  readonly kind: 'answer' | 'template' | 'miss';
  /** Name of its schema. */
  readonly name: string;
  readonly rows: readonly FieldRow[];
  /** An earlier endpoint whose response has the same fields, if they are many. */
  readonly sameAs: { readonly path: string; readonly href: string } | undefined;
}

export interface Endpoint {
  readonly name: string;
  /** With parameters in braces. */
  readonly path: string;
  readonly href: string;
  readonly group: string;
  readonly summary: string;
  /** Price, and when it is billed. */
  readonly cost: string;
  readonly isFree: boolean;
  /** "$0.05" or "free". */
  readonly price: string;
  /** Undefined for collecting a purchase, which is no route of the table. */
  readonly route: Route | undefined;
  readonly params: readonly ParamEntry[];
  readonly outcomes: readonly Outcome[];
  readonly mediaTypes: readonly string[];
  readonly bodies: readonly Body[];
}

export interface Model {
  readonly version: string;
  readonly description: string;
  readonly groups: readonly { readonly title: string; readonly endpoints: readonly Endpoint[] }[];
  readonly endpoints: readonly Endpoint[];
  /** Rows of each column of a record, by "record.column". */
  readonly columnRows: ReadonlyMap<string, readonly FieldRow[]>;
  readonly enums: Enums;
}

const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** The register of a path such as /ohio/api/filings, or the tag of the operation. */
const groupOf = (path: string, { tags }: Operation): string =>
  capitalized(/^\/(?!api\/)(\w+)\//u.exec(path)?.[1] ?? tags[0] ?? '');

/** The reasons that the description of a response names. */
const reasonsIn = (description: string): Reason[] =>
  description.split(/[^\w]+/u).filter((word): word is Reason => Object.hasOwn(PROBLEMS, word));

function paramsOf(route: Route | undefined, { parameters }: Operation): readonly ParamEntry[] {
  if (!route)
    return parameters.map(({ name, description = '' }) => {
      const [about = '', expected = ''] = description.split(/ ?Expected: /u);
      return { name, isInPath: true, about, expected: expected.replace(/\.$/u, ''), values: undefined };
    });
  const entry =
    (isInPath: boolean) =>
    ([name, schema]: [string, Route['response']]): ParamEntry => {
      const { about, expected, values, kind } = paramFacts(schema);
      return { name, isInPath, about, expected, values: kind === 'boolean' ? undefined : values };
    };
  return [
    ...Object.entries(route.pathParams ?? {}).map(entry(true)),
    ...Object.entries(route.params).map(entry(false)),
  ];
}

/** The JSON bodies of the 200 response, and of a 404 that has fields of its own. */
function bodiesOf({ responses }: Operation, schemas: Document['components']['schemas']): readonly Body[] {
  const bodyOf = (kind: Body['kind'], { $ref = '' }: Schema): Body => {
    const name = refName($ref);
    return { kind, name, rows: rowsOf(schemas[name] ?? {}, schemas), sameAs: undefined };
  };
  const given = responses['200']?.content?.['application/json']?.schema;
  const [answer, template] = given && choicesOf(given).length > 0 ? choicesOf(given) : [given];
  const miss = responses['404']?.content?.['application/problem+json']?.schema;
  return [
    ...(answer ? [bodyOf('answer', answer)] : []),
    ...(template ? [bodyOf('template', template)] : []),
    ...(miss?.$ref !== undefined && refName(miss.$ref) !== 'problem' ? [bodyOf('miss', miss)] : []),
  ];
}

function endpointOf(path: string, op: Operation, document: Document, routes: readonly Route[]): Endpoint {
  const route = routes.find((one) => templateOf(one) === path);
  const isFree = route === undefined || route.price === null;
  return {
    name: op.operationId,
    path,
    href: endpointPath({ name: op.operationId }),
    group: groupOf(path, op),
    summary: op.summary,
    cost: op.description,
    isFree,
    price: isFree ? 'free' : `$${route.price}`,
    route,
    params: paramsOf(route, op),
    outcomes: Object.entries(op.responses).map(([status, { description }]) => ({
      status,
      description,
      reasons: status < '400' ? [] : reasonsIn(description),
    })),
    mediaTypes: Object.keys(op.responses['200']?.content ?? {}),
    bodies: bodiesOf(op, document.components.schemas),
  };
}

/** The groups in the order of the tags; those of one register come after all others of their kind. */
function grouped(endpoints: readonly Endpoint[], tags: Document['tags']): Model['groups'] {
  const order = tags.map(({ name }) => capitalized(name));
  const titles = [...new Set(endpoints.map(({ group }) => group))];
  const rank = (title: string): number => {
    const at = order.indexOf(title);
    return at < 0 ? order.indexOf('Filings') + 0.5 : at;
  };
  return titles
    .toSorted((a, b) => rank(a) - rank(b))
    .map((title) => ({ title, endpoints: endpoints.filter(({ group }) => group === title) }));
}

/** Fields of an answer that are not shown again on the page of another endpoint. */
const MAX_REPEATED = 40;

/** The endpoints, with a link in place of long response fields that an earlier endpoint has too. */
function withoutRepetition(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  const seen = new Map<string, NonNullable<Body['sameAs']>>();
  return endpoints.map((endpoint) => ({
    ...endpoint,
    bodies: endpoint.bodies.map((body) => {
      const key = JSON.stringify(body.rows);
      const sameAs = body.rows.length > MAX_REPEATED ? seen.get(key) : undefined;
      if (!seen.has(key)) seen.set(key, { path: endpoint.path, href: endpoint.href });
      return { ...body, sameAs };
    }),
  }));
}

/** Anchor of a field of an answer, if it has values that the page of enums links from. */
export const answerAnchor = ({ path, type }: FieldRow, { kind }: Pick<Body, 'kind'>): string | undefined =>
  type.values && `${kind}-${path}`;

/** A list of values is named by a field or parameter of its own rather than by one in an object. */
const byDepth = (a: EnumUse, b: EnumUse): number => a.name.split('.').length - b.name.split('.').length;

function enumsOf(endpoints: readonly Endpoint[], columns: Model['columnRows']): Enums {
  const uses: (EnumUse & { readonly values: readonly unknown[] })[] = [];
  for (const [key, rows] of columns) {
    const [record = ''] = key.split('.');
    for (const { path, type, about } of rows)
      if (type.values)
        uses.push({ values: type.values, name: path, owner: record, href: fieldPath(record, path), about });
  }
  for (const { path: owner, href, params, bodies } of endpoints) {
    for (const { name, values, about } of params)
      if (values) uses.push({ values, name, owner, href: `${href}#${name}`, about });
    for (const body of bodies.filter(({ sameAs }) => !sameAs)) {
      for (const row of body.rows) {
        const { path: name, type, about } = row;
        const anchored = `${href}#${answerAnchor(row, body)}`;
        if (type.values) uses.push({ values: type.values, name, owner, href: anchored, about, isAnswer: true });
      }
    }
  }
  const enums = new Enums();
  for (const { values, ...use } of uses.toSorted(byDepth)) enums.add(values, use);
  return enums;
}

const models = new WeakMap<readonly Route[], Model>();

/** The model of these routes, built once. */
export function modelOf(routes: readonly Route[]): Model {
  const known = models.get(routes);
  if (known) return known;
  const document = openApi(routes, '') as unknown as Document;
  const { schemas } = document.components;
  const all = Object.entries(document.paths).map(([path, { get }]) => endpointOf(path, get, document, routes));
  const endpoints = withoutRepetition(grouped(all, document.tags).flatMap((group) => group.endpoints));
  const columns = new Map(
    RECORDS.flatMap(({ name, definition }) =>
      definition.columns.map((column): [string, readonly FieldRow[]] => [
        `${name}.${column.name}`,
        columnRows(column, name, schemas),
      ]),
    ),
  );
  const model = {
    version: document.info.version,
    description: document.info.description,
    groups: grouped(endpoints, document.tags),
    endpoints,
    columnRows: columns,
    enums: enumsOf(endpoints, columns),
  };
  models.set(routes, model);
  return model;
}

/** Price of a call: "$0.02 for each address that matches, at most $1.00". */
export const costOf = ({ route }: Endpoint): string => (route ? priceText(route) : 'free');
