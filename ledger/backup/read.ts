/** Reads a backup, and checks that it is complete. */
import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { messageOf } from '../../lib/errors.ts';
import type { Identity } from '../identity.ts';
import { LedgerRefused } from '../sql/schema.ts';
import { TABLES, type Table } from './tables.ts';

export const FORMAT = 'dealfeed ledger';
/**
 * Version of TABLES. Version 1 has no identity in its first line, no withheld leads, and no data of the chain; versions
 * 1 and 2 have no properties.
 */
export const VERSION = 3;
const OLDEST_VERSION = 1;
/** Columns chain, block and payer_fault of a purchase in a backup of version 1. */
const NO_CHAIN = [null, null, 0] as const;

/** Rows by table. */
export type Counts = Readonly<Record<string, number>>;

/** The first line. Backups of version 1 contain neither identity nor time. */
export interface Header {
  readonly atMs: number;
  readonly identity: Identity | null;
}

type Line =
  | { readonly table: Table; readonly values: readonly unknown[] }
  | { readonly counts: Counts }
  | { readonly header: Header };

/** @throws LedgerRefused if this is not the first line of a backup that this program reads */
function readHeader(file: string, parsed: unknown): { readonly header: Header; readonly version: number } {
  const { format, version, at_ms: atMs, id, epoch } = parsed as Readonly<Record<string, unknown>>;
  if (format !== FORMAT) throw new LedgerRefused(`${file} is not a backup of a ledger`);
  if (typeof version !== 'number' || version < OLDEST_VERSION || version > VERSION) {
    const readable = `this program reads versions ${OLDEST_VERSION} to ${VERSION}`;
    throw new LedgerRefused(`${file} is a backup of version ${String(version)}, and ${readable}`);
  }
  const identity = typeof id === 'string' && typeof epoch === 'number' ? { id, epoch } : null;
  return { header: { atMs: typeof atMs === 'number' ? atMs : 0, identity }, version };
}

/** @throws LedgerRefused if this is not a row of a known table */
function readRow(file: string, [name, ...fields]: readonly unknown[], version: number): Line {
  const table = TABLES.find((known) => known.name === name);
  if (!table) throw new LedgerRefused(`${file} contains an unknown table ${String(name)}`);
  const values = version === 1 && table.name === 'purchases' ? [...fields, ...NO_CHAIN] : fields;
  if (values.length !== table.columns.length)
    throw new LedgerRefused(`${file} contains a row of ${table.name} with ${fields.length} values`);
  return { table, values };
}

/** @throws LedgerRefused, naming the file, if it is not a complete backup */
export async function* readLines(file: string): AsyncGenerator<Line> {
  const unzipped = createGunzip();
  const source = createReadStream(file);
  source.on('error', (error) => {
    unzipped.destroy(error);
  });
  let number = 0;
  let version = VERSION;
  let hasEnd = false;
  try {
    for await (const line of createInterface({ input: source.pipe(unzipped), crlfDelay: Infinity })) {
      const parsed: unknown = JSON.parse(line);
      number += 1;
      if (number === 1) {
        const first = readHeader(file, parsed);
        version = first.version;
        yield { header: first.header };
      } else if (Array.isArray(parsed)) {
        yield readRow(file, parsed, version);
      } else {
        hasEnd = true;
        yield parsed as { counts: Counts };
      }
    }
  } catch (error) {
    if (error instanceof LedgerRefused || (error as NodeJS.ErrnoException).syscall !== undefined) throw error;
    throw new LedgerRefused(`${file} is damaged after ${number} lines: ${messageOf(error)}`);
  } finally {
    // No error of the unread rest of a refused file is handled.
    source.destroy();
    unzipped.destroy();
  }
  if (!hasEnd) throw new LedgerRefused(`${file} is incomplete: it ends after ${number} lines`);
}

interface OpenAnswer {
  readonly sha256: string;
  readonly hash: Hash;
  length: number;
}

/** Answers whose chunks in a backup have the stated length and hash. Chunks of one answer follow each other. */
class CheckedAnswers {
  readonly #bytes = new Map<string, number>();
  readonly #complete = new Set<string>();
  #current: OpenAnswer | undefined;

  add(sha256: string, bytes: number): void {
    this.#bytes.set(sha256, bytes);
    if (bytes === 0) this.#complete.add(sha256);
  }

  addChunk(sha256: string, body: Uint8Array): void {
    if (this.#current?.sha256 !== sha256) {
      this.#endCurrent();
      this.#current = { sha256, hash: createHash('sha256'), length: 0 };
    }
    this.#current.hash.update(body);
    this.#current.length += body.length;
  }

  isComplete(sha256: string): boolean {
    this.#endCurrent();
    return this.#complete.has(sha256);
  }

  #endCurrent(): void {
    if (!this.#current) return;
    const { sha256, hash, length } = this.#current;
    if (hash.digest('hex') === sha256 && length === this.#bytes.get(sha256)) this.#complete.add(sha256);
    this.#current = undefined;
  }
}

/**
 * Read a whole backup and check it: the number of rows, the bytes of every answer that can be collected, and the
 * purchase of every claim, transfer and delivery.
 * @throws LedgerRefused, one line, if a check fails
 */
export async function checkBackup(file: string): Promise<Counts> {
  const refuse = (why: string): never => {
    throw new LedgerRefused(`${file}: ${why}`);
  };
  const counted: Record<string, number> = Object.fromEntries(TABLES.map(({ name }) => [name, 0]));
  const answers = new CheckedAnswers();
  const purchases = new Set<string>();
  for await (const line of readLines(file)) {
    if ('header' in line) continue;
    if ('counts' in line) {
      for (const [name, count] of Object.entries(line.counts))
        if (counted[name] !== count) refuse(`it has ${counted[name] ?? 0} rows of ${name}, expected ${count}`);
      continue;
    }
    const { table, values } = line;
    counted[table.name] = (counted[table.name] ?? 0) + 1;
    const value = (column: string): string => String(values[table.columns.indexOf(column)]);
    switch (table.name) {
      case 'answers':
        answers.add(value('sha256'), Number(value('bytes')));
        break;
      case 'answer_chunks':
        answers.addChunk(value('sha256'), Buffer.from(value('body'), 'base64'));
        break;
      case 'purchases': {
        purchases.add(value('id'));
        const hasAnswer = values[table.columns.indexOf('kept_answer')] !== null;
        if (hasAnswer && !answers.isComplete(value('kept_answer')))
          refuse(`the answer of purchase ${value('id')} is missing or does not have the hash that was sold`);
        break;
      }
      case 'withheld_leads':
        // Their purchases were lost.
        break;
      default:
        if (table.columns.includes('purchase_id') && !purchases.has(value('purchase_id')))
          refuse(`a row of ${table.name} names purchase ${value('purchase_id')}, which is missing`);
    }
  }
  return counted;
}
