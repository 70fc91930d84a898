/**
 * Metadata of an Iceberg table (https://iceberg.apache.org/spec/, version 2) over the Parquet files of the snapshots. A
 * run replaces the whole table. A table in parts has several data files, and a file with the positions of their rows
 * that a later part replaces: engines read that, and few read deletes by a key.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { fieldIdOf } from '../../models/field_ids.ts';
import { parseRunId } from '../layout.ts';

const Field = z.strictObject({
  id: z.int(),
  name: z.string(),
  required: z.literal(false),
  type: z.string(),
  doc: z.string().optional(),
});
const Schema = z.strictObject({ type: z.literal('struct'), 'schema-id': z.int(), fields: z.array(Field) });
const Snapshot = z.strictObject({
  'snapshot-id': z.int(),
  'sequence-number': z.int(),
  'timestamp-ms': z.int(),
  'manifest-list': z.string(),
  'schema-id': z.int(),
  /** `run`, `files` and `hash` are ours: the run of the snapshot, its Parquet files and their hash. */
  summary: z.strictObject({ operation: z.literal('overwrite'), run: z.string(), files: z.string(), hash: z.string() }),
});

/** The part of a metadata file that the next version continues. */
export const TableMetadata = z.looseObject({
  location: z.string(),
  schemas: z.array(Schema),
  snapshots: z.array(Snapshot),
});

export type TableSchema = z.infer<typeof Schema>;
export type TableSnapshot = z.infer<typeof Snapshot>;
export type TableMetadata = z.infer<typeof TableMetadata>;

/** Types of Iceberg by those of DuckDB. */
const TYPES: Readonly<Record<string, string>> = {
  VARCHAR: 'string',
  JSON: 'string',
  UUID: 'uuid',
  DATE: 'date',
  TIMESTAMP: 'timestamp',
  'TIMESTAMP WITH TIME ZONE': 'timestamptz',
  BOOLEAN: 'boolean',
  INTEGER: 'int',
  BIGINT: 'long',
};

/** @throws if Iceberg has no such type */
function typeOf(column: string, sql: string): string {
  const decimal = /^DECIMAL\((\d+),(\d+)\)$/u.exec(sql);
  const type = decimal ? `decimal(${decimal[1] ?? ''}, ${decimal[2] ?? ''})` : TYPES[sql];
  if (type === undefined) throw new Error(`column ${column} is ${sql}, for which no Iceberg type is declared`);
  return type;
}

export interface DescribedColumn {
  readonly name: string;
  /** Type of DuckDB. */
  readonly sql: string;
  readonly about?: string | undefined;
}

/** Fields of a schema. All are optional, because older files may lack a column that is required today. */
export const fieldsOf = (columns: readonly DescribedColumn[]): TableSchema['fields'] =>
  columns.map(({ name, sql, about }) => ({
    id: fieldIdOf(name),
    name,
    required: false,
    type: typeOf(name, sql),
    ...(about === undefined ? {} : { doc: about }),
  }));

/** More runs than a day can have, so that ids of two days never collide. */
export const RUNS_A_DAY = 1_000;

/** Id and sequence number of a run's snapshot: 2026-11-20.01 is 20261120001. Later runs have higher numbers. */
export function snapshotIdOf(runId: string): number {
  const parsed = parseRunId(runId);
  if (!parsed) throw new Error(`not a run id: ${runId}`);
  return Number(parsed.asOf.replaceAll('-', '')) * RUNS_A_DAY + parsed.number;
}

/** A UUID of the table that stays the same while the table stays in its place. */
function tableUuid(location: string): string {
  const hex = createHash('sha256').update(location).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `5${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

/**
 * The metadata of a table.
 * @param snapshots oldest first, at least one
 * @param current snapshot that readers get by default: the one that is served
 */
export function buildMetadata(
  { location, schemas, snapshots }: TableMetadata,
  current: TableSnapshot,
): TableMetadata & Readonly<Record<string, unknown>> {
  const byOrder = [...snapshots].sort((a, b) => a['snapshot-id'] - b['snapshot-id']);
  const newest = Math.max(...byOrder.map((snapshot) => snapshot['timestamp-ms']));
  return {
    'format-version': 2,
    'table-uuid': tableUuid(location),
    location,
    'last-sequence-number': Math.max(...byOrder.map((snapshot) => snapshot['sequence-number'])),
    'last-updated-ms': newest,
    'last-column-id': Math.max(...schemas.flatMap(({ fields }) => fields.map(({ id }) => id))),
    schemas,
    'current-schema-id': current['schema-id'],
    'partition-specs': [{ 'spec-id': 0, fields: [] }],
    'default-spec-id': 0,
    'last-partition-id': 999,
    'sort-orders': [{ 'order-id': 0, fields: [] }],
    'default-sort-order-id': 0,
    'current-snapshot-id': current['snapshot-id'],
    refs: { main: { 'snapshot-id': current['snapshot-id'], type: 'branch' } },
    snapshots: byOrder,
  };
}
