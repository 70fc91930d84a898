/**
 * `datapackage.json` of a release: its tables as a Frictionless Data Package (https://datapackage.org), which many
 * tools read. Fields, constraints and keys follow from the record definitions. A field also has `unit`, `absent` (why
 * it may be null) and `personal`.
 */
import { z } from 'zod';
import type { Column, FieldKind } from '../../lib/record.ts';
import type { Mart } from '../../models/index.ts';
import type { Manifest } from '../../models/manifest.ts';

/** Types of Table Schema by kind of field. Money and rates are decimals, which it calls numbers. */
const TYPES: Readonly<Record<FieldKind, string>> = {
  text: 'string',
  enum: 'string',
  date: 'date',
  instant: 'datetime',
  money: 'number',
  percent: 'number',
  ratio: 'number',
  degrees: 'number',
  integer: 'integer',
  flag: 'boolean',
  json: 'object',
};

/** A JSON column holds an array or an object, as its schema says. */
const typeOf = ({ kind, name }: Column, schema: z.ZodObject): string => {
  if (kind !== 'json') return TYPES[kind];
  const json = z.toJSONSchema(schema.shape[name] as z.ZodType, { unrepresentable: 'any' });
  const types = [json, ...(json.anyOf ?? [])].map((part) => (typeof part === 'object' ? part.type : undefined));
  return types.includes('array') ? 'array' : TYPES.json;
};

const fieldOf = (column: Column, schema: z.ZodObject): object => ({
  name: column.name,
  type: typeOf(column, schema),
  description: column.about,
  ...(column.unit === undefined ? {} : { unit: column.unit }),
  ...(column.absent === undefined ? {} : { absent: column.absent }),
  ...(column.personal ? { personal: true } : {}),
  constraints: {
    required: column.absent === undefined,
    ...(column.values === undefined ? {} : { enum: column.values }),
  },
});

const foreignKeysOf = ({ contract: { publish } }: Mart, models: readonly Mart[]): readonly object[] =>
  Object.entries(publish.references ?? {}).flatMap(([column, target]) => {
    const key = models.find(({ name }) => name === target)?.contract.record.key;
    return key === undefined ? [] : [{ fields: [column], reference: { resource: target, fields: key } }];
  });

function describeResource(model: Mart, manifest: Manifest, models: readonly Mart[]): object {
  const { name, contract } = model;
  const [published] = manifest.tables[name]?.files ?? [];
  if (!published) throw new Error(`the snapshot has no table ${name}`);
  const foreignKeys = foreignKeysOf(model, models);
  return {
    name,
    path: published.file,
    format: 'parquet',
    mediatype: 'application/vnd.apache.parquet',
    description: contract.record.about,
    bytes: published.bytes,
    hash: `sha256:${published.sha256}`,
    rows: published.rows,
    schema: {
      fields: contract.record.columns.map((column) => fieldOf(column, contract.record.schema)),
      primaryKey: contract.record.key,
      ...(foreignKeys.length === 0 ? {} : { foreignKeys }),
    },
  };
}

/** The descriptor. @param models the released tables, which the snapshot has */
export const describePackage = (manifest: Manifest, models: readonly Mart[]): object => ({
  $schema: 'https://datapackage.org/profiles/2.0/datapackage.json',
  name: 'dealfeed',
  title: `Dealfeed release ${manifest.run_id}`,
  description: [
    'Listings of small multifamily buildings with their underwriting, distress records, sales and business filings.',
    manifest.notice,
  ]
    .filter(Boolean)
    .join(' '),
  version: manifest.run_id,
  created: manifest.generated_at,
  keywords: ['multifamily', 'real estate', 'underwriting', 'public records'],
  licenses: [{ name: 'terms-of-each-source', path: 'LICENSES.md', title: 'Terms of each source' }],
  sources: manifest.sources
    .filter(({ staged_run }) => staged_run !== null)
    .map(({ title, home }) => ({ title, path: home })),
  resources: models.map((model) => describeResource(model, manifest, models)),
});
