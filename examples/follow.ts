/**
 * Keep local tables equal to lists of the API: the whole list once, then its changes.
 *
 *   export SERVER=http://localhost:4021
 *   export BUYER_KEY=$(node -p "JSON.parse(fs.readFileSync('data/sandbox/wallet.json')).private_key")   # test money
 *   node examples/follow.ts tables deals auctions     # writes tables/deals.json, tables/auctions.json; run it daily
 *
 * Each page is paid once: it is stored before the next one is requested. A day without changes costs nothing.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPaymentFromConfig } from '@x402/fetch';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

type Row = Readonly<Record<string, unknown> & { id: string }>;

/** What is stored of a list. */
export interface Table {
  /** The next updated_since; null until the whole list is here. */
  updated_since: string | null;
  /** The next page of an unfinished request, and the smallest changes_through of its pages. */
  next: { readonly cursor: string; readonly through: string } | null;
  records: Record<string, Row>;
}

interface Answer {
  readonly records: readonly (Row & { readonly change?: { readonly event: string } })[];
  readonly next_cursor: string | null;
  readonly changes_through?: string;
  readonly complete_since?: string;
  readonly detail?: string;
}

export interface Followed {
  readonly table: Table;
  /** Paid pages. */
  readonly pages: number;
  /** Records and changes on them. */
  readonly events: number;
}

const emptyTable = (): Table => ({ updated_since: null, next: null, records: {} });

async function readTable(file: string): Promise<Table> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Table;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return emptyTable();
    throw error;
  }
}

async function writeTable(file: string, table: Table): Promise<void> {
  await writeFile(`${file}.part`, JSON.stringify(table));
  await rename(`${file}.part`, file);
}

/** A record of the whole list, or a change: a record that comes with its id alone is no longer in the list. */
function apply({ records }: Table, { change, ...record }: Answer['records'][number]): void {
  if (change?.event === 'gone' || Object.keys(record).length === 1) delete records[record.id];
  else records[record.id] = record;
}

const urlOf = (server: string, list: string, { updated_since: since, next }: Table): string => {
  const query = new URLSearchParams({ limit: '500', fields: 'all' });
  if (since !== null) query.set('updated_since', since);
  if (next !== null) query.set('cursor', next.cursor);
  return new URL(`/api/${list}?${query.toString()}`, server).href;
};

/** Instants have one form, so that they compare as text. */
const earlier = (a: string | undefined, b: string | undefined): string | undefined =>
  a === undefined || (b !== undefined && b < a) ? b : a;

/**
 * Bring the table of a list up to date.
 * @param pay fetch that pays
 */
export async function followList(pay: typeof fetch, server: string, list: string, file: string): Promise<Followed> {
  let table = await readTable(file);
  let [pages, events] = [0, 0];
  for (;;) {
    const response = await pay(urlOf(server, list, table));
    const answer = (await response.json()) as Answer;
    const { complete_since: completeSince, next_cursor: cursor } = answer;
    const through = earlier(table.next?.through, answer.changes_through);
    // Changes are reported for 90 days: after a longer pause, begin again.
    if (response.status === 400 && completeSince !== undefined && String(table.updated_since) < completeSince) {
      table = emptyTable();
      continue;
    }
    if (!response.ok && response.status !== 404) throw new Error(`${list}: ${response.status} ${answer.detail}`);
    if (through === undefined) throw new Error(`${list}: this server publishes no changes`);
    if (response.ok) {
      for (const record of answer.records) apply(table, record);
      pages += 1;
      events += answer.records.length;
    }
    // 404 is free: nothing changed, or no page is left.
    const isLast = !response.ok || cursor === null;
    table.next = isLast ? null : { cursor, through };
    if (isLast) table.updated_since = through;
    await writeTable(file, table);
    if (isLast) return { table, pages, events };
  }
}

async function main(): Promise<void> {
  const { SERVER = 'http://localhost:4021', BUYER_KEY } = process.env;
  const [folder, ...lists] = process.argv.slice(2);
  if (folder === undefined || lists.length === 0 || BUYER_KEY === undefined) {
    process.stderr.write('usage: SERVER=... BUYER_KEY=0x... node examples/follow.ts FOLDER deals signals ...\n');
    process.exit(2);
  }
  const pay = wrapFetchWithPaymentFromConfig(fetch, {
    schemes: [{ network: 'eip155:8453', client: new ExactEvmScheme(privateKeyToAccount(BUYER_KEY as Hex)) }],
  });
  await mkdir(folder, { recursive: true });
  for (const list of lists) {
    const { table, pages, events } = await followList(pay, SERVER, list, join(folder, `${list}.json`));
    const size = Object.keys(table.records).length;
    process.stdout.write(
      `${list}: ${pages} paid pages, ${events} records or changes, ${size} records now, ` +
        `changes through ${table.updated_since}\n`,
    );
  }
}

if (import.meta.main) await main();
