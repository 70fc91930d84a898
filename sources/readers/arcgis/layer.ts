/**
 * Declaration of a source that reads one layer or table of an ArcGIS server, and a feature as a candidate of the staged
 * record.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { completeRow, type GivenRow, type RecordDefinition, type RowOf } from '../../../lib/record.ts';
import type { Candidate, FetchContext, Page, SourceSpec } from '../../contract.ts';
import type { AuctionType } from '../../kinds.ts';
import type { DistressRecord } from '../../rows/distress_record.ts';
import type { Parcel } from '../../rows/parcel.ts';
import type { Auction } from '../../rows/auction.ts';
import type { TaxParcel } from '../../rows/tax_parcel.ts';
import { candidate, optional, published, refuse, required } from '../../values.ts';

export type Attributes = JsonObject;

/** A field, or several: a blank one gives way to the next. */
type FieldChoice = string | readonly [string, ...string[]];

/** Facts of the page that a feature's attributes do not state. */
interface PageFacts {
  /** Day on which the page was read, UTC, YYYY-MM-DD. */
  readonly readOn: string;
}

/** Fields to read. Names are without the table's name that a joined layer prints before them. */
export interface LayerFields {
  /** Fields that the layer must have. Name the fields of `where` here. */
  readonly needed: readonly string[];
  /** Groups of fields, of each of which the layer must have at least one. */
  readonly oneOf?: readonly (readonly string[])[];
  /** Fields to read if the layer has them. */
  readonly optional?: readonly string[];
}

/** The request of a source. */
export interface LayerQuery extends LayerFields {
  /** Address of the layer, without a slash at its end. */
  readonly layer: string;
  /** The layer's SQL condition for the features to read. Write a date as `timestampLiteral` does. */
  readonly where: string | ((ctx: Pick<FetchContext, 'lastGoodOn'>) => string);
  /** Features per request, if the server answers fewer than its description states. */
  readonly pageSize?: number;
}

interface LayerSource<Values>
  extends
    LayerQuery,
    Pick<SourceSpec, 'name' | 'title' | 'terms' | 'covers' | 'everyDays' | 'minIntervalMs' | 'expect'> {
  readonly county: NonNullable<SourceSpec['county']>;
  /** A whole parcel number. Other text in the field is a placeholder, such as "MULTIPLE". Default: any text. */
  readonly parcelForm?: RegExp;
  /** Why a feature is no longer a parcel, or null. Such a row is rejected, and its last good version is not carried. */
  readonly gone?: (attributes: Attributes) => string | null;
  /** Why a feature is not of the source's kind, or null. Such a reject does not count in expectations. */
  readonly outOfScope?: (attributes: Attributes, page: PageFacts) => string | null;
  /** The other values of a row; may refuse it. */
  values(attributes: Attributes, page: PageFacts): Values;
}

/** Columns that the adapter fills by itself. */
type Filled = 'county_fips' | 'county' | 'parcel_raw';

/** A layer of which each feature is a parcel. */
interface ParcelSource<Row> extends LayerSource<Omit<GivenRow<Row>, Filled>> {
  /** The parcel number. A row without one is refused. */
  readonly parcel: FieldChoice;
}
export type TaxLayer = ParcelSource<RowOf<typeof TaxParcel>>;
export type RollLayer = ParcelSource<RowOf<typeof Parcel>>;

type Distress = RowOf<typeof DistressRecord>;
type Sale = RowOf<typeof Auction>;

/** A layer of which each feature is a case, ticket or notice. */
export interface DistressLayer extends LayerSource<Omit<GivenRow<Distress>, Filled | 'signal_type' | 'record_number'>> {
  readonly covers: NonNullable<SourceSpec['covers']>;
  readonly signalType: Distress['signal_type'];
  /** The record's own number, or the parcel number if the layer has no other. */
  readonly record: FieldChoice;
  /** The parcel number. A blank one, or a placeholder, is null. */
  readonly parcel?: FieldChoice;
}

/** A layer of which each feature is an announced sale. */
export interface SaleLayer extends LayerSource<
  Omit<GivenRow<Sale>, Filled | 'auction_type' | 'case_number' | 'state'>
> {
  readonly covers: NonNullable<SourceSpec['covers']>;
  readonly auctionType: AuctionType;
  /** Number of the case or of the notice of sale. */
  readonly record: FieldChoice;
  readonly parcel?: FieldChoice;
}

/** The fields of a choice, in order. */
export const fieldsOf = (choice: FieldChoice | undefined): readonly string[] =>
  choice === undefined ? [] : typeof choice === 'string' ? [choice] : choice;

export type AnyLayer = TaxLayer | RollLayer | DistressLayer | SaleLayer;

