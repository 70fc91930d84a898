/**
 * Thrift's compact protocol (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md), read into
 * plain fields and written back without loss, whatever they mean. The footer of a Parquet file is written in it.
 */

const TRUE = 1;
const FALSE = 2;
const BYTE = 3;
const I64 = 6;
const DOUBLE = 7;
const BINARY = 8;
const LIST = 9;
const SET = 10;
export const STRUCT = 12;

type Value = bigint | boolean | Buffer | List | Struct;
interface List { readonly of: number; readonly items: Value[] }
export interface Field { readonly id: number; readonly type: number; value: Value }
export type Struct = Field[];

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

/** The struct that begins at the first byte. @throws Error where it does not end */
export const structFrom = (bytes: Buffer): Struct => new Reader(bytes).struct();

export function bytesOf(struct: Struct): Buffer {
  const writer = new Writer();
  writer.struct(struct);
  return writer.bytes();
}
