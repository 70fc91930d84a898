/**
 * Layers and tables of ArcGIS servers: tax lists, parcel rolls, cases and tickets, announced sales.
 *
 * A source is a declaration (layer.ts): its layer, the condition of the features to read, and how a feature's
 * attributes become a row. A read requests the layer's description, to check its fields, the number of features, all
 * pages, each after the last object id of the one before, and then the ids that the layer has: a feature that was not
 * read refuses the read, one that was deleted meanwhile is left out.
 */
import { isObject, type JsonObject } from '../../../lib/json.ts';
import {
  type Candidate,
  defineSource,
  type FetchContext,
  type GetOptions,
  type Page,
  Quarantine,
  type SourceSpec,
  SourceUnavailable,
} from '../../contract.ts';
import { parseJson } from '../../bodies.ts';
import {
  type AnyLayer,
  type Attributes,
  type DistressLayer,
  fieldsOf,
  type Kind,
  type LayerFields,
  type LayerQuery,
  OUT_OF_SCOPE,
  recordField,
  type RollLayer,
  type SaleLayer,
  type TaxLayer,
  toCandidate,
} from './layer.ts';
import { PagedRead, rowsToParse } from '../paged_read.ts';
import { DistressRecord } from '../../rows/distress_record.ts';
import { Parcel } from '../../rows/parcel.ts';
import { Auction } from '../../rows/auction.ts';
import { TaxParcel } from '../../rows/tax_parcel.ts';

/**
 * Reason of an error that ArcGIS sends with HTTP 200. Codes are as in HTTP; 498 and 499 mean a wrong or missing token.
 */
function unavailableReason(code: number): SourceUnavailable['reason'] | null {
  if ([401, 403, 498, 499].includes(code)) return 'refused';
  if (code === 404) return 'not_found';
  if (code === 429) return 'rate_limited';
  return code >= 500 ? 'server_error' : null;
}

/**
 * A page's JSON object.
 * @throws Quarantine if it is not one, or is an error that means that the request no longer fits the layer
 * @throws SourceUnavailable if it is an error that means that the server refuses or fails
 */
function parseResponse(page: Page): JsonObject {
  const text = page.text();
  if (!text.trim()) throw new Quarantine('empty_body', 'the response is empty', page.url);
  const json = parseJson(text, 'the response', page.url);
  if (!isObject(json)) throw new Quarantine('malformed_page', 'the response is not a JSON object', page.url);
  if (!isObject(json.error)) return json;
  const { code, message, details } = json.error;
  const more = Array.isArray(details) && details.length ? ` (${details.join('; ')})` : '';
  const detail = `the layer responds with error ${String(code)}: ${String(message)}${more}`;
  const reason = unavailableReason(Number(code));
  throw reason === null
    ? new Quarantine('template_changed', detail, page.url)
    : new SourceUnavailable(reason, detail, page.url, Number(code));
}

/** Fields of a description or of a page of features. */
const fieldsIn = (json: JsonObject): readonly JsonObject[] =>
  Array.isArray(json.fields) ? json.fields.filter(isObject) : [];

/**
 * Name of the object id: "OBJECTID" in a layer with shapes, "ObjectId" in a hosted table, with the table's name in a
 * joined layer.
 */
function objectIdName(description: JsonObject): string {
  const name = fieldsIn(description).find(({ type }) => type === 'esriFieldTypeOID')?.name ?? description.objectIdField;
  return typeof name === 'string' && name !== '' ? name : 'OBJECTID';
}

/**
 * The layer's own name of each field it has. A joined layer prints the table before it, "CAGIS.AUDREAL_VW.CLASS".
 * @throws Quarantine missing_column unless all needed fields are among them, template_changed if two have one name or
 *   one has none
 */
function fieldNames(json: JsonObject, layer: LayerFields, page: Page): ReadonlyMap<string, string> {
  const present = fieldsIn(json).map(({ name }) => {
    if (typeof name === 'string') return name;
    throw new Quarantine('template_changed', 'a field of the layer has no name', page.url);
  });
  const names = new Map<string, string>();
  const groups = layer.oneOf ?? [];
  for (const name of [...groups.flat(), ...layer.needed, ...(layer.optional ?? [])]) {
    const found = present.includes(name) ? [name] : present.filter((other) => other.endsWith(`.${name}`));
    if (found.length > 1)
      throw new Quarantine('template_changed', `the layer has two fields ${name}: ${found.join(' and ')}`, page.url);
    if (found[0] !== undefined) names.set(name, found[0]);
  }
  const missing = [
    ...layer.needed.filter((name) => !names.has(name)),
    ...groups.filter((group) => !group.some((name) => names.has(name))).map((group) => group.join(' or ')),
  ];
  if (missing.length)
    throw new Quarantine(
      'missing_column',
      `the layer has no field ${missing.join(', ')}; it has ${present.join(', ') || 'none'}`,
      page.url,
    );
  return names;
}

