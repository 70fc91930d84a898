/**
 * Parquet files laid end to end. A row group is bytes that do not know where they lie, and so is each of its columns; only
 * the footer knows. So files of the same columns, written side by side on several threads, become one file by copying
 * their bytes and writing one footer in which every offset is moved; and a file of which a few columns are new takes the
 * others as they are. Nothing is decoded. DuckDB writes one file a statement and cannot do this.
 *
 * What the fields of a footer mean is in parquet.thrift of https://github.com/apache/parquet-format.
 */
import { createHash } from 'node:crypto';
import { open, readFile, type FileHandle } from 'node:fs/promises';
import { bytesOf, STRUCT, structFrom, type Field, type Struct } from './thrift.ts';

const MAGIC = Buffer.from('PAR1');
/** Length of the footer, then the mark of the format. */
const TAIL = 8;

// Fields of FileMetaData, SchemaElement, RowGroup, ColumnChunk and ColumnMetaData in parquet.thrift.
const FILE = { schema: 2, rows: 3, rowGroups: 4 } as const;
const ELEMENT = { name: 4 } as const;
const GROUP = { columns: 1, bytes: 2, rows: 3, offset: 5, compressed: 6, ordinal: 7 } as const;
const CHUNK = { offset: 2, meta: 3, offsetIndex: 4, columnIndex: 6 } as const;
const META = { path: 3, uncompressed: 6, compressed: 7, data: 9, index: 10, dictionary: 11, bloom: 14, bloomLength: 15 } as const;

const fieldOf = (struct: Struct, id: number): Field | undefined => struct.find((f) => f.id === id);

/** A number of a struct; 0, which stands for none in an offset, where it has no such field. */
function optional(struct: Struct, id: number): number {
  const value = fieldOf(struct, id)?.value;
  return typeof value === 'bigint' ? Number(value) : 0;
}

function numberOf(struct: Struct, id: number): number {
  if (typeof fieldOf(struct, id)?.value !== 'bigint') throw new Error(`the footer of a Parquet file lacks its field ${id}`);
  return optional(struct, id);
}

function itemsOf(struct: Struct, id: number): readonly unknown[] {
  const value = fieldOf(struct, id)?.value;
  return typeof value === 'object' && 'items' in value ? value.items : [];
}
const structsOf = (struct: Struct, id: number): Struct[] => itemsOf(struct, id).filter((item) => Array.isArray(item));

/** The struct with other numbers; what it has no field for stays without. */
const withNumbers = (struct: Struct, numbers: Readonly<Record<number, number>>): Struct =>
  struct.map((f) => (numbers[f.id] === undefined ? f : { ...f, value: BigInt(numbers[f.id] ?? 0) }));

/** The struct with these offsets moved. Zero stands for none. */
const moved = (struct: Struct, ids: readonly number[], by: number): Struct =>
  withNumbers(struct, Object.fromEntries(ids.filter((id) => optional(struct, id) > 0).map((id) => [id, optional(struct, id) + by])));

function metaOf(chunk: Struct): Struct {
  const meta = fieldOf(chunk, CHUNK.meta)?.value;
  if (!Array.isArray(meta)) throw new Error('the footer of a Parquet file lacks what it says of a column');
  return meta;
}

const withMeta = (chunk: Struct, meta: Struct): Struct => chunk.map((f) => (f.id === CHUNK.meta ? { ...f, value: meta } : f));

/** Let a column say where its pages lie after they were moved; its filter lies elsewhere. */
const movedChunk = (chunk: Struct, by: number): Struct =>
  withMeta(moved(chunk, [CHUNK.offset, CHUNK.offsetIndex, CHUNK.columnIndex], by), moved(metaOf(chunk), [META.data, META.index, META.dictionary], by));

/** A row group with other columns. */
const withChunks = (group: Struct, chunks: Struct[]): Struct => group.map((f) => (f.id === GROUP.columns ? { ...f, value: { of: STRUCT, items: chunks } } : f));

/** Name of a column: the path to it. */
const nameOf = (chunk: Struct): string => itemsOf(metaOf(chunk), META.path).map(String).join('.');

/** Where the pages of a column lie in its file. */
function extentOf(chunk: Struct): { readonly from: number; readonly to: number } {
  const meta = metaOf(chunk);
  const from = optional(meta, META.dictionary) || numberOf(meta, META.data);
  return { from, to: from + numberOf(meta, META.compressed) };
}

