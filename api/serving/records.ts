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

/** Writes records of these fields from their lines. */
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
    return `{${text}${hasAbsent ? `,"${ABSENT}":{${absent.slice(1)}}` : ''}}`;
  };
}

/** Writers of full records. */
const FULL = new Map(TABLE_NAMES.map((table) => [table, writerOf(table, allFields(table))]));

/** Reads the texts of records with these fields, in the order of their rows. @param names default: all of the record */
export function recordReader(tables: Tables, table: TableName, names: readonly string[] = allFields(table)) {
  const full = names.length === allFields(table).length ? FULL.get(table) : undefined;
  const write = full ?? writerOf(table, names);
  const isCounted = table === 'filings' && names.includes(COUNTED);
  return (rows: readonly number[]): Buffer[] => {
    const records = tables.linesOf(table, rows);
    return (isCounted ? counted(tables, records) : records).map((lines) => Buffer.from(write(lines)));
  };
}

const COMMA = Buffer.from(',');
const areTexts = (value: unknown): value is readonly Buffer[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => Buffer.isBuffer(item));

/** A response body assembled from JSON texts, so that records are not parsed and serialized again. */
export class JsonText {
  readonly bytes: Buffer;
  private constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** An object with these fields. An array of buffers is an array of JSON texts. */
  static of(fields: Readonly<Record<string, unknown>>): JsonText {
    const parts: Buffer[] = [];
    let text = '';
    for (const [name, value] of Object.entries(fields)) {
      if (value === undefined) continue;
      text += `${text === '' && parts.length === 0 ? '{' : ','}${JSON.stringify(name)}:`;
      if (!areTexts(value)) {
        text += JSON.stringify(value);
        continue;
      }
      parts.push(Buffer.from(`${text}[`));
      for (const [i, item] of value.entries()) {
        if (i > 0) parts.push(COMMA);
        parts.push(item);
      }
      text = ']';
    }
    parts.push(Buffer.from(text === '' ? '{}' : `${text}}`));
    return new JsonText(Buffer.concat(parts));
  }
}

/** The body as an object. */
export const bodyObject = (body: unknown): unknown => (body instanceof JsonText ? parseRecord(body.bytes) : body);

/** The record of a JSON text. */
export const parseRecord = (text: Buffer): Record<string, unknown> =>
  JSON.parse(text.toString('utf8')) as Record<string, unknown>;

/** The text of a record with a field behind its others. */
export const withField = (text: Buffer, name: string, value: unknown): Buffer =>
  Buffer.concat([text.subarray(0, -1), Buffer.from(`,"${name}":${JSON.stringify(value)}}`)]);
