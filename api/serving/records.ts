/** Records as JSON texts, from their lines in a serving file (models/serving/text.ts), and bodies of such texts. */
import { ABSENT, type RecordDefinition } from '../../lib/record.ts';
import { INSIDE_SEPARATOR } from '../../models/inside.ts';
import { agentOf } from '../../models/marts/filings.ts';
import { COUNTED, TABLE_NAMES, TABLES, type TableName } from '../../models/serving/tables.ts';
import { REASON } from '../../models/serving/text.ts';
import type { Tables } from './tables.ts';

/** Names of the fields of full records, of which `absent` has no line, and the line of each. */
const FIELDS = new Map(
  TABLE_NAMES.map((table) => {
    const { columns, causes }: RecordDefinition = TABLES[table];
    const names = [...columns.map(({ name }) => name), ...(causes ? [ABSENT] : [])];
    return [table, { names, lines: new Map(names.map((name, line) => [name, line])) }];
  }),
);

export const allFields = (table: TableName): readonly string[] => FIELDS.get(table)?.names ?? [];
const lineOf = (table: TableName, name: string): number => FIELDS.get(table)?.lines.get(name) ?? -1;

const SOURCE = lineOf('filings', 'source');
const AGENT = lineOf('filings', 'registered_agent_name');
const COUNT = lineOf('filings', COUNTED);

/** The lines of filings with the number of filings of their agents. */
function counted(tables: Tables, records: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const agents = records.map(({ [SOURCE]: source = '', [AGENT]: name = '' }) =>
    name.startsWith('"') ? `${String(JSON.parse(source))} ${agentOf(String(JSON.parse(name)))}` : '',
  );
  const filings = tables.filingsOf(agents);
  return records.map((lines, i) => {
    const count = filings.get(agents[i] ?? '');
    return count === undefined ? lines : lines.with(COUNT, String(count));
  });
}

/** Writes records of these fields from their lines, each without its last brace (see withField). */
function writerOf(table: TableName, names: readonly string[]): (lines: readonly string[]) => string {
  const fields = names
    .filter((name) => name !== ABSENT)
    .map((name, i) => {
      const start = `${i === 0 ? '' : ','}"${name}":`;
      const at = lineOf(table, name);
      const isJson = TABLES[table].columns[at]?.kind === 'json';
      return { at, isJson, start, isNull: `${start}null`, reason: `,"${name}":"` };
    });
  const hasAbsent = fields.length < names.length;
  return (lines) => {
    let [text, absent] = ['', ''];
    for (const { at, isJson, start, isNull, reason } of fields) {
      const line = lines[at] ?? '';
      const inside = isJson ? line.indexOf(INSIDE_SEPARATOR) : -1;
      if (line === '') text += isNull;
      else if (line.startsWith(REASON)) {
        text += isNull;
        absent += `${reason}${line.slice(REASON.length)}"`;
      } else if (inside === -1) text += start + line;
      else {
        text += start + line.slice(0, inside);
        absent += `,${line.slice(inside + 2, -1)}`;
      }
    }
    return `{${text}${hasAbsent ? `,"${ABSENT}":{${absent.slice(1)}}` : ''}`;
  };
}

/** Writers of full records. */
const FULL = new Map(TABLE_NAMES.map((table) => [table, writerOf(table, allFields(table))]));

/**
 * Reads the texts of records with these fields, in the order of their rows, each without its last brace.
 * @param names default: all of the record
 */
export function recordReader(tables: Tables, table: TableName, names: readonly string[] = allFields(table)) {
  const full = names.length === allFields(table).length ? FULL.get(table) : undefined;
  const write = full ?? writerOf(table, names);
  const isCounted = table === 'filings' && names.includes(COUNTED);
  return (rows: readonly number[]): string[] => {
    const records = tables.linesOf(table, rows);
    return (isCounted ? counted(tables, records) : records).map(write);
  };
}

/** Between the records of a page. */
const COMMA = Buffer.from(',');

/** A response body assembled from JSON texts, so that records are not parsed and serialized again. */
export class JsonText {
  readonly #parts: readonly (string | Buffer)[];
  private constructor(parts: readonly (string | Buffer)[]) {
    this.#parts = parts;
  }

  /** An array of JSON texts. Those of a large page are bytes already. */
  static array(texts: readonly (string | Buffer)[]): JsonText {
    return new JsonText(['[', ...texts.flatMap((text, i) => (i === 0 ? [text] : [',', text])), ']']);
  }

  /** An object with these fields. */
  static of(fields: Readonly<Record<string, unknown>>): JsonText {
    const given = Object.entries(fields).filter(([, value]) => value !== undefined);
    const parts = given.flatMap(([name, value], i) => [
      `${i === 0 ? '' : ','}${JSON.stringify(name)}:`,
      ...(value instanceof JsonText ? value.#parts : [JSON.stringify(value)]),
    ]);
    return new JsonText(['{', ...parts, '}']);
  }

  get bytes(): Buffer {
    const buffers: Buffer[] = [];
    let text = '';
    for (const part of this.#parts)
      if (typeof part === 'string') text += part;
      else {
        buffers.push(text === ',' ? COMMA : Buffer.from(text), part);
        text = '';
      }
    const end = Buffer.from(text);
    return buffers.length === 0 ? end : Buffer.concat([...buffers, end]);
  }
}

/** The body as an object. */
export const bodyObject = (body: unknown): unknown => (body instanceof JsonText ? parseRecord(body.bytes) : body);

/** The record of a JSON text. */
export const parseRecord = (text: string | Buffer): Record<string, unknown> =>
  JSON.parse(String(text)) as Record<string, unknown>;

/** The whole text of a record that lacks its last brace, with a field behind its others: nothing is copied yet. */
export const withField = (text: string, name: string, value: unknown): string =>
  `${text},"${name}":${JSON.stringify(value)}}`;
