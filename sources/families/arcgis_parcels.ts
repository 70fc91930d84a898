/**
 * Counties that publish tax delinquency, or the addresses of delinquent parcels, in an ArcGIS parcel layer.
 *
 * A county is a declaration: its layer, the condition of a delinquent parcel, and how a feature's attributes become a
 * row. A read gets the layer's description, to check its fields, then the number of parcels, then all pages in the
 * order of the object id. The parcels read must equal that number.
 */
import {
  defineSource,
  Quarantine,
  SourceUnavailable,
  type Candidate,
  type FetchContext,
  type GetOptions,
  type Page,
  type SourceSpec,
} from '../contract.ts';
import { completeRow, type GivenRow, type RecordDefinition, type RowOf } from '../../lib/record.ts';
import { Parcel } from '../rows/parcel.ts';
import { isObject, parseJson, type JsonObject } from '../json.ts';
import { TaxParcel } from '../rows/tax_parcel.ts';
import { candidate, optional, required } from '../values.ts';

export type Attributes = JsonObject;

export interface ParcelLayer<Row> extends Pick<
  SourceSpec,
  'name' | 'title' | 'terms' | 'everyDays' | 'politeness' | 'expect'
> {
  readonly county: NonNullable<SourceSpec['county']>;
  /** Address of the layer, without a slash at its end. */
  readonly layer: string;
  /** The layer's SQL condition for the parcels to read. */
  readonly where: string;
  /** Fields that the layer must have, without the table's name that a joined layer prints before them. */
  readonly needed: readonly string[];
  /** Groups of fields, of each of which the layer must have at least one. */
  readonly oneOf?: readonly (readonly string[])[];
  /** Fields to read if the layer has them. */
  readonly optional?: readonly string[];
  /** The field that holds the parcel number, or several: a blank one gives way to the next. */
  readonly parcel: string | readonly [string, ...string[]];
  /** Features per request, if the server answers fewer than its description states. */
  readonly pageSize?: number;
  /** Why a feature is no longer a parcel, or null. Such a row is rejected, and its last good version is not carried. */
  readonly gone?: (attributes: Attributes) => string | null;
  /** The other values of a row; may refuse it. */
  values(attributes: Attributes): Omit<GivenRow<Row>, 'county_fips' | 'county' | 'parcel_raw'>;
}

