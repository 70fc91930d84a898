/**
 * A ledger as one file that either database can be restored from: gzipped lines of JSON. The first names the ledger and the
 * time, then comes every row of every table, and the number of rows at the end. It is read at one moment while servers go
 * on selling, written next to its place, read back whole, and only then renamed.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { sync } from '../lib/files.ts';
import { readIdentity, type Identity } from './identity.ts';
import { withholdLost, type ClaimEntry } from './journal.ts';
import { LedgerRefused } from './sql/migrations.ts';
import { pieceIn, stored } from './sql/answer_chunks.ts';
import type { Query, Row, Store, Value } from './sql/store.ts';

const FORMAT = 'dealfeed ledger';
/** Version of the tables below. Version 1 had no identity in its first line, no withheld leads, and nothing of the chain. */
const VERSION = 2;
const OLDEST_VERSION = 1;
const PAGE = 200;
/** Columns chain, block and payer_fault of a purchase in a backup of version 1. */
const NO_CHAIN = [null, null, 0] as const;

interface Table {
  readonly name: string;
  /** Columns that are written; `key` orders them, and need not be among them. */
  readonly columns: readonly string[];
  readonly key: readonly string[];
  /** Columns that say how others are to be read, and are not written: what a backup holds is read already. */
  readonly codings?: readonly string[];
  /** Columns that name an answer by its hash, which has a number of its own in each ledger. */
  readonly answers?: Readonly<Record<string, { readonly read: string; readonly into: string }>>;
  /** Columns that follow from others: their SQL over the parameter of one of these. */
  readonly following?: Readonly<Record<string, { readonly of: string; readonly sql: (parameter: string) => string }>>;
}

/** Every table with what a sale needs, those first that others refer to. */
const TABLES: readonly Table[] = [
  { name: 'answers', key: ['sha256'], columns: ['sha256', 'bytes', 'whole', 'stored_at_ms'] },
  {
    name: 'answer_chunks',
    key: ['answer', 'chunk'],
    columns: ['sha256', 'chunk', 'body'],
    codings: ['coding'],
    answers: { sha256: { read: '(SELECT sha256 FROM answers WHERE number = answer) AS sha256', into: 'answer' } },
  },
  {
    name: 'purchases',
    key: ['id'],
    columns: [
      'id',
      'state',
      'network',
      'asset',
      'payer',
      'nonce',
      'pay_to',
      'amount',
      'valid_before',
      'route',
      'request',
      'snapshot_id',
      'identifier_hash',
      'reserved_at_ms',
      'lease_until_ms',
      'settling_at_ms',
      'ended_at_ms',
      'tx_hash',
      'why',
      'returned_lead',
      'answer_sha256',
      'answer_headers',
      'kept_answer',
      'chain',
      'block',
      'payer_fault',
    ],
    answers: {
      kept_answer: {
        read: '(SELECT sha256 FROM answers WHERE number = kept_answer) AS kept_answer',
        into: 'kept_answer',
      },
    },
    following: { standing: { of: 'state', sql: (state) => `CASE WHEN ${state} <> 'released' THEN 1 END` } },
  },
  { name: 'claims', key: ['lead_id'], columns: ['lead_id', 'purchase_id', 'claimed_at_ms'] },
  {
    name: 'transfers',
    key: ['chain', 'pay_to', 'block', 'log_index'],
    columns: [
      'chain',
      'pay_to',
      'block',
      'log_index',
      'tx_hash',
      'payer',
      'nonce',
      'amount',
      'kind',
      'purchase_id',
      'resolution',
      'booked_at_ms',
    ],
  },
  {
    name: 'audits',
    key: ['chain', 'pay_to'],
    columns: ['chain', 'pay_to', 'through_block', 'through_seconds', 'audited_at_ms', 'lease_holder', 'lease_until_ms'],
  },
  { name: 'gas_days', key: ['account', 'day'], columns: ['account', 'day', 'gas'] },
  { name: 'deliveries', key: ['number'], columns: ['purchase_id', 'kind', 'at_ms', 'complete'] },
  { name: 'used_tokens', key: ['token'], columns: ['token', 'until_ms'] },
  { name: 'withheld_leads', key: ['lead_id'], columns: ['lead_id', 'purchase_id', 'payer', 'nonce', 'at_ms'] },
  { name: 'money', key: ['one'], columns: ['one', 'kind'] },
];

