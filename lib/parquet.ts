/**
 * Parquet files laid end to end. A row group is bytes that do not know where they lie; only the footer does. So files of
 * the same columns, written side by side on several threads, become one file by copying their bytes and writing one footer
 * in which every offset is moved: nothing is decoded. DuckDB writes one file a statement and cannot do this.
 *
 * The footer is Thrift in its compact protocol (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md),
 * read into plain fields and written back without loss, whatever they mean; what they mean is in parquet.thrift of
 * https://github.com/apache/parquet-format.
 */
import { createHash } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';

const MAGIC = Buffer.from('PAR1');
/** Length of the footer, then the mark of the format. */
const TAIL = 8;

const TRUE = 1;
const FALSE = 2;
const BYTE = 3;
const I64 = 6;
const DOUBLE = 7;
const BINARY = 8;
const LIST = 9;
const SET = 10;
const STRUCT = 12;

type Value = bigint | boolean | Buffer | List | Struct;
interface List { readonly of: number; readonly items: Value[] }
interface Field { readonly id: number; readonly type: number; value: Value }
type Struct = Field[];

/** Reads values one after the other. */
class Reader {
  readonly #bytes: Buffer;
  #at = 0;
  constructor(bytes: Buffer) { this.#bytes = bytes; }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new Error('the footer of a Parquet file ends early');
    this.#at += 1;
    return byte;
  }

  #varint(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }

  /** Signed numbers alternate: 0, -1, 1, -2. */
  #number(): bigint {
    const value = this.#varint();
    return (value >> 1n) ^ -(value & 1n);
  }

  #take(length: number): Buffer {
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  #value(type: number): Value {
    if (type === BYTE) return this.#take(1);
    if (type > BYTE && type <= I64) return this.#number();
    if (type === DOUBLE) return this.#take(8);
    if (type === BINARY) return this.#take(Number(this.#varint()));
    if (type === LIST || type === SET) return this.#list();
    if (type === STRUCT) return this.struct();
    throw new Error(`the footer of a Parquet file holds a value of the unknown type ${type}`);
  }

  #list(): List {
    const head = this.#byte();
    const of = head & 0x0f;
    const length = head >> 4 === 15 ? Number(this.#varint()) : head >> 4;
    return { of, items: Array.from({ length }, () => (of === TRUE || of === FALSE ? this.#take(1) : this.#value(of))) };
  }

  struct(): Struct {
    const fields: Struct = [];
    for (let id = 0; ;) {
      const head = this.#byte();
      if (head === 0) return fields;
      const type = head & 0x0f;
      id = head >> 4 === 0 ? Number(this.#number()) : id + (head >> 4);
      fields.push({ id, type, value: type === TRUE || type === FALSE ? type === TRUE : this.#value(type) });
    }
  }
}

/** Writes what Reader reads. */
class Writer {
  readonly #parts: Buffer[] = [];
  bytes(): Buffer { return Buffer.concat(this.#parts); }

  #varint(value: bigint): void {
    const bytes: number[] = [];
    for (let rest = value; ; rest >>= 7n) {
      if (rest < 0x80n) {
        bytes.push(Number(rest));
        break;
      }
      bytes.push(Number(rest & 0x7fn) | 0x80);
    }
    this.#parts.push(Buffer.from(bytes));
  }

  #number(value: bigint): void { this.#varint(value >= 0n ? value << 1n : (-value << 1n) - 1n); }

  #value(type: number, value: Value): void {
    if (typeof value === 'bigint') this.#number(value);
    else if (Buffer.isBuffer(value)) {
      if (type === BINARY) this.#varint(BigInt(value.length));
      this.#parts.push(value);
    } else if (Array.isArray(value)) this.struct(value);
    else if (typeof value === 'object') this.#list(value);
  }

  #list({ of, items }: List): void {
    this.#parts.push(Buffer.from([(items.length < 15 ? items.length << 4 : 0xf0) | of]));
    if (items.length >= 15) this.#varint(BigInt(items.length));
    for (const item of items) this.#value(of, item);
  }

  struct(fields: Struct): void {
    let before = 0;
    for (const { id, type, value } of fields) {
      const step = id - before;
      before = id;
      const kind = typeof value === 'boolean' ? (value ? TRUE : FALSE) : type;
      this.#parts.push(Buffer.from([(step > 0 && step < 16 ? step << 4 : 0) | kind]));
      if (step <= 0 || step >= 16) this.#number(BigInt(id));
      this.#value(type, value);
    }
    this.#parts.push(Buffer.from([0]));
  }
}

const fieldOf = (struct: Struct, id: number): Field | undefined => struct.find((f) => f.id === id);

function numberOf(struct: Struct, id: number): bigint {
  const value = fieldOf(struct, id)?.value;
  if (typeof value !== 'bigint') throw new Error(`the footer of a Parquet file lacks its field ${id}`);
  return value;
}

function structsOf(struct: Struct, id: number): Struct[] {
  const value = fieldOf(struct, id)?.value;
  return typeof value === 'object' && 'items' in value ? value.items.filter((item) => Array.isArray(item)) : [];
}

// Fields of FileMetaData, RowGroup, ColumnChunk and ColumnMetaData in parquet.thrift.
const FILE = { schema: 2, rows: 3, rowGroups: 4 } as const;
const GROUP = { columns: 1, offset: 5, ordinal: 7 } as const;
const CHUNK = { offset: 2, meta: 3, offsetIndex: 4, columnIndex: 6 } as const;
const META = { data: 9, index: 10, dictionary: 11, bloom: 14 } as const;

function move(struct: Struct, ids: readonly number[], by: bigint): void {
  for (const field of struct) {
    // Zero stands for none.
    if (ids.includes(field.id) && typeof field.value === 'bigint' && field.value > 0n) field.value += by;
  }
}

/** Let the offsets of a row group say where it lies after its file was moved. */
function moveGroup(group: Struct, by: bigint, ordinal: number): void {
  move(group, [GROUP.offset], by);
  const number = fieldOf(group, GROUP.ordinal);
  if (number) number.value = BigInt(ordinal);
  for (const chunk of structsOf(group, GROUP.columns)) {
    move(chunk, [CHUNK.offset, CHUNK.offsetIndex, CHUNK.columnIndex], by);
    const meta = fieldOf(chunk, CHUNK.meta)?.value;
    if (Array.isArray(meta)) move(meta, [META.data, META.index, META.dictionary, META.bloom], by);
  }
}

/** A Parquet file's bytes before its footer, and the footer. */
function partsOf(bytes: Buffer, path: string): { readonly body: Buffer; readonly footer: Struct } {
  const end = bytes.length - TAIL;
  if (end < MAGIC.length || !bytes.subarray(0, 4).equals(MAGIC) || !bytes.subarray(-4).equals(MAGIC)) throw new Error(`${path} is not a Parquet file`);
  const start = end - bytes.readUInt32LE(end);
  if (start < MAGIC.length) throw new Error(`${path} is not a whole Parquet file`);
  return { body: bytes.subarray(MAGIC.length, start), footer: new Reader(bytes.subarray(start, end)).struct() };
}

const schemaOf = (footer: Struct): Buffer => {
  const writer = new Writer();
  writer.struct(footer.filter((f) => f.id === FILE.schema));
  return writer.bytes();
};

export interface Laid {
  readonly rows: number;
  readonly bytes: number;
  /** Of the whole file, hex. */
  readonly sha256: string;
}

/**
 * Lay Parquet files end to end into one: its rows are theirs, in their order, its row groups too. What is told of the
 * file as a whole (metadata, writer) is the first one's. The files are held in memory one at a time.
 * @throws Error where one is not a Parquet file, or does not have the first one's columns
 */
export async function layEndToEnd(target: string, files: AsyncIterable<string> | Iterable<string>): Promise<Laid> {
  const hash = createHash('sha256');
  const handle = await open(target, 'w');
  let length = 0;
  const write = async (bytes: Buffer): Promise<void> => {
    hash.update(bytes);
    await handle.appendFile(bytes);
    length += bytes.length;
  };
  try {
    await write(MAGIC);
    let whole: Struct | undefined;
    let schema: Buffer | undefined;
    const groups: Struct[] = [];
    let rows = 0n;
    for await (const file of files) {
      const { body, footer } = partsOf(await readFile(file), file);
      whole ??= footer;
      schema ??= schemaOf(footer);
      if (!schema.equals(schemaOf(footer))) throw new Error(`${file} has other columns than the file it is to be laid behind`);
      for (const group of structsOf(footer, FILE.rowGroups)) {
        moveGroup(group, BigInt(length - MAGIC.length), groups.length);
        groups.push(group);
      }
      rows += numberOf(footer, FILE.rows);
      await write(body);
    }
    if (!whole) throw new Error('no Parquet file is there to be laid end to end');
    const writer = new Writer();
    writer.struct(whole.map((field) => (field.id === FILE.rows ? { ...field, value: rows } : field.id === FILE.rowGroups ? { ...field, value: { of: STRUCT, items: groups } } : field)));
    const footer = writer.bytes();
    const tail = Buffer.alloc(4);
    tail.writeUInt32LE(footer.length);
    await write(Buffer.concat([footer, tail, MAGIC]));
    return { rows: Number(rows), bytes: length, sha256: hash.digest('hex') };
  } finally { await handle.close(); }
}
