/** A feature as a candidate of the staged record. */
import { completeRow, type RecordDefinition } from '../../../lib/record.ts';
import type { Candidate, Page, SourceSpec } from '../../contract.ts';
import { candidate, optional, published, refuse, required } from '../../values.ts';
import { fieldsOf, type Attributes, type DistressLayer, type FieldChoice } from './layer.ts';
import type { RollLayer, SaleLayer, TaxLayer } from './layer.ts';

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
