/** Copies the rows of a ledger into an empty ledger of either kind. Backup, restore and a change of database use it. */
import { PAGE_OF_BODIES, pagesInOrder, type Query, type StoreKind, type Value } from './sql/store.ts';
import { LedgerRefused } from './sql/schema.ts';

/** Every table with its key, in an order in which each refers only to earlier ones. */
export const TABLES = {
  ledger_identity: 'one',
  heartbeat: 'one',
  money: 'one',
  answers: 'number',
  purchases: 'id',
  holds: 'lead_id',
  held_properties: 'purchase_id, property_key',
  transfers: 'chain, pay_to, block, log_index',
  audits: 'chain, pay_to',
  gas_days: 'account, day',
  used_tokens: 'token',
  journal: 'seq',
} as const;

/** Rows by table. */
export type Counts = Readonly<Record<keyof typeof TABLES, number>>;

const NAMES = Object.keys(TABLES) as (keyof typeof TABLES)[];
/** Written when a ledger is created, and at the first start of a server: replacing them loses no sale. */
const WRITTEN_AT_START: ReadonlySet<string> = new Set(['ledger_identity', 'heartbeat', 'money']);
/** Tables whose keys the database numbers. */
const NUMBERED = { answers: 'number', journal: 'seq' } as const;
/** Rows per statement. */
const pageRows = (table: string): number => (table === 'answers' ? PAGE_OF_BODIES : 100);

async function deleteRows(query: Query, kind: StoreKind): Promise<void> {
  if (kind === 'postgres') await query(`TRUNCATE ${NAMES.join(', ')}`);
  else for (const table of NAMES.toReversed()) await query(`DELETE FROM ${table}`);
}

async function copyTable(read: Query, into: Query, table: keyof typeof TABLES): Promise<number> {
  let count = 0;
  const rows = { select: `SELECT * FROM ${table}`, key: TABLES[table], limit: pageRows(table) };
  for await (const page of pagesInOrder(read, rows)) {
    if (page.length === 0) break;
    const columns = Object.keys(page[0] ?? {});
    const places = page.map((_, row) => `(${columns.map((__, i) => `$${row * columns.length + i + 1}`).join(', ')})`);
    const values = page.flatMap((row) => columns.map((column) => row[column] as Value));
    await into(`INSERT INTO ${table} (${columns.join(', ')}) VALUES ${places.join(', ')}`, ...values);
    count += page.length;
  }
  return count;
}

async function assertEmpty(query: Query): Promise<void> {
  for (const table of NAMES.filter((name) => !WRITTEN_AT_START.has(name))) {
    if ((await query(`SELECT 1 AS one FROM ${table} LIMIT 1`)).length > 0)
      throw new LedgerRefused('the ledger is not empty. Set OVERWRITE=1 to delete its content');
  }
}

export interface CopyOptions {
  /** Database of the copy. */
  readonly kind: StoreKind;
  /** Delete the rows of the other ledger first. */
  readonly overwrite: boolean;
}

/**
 * Copy every row from a snapshot into a transaction of another ledger. The lease of the auditor is not copied: the copy
 * has no servers.
 * @throws LedgerRefused if the other ledger has sales
 */
export async function copyRows(read: Query, into: Query, { kind, overwrite }: CopyOptions): Promise<Counts> {
  if (!overwrite) await assertEmpty(into);
  await deleteRows(into, kind);
  const counts: Record<string, number> = {};
  for (const table of NAMES) counts[table] = await copyTable(read, into, table);
  await into(`UPDATE audits SET lease_holder = '', lease_until_ms = 0`);
  if (kind === 'postgres') {
    for (const [table, key] of Object.entries(NUMBERED))
      await into(`SELECT setval(pg_get_serial_sequence('${table}', '${key}'), max(${key})) FROM ${table}`);
  }
  return counts as Counts;
}