interface Features {
  /** Attributes under the layer's own names. */
  readonly attributes: readonly Attributes[];
  readonly names: ReadonlyMap<string, string>;
  /** Whether the server says that it has more features than the page. */
  readonly more: boolean;
}

/** Features of a page. @throws Quarantine if a feature lacks a listed field, or has one that is not listed */
function readFeatures(page: Page, layer: LayerFields): Features {
  const json = parseResponse(page);
  const names = fieldNames(json, layer, page);
  if (!Array.isArray(json.features))
    throw new Quarantine('template_changed', 'the response has no features array', page.url);
  const attributes = json.features.map((feature: unknown) =>
    isObject(feature) && isObject(feature.attributes) ? feature.attributes : null,
  );
  if (attributes.includes(null)) throw new Quarantine('template_changed', 'a feature has no attributes', page.url);
  // The server sends every field of every feature, a blank one as null.
  const missing = [...names.values()].find((name) =>
    attributes.some((attribute) => attribute !== null && !(name in attribute)),
  );
  if (missing !== undefined)
    throw new Quarantine(
      'template_changed',
      `a feature has no attribute ${missing}, which the response lists in its fields`,
      page.url,
    );
  const sent = Object.keys(attributes[0] ?? {});
  const wanted = [...(layer.oneOf ?? []).flat(), ...layer.needed, ...(layer.optional ?? [])];
  const unlisted = wanted.find(
    (name) => !names.has(name) && sent.some((own) => own === name || own.endsWith(`.${name}`)),
  );
  if (unlisted !== undefined)
    throw new Quarantine(
      'template_changed',
      `a feature has the attribute ${unlisted}, which the response does not list in its fields`,
      page.url,
    );
  return {
    attributes: attributes.filter((attribute) => attribute !== null),
    names,
    more: json.exceededTransferLimit === true,
  };
}

/** Maximum number of features per request, if the layer allows it. */
const MAX_PAGE_SIZE = 2000;

/** A condition with the layer's own names of its fields. Text in quotes is no field. */
const qualified = (where: string, names: ReadonlyMap<string, string>): string =>
  where.replace(/'(?:[^']|'')*'|[A-Z_]\w*/giu, (word) => names.get(word) ?? word);

/** Where the next page begins. */
interface Position {
  /** The largest object id read; null if the layer's ids are no numbers. */
  readonly last: number | null;
  /** Features to skip after it. */
  readonly skip: number;
}

const after = (where: string, oid: string, { last, skip }: Position): Readonly<Record<string, string>> => ({
  where: last === null ? where : `(${where}) AND ${oid} > ${last}`,
  ...(skip === 0 ? {} : { resultOffset: String(skip) }),
});