/** Maximum number of features per request, if the layer allows it. */
const MAX_PAGE_SIZE = 2000;

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
function responseOf(page: Page): JsonObject {
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

type LayerFields = Pick<ParcelLayer<unknown>, 'parcel' | 'needed' | 'optional' | 'oneOf'>;

const parcelFields = ({ parcel }: LayerFields): readonly string[] => (typeof parcel === 'string' ? [parcel] : parcel);

/**
 * The layer's own name of each field it has. A joined layer prints the table before it, "CAGIS.AUDREAL_VW.CLASS".
 * @throws Quarantine missing_column unless all needed fields are among them, template_changed if two have one name
 */
function fieldNames(json: JsonObject, layer: LayerFields, page: Page): ReadonlyMap<string, string> {
  const present = Array.isArray(json.fields) ? json.fields.filter(isObject).map((f) => String(f.name)) : [];
  const names = new Map<string, string>();
  const groups = [parcelFields(layer), ...(layer.oneOf ?? [])];
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
  readonly more: boolean;
}

/** Features of a page. @throws Quarantine if a feature lacks a field */
function featuresOf(page: Page, layer: LayerFields): Features {
  const json = responseOf(page);
  const names = fieldNames(json, layer, page);
  if (!Array.isArray(json.features))
    throw new Quarantine('template_changed', 'the response has no features array', page.url);
  const attributes = json.features.map((f: unknown) => (isObject(f) && isObject(f.attributes) ? f.attributes : null));
  if (attributes.includes(null)) throw new Quarantine('template_changed', 'a feature has no attributes', page.url);
  // The server sends every field of every feature, a blank one as null.
  const missing = [...names.values()].find((name) => attributes.some((a) => a !== null && !(name in a)));
  if (missing !== undefined)
    throw new Quarantine(
      'template_changed',
      `a feature has no attribute ${missing}, which the response lists in its fields`,
      page.url,
    );
  return { attributes: attributes.filter((a) => a !== null), names, more: json.exceededTransferLimit === true };
}

/** Pages of the layer. @throws Quarantine count_mismatch unless they hold as many parcels as the layer counts */
async function* fetchLayer(
  ctx: FetchContext,
  county: Pick<ParcelLayer<unknown>, 'layer' | 'where' | 'pageSize'> & LayerFields,
): AsyncGenerator<Page> {
  const { layer } = county;
  const get = (url: string, kind: string): Promise<Page> =>
    ctx.get(url, { kind, accept: 'application/json' } satisfies GetOptions);
  const layerPage = await get(`${layer}?f=json`, 'layer');
  const description = responseOf(layerPage);
  const names = fieldNames(description, county, layerPage);
  const where = county.where.replace(/[A-Z_]\w*/giu, (word) => names.get(word) ?? word);
  const query = (parameters: Readonly<Record<string, string>>, kind: string): Promise<Page> =>
    get(`${layer}/query?${new URLSearchParams({ where, ...parameters, f: 'json' })}`, kind);
  const objectId = Array.isArray(description.fields)
    ? description.fields.filter(isObject).find((f) => f.type === 'esriFieldTypeOID')?.name
    : undefined;
  const oid = typeof objectId === 'string' ? objectId : 'OBJECTID';
  const limit = Number(description.maxRecordCount);
  const largest = county.pageSize ?? MAX_PAGE_SIZE;
  const size = Math.min(largest, limit >= 1 ? Math.floor(limit) : largest, ctx.sampleRows ?? largest);

  const countPage = await query({ returnCountOnly: 'true' }, 'count');
  const total = Number(responseOf(countPage).count);
  if (!Number.isInteger(total)) throw new Quarantine('template_changed', 'the count is not a number', countPage.url);

  const outFields = [...new Set([oid, ...names.values()])].join(',');
  const seen = new Set<unknown>();
  let read = 0;
  let more = true;
  while (more) {
    const page = await query(
      {
        outFields,
        resultOffset: String(read),
        resultRecordCount: String(size),
        orderByFields: oid,
        returnGeometry: 'false',
      },
      'features',
    );
    const found = featuresOf(page, county);
    for (const attributes of found.attributes) seen.add(attributes[oid]);
    read += found.attributes.length;
    more = found.more;
    if (read > total || (more && found.attributes.length === 0)) break;
    yield page;
  }
  if (read !== total || seen.size !== total) {
    throw new Quarantine(
      'count_mismatch',
      `the layer counts ${total} parcels; ${read} were read, ${seen.size} of them distinct`,
      countPage.url,
    );
  }
}

/** An adapter for one county's delinquent parcels. */
export const arcgisParcels = (county: ParcelLayer<RowOf<typeof TaxParcel>>): SourceSpec =>
  adapter(county, 'tax', TaxParcel);

/** An adapter for the addresses of one county's parcels. */
export const arcgisAddresses = (county: ParcelLayer<RowOf<typeof Parcel>>): SourceSpec =>
  adapter(county, 'parcels', Parcel);

function adapter<Row>(county: ParcelLayer<Row>, family: SourceSpec['family'], row: RecordDefinition): SourceSpec {
  return defineSource({
    name: county.name,
    family,
    title: county.title,
    home: county.layer,
    county: county.county,
    terms: county.terms,
    everyDays: county.everyDays,
    hosts: [new URL(county.layer).host],
    politeness: county.politeness,
    row,
    contradictions: 'refused',
    expect: county.expect,
    fetch: (ctx) => fetchLayer(ctx, county),
    parse: (page) => parseFeatures(page, county, row),
  });
}

function parseFeatures<Row>(page: Page, county: ParcelLayer<Row>, row: RecordDefinition): Candidate[] {
  let found: Features;
  try {
    found = featuresOf(page, county);
  } catch (error) {
    // An archived page has no server that could be unavailable: the page is not the expected one.
    if (error instanceof SourceUnavailable) throw new Quarantine('malformed_page', error.message, page.url);
    throw error;
  }
  const { fips, name, state } = county.county;
  const { names } = found;
  return found.attributes.map((published) => {
    const raw = JSON.stringify(published);
    const attributes = Object.fromEntries([...names].map(([short, own]) => [short, published[own]]));
    const gone = county.gone?.(attributes) ?? null;
    if (gone !== null) return { reject: { reason: 'parcel_gone', detail: gone }, raw };
    const fields = parcelFields(county);
    const field = fields.find((own) => optional(attributes[own]) !== null) ?? fields[0] ?? '';
    const parcel = attributes[field];
    const key =
      typeof parcel === 'string' && parcel.trim() ? { county_fips: fips, parcel_raw: parcel.trim() } : undefined;
    return candidate(
      raw,
      () => {
        const parcel_raw = required('parcel_raw', parcel);
        return {
          values: completeRow(row, {
            county_fips: fips,
            county: `${name}, ${state}`,
            parcel_raw,
            ...county.values(attributes),
          }),
          sourceUrl: parcelUrl(page, names.get(field) ?? field, parcel_raw),
        };
      },
      key,
    );
  });
}

/** The layer's own page for one parcel. */
function parcelUrl(page: Page, field: string, parcel: string): string {
  const where = `${field}='${parcel.replaceAll("'", "''")}'`;
  const query = new URLSearchParams({ where, outFields: '*', returnGeometry: 'false', f: 'html' });
  return new URL(`query?${query}`, page.url).href;
}
