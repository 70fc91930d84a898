/**
 * The Avro files of an Iceberg snapshot (table specification, version 2): manifests that name its files, and a list of
 * them. `field-id` is how readers find the fields. Only the required fields are written.
 */
import avro from 'avsc';

/** A fixed marker between blocks, so that the same rows give the same bytes. */
const SYNC_MARKER = Buffer.from('dealfeed-iceberg');

const field = (id: number, name: string, type: unknown) => ({ name, type, 'field-id': id });
const optional = (id: number, name: string, type: string) => ({
  ...field(id, name, ['null', type]),
  default: null,
});
const record = (name: string, fields: readonly unknown[]) => ({ type: 'record', name, fields });

const DATA_FILE = record('r2', [
  field(134, 'content', 'int'),
  field(100, 'file_path', 'string'),
  field(101, 'file_format', 'string'),
  field(102, 'partition', record('r102', [])),
  field(103, 'record_count', 'long'),
  field(104, 'file_size_in_bytes', 'long'),
]);

const MANIFEST_ENTRY = record('manifest_entry', [
  field(0, 'status', 'int'),
  optional(1, 'snapshot_id', 'long'),
  optional(3, 'sequence_number', 'long'),
  optional(4, 'file_sequence_number', 'long'),
  field(2, 'data_file', DATA_FILE),
]);

const MANIFEST_FILE = record('manifest_file', [
  field(500, 'manifest_path', 'string'),
  field(501, 'manifest_length', 'long'),
  field(502, 'partition_spec_id', 'int'),
  field(517, 'content', 'int'),
  field(515, 'sequence_number', 'long'),
  field(516, 'min_sequence_number', 'long'),
  field(503, 'added_snapshot_id', 'long'),
  field(504, 'added_files_count', 'int'),
  field(505, 'existing_files_count', 'int'),
  field(506, 'deleted_files_count', 'int'),
  field(512, 'added_rows_count', 'long'),
  field(513, 'existing_rows_count', 'long'),
  field(514, 'deleted_rows_count', 'long'),
]);

/** `status` of an entry: every snapshot names all its files anew. */
const ADDED = 1;
/** `content` of a manifest and of its files: rows, or the positions of rows that are no longer there. */
export const [DATA, DELETES] = [0, 1] as const;

async function encode(
  schema: object,
  rows: readonly object[],
  metadata: Readonly<Record<string, string>>,
): Promise<Buffer> {
  // The types of avsc do not know the option `metadata`.
  const options = {
    codec: 'null',
    syncMarker: SYNC_MARKER,
    metadata: Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, Buffer.from(value)])),
  };
  const encoder = new avro.streams.BlockEncoder(schema as avro.Schema, options);
  for (const row of rows) encoder.write(row);
  encoder.end();
  return Buffer.concat((await encoder.toArray()) as Buffer[]);
}

export interface DataFile {
  readonly location: string;
  readonly rows: number;
  readonly bytes: number;
}

interface ManifestOf {
  /** Id of the snapshot, and its sequence number. */
  readonly id: number;
  readonly schema: { readonly 'schema-id': number };
  readonly content: typeof DATA | typeof DELETES;
  readonly files: readonly DataFile[];
}

/** A manifest of files of a snapshot. */
export const encodeManifest = ({ id, schema, content, files }: ManifestOf): Promise<Buffer> =>
  encode(
    MANIFEST_ENTRY,
    files.map(({ location, rows, bytes }) => ({
      status: ADDED,
      snapshot_id: id,
      sequence_number: id,
      file_sequence_number: id,
      data_file: {
        content,
        file_path: location,
        file_format: 'PARQUET',
        partition: {},
        record_count: rows,
        file_size_in_bytes: bytes,
      },
    })),
    {
      schema: JSON.stringify(schema),
      'schema-id': String(schema['schema-id']),
      'partition-spec': '[]',
      'partition-spec-id': '0',
      'format-version': '2',
      content: content === DATA ? 'data' : 'deletes',
    },
  );

export interface ListedManifest {
  readonly content: typeof DATA | typeof DELETES;
  readonly location: string;
  readonly bytes: number;
  readonly files: readonly DataFile[];
}

/** The list of the manifests of a snapshot. */
export const encodeManifestList = (id: number, manifests: readonly ListedManifest[]): Promise<Buffer> =>
  encode(
    MANIFEST_FILE,
    manifests.map(({ content, location, bytes, files }) => ({
      manifest_path: location,
      manifest_length: bytes,
      partition_spec_id: 0,
      content,
      sequence_number: id,
      min_sequence_number: id,
      added_snapshot_id: id,
      added_files_count: files.length,
      existing_files_count: 0,
      deleted_files_count: 0,
      added_rows_count: files.reduce((sum, file) => sum + file.rows, 0),
      existing_rows_count: 0,
      deleted_rows_count: 0,
    })),
    { 'snapshot-id': String(id), 'sequence-number': String(id), 'format-version': '2' },
  );