/** Pages of the layer. @throws Quarantine count_mismatch unless they hold as many features as the layer counts */
async function* readLayer(ctx: FetchContext, source: LayerQuery): AsyncGenerator<Page> {
  const { layer } = source;
  const get = (url: string, kind: string): Promise<Page> =>
    ctx.get(url, { kind, accept: 'application/json' } satisfies GetOptions);
  const query = (parameters: Readonly<Record<string, string>>, kind: string): Promise<Page> =>
    get(`${layer}/query?${new URLSearchParams({ ...parameters, f: 'json' })}`, kind);

  const layerPage = await get(`${layer}?f=json`, 'layer');
  const description = parseResponse(layerPage);
  const names = fieldNames(description, source, layerPage);
  ctx.describes(fieldsIn(description).map(({ name }) => String(name)));
  const where = qualified(typeof source.where === 'string' ? source.where : source.where(ctx), names);
  const oid = objectIdName(description);
  const limit = Number(description.maxRecordCount);
  const largest = source.pageSize ?? MAX_PAGE_SIZE;
  const size = Math.min(largest, limit >= 1 ? Math.floor(limit) : largest, ctx.sampleRows ?? largest);

  const count = async (): Promise<number> => {
    const page = await query({ where, returnCountOnly: 'true' }, 'count');
    const total = Number(parseResponse(page).count);
    if (!Number.isInteger(total)) throw new Quarantine('template_changed', 'the count is not a number', page.url);
    return total;
  };
  const total = await count();

  const fixed = {
    outFields: [...new Set([oid, ...names.values()])].join(','),
    resultRecordCount: String(size),
    orderByFields: oid,
    returnGeometry: 'false',
  };
  const pages = new PagedRead();
  let asked = 0;
  let read = 0;
  let position: Position = { last: null, skip: 0 };
  for (;;) {
    const page = await query({ ...after(where, oid, position), ...fixed }, 'features');
    const found = readFeatures(page, source);
    const ids = found.attributes.map((attributes) => attributes[oid]);
    const isNew = pages.take(page, ids);
    read += ids.length;
    asked += 1;
    const last = ids.at(-1);
    position =
      typeof last === 'number' ? { last, skip: 0 } : { ...position, skip: position.skip + (ids.length || size) };
    // A server may send fewer features than requested without saying so, or none although it says that there are more.
    const isStuck = ids.length > 0 ? !isNew : !found.more || position.skip >= total;
    if (isStuck || ctx.sampleRows !== null || !(found.more || read < total)) break;
  }
  if (ctx.sampleRows !== null) {
    yield* pages.rest(ctx, oid, null);
    return;
  }
  const present = asked > 1 ? presentIds(await query({ where, returnIdsOnly: 'true' }, 'ids')) : null;
  const { seen } = pages;
  const stated = present?.size ?? (read === total ? total : await count());
  const lost = present === null ? [] : [...present].filter((id) => !seen.has(id) && isRead(id, position));
  if (read !== seen.size || (present === null ? read !== stated : lost.length > 0)) {
    throw new Quarantine(
      'count_mismatch',
      `the layer counts ${total} features; ${read} were read, ${seen.size} of them distinct` +
        (lost.length === 0 ? '' : `, and ${lost.length} of the layer were not read, such as ${oid} ${String(lost[0])}`),
      `${layer}/query?${new URLSearchParams({ where, returnCountOnly: 'true', f: 'json' })}`,
    );
  }
  ctx.states(stated);
  yield* pages.rest(ctx, oid, present);
}

/** Whether a read to this position should have found the id. A feature added at the end is for the next read. */
const isRead = (id: unknown, { last }: Position): boolean => last === null || Number(id) <= last;

/** Object ids that the layer has now; null if the server does not list them. */
function presentIds(page: Page): ReadonlySet<unknown> | null {
  const { objectIds } = parseResponse(page);
  return Array.isArray(objectIds) ? new Set<unknown>(objectIds) : null;
}

export type { Attributes } from './layer.ts';

/** An adapter for one county's delinquent parcels. */
export const arcgisParcels = (source: TaxLayer): SourceSpec =>
  adapter(source, { family: 'tax', row: TaxParcel, fixed: {} });

/** An adapter for the addresses, values and last sales of a county's or city's parcels. */
export const arcgisAddresses = (source: RollLayer): SourceSpec =>
  adapter(source, { family: 'parcels', row: Parcel, fixed: {} });

/** An adapter for cases, tickets or notices of one kind of distress. */
export const arcgisDistress = (source: DistressLayer): SourceSpec =>
  adapter(source, {
    family: 'distress',
    row: DistressRecord,
    record: 'record_number',
    fixed: { signal_type: source.signalType },
  });

/** An adapter for announced sales. */
export const arcgisSales = (source: SaleLayer): SourceSpec =>
  adapter(source, {
    family: 'auctions',
    row: Auction,
    record: 'case_number',
    fixed: { auction_type: source.auctionType, state: source.county.state },
  });

function adapter(source: AnyLayer, kind: Kind): SourceSpec {
  const fields: LayerFields = {
    ...source,
    oneOf: [
      ...[recordField(source), source.parcel].map(fieldsOf).filter((group) => group.length > 0),
      ...(source.oneOf ?? []),
    ],
  };
  return defineSource({
    ...source,
    family: kind.family,
    home: source.layer,
    hosts: [new URL(source.layer).host],
    row: kind.row,
    // Two rows of one case are two states of it: the row with the later object id counts.
    ...(kind.record === undefined ? { contradictions: 'refused' } : {}),
    expect: source.outOfScope ? { ...source.expect, uncountedRejects: [OUT_OF_SCOPE] } : source.expect,
    fetch: (ctx) => readLayer(ctx, { ...source, ...fields }),
    parse: (page) => parseFeatures(page, fields, source, kind),
  });
}

function parseFeatures(page: Page, fields: LayerFields, source: AnyLayer, kind: Kind): Candidate[] {
  let found: Features;
  try {
    found = readFeatures(page, fields);
  } catch (error) {
    // An archived page cannot be unavailable, so the page itself is not the expected one.
    if (error instanceof SourceUnavailable) throw new Quarantine('malformed_page', error.message, page.url);
    throw error;
  }
  return rowsToParse(page, found.attributes).map((published) =>
    toCandidate(published, found.names, { page, source, kind }),
  );
}
