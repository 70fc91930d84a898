/** A feature as a candidate of the staged record. */
import { completeRow, type RecordDefinition } from '../../../lib/record.ts';
import type { Candidate, Page, SourceSpec } from '../../contract.ts';
import { candidate, optional, refuse, required } from '../../values.ts';
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

/** The first field of a choice that has a value, else its first. */
function chosen(choice: FieldChoice | undefined, attributes: Attributes): string {
  const fields = fieldsOf(choice);
  return fields.find((field) => optional(attributes[field]) !== null) ?? fields[0] ?? '';
}

/** The parcel number of a field, or null for a blank or a placeholder. */
function parcelOf(value: unknown, form: RegExp | undefined): string | null {
  const text = optional(value);
  if (text === null || /^[0\W]+$/u.test(text)) return null;
  return form === undefined || form.test(text) ? text : null;
}

/**
 * @param published attributes under the layer's own names
 * @param names the layer's own name of each field
 */
export function toCandidate(
  published: Attributes,
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
  const raw = (): string => JSON.stringify(published);
  const attributes = Object.fromEntries([...names].map(([short, own]) => [short, published[own]]));
  const gone = source.gone?.(attributes) ?? null;
  if (gone !== null) return { reject: { reason: 'parcel_gone', detail: gone }, raw: raw() };
  const facts = { readOn: page.observedAt.slice(0, 10) };
  const { county } = source;
  const parcelField = chosen(source.parcel, attributes);
  const recordName = chosen(recordField(source), attributes);
  const parcel_raw = parcelOf(attributes[parcelField], source.parcelForm);
  const number = kind.record === undefined ? parcel_raw : optional(attributes[recordName]);
  const key = keyOf({ county_fips: county.fips, ...kind.fixed, parcel_raw }, number, kind);
  const build = (): { readonly values: Readonly<Record<string, unknown>>; readonly sourceUrl: string } => {
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
  // A value that decides the scope may be refused, as any other value of the row.
  let outside: string | null = null;
  const scoped = candidate(
    raw,
    () => {
      outside = source.outOfScope?.(attributes, facts) ?? null;
      return outside === null ? build() : { values: {} };
    },
    key,
  );
  return outside === null ? scoped : { reject: { reason: OUT_OF_SCOPE, detail: outside }, raw: raw() };
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