/** Columns that hold numbers, which one database gives as text. */
const NUMBERS = new Set([
  'bytes',
  'whole',
  'chunk',
  'number',
  'complete',
  'one',
  'answer',
  'block',
  'log_index',
  'payer_fault',
  'through_block',
  'through_seconds',
  'gas',
]);
const isNumber = (column: string): boolean => NUMBERS.has(column) || column.endsWith('_ms');

export type Counts = Readonly<Record<string, number>>;

const written = (column: string, value: unknown): unknown => {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  return isNumber(column) ? Number(value) : value;
};
const readable = (row: Row): Row => (row['coding'] === undefined ? row : { ...row, body: pieceIn(row) });
/** Columns of a row as they are to be inserted. */
const insertable = ({ columns, codings }: Table, values: readonly unknown[]): Readonly<Record<string, Value>> => {
  const row = Object.fromEntries(columns.map((column, i) => [column, values[i] as Value]));
  return codings ? { ...row, ...stored(Buffer.from(String(row['body']), 'base64')) } : row;
};

/** Statement that inserts these columns, whose values are its parameters. */
function insertionOf({ name, answers = {}, following = {} }: Table, columns: readonly string[]): string {
  const parameter = (column: string): string => `$${columns.indexOf(column) + 1}`;
  const into = [
    ...columns.map((c) =>
      answers[c] ? [answers[c].into, `(SELECT number FROM answers WHERE sha256 = ${parameter(c)})`] : [c, parameter(c)],
    ),
    ...Object.entries(following).map(([c, { of, sql }]) => [c, sql(parameter(of))]),
  ];
  return `INSERT INTO ${name} (${into.map(([c]) => c).join(', ')}) VALUES (${into.map(([, value]) => value).join(', ')})`;
}

/** All rows of a table in the order of its key, a page at a time. */
async function* rowsOf(
  query: Query,
  { name, columns, key, codings = [], answers = {} }: Table,
): AsyncGenerator<readonly unknown[]> {
  const all = [...new Set([...columns, ...key, ...codings])]
    .map((column) => answers[column]?.read ?? column)
    .join(', ');
  const after = `(${key.join(', ')}) > (${key.map((_, i) => `$${i + 1}`).join(', ')})`;
  for (let last: Value[] | undefined; ;) {
    const rows = await query(
      `SELECT ${all} FROM ${name}${last ? ` WHERE ${after}` : ''} ORDER BY ${key.join(', ')} LIMIT ${name === 'answer_chunks' ? 8 : PAGE}`,
      ...(last ?? []),
    );
    for (const row of rows.map(readable)) yield columns.map((c) => written(c, row[c]));
    const end = rows.at(-1);
    if (!end) return;
    last = key.map((c) => written(c, end[c]) as Value);
  }
}

async function* linesOf(query: Query): AsyncGenerator<string> {
  const { id, epoch } = await readIdentity(query);
  yield `${JSON.stringify({ format: FORMAT, version: VERSION, at_ms: Date.now(), id, epoch })}\n`;
  const counts: Record<string, number> = {};
  for (const table of TABLES) {
    counts[table.name] = 0;
    for await (const row of rowsOf(query, table)) {
      counts[table.name] = (counts[table.name] ?? 0) + 1;
      yield `${JSON.stringify([table.name, ...row])}\n`;
    }
  }
  yield `${JSON.stringify({ counts })}\n`;
}

/** What the first line says. Backups of version 1 name neither the ledger nor the time. */
interface Header {
  readonly atMs: number;
  readonly identity: Identity | null;
}

type Line =
  | { readonly table: Table; readonly values: readonly unknown[] }
  | { readonly counts: Counts }
  | { readonly header: Header };