/** A column of a row group: what the footer says of it, its pages, and its filter where it has one. */
interface Column {
  readonly chunk: Struct;
  readonly pages: Buffer;
  readonly filter: Buffer;
}

/** The columns of a row group, found in its file by two reads; their pages are where the second read put them. @throws Error where the pages have an index, which lies elsewhere */
async function columnsOf(group: Struct, read: (from: number, to: number) => Buffer | Promise<Buffer>): Promise<Column[]> {
  const chunks = structsOf(group, GROUP.columns);
  if (chunks.some((chunk) => optional(chunk, CHUNK.offsetIndex) > 0 || optional(chunk, CHUNK.columnIndex) > 0)) throw new Error('a Parquet file has an index of its pages, which is not carried');
  const filterOf = (chunk: Struct): { from: number; to: number } => ({ from: optional(metaOf(chunk), META.bloom), to: optional(metaOf(chunk), META.bloom) + optional(metaOf(chunk), META.bloomLength) });
  const around = async (extents: readonly { from: number; to: number }[]): Promise<(extent: { from: number; to: number }) => Buffer> => {
    const from = Math.min(...extents.map((e) => e.from));
    const bytes = extents.length === 0 ? Buffer.alloc(0) : await read(from, Math.max(...extents.map((e) => e.to)));
    return (extent) => (extent.from === 0 ? Buffer.alloc(0) : bytes.subarray(extent.from - from, extent.to - from));
  };
  // What is read last is not kept: filters are small, and kept by a copy.
  const filter = await around(chunks.map(filterOf).filter(({ from }) => from > 0));
  const filters = chunks.map((chunk) => Buffer.from(filter(filterOf(chunk))));
  const pages = await around(chunks.map(extentOf));
  return chunks.map((chunk, i) => ({ chunk, pages: pages(extentOf(chunk)), filter: filters[i] ?? Buffer.alloc(0) }));
}

/** @throws Error where a file does not have the same rows in its row groups as those kept, or a column that is not as there */
function checkAlike(of: StandingFile, groups: readonly number[], newer: Struct, path: string): void {
  const rows = structsOf(newer, FILE.rowGroups).map((group) => numberOf(group, GROUP.rows));
  const expected = groups.map((index) => of.groupRows[index]);
  if (rows.join() !== expected.join()) throw new Error(`${path} has row groups of ${rows.join(', ')} rows, expected ${expected.join(', ')}`);
  const { elements } = of;
  for (const [name, element] of elementsOf(newer)) if (!elements.get(name)?.equals(element)) throw new Error(`${path} has a column ${name} that is not as in ${of.path}`);
}

/** What is told of a file as a whole: its columns, who wrote it, what was said with it. */
const aboutOf = (footer: Struct): Buffer => bytesOf(footer.filter((f) => f.id !== FILE.rows && f.id !== FILE.rowGroups));
const schemaOf = (footer: Struct): Buffer => bytesOf(footer.filter((f) => f.id === FILE.schema));
/** What the footer says of each column's form, without the root that stands before them. */
const elementsOf = (footer: Struct): Map<string, Buffer> => new Map(structsOf(footer, FILE.schema).slice(1).map((e) => [String(fieldOf(e, ELEMENT.name)?.value), bytesOf(e)]));

/** Length of the footer that a file's last bytes tell. @throws Error where they are not those of a Parquet file */
function footerLength(tail: Buffer, length: number, path: string): number {
  if (length < MAGIC.length + TAIL || !tail.subarray(-4).equals(MAGIC)) throw new Error(`${path} is not a Parquet file`);
  const footer = tail.readUInt32LE(tail.length - TAIL);
  if (footer > length - TAIL - MAGIC.length) throw new Error(`${path} is not a whole Parquet file`);
  return footer;
}

/** A Parquet file held in memory. */
async function wholeFile(path: string): Promise<{ readonly bytes: Buffer; readonly body: Buffer; readonly footer: Struct }> {
  const bytes = await readFile(path);
  if (!bytes.subarray(0, 4).equals(MAGIC)) throw new Error(`${path} is not a Parquet file`);
  const end = bytes.length - TAIL;
  const start = end - footerLength(bytes, bytes.length, path);
  return { bytes, body: bytes.subarray(MAGIC.length, start), footer: structFrom(bytes.subarray(start, end)) };
}

