/**
 * Layers and tables of ArcGIS servers: tax lists, parcel rolls, cases and tickets, announced sales.
 *
 * A source is a declaration (layer.ts): its layer, the condition of the features to read, and how a feature's
 * attributes become a row. A read requests the layer's description, to check its fields, the number of features, all
 * pages, each after the last object id of the one before, and then the ids that the layer has: a feature that was not
 * read refuses the read, one that was deleted meanwhile is left out. response.ts reads pages, rows.ts makes rows.
 */
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
import { PagedRead, rowsToParse } from '../paged_read.ts';
import { DistressRecord } from '../../rows/distress_record.ts';
import { Parcel } from '../../rows/parcel.ts';
import { Auction } from '../../rows/auction.ts';
import { TaxParcel } from '../../rows/tax_parcel.ts';
import {
  type DistressLayer,
  fieldsOf,
  type LayerFields,
  type LayerQuery,
  type RollLayer,
  type SaleLayer,
  type TaxLayer,
} from './layer.ts';
import { type Features, fieldNames, fieldsIn, objectIdName, parseResponse, readFeatures } from './response.ts';
import { type AnyLayer, type Kind, OUT_OF_SCOPE, recordField, toCandidate } from './rows.ts';

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
