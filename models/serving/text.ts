/** SQL of the values in a serving file: a record as lines of JSON, and a column as values that compare exactly. */
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import {
  MISSING_AT_SOURCE,
  MISSING_FIELDS,
  NOT_RECORDED,
  type Cause,
  type Column,
  type FieldKind,
  type RecordDefinition,
} from '../../lib/record.ts';
import { identifier, literal } from '../../lib/sql.ts';

/** Records of a table of millions of rows whose texts are compressed together. */
export const PACK_ROWS = 16;
/** Between the texts of a pack: JSON has no control characters of its own. */
const BETWEEN = '\0';

export const packTexts = (texts: readonly string[]): Uint8Array => zstdCompressSync(texts.join(BETWEEN));

export const unpackTexts = (pack: Uint8Array): string[] => zstdDecompressSync(pack).toString().split(BETWEEN);

/** Start of a line that is the reason of a null. */
export const REASON = '!';

const INSTANT = '%Y-%m-%dT%H:%M:%SZ';

/** A value as JSON (lib/record.ts): decimals and days as text, instants in UTC to the second. */
function jsonSql({ name, kind }: Column): string {
  const column = identifier(name);
  switch (kind) {
    case 'money':
    case 'percent':
    case 'ratio':
    case 'degrees':
    case 'date':
      return `'"' || CAST(${column} AS VARCHAR) || '"'`;
    case 'instant':
      return `strftime(${column}, '"${INSTANT}"')`;
    case 'integer':
    case 'flag':
      return `CAST(${column} AS VARCHAR)`;
    case 'text':
    case 'enum':
      return `CAST(to_json(${column}) AS VARCHAR)`;
    // Written by to_json: to write it again would double the memory and the time of long ones.
    case 'json':
      return `CAST(${column} AS VARCHAR)`;
  }
}

const causeSql = (cause: Cause): string => {
  if (typeof cause === 'string') return literal(cause);
  const code = 'of' in cause ? identifier(cause.of) : literal(cause.code);
  return cause.if === undefined ? code : `CASE WHEN ${cause.if} THEN ${code} END`;
};

/** A field that the record's source filled before and fills no longer. */
const missingAtSource = (name: string): Cause => ({
  code: MISSING_AT_SOURCE,
  if: `contains(' ' || ${MISSING_FIELDS} || ' ', ' ${name} ')`,
});

/**
 * SQL of a record as text: a line per column in its order, the value as JSON. The line of a null is empty, or the
 * reason after REASON if the record states reasons. JSON has no line breaks of its own.
 */
export function linesSql({ columns, causes = {} }: RecordDefinition): string {
  const hasMissing = columns.some(({ name }) => name === MISSING_FIELDS);
  const lines = columns.map((column) => {
    const own = causes[column.name];
    const reasons = [...(hasMissing ? [missingAtSource(column.name)] : []), ...(own ?? []), NOT_RECORDED];
    const reason = own ? `${literal(REASON)} || coalesce(${reasons.map(causeSql).join(', ')})` : "''";
    return `CASE WHEN ${identifier(column.name)} IS NULL THEN ${reason} ELSE ${jsonSql(column)} END`;
  });
  return `concat_ws(chr(10), ${lines.join(', ')})`;
}

/** Kinds whose values are coded as whole millionths. */
const DECIMAL: readonly FieldKind[] = ['money', 'percent', 'ratio', 'degrees'];

const MILLION = 1_000_000;
const MILLION_DIGITS = 6;

/** Whether values of this kind are coded as numbers. */
export const isNumber = (kind: FieldKind): boolean => kind === 'integer' || kind === 'flag' || isDecimal(kind);

export const isDecimal = (kind: FieldKind): boolean => DECIMAL.includes(kind);

/** SQL of a value as it is coded: a whole number (decimals as millionths, flags as 0 or 1), or text. */
export function codedSql(kind: FieldKind, sql: string): string {
  if (isDecimal(kind)) return `CAST(CAST((${sql}) AS DECIMAL(30, 6)) * ${MILLION} AS BIGINT)`;
  if (isNumber(kind)) return `CAST((${sql}) AS BIGINT)`;
  return kind === 'instant' ? `strftime(${sql}, '${INSTANT}')` : `CAST((${sql}) AS VARCHAR)`;
}

/** Whole millionths of the digits of a number with at most six decimals. */
export function millionths(digits: string): bigint {
  const [whole = '0', part = ''] = digits.split('.');
  return BigInt(whole + part.padEnd(MILLION_DIGITS, '0'));
}