/** A Parquet file that is there already, from which row groups are taken. To be closed. */
export class StandingFile {
  readonly path: string;
  readonly footer: Struct;
  /** Rows of each row group, in order. */
  readonly groupRows: readonly number[];
  /** Row groups as the footer has them. */
  readonly groups: readonly Struct[];
  /** What the footer says of the columns, as bytes, and of each by its name. */
  readonly schema: Buffer;
  readonly elements: ReadonlyMap<string, Buffer>;
  readonly #handle: FileHandle;
  #buffer = Buffer.alloc(0);

  private constructor(path: string, handle: FileHandle, footer: Struct) {
    this.path = path;
    this.#handle = handle;
    this.footer = footer;
    this.groups = structsOf(footer, FILE.rowGroups);
    this.groupRows = this.groups.map((group) => numberOf(group, GROUP.rows));
    this.schema = schemaOf(footer);
    this.elements = elementsOf(footer);
  }

  /** @throws Error where it is not a Parquet file */
  static async open(path: string): Promise<StandingFile> {
    const handle = await open(path);
    try {
      const { size } = await handle.stat();
      const read = async (from: number, to: number): Promise<Buffer> => (await handle.read(Buffer.alloc(to - from), 0, to - from, from)).buffer;
      const length = footerLength(await read(Math.max(0, size - TAIL), size), size, path);
      return new StandingFile(path, handle, structFrom(await read(size - TAIL - length, size - TAIL)));
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Bytes of it, in a buffer that the next read takes again. */
  async read(from: number, to: number): Promise<Buffer> {
    if (this.#buffer.length < to - from) this.#buffer = Buffer.allocUnsafe(2 * (to - from));
    const { bytesRead } = await this.#handle.read(this.#buffer, 0, to - from, from);
    if (bytesRead !== to - from) throw new Error(`${this.path} ends early`);
    return this.#buffer.subarray(0, to - from);
  }

  /** Whether a file tells the same of itself as a whole: columns, writer, metadata. */
  async isAlike(path: string): Promise<boolean> { return aboutOf((await wholeFile(path)).footer).equals(aboutOf(this.footer)); }

  close(): Promise<void> { return this.#handle.close(); }
}

/** Row groups of a file that is there already. */
export interface Kept {
  readonly of: StandingFile;
  /** Positions of the row groups in it. */
  readonly groups: readonly number[];
  /** A file of the same rows in as many row groups that has some of the columns: these are taken from there. */
  readonly newer?: string;
}

export interface Laid {
  readonly rows: number;
  readonly bytes: number;
  /** Of the whole file, hex. */
  readonly sha256: string;
}

/**
 * Lay Parquet files, or row groups of them, end to end into one: its rows are theirs, in their order, its row groups too.
 * What is told of the file as a whole (metadata, writer) is the first file's. A file is held in memory while it is laid;
 * of what is kept, one row group at a time.
 * @throws Error where one is not a Parquet file, or does not have the first one's columns
 */
export async function layEndToEnd(target: string, pieces: AsyncIterable<string | Kept> | Iterable<string | Kept>): Promise<Laid> {
  const handle = await open(target, 'w');
  try {
    const laying = new Laying(handle);
    for await (const piece of pieces) await (typeof piece === 'string' ? laying.file(piece) : laying.kept(piece));
    return await laying.end();
  } finally { await handle.close(); }
}

class Laying {
  readonly #handle: FileHandle;
  readonly #hash = createHash('sha256');
  #length = 0;
  #buffer = Buffer.alloc(0);
  #first: Struct | undefined;
  #schema: Buffer | undefined;
  readonly #groups: Struct[] = [];

  constructor(handle: FileHandle) { this.#handle = handle; }

  async #write(...parts: readonly Buffer[]): Promise<void> {
    for (const part of parts) {
      this.#hash.update(part);
      this.#length += part.length;
    }
    const [first] = parts;
    await this.#handle.appendFile(parts.length === 1 && first ? first : this.#together(parts));
  }

  /** The parts in one buffer that the next call takes again: a new one for every row group keeps the collector busy. */
  #together(parts: readonly Buffer[]): Buffer {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    if (this.#buffer.length < length) this.#buffer = Buffer.allocUnsafe(2 * length);
    let at = 0;
    for (const part of parts) at += part.copy(this.#buffer, at);
    return this.#buffer.subarray(0, length);
  }

  async #take(footer: Struct, schema: Buffer, path: string): Promise<void> {
    if (!this.#first) await this.#write(MAGIC);
    this.#first ??= footer;
    this.#schema ??= schema;
    if (!this.#schema.equals(schema)) throw new Error(`${path} has other columns than the file it is to be laid behind`);
  }

  async file(path: string): Promise<void> {
    const { body, footer } = await wholeFile(path);
    await this.#take(footer, schemaOf(footer), path);
    const by = this.#length - MAGIC.length;
    for (const group of structsOf(footer, FILE.rowGroups)) {
      const chunks = structsOf(group, GROUP.columns).map((chunk) => movedChunk(withMeta(chunk, moved(metaOf(chunk), [META.bloom], by)), by));
      this.#groups.push(withChunks(withNumbers(moved(group, [GROUP.offset], by), { [GROUP.ordinal]: this.#groups.length }), chunks));
    }
    await this.#write(body);
  }

  async kept({ of, groups, newer }: Kept): Promise<void> {
    await this.#take(of.footer, of.schema, of.path);
    const other = newer === undefined ? undefined : await wholeFile(newer);
    if (other) checkAlike(of, groups, other.footer, newer ?? '');
    const filters: { readonly group: number; readonly columns: readonly Column[] }[] = [];
    for (const [i, index] of groups.entries()) {
      const group = of.groups[index];
      const newerGroup = other && structsOf(other.footer, FILE.rowGroups)[i];
      if (!group) throw new Error(`${of.path} has no row group ${index}`);
      const replaced = new Map(other && newerGroup ? (await columnsOf(newerGroup, (from, to) => other.bytes.subarray(from, to))).map((c) => [nameOf(c.chunk), c]) : []);
      const columns = (await columnsOf(group, (from, to) => of.read(from, to))).map((c) => replaced.get(nameOf(c.chunk)) ?? c);
      let at = this.#length;
      const placed = columns.map(({ chunk, pages, filter }): Column => {
        at += pages.length;
        return { chunk: movedChunk(chunk, at - pages.length - extentOf(chunk).from), pages: Buffer.alloc(0), filter };
      });
      const sum = (id: number): number => columns.reduce((total, { chunk }) => total + numberOf(metaOf(chunk), id), 0);
      const by = this.#length - Math.min(...structsOf(group, GROUP.columns).map((chunk) => extentOf(chunk).from));
      filters.push({ group: this.#groups.length, columns: placed });
      this.#groups.push(withNumbers(moved(group, [GROUP.offset], by), { [GROUP.ordinal]: this.#groups.length, [GROUP.bytes]: sum(META.uncompressed), [GROUP.compressed]: sum(META.compressed) }));
      await this.#write(...columns.map((c) => c.pages));
    }
    // DuckDB writes the filters of all columns behind the last row group.
    for (const { group, columns } of filters) {
      let at = this.#length;
      const chunks = columns.map(({ chunk, filter }) => {
        at += filter.length;
        return filter.length === 0 ? chunk : withMeta(chunk, withNumbers(metaOf(chunk), { [META.bloom]: at - filter.length }));
      });
      this.#groups[group] = withChunks(this.#groups[group] ?? [], chunks);
      await this.#write(...columns.map((c) => c.filter));
    }
  }

  /** Write the footer. */
  async end(): Promise<Laid> {
    const first = this.#first;
    if (!first) throw new Error('no Parquet file is there to be laid end to end');
    const rows = this.#groups.reduce((sum, group) => sum + numberOf(group, GROUP.rows), 0);
    const footer = bytesOf(withNumbers(first, { [FILE.rows]: rows }).map((f) => (f.id === FILE.rowGroups ? { ...f, value: { of: STRUCT, items: this.#groups } } : f)));
    const tail = Buffer.alloc(4);
    tail.writeUInt32LE(footer.length);
    await this.#write(footer, tail, MAGIC);
    return { rows, bytes: this.#length, sha256: this.#hash.digest('hex') };
  }
}