/** @throws LedgerRefused, naming the file, where it is not a whole backup */
async function* readLines(file: string): AsyncGenerator<Line> {
  const wrong = (why: string): never => {
    throw new LedgerRefused(`${file} ${why}`);
  };
  const unzipped = createGunzip();
  const source = createReadStream(file);
  source.on('error', (error) => {
    unzipped.destroy(error);
  });
  let number = 0;
  let version: unknown;
  let ended = false;
  try {
    for await (const line of createInterface({ input: source.pipe(unzipped), crlfDelay: Infinity })) {
      const parsed: unknown = JSON.parse(line);
      number += 1;
      if (number === 1) {
        const { format, version: named, at_ms: atMs, id, epoch } = parsed as Readonly<Record<string, unknown>>;
        if (format !== FORMAT) wrong('is no backup of a ledger');
        version = named;
        if (typeof version !== 'number' || version < OLDEST_VERSION || version > VERSION) {
          wrong(
            `is a backup of version ${String(version)}, and this program reads versions ${OLDEST_VERSION} to ${VERSION}`,
          );
        }
        const identity = typeof id === 'string' && typeof epoch === 'number' ? { id, epoch } : null;
        yield { header: { atMs: typeof atMs === 'number' ? atMs : 0, identity } };
      } else if (Array.isArray(parsed)) {
        const table = TABLES.find(({ name }) => name === parsed[0]) ?? wrong(`holds a table ${String(parsed[0])}`);
        const values: readonly unknown[] =
          version === 1 && table.name === 'purchases' ? [...parsed.slice(1), ...NO_CHAIN] : parsed.slice(1);
        if (values.length !== table.columns.length)
          wrong(`holds a row of ${table.name} with ${parsed.length - 1} values`);
        yield { table, values };
      } else {
        ended = true;
        yield parsed as { counts: Counts };
      }
    }
  } catch (error) {
    if (error instanceof LedgerRefused || (error as NodeJS.ErrnoException).syscall !== undefined) throw error;
    wrong(`is damaged after ${number} lines: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!ended) wrong(`ends after ${number} lines without its last`);
}

/**
 * Read a backup whole: every row is counted, every answer that can be collected has its bytes, and every claim and
 * delivery its purchase.
 * @throws LedgerRefused, one line, where it is not so
 */
export async function checkBackup(file: string): Promise<Counts> {
  const wrong = (why: string): never => {
    throw new LedgerRefused(`${file}: ${why}`);
  };
  const counted: Record<string, number> = Object.fromEntries(TABLES.map(({ name }) => [name, 0]));
  const [bytes, whole, purchases] = [new Map<string, number>(), new Set<string>(), new Set<string>()];
  let open: { sha256: string; hash: ReturnType<typeof createHash>; length: number } | undefined;
  const close = (): void => {
    if (open && open.hash.digest('hex') === open.sha256 && open.length === bytes.get(open.sha256))
      whole.add(open.sha256);
    open = undefined;
  };
  for await (const line of readLines(file)) {
    if ('header' in line) continue;
    if ('counts' in line) {
      close();
      for (const [name, count] of Object.entries(line.counts))
        if (counted[name] !== count) wrong(`it holds ${counted[name] ?? 0} rows of ${name}, and says ${count}`);
      continue;
    }
    const { table, values } = line;
    counted[table.name] = (counted[table.name] ?? 0) + 1;
    const value = (column: string): string => String(values[table.columns.indexOf(column)]);
    if (table.name === 'answers') {
      bytes.set(value('sha256'), Number(value('bytes')));
      if (value('bytes') === '0') whole.add(value('sha256'));
    } else if (table.name === 'answer_chunks') {
      if (open?.sha256 !== value('sha256')) {
        close();
        open = { sha256: value('sha256'), hash: createHash('sha256'), length: 0 };
      }
      const body = Buffer.from(value('body'), 'base64');
      open?.hash.update(body);
      if (open) open.length += body.length;
    } else if (table.name === 'purchases') {
      close();
      purchases.add(value('id'));
      if (values[table.columns.indexOf('kept_answer')] !== null && !whole.has(value('kept_answer')))
        wrong(`purchase ${value('id')} has an answer whose bytes are not those that were sold`);
    } else if (
      table.name !== 'withheld_leads' &&
      table.columns.includes('purchase_id') &&
      !purchases.has(value('purchase_id'))
    )
      wrong(`a row of ${table.name} names purchase ${value('purchase_id')}, which is not there`);
  }
  return counted;
}

/** Write a ledger as it is now into `file`, which appears there whole and checked, or not at all. @returns rows by table */
export async function backUp(store: Store, file: string): Promise<Counts> {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    await store.atOneMoment((query) =>
      pipeline(linesOf(query), createGzip(), createWriteStream(temporary, { mode: 0o600 })),
    );
    await sync(temporary);
    const counts = await checkBackup(temporary);
    await rename(temporary, file);
    await sync(dirname(file));
    return counts;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

export interface RestoreOptions {
  /** Throw away what the ledger holds. */
  readonly overwrite: boolean;
  /** The ledger that the data folder notes. */
  readonly noted?: Identity | null;
  /** Claims to replay: those of the restored ledger are withheld if the backup lacks their purchases. */
  readonly claims?: readonly ClaimEntry[];
  readonly nowMs?: number;
}

export interface Restored {
  readonly counts: Counts;
  readonly identity: Identity;
  /** Leads that the journals say were sold, and the backup does not know. */
  readonly withheld: number;
}

/** A server that was only started has written these, which is no loss. */
const WRITTEN_BY_STARTING = new Set(['money', 'withheld_leads']);

async function empty(query: Query, overwrite: boolean): Promise<void> {
  for (const { name } of [...TABLES].reverse()) {
    if (overwrite || WRITTEN_BY_STARTING.has(name)) await query(`DELETE FROM ${name}`);
    else if ((await query(`SELECT 1 AS one FROM ${name} LIMIT 1`)).length > 0) {
      throw new LedgerRefused('the ledger is not empty; with OVERWRITE=1 what it holds is thrown away');
    }
  }
}

/** The id of the backup, and an epoch above every one that is known, which stops running servers. */
async function raiseEpoch(
  query: Query,
  header: Header,
  { noted, nowMs = Date.now() }: RestoreOptions,
): Promise<Identity> {
  const own = await readIdentity(query);
  const id = header.identity?.id ?? noted?.id ?? own.id;
  const epoch = Math.max(own.epoch, noted?.epoch ?? 0, header.identity?.epoch ?? 0) + 1;
  await query(
    'UPDATE ledger_identity SET id = $1, epoch = $2, restored_at_ms = $3, backup_at_ms = $4',
    id,
    epoch,
    nowMs,
    header.atMs,
  );
  return { id, epoch };
}

/**
 * Make a ledger from a backup, in one transaction. Servers that run are stopped by it: their writes are refused.
 * @throws LedgerRefused if the backup is not whole, or the ledger holds something and may not be overwritten
 */
export async function restore(store: Store, file: string, options: RestoreOptions): Promise<Restored> {
  const counts = await checkBackup(file);
  return store.write(async (query) => {
    // Waits for the writes of servers that have read the epoch already, and keeps others out until this is committed.
    if (store.kind === 'postgres') await query('LOCK TABLE ledger_identity IN ACCESS EXCLUSIVE MODE');
    await empty(query, options.overwrite);
    let identity = await readIdentity(query);
    let isOld = false;
    for await (const line of readLines(file)) {
      if ('header' in line) {
        identity = await raiseEpoch(query, line.header, options);
        isOld = line.header.identity === null;
      } else if ('table' in line) {
        const row = insertable(line.table, line.values);
        await query(insertionOf(line.table, Object.keys(row)), ...Object.values(row));
      }
    }
    // A backup of version 1 does not say which ledger's claims belong to it.
    const claims = (options.claims ?? []).filter(({ ledger }) => isOld || ledger === identity.id);
    return { counts, identity, withheld: await withholdLost(query, claims) };
  });
}
