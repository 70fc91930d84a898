/**
 * Counties that publish tax delinquency, or where delinquent parcels lie, in an ArcGIS parcel layer.
 *
 * A county is a declaration: its layer, the condition that makes a parcel delinquent, and how a feature's
 * attributes become a row. Reading is the same everywhere: the layer's description (are the fields still there?),
 * the number of parcels, then page after page in the order of the object id, and the two counts must agree.
 */
import {
  defineSource,
  Quarantine,
  SourceUnavailable,
  type FetchContext,
  type GetOptions,
  type Page,
  type SourceSpec,
} from '../contract.ts';
import type { RecordDefinition, RowOf } from '../../lib/record.ts';
import { Parcel } from '../rows/parcel.ts';
import { TaxParcel } from '../rows/tax_parcel.ts';
import { candidate, required } from '../values.ts';

export type Attributes = Readonly<Record<string, unknown>>;

export interface ParcelLayer<Row> extends Pick<
  SourceSpec,
  'name' | 'title' | 'terms' | 'everyDays' | 'politeness' | 'expect'
> {
  readonly county: NonNullable<SourceSpec['county']>;
  /** Address of the layer, without a slash at its end. */
  readonly layer: string;
  /** SQL condition of the parcels to read. */
  readonly where: string;
  /** Fields without which the layer is not the one we know. */
  readonly needed: readonly string[];
  /** Fields that are read where the layer has them. */
  readonly optional?: readonly string[];
  /** The needed field that holds the parcel number. */
  readonly parcel: string;
  /** Why a feature is no parcel any more, or null. Such a row is refused without its last good version being kept. */
  readonly gone?: (attributes: Attributes) => string | null;
  /** The rest of a row; may throw a Refusal. */
  values(attributes: Attributes): Omit<Row, 'county_fips' | 'county' | 'parcel_raw'>;
}

/** The largest page asked for, whatever the layer offers. */
const PAGE_SIZE = 2000;

const isObject = (value: unknown): value is Attributes =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Why ArcGIS answered HTTP 200 with an error: codes as in HTTP, 498 and 499 are a token that is wrong or missing. */
function unavailable(code: number): SourceUnavailable['reason'] | null {
  if ([401, 403, 498, 499].includes(code)) return 'refused';
  if (code === 404) return 'not_found';
  if (code === 429) return 'rate_limited';
  return code >= 500 ? 'server_error' : null;
}

/**
 * A page's JSON object. Throws Quarantine where it is not one, or where it is an error that says our request no
 * longer fits the layer; SourceUnavailable where the error says that the server refuses or fails.
 */
function answer(page: Page): Attributes {
  const text = page.text();
  if (!text.trim()) throw new Quarantine('empty_body', 'the answer is empty', page.url);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Quarantine('malformed_page', `the answer is not JSON: ${JSON.stringify(text.slice(0, 80))}`, page.url);
  }
  if (!isObject(json)) throw new Quarantine('malformed_page', 'the answer is not a JSON object', page.url);
  if (isObject(json.error)) {
    const { code, message, details } = json.error;
    const detail = `the layer answers error ${String(code)}: ${String(message)}${Array.isArray(details) && details.length ? ` (${details.join('; ')})` : ''}`;
    const reason = unavailable(Number(code));
    throw reason === null
      ? new Quarantine('template_changed', detail, page.url)
      : new SourceUnavailable(reason, detail, page.url, Number(code));
  }
  return json;
}

/** Names in a `fields` array. Throws Quarantine("missing_column") unless every needed one is among them. */
function checkFields(json: Attributes, needed: readonly string[], page: Page): readonly string[] {
  const fields = Array.isArray(json.fields) ? json.fields.filter(isObject).map((f) => String(f.name)) : [];
  const missing = needed.filter((name) => !fields.includes(name));
  if (missing.length)
    throw new Quarantine(
      'missing_column',
      `the layer has no field ${missing.join(', ')}; it has ${fields.join(', ') || 'none'}`,
      page.url,
    );
  return fields;
}

function features(page: Page, needed: readonly string[]): { attributes: Attributes[]; more: boolean } {
  const json = answer(page);
  const fields = checkFields(json, needed, page);
  if (!Array.isArray(json.features))
    throw new Quarantine('template_changed', 'the answer has no features array', page.url);
  const attributes = json.features.map((f: unknown) => (isObject(f) && isObject(f.attributes) ? f.attributes : null));
  if (attributes.includes(null)) throw new Quarantine('template_changed', 'a feature has no attributes', page.url);
  // The server sends every field of every feature, blank ones as null: one that is not there is no blank.
  const left = fields.find((name) => attributes.some((a) => a !== null && !(name in a)));
  if (left !== undefined)
    throw new Quarantine(
      'template_changed',
      `a feature has no attribute ${left}, which the answer lists among its fields`,
      page.url,
    );
  return { attributes: attributes.filter((a) => a !== null), more: json.exceededTransferLimit === true };
}

