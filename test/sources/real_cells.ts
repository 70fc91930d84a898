/** Cells of recorded files, read without the adapters' own code. */
import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';

const REAL = new URL('../../../shared/real/', import.meta.url);

/** Why tests of recorded files are skipped, or false. */
export const skip = existsSync(REAL) ? false : 'the folder of real files is not here';

export const bytesOf = (path: string): Uint8Array => new Uint8Array(readFileSync(new URL(path, REAL)));
export const textOf = (path: string): string => new TextDecoder().decode(bytesOf(path));
export const jsonOf = (path: string): unknown => JSON.parse(textOf(path)) as unknown;

/** Rows by heading. */
export type Cells = Readonly<Record<string, string>>;

/** Rows of a CSV file by heading. */
export const cellsOf = (path: string): Cells[] =>
  parse<Cells>(textOf(path), { columns: true, bom: true, record_delimiter: ['\r\n', '\n'], relax_column_count: true });
