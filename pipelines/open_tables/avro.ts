/**
 * The two Avro files of an Iceberg snapshot (table specification, version 2): a manifest that names its data files, and
 * a list of its manifests. `field-id` is how readers find the fields. Only the required fields are written.
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

/** `status` of an entry, and `content` of a file. */
const [ADDED, DATA] = [1, 0];

async function encode(schema: object, row: object, metadata: Readonly<Record<string, string>>): Promise<Buffer> {
  // The types of avsc do not know the option `metadata`.
  const options = {
    codec: 'null',
    syncMarker: SYNC_MARKER,
    metadata: Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, Buffer.from(value)])),
  };
  const encoder = new avro.streams.BlockEncoder(schema as avro.Schema, options);
  encoder.end(row);
  return Buffer.concat((await encoder.toArray()) as Buffer[]);
}

export interface DataFile {
  readonly location: string;
  readonly rows: number;
  readonly bytes: number;
}

/** The manifest of a snapshot whose table is one Parquet file. @param id of the snapshot, and its sequence number */
export const encodeManifest = (id: number, schema: { readonly 'schema-id': number }, file: DataFile): Promise<Buffer> =>
  encode(
    MANIFEST_ENTRY,
    {
      status: ADDED,
      snapshot_id: id,
      sequence_number: id,
      file_sequence_number: id,
      data_file: {
        content: DATA,
        file_path: file.location,
        file_format: 'PARQUET',
        partition: {},
        record_count: file.rows,
        file_size_in_bytes: file.bytes,
      },
    },
    {
      schema: JSON.stringify(schema),
      'schema-id': String(schema['schema-id']),
      'partition-spec': '[]',
      'partition-spec-id': '0',
      'format-version': '2',
      content: 'data',
    },
  );

/** The list of manifests of a snapshot: the one of its table. @param manifest its location and its size in bytes */
export const encodeManifestList = (id: number, manifest: DataFile): Promise<Buffer> =>
  encode(
    MANIFEST_FILE,
    {
      manifest_path: manifest.location,
      manifest_length: manifest.bytes,
      partition_spec_id: 0,
      content: DATA,
      sequence_number: id,
      min_sequence_number: id,
      added_snapshot_id: id,
      added_files_count: 1,
      existing_files_count: 0,
      deleted_files_count: 0,
      added_rows_count: manifest.rows,
      existing_rows_count: 0,
      deleted_rows_count: 0,
    },
    { 'snapshot-id': String(id), 'sequence-number': String(id), 'format-version': '2' },
  );
