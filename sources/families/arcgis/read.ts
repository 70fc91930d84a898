/**
 * A read of a layer: its description, to check its fields, then the number of features, then all pages in the order of
 * the object id. The features read must equal that number.
 */
import { Quarantine, type FetchContext, type GetOptions, type Page } from '../../contract.ts';
import type { LayerQuery } from './layer.ts';
import { readFeatures, fieldNames, objectIdName, parseResponse } from './response.ts';

/** Maximum number of features per request, if the layer allows it. */
const MAX_PAGE_SIZE = 2000;

/** A condition with the layer's own names of its fields. Text in quotes is no field. */
const qualified = (where: string, names: ReadonlyMap<string, string>): string =>
  where.replace(/'(?:[^']|'')*'|[A-Z_]\w*/giu, (word) => names.get(word) ?? word);

/** Condition and offset of the next page. @param last the largest object id read so far, if there is one */
function nextPage(where: string, oid: string, read: number, last: number | null): Readonly<Record<string, string>> {
  return last === null ? { where, resultOffset: String(read) } : { where: `(${where}) AND ${oid} > ${last}` };
}

/** Pages of the layer. @throws Quarantine count_mismatch unless they hold as many features as the layer counts */
export async function* readLayer(ctx: FetchContext, source: LayerQuery): AsyncGenerator<Page> {
  const { layer } = source;
  const get = (url: string, kind: string): Promise<Page> =>
    ctx.get(url, { kind, accept: 'application/json' } satisfies GetOptions);
  const query = (parameters: Readonly<Record<string, string>>, kind: string): Promise<Page> =>
    get(`${layer}/query?${new URLSearchParams({ ...parameters, f: 'json' })}`, kind);

  const layerPage = await get(`${layer}?f=json`, 'layer');
  const description = parseResponse(layerPage);
  const names = fieldNames(description, source, layerPage);
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
  const seen = new Set<unknown>();
  let read = 0;
  let last: number | null = null;
  for (;;) {
    const page = await query({ ...nextPage(where, oid, read, last), ...fixed }, 'features');
    const found = readFeatures(page, source);
    const before = seen.size;
    for (const attributes of found.attributes) seen.add(attributes[oid]);
    read += found.attributes.length;
    const id = found.attributes.at(-1)?.[oid];
    if (source.paging === 'object_id' && typeof id === 'number') last = id;
    if (read === 0 || seen.size > before) yield page;
    // Some servers send fewer features than requested without saying that there are more.
    if (seen.size === before || !(found.more || read < total)) break;
  }
  // A large layer may change while it is read: then the features must match a second count.
  if (read !== seen.size || (read !== total && read !== (await count()))) {
    throw new Quarantine(
      'count_mismatch',
      `the layer counts ${total} features; ${read} were read, ${seen.size} of them distinct`,
      `${layer}/query?${new URLSearchParams({ where, returnCountOnly: 'true', f: 'json' })}`,
    );
  }
}