async function* readLayer(
  ctx: FetchContext,
  county: Pick<ParcelLayer<unknown>, 'layer' | 'where' | 'needed' | 'optional'>,
): AsyncGenerator<Page> {
  const { layer, where, needed } = county;
  const get = (url: string, kind: string): Promise<Page> =>
    ctx.get(url, { kind, accept: 'application/json' } satisfies GetOptions);
  const query = (parameters: Readonly<Record<string, string>>, kind: string): Promise<Page> =>
    get(`${layer}/query?${new URLSearchParams({ where, ...parameters, f: 'json' })}`, kind);

  const layerPage = await get(`${layer}?f=json`, 'layer');
  const described = answer(layerPage);
  const present = checkFields(described, needed, layerPage);
  const objectId = Array.isArray(described.fields)
    ? described.fields.filter(isObject).find((f) => f.type === 'esriFieldTypeOID')?.name
    : undefined;
  const oid = typeof objectId === 'string' ? objectId : 'OBJECTID';
  const offered = Number(described.maxRecordCount);
  const size = offered >= 1 ? Math.min(PAGE_SIZE, Math.floor(offered)) : PAGE_SIZE;

  const countPage = await query({ returnCountOnly: 'true' }, 'count');
  const total = Number(answer(countPage).count);
  if (!Number.isInteger(total)) throw new Quarantine('template_changed', 'the count is not a number', countPage.url);

  const outFields = [
    ...new Set([oid, ...needed, ...(county.optional ?? []).filter((name) => present.includes(name))]),
  ].join(',');
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
    const found = features(page, needed);
    for (const attributes of found.attributes) seen.add(attributes[oid]);
    read += found.attributes.length;
    more = found.more;
    if (read > total || (more && found.attributes.length === 0)) break;
    yield page;
  }
  if (read !== total || seen.size !== total) {
    throw new Quarantine(
      'count_mismatch',
      `the layer counts ${total} parcels; ${read} were read, ${seen.size} of them different`,
      countPage.url,
    );
  }
}

/** An adapter for one county's delinquent parcels. */
export const arcgisParcels = (county: ParcelLayer<RowOf<typeof TaxParcel>>): SourceSpec =>
  adapter(county, 'tax', TaxParcel);

/** An adapter for where one county's parcels lie. */
export const arcgisAddresses = (county: ParcelLayer<RowOf<typeof Parcel>>): SourceSpec =>
  adapter(county, 'parcels', Parcel);

function adapter<Row>(county: ParcelLayer<Row>, family: SourceSpec['family'], row: RecordDefinition): SourceSpec {
  const { fips, name, state } = county.county;
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
    expect: county.expect,
    fetch: (ctx) => readLayer(ctx, county),
    parse: (page) => {
      let found: readonly Attributes[];
      try {
        found = features(page, county.needed).attributes;
      } catch (error) {
        // While parsing there is no server to be unavailable: an error is then simply not the page we know.
        if (error instanceof SourceUnavailable) throw new Quarantine('malformed_page', error.message, page.url);
        throw error;
      }
      return found.map((attributes) => {
        const gone = county.gone?.(attributes) ?? null;
        if (gone !== null) return { reject: { reason: 'parcel_gone', detail: gone }, raw: JSON.stringify(attributes) };
        const parcel = attributes[county.parcel];
        const key =
          typeof parcel === 'string' && parcel.trim() ? { county_fips: fips, parcel_raw: parcel.trim() } : undefined;
        return candidate(
          JSON.stringify(attributes),
          () => {
            const parcel_raw = required('parcel_raw', parcel);
            return {
              values: { county_fips: fips, county: `${name}, ${state}`, parcel_raw, ...county.values(attributes) },
              sourceUrl: parcelUrl(page, county.parcel, parcel_raw),
            };
          },
          key,
        );
      });
    },
  });
}

/** The layer's own page for one parcel, from the address of the page it was read from. */
function parcelUrl(page: Page, field: string, parcel: string): string {
  const where = `${field}='${parcel.replaceAll("'", "''")}'`;
  return new URL(
    `query?${new URLSearchParams({ where, outFields: '*', returnGeometry: 'false', f: 'html' })}`,
    page.url,
  ).href;
}
