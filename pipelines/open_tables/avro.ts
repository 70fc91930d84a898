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
  { ...field(135, 'equality_ids', ['null', { type: 'array', items: 'int', 'element-id': 136 }]), default: null },
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

/** `status` of an entry. */
const [EXISTING, ADDED] = [0, 1];
/** `content` of a manifest. */
export const [DATA, DELETES] = [0, 1] as const;
/** `content` of a file that deletes rows by a key. */
const EQUALITY = 2;

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
  readonly parts: readonly DataFile[];
  /** Field ids of the table's key. */
  readonly key: readonly number[];
}

/**
 * The manifest of a snapshot's Parquet files, or of the same files as deletes: each deletes the rows with its keys from
 * those before it, which have lower sequence numbers.
 */
export const encodeManifest = ({ id, schema, content, parts, key }: ManifestOf): Promise<Buffer> =>
  encode(
    MANIFEST_ENTRY,
    parts.map(({ location, rows, bytes }, index) => ({
      status: parts.length === 1 ? ADDED : EXISTING,
      snapshot_id: id,
      sequence_number: parts.length === 1 ? id : index + 1,
      file_sequence_number: parts.length === 1 ? id : index + 1,
      data_file: {
        content: content === DATA ? DATA : EQUALITY,
        file_path: location,
        file_format: 'PARQUET',
        partition: {},
        record_count: rows,
        file_size_in_bytes: bytes,
        equality_ids: content === DATA ? null : key,
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
    manifests.map(({ content, location, bytes, files }) => {
      const isOne = files.length === 1;
      const rows = files.reduce((sum, file) => sum + file.rows, 0);
      return {
        manifest_path: location,
        manifest_length: bytes,
        partition_spec_id: 0,
        content,
        sequence_number: id,
        min_sequence_number: isOne ? id : 1,
        added_snapshot_id: id,
        added_files_count: isOne ? 1 : 0,
        existing_files_count: isOne ? 0 : files.length,
        deleted_files_count: 0,
        added_rows_count: isOne ? rows : 0,
        existing_rows_count: isOne ? 0 : rows,
        deleted_rows_count: 0,
      };
    }),
    { 'snapshot-id': String(id), 'sequence-number': String(id), 'format-version': '2' },
  );
