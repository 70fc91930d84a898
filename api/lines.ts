/**
 * Whole records of a table in memory, a line each: the values as one JSON array, in the order of the record's columns.
 * The names of the fields stand once for the table and are put between the values where a record is asked for. A
 * database that stores columns reads some thousand values of each for one row; a line is read in microseconds.
 */
import { DuckDBBlobVector, type DuckDBConnection } from '@duckdb/node-api';
import type { Column } from '../lib/record.ts';
import { valueSql } from './json.ts';

/** Rows whose lines stand together: to take a value out of a result costs the same whether it has a line or hundreds. */
const BLOCK = 512;
/** Rows that are read at a time. The memory that the database takes for them is used again for the next. */
const PART = 80 * BLOCK;
const NEWLINE = 10;
const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\,[]{}');
/** Values shorter than this are copied byte by byte, which takes less than to ask for a copy. */
const SHORT = 48;

/** A SELECT of all columns of a record, and of the number of each row from 0 on as `file_row_number`. */
export type LineSource = string;

/** SELECT of the lines of some rows in blocks: the number of a block, and its lines as bytes. */
const blocksSql = (columns: readonly Column[], source: LineSource, first: number, last: number): string => `SELECT CAST(file_row_number // ${BLOCK} AS INTEGER) AS block, encode(string_agg(line, chr(${NEWLINE}) ORDER BY file_row_number)) AS lines
  FROM (SELECT file_row_number, CAST(json_array(${columns.map(valueSql).join(', ')}) AS VARCHAR) AS line FROM (${source}) WHERE file_row_number BETWEEN ${first} AND ${last}) GROUP BY block`;

/** Fields of a record as they are asked for. */
interface Shape {
  /** Places of the columns in a line. */
  readonly places: Int32Array;
  /** What stands in front of each value: a brace or a comma, and the name. */
  readonly names: readonly Buffer[];
  readonly namesBytes: number;
}

export class Lines {
  readonly #columns: readonly string[];
  readonly #blocks: readonly Buffer[];
  /** Where in its block the line of each row ends; the next begins a byte behind it. */
  readonly #ends: Uint32Array;
  /** Where the values of the line in hand begin; each ends a byte before the next begins. */
  readonly #values: Int32Array;
  readonly #shapes = new Map<string, Shape>();

  private constructor(columns: readonly string[], blocks: readonly Buffer[], ends: Uint32Array) {
    this.#columns = columns;
    this.#blocks = blocks;
    this.#ends = ends;
    this.#values = new Int32Array(columns.length + 1);
  }

  /**
   * Read the lines of a table.
   * @throws where there are not as many as `rows`
   */
  static async read(connection: DuckDBConnection, columns: readonly Column[], source: LineSource, rows: number): Promise<Lines> {
    const ends = new Uint32Array(rows);
    const blocks: Buffer[] = [];
    let found = 0;
    for (let first = 0; first < rows; first += PART) {
      for await (const chunk of await connection.stream(blocksSql(columns, source, first, first + PART - 1))) {
        const [numbers, lines] = [chunk.getColumnVector(0), chunk.getColumnVector(1)];
        if (!(lines instanceof DuckDBBlobVector)) throw new Error('lines are bytes');
        for (let i = 0; i < lines.itemCount; i += 1) {
          const [block, value] = [Number(numbers.getItem(i)), lines.getItemBytes(i)];
          if (value === null) throw new Error('a line is null');
          // What is handed over is a copy already.
          const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
          blocks[block] = bytes;
          let row = block * BLOCK;
          for (let at = 0; at <= bytes.length; row += 1) {
            const next = bytes.indexOf(NEWLINE, at);
            const end = next < 0 ? bytes.length : next;
            ends[row] = end;
            at = end + 1;
          }
          found += row - block * BLOCK;
        }
      }
    }
    if (found !== rows) throw new Error(`${rows} lines were expected and there are ${found}`);
    return new Lines(columns.map((c) => c.name), blocks, ends);
  }

  #shapeOf(fields: readonly string[]): Shape {
    const key = fields.join(' ');
    let shape = this.#shapes.get(key);
    if (!shape) {
      const names = fields.map((field, i) => Buffer.from(`${i === 0 ? '{' : ','}${JSON.stringify(field)}:`));
      const places = Int32Array.from(fields, (field) => {
        const place = this.#columns.indexOf(field);
        if (place < 0) throw new Error(`there is no column ${field}`);
        return place;
      });
      this.#shapes.set(key, shape = { places, names, namesBytes: names.reduce((sum, name) => sum + name.length, 0) });
    }
    return shape;
  }

  /** Find where the values of a line begin. */
  #split(bytes: Buffer, begin: number, end: number): void {
    const values = this.#values;
    let [value, depth] = [0, 0];
    values[0] = begin + 1;
    for (let at = begin + 1; at < end - 1; at += 1) {
      switch (bytes[at]) {
        case QUOTE:
          for (at += 1; bytes[at] !== QUOTE; at += 1) if (bytes[at] === BACKSLASH) at += 1;
          break;
        case OPEN_LIST: case OPEN_OBJECT: depth += 1; break;
        case CLOSE_LIST: case CLOSE_OBJECT: depth -= 1; break;
        case COMMA: if (depth === 0) values[value += 1] = at + 1; break;
        default:
      }
    }
    values[value + 1] = end;
    if (value + 2 !== values.length) throw new Error(`a line has ${value + 1} values instead of ${values.length - 1}`);
  }

  /** The JSON text of a row's record with these fields in their order; at least one. */
  text(row: number, fields: readonly string[]): Buffer {
    const { places, names, namesBytes } = this.#shapeOf(fields);
    const [bytes, end] = [this.#blocks[Math.floor(row / BLOCK)], this.#ends[row]];
    if (bytes === undefined || end === undefined) throw new Error(`there is no row ${row}`);
    const begin = row % BLOCK === 0 ? 0 : (this.#ends[row - 1] ?? 0) + 1;
    this.#split(bytes, begin, end);
    const values = this.#values;
    let size = namesBytes + 1;
    for (const place of places) size += (values[place + 1] ?? 0) - 1 - (values[place] ?? 0);
    const text = Buffer.allocUnsafeSlow(size);
    let at = 0;
    for (let i = 0; i < places.length; i += 1) {
      const [name, place] = [names[i] ?? text, places[i] ?? 0];
      for (let k = 0; k < name.length; k += 1) text[at + k] = name[k] ?? 0;
      at += name.length;
      const [from, to] = [values[place] ?? 0, (values[place + 1] ?? 0) - 1];
      if (to - from < SHORT) for (let k = from; k < to; k += 1) text[at + k - from] = bytes[k] ?? 0;
      else bytes.copy(text, at, from, to);
      at += to - from;
    }
    text[at] = CLOSE_OBJECT ?? 0;
    return text;
  }
}