/** How a feature of one kind of layer becomes a row. */
export interface Kind {
  readonly family: SourceSpec['family'];
  readonly row: RecordDefinition;
  /** Column of the record's own number, if a feature is no parcel. */
  readonly record?: 'record_number' | 'case_number';
  /** Values that all rows of the source share. */
  readonly fixed: Readonly<Record<string, string>>;
}

/** Reason of a reject that does not count in expectations. */
export const OUT_OF_SCOPE = 'out_of_scope';

export const recordField = (source: AnyLayer): FieldChoice | undefined =>
  'record' in source ? source.record : undefined;

/** The first field of a choice that is not blank, else its first. */
function chosen(choice: FieldChoice | undefined, attributes: Attributes): string {
  const fields = fieldsOf(choice);
  const isBlank = (value: unknown): boolean =>
    value === null || (typeof value === 'string' && optional(value) === null);
  return fields.find((field) => !isBlank(attributes[field] ?? null)) ?? fields[0] ?? '';
}

/** A parcel number, or null for a blank or a placeholder. */
function parcelOf(text: string | null, form: RegExp | undefined): string | null {
  if (text === null || /^[0\W]+$/u.test(text)) return null;
  return form === undefined || form.test(text) ? text : null;
}

/**
 * @param feature attributes under the layer's own names
 * @param names the layer's own name of each field
 */
export function toCandidate(
  feature: Attributes,
  names: ReadonlyMap<string, string>,
  {
    page,
    source,
    kind,
  }: {
    readonly page: Page;
    readonly source: AnyLayer;
    readonly kind: Kind;
  },
): Candidate {
  // Few callers read the published row, and a roll has hundreds of thousands.
  const raw = (): string => JSON.stringify(feature);
  const attributes = Object.fromEntries([...names].map(([short, own]) => [short, feature[own]]));
  const facts = { readOn: page.observedAt.slice(0, 10) };
  const { county } = source;
  const parcelField = chosen(source.parcel, attributes);
  const recordName = chosen(recordField(source), attributes);
  const known = parcelOf(published(attributes[parcelField]), source.parcelForm);
  const number = kind.record === undefined ? known : published(attributes[recordName]);
  const key = keyOf({ county_fips: county.fips, ...kind.fixed, parcel_raw: known }, number, kind);
  const build = (): { readonly values: Readonly<Record<string, unknown>>; readonly sourceUrl: string } => {
    const parcel_raw = parcelOf(optional(attributes[parcelField]), source.parcelForm);
    if (kind.record !== undefined) required(kind.record, attributes[recordName]);
    else if (parcel_raw === null) refuseParcel(attributes[parcelField]);
    const linked = kind.record === undefined ? parcelField : recordName;
    return {
      values: completeRow(kind.row, {
        county_fips: county.fips,
        county: `${county.name}, ${county.state}`,
        ...kind.fixed,
        ...(kind.record === undefined ? {} : { [kind.record]: number }),
        parcel_raw,
        ...source.values(attributes, facts),
      }),
      sourceUrl: recordUrl(page, names.get(linked) ?? linked, attributes[linked]),
    };
  };
  // A value that decides whether the row counts may be refused, as any other value of the row.
  let gone: string | null = null;
  let outside: string | null = null;
  const counted = candidate(
    raw,
    () => {
      gone = source.gone?.(attributes) ?? null;
      outside = gone === null ? (source.outOfScope?.(attributes, facts) ?? null) : null;
      return (gone ?? outside) === null ? build() : { values: {} };
    },
    key,
  );
  if (gone !== null) return { reject: { reason: 'parcel_gone', detail: gone }, raw: raw() };
  return outside === null ? counted : { reject: { reason: OUT_OF_SCOPE, detail: outside }, raw: raw() };
}

function refuseParcel(value: unknown): never {
  required('parcel_raw', value);
  return refuse('bad_parcel_raw', `parcel_raw is ${JSON.stringify(value)}, a placeholder rather than a parcel number`);
}

/** Natural key of a row, or undefined if a part of it is unknown. */
function keyOf(
  known: Readonly<Record<string, string | null>>,
  number: string | null,
  { row, record }: Kind,
): Readonly<Record<string, string>> | undefined {
  const values: Readonly<Record<string, string | null>> = record === undefined ? known : { ...known, [record]: number };
  const parts = row.key.map((name) => [name, values[name] ?? null] as const);
  return parts.every((part): part is readonly [string, string] => part[1] !== null)
    ? Object.fromEntries(parts)
    : undefined;
}

/** The layer's own page for one parcel or record. */
function recordUrl(page: Page, field: string, value: unknown): string {
  const wanted = typeof value === 'number' ? String(value) : `'${String(value).trim().replaceAll("'", "''")}'`;
  const query = new URLSearchParams({
    where: `${field}=${wanted}`,
    outFields: '*',
    returnGeometry: 'false',
    f: 'html',
  });
  return new URL(`query?${query}`, page.url).href;
}
