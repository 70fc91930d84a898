/**
 * The copy of the journal outside the database: DATA_DIR/ledger.journal. Its lines are rows of the journal, in any
 * order, some of them twice. It knows the sales that the database lost: with its last writes, or after a backup.
 */
import { closeSync, createReadStream, fdatasync, fstatSync, openSync, statSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { z } from 'zod';
import { sync } from '../lib/files.ts';
import { LedgerUnavailable } from './ledger.ts';
import { APPEND, factsOf, type JournalLine } from './sql/journal.ts';
import { pagesInOrder, type Query, type Store } from './sql/store.ts';
import { FACTS } from './sql/rows.ts';

/** The end of the file that is compared when a ledger is opened. The audit compares all of it. */
const TAIL_BYTES = 4 << 20;
/** How long lines that need no flush wait for others: opening the file for each costs a tenth of a sale. */
const SOON_MS = 20;

export const journalFile = (dataDir: string): string => join(dataDir, 'ledger.journal');

const lineSchema = z.looseObject({
  ledger: z.uuid(),
  event: z.string(),
  number: z.int().min(1),
  at: z.iso.datetime(),
  purchase: z.looseObject({ id: z.string() }).catchall(z.string().nullable()).nullable(),
  answer: z.base64().optional(),
});

function parseLine(text: string): JournalLine | null {
  try {
    const line: unknown = JSON.parse(text);
    // Unlike the result of the schema, this one has its fields in the order of the text.
    return lineSchema.safeParse(line).success ? (line as JournalLine) : null;
  } catch {
    return null;
  }
}

/**
 * The lines of one ledger in a file. A crash may have cut a line, before money moved: it is skipped.
 * @param start the byte from which to read
 */
export async function* journalLines(path: string, ledgerId: string, start = 0): AsyncGenerator<JournalLine> {
  if (sizeOf(path) === 0) return;
  for await (const text of createInterface({ input: createReadStream(path, { start }), crlfDelay: Infinity })) {
    const line = parseLine(text);
    if (line?.ledger === ledgerId) yield line;
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/**
 * Append lines with one write, which only reaches the page cache: asynchronous calls would cost more than it takes.
 * @param isFlushed whether they are on the disk when this resolves
 */
async function appendLines(path: string, lines: readonly string[], isFlushed: boolean): Promise<void> {
  const file = openSync(path, 'a', 0o600);
  try {
    const isNew = fstatSync(file).size === 0;
    // A line break on both sides separates these lines from a partial one that a crash left.
    const bytes = Buffer.from(`\n${lines.join('\n')}\n`);
    if (writeSync(file, bytes) !== bytes.length) throw new Error('the disk is full');
    if (isFlushed) await promisify(fdatasync)(file);
    if (isNew) await sync(dirname(path));
  } finally {
    closeSync(file);
  }
}

const keyOf = (subject: string, number: number): string => `${subject} ${number}`;
const keyOfLine = ({ purchase, number }: JournalLine): string => keyOf(purchase?.['id'] ?? '', number);

async function seqOf(read: Query, { purchase, number }: JournalLine): Promise<number | null> {
  const sql = 'SELECT seq FROM journal WHERE subject = $1 AND number = $2';
  const [row] = await read(sql, purchase?.['id'] ?? '', number);
  return row ? Number(row['seq']) : null;
}

/** Append the rows from `seq` on whose keys are not among these, which are removed. */
async function copyMissing(read: Query, path: string, seq: number, keys: Set<string>): Promise<void> {
  const rows = { select: 'SELECT seq, subject, number, line FROM journal', where: 'seq >= $1', key: 'seq' };
  for await (const page of pagesInOrder(read, rows, seq)) {
    const missing = page.filter(({ subject, number }) => !keys.delete(keyOf(String(subject), Number(number))));
    const lines = missing.map((row) => String(row['line']));
    if (lines.length > 0) await appendLines(path, lines, true);
  }
}

/** A purchase never changes to a state on the left of its own. Only reservations are deleted. */
const STATES = ['reserved', 'settling', 'released', 'sold'];
/** Facts that no change of a purchase touches. */
const FIXED = ['network', 'asset', 'payer', 'nonce', 'pay_to', 'amount', 'valid_before', 'chain', 'route', 'request'];

/** Whether a purchase of the database can have changed to what a line states: no line takes back a sale. */
async function canFollow(read: Query, { event, purchase }: JournalLine): Promise<boolean> {
  const [row] = await read(`SELECT ${FACTS} FROM purchases WHERE id = $1`, purchase?.['id'] ?? '');
  if (!row || purchase === null) return true;
  const facts = factsOf(row);
  const same = facts['state'] === 'sold' ? [...FIXED, 'lead', 'properties', 'answer_sha256'] : FIXED;
  const state = event === 'dropped' ? 'reserved' : (purchase['state'] ?? '');
  const isLater = STATES.indexOf(state) >= STATES.indexOf(facts['state'] ?? '');
  return isLater && same.every((name) => purchase[name] === facts[name]);
}

/** The lines of one ledger in a file that its journal lacks: the database has lost them. The audit names all others. */
export async function lostLines(read: Query, path: string, ledgerId: string, start = 0): Promise<JournalLine[]> {
  const lost: JournalLine[] = [];
  for await (const line of journalLines(path, ledgerId, start))
    if ((await seqOf(read, line)) === null && (await canFollow(read, line))) lost.push(line);
  return lost;
}

/**
 * Append what the end of the file lacks of the journal.
 * @returns what the journal lacks of the end of the file
 */
export async function catchUp(read: Query, path: string, ledgerId: string): Promise<readonly JournalLine[]> {
  const end = Math.max(0, sizeOf(path) - TAIL_BYTES);
  for (const start of end === 0 ? [0] : [end, 0]) {
    const keys = new Set<string>();
    let first: number | null = start === 0 ? 0 : null;
    for await (const line of journalLines(path, ledgerId, start)) {
      keys.add(keyOfLine(line));
      first ??= await seqOf(read, line);
    }
    if (first === null) continue;
    await copyMissing(read, path, first, keys);
    return keys.size === 0 ? [] : await lostLines(read, path, ledgerId, start);
  }
  return [];
}

/** Lines of committed transactions that are written together. */
interface Batch {
  readonly lines: string[];
  isFlushed: boolean;
  readonly written: Promise<void>;
  /** Write it now. */
  readonly start: () => void;
}

/** Money moves next for a purchase with an exclusive lead. */
function isUrgent(text: string): boolean {
  if (!text.includes('"event":"settling"')) return false;
  const { purchase } = JSON.parse(text) as JournalLine;
  return purchase?.['lead'] !== null;
}

/**
 * A store that copies the lines of each transaction into the file after its commit. A write returns when they are on
 * the disk if money moves next for an exclusive lead; otherwise they are written soon after.
 * @throws LedgerUnavailable from a write whose lines must be on the disk and cannot be written
 */
export function copiedStore(store: Store, path: string, ledgerId: string): Store {
  let last: Promise<void> = Promise.resolve();
  let next: Batch | null = null;
  // After a failure the file is compared with the journal, so that no line is lost for good.
  let isBehind = false;
  const write = async ({ lines, isFlushed }: Batch): Promise<void> => {
    next = null;
    const wasBehind = isBehind;
    isBehind = true;
    if (wasBehind) await catchUp(store.read, path, ledgerId);
    else await appendLines(path, lines, isFlushed);
    isBehind = false;
  };
  const newBatch = (): Batch => {
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    setTimeout(start, SOON_MS);
    const written = Promise.all([last, started]).then(() => write(batch));
    last = written.catch(() => undefined);
    const batch: Batch = { lines: [], isFlushed: false, written, start };
    return batch;
  };
  const copy = async (lines: readonly string[]): Promise<void> => {
    const mustFlush = lines.some(isUrgent);
    const batch = (next ??= newBatch());
    batch.lines.push(...lines);
    batch.isFlushed ||= mustFlush;
    if (!mustFlush) return;
    batch.start();
    try {
      await batch.written;
    } catch (error) {
      if (error instanceof LedgerUnavailable) throw error;
      const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
      throw new LedgerUnavailable(`the journal file cannot be written${code}`, { cause: error });
    }
  };
  /** Lines that a crash may still take from the database: the file gets them after the next flushed write. */
  let unsure: string[] = [];
  return {
    ...store,
    async write(work, durability) {
      let lines: string[] = [];
      const now = durability === 'soon' ? [] : unsure.splice(0);
      const result = await store
        .write(async (query) => {
          lines = [];
          return work(async (sql, ...parameters) => {
            const rows = await query(sql, ...parameters);
            if (sql === APPEND) lines.push(...rows.map((row) => String(row['line'])));
            return rows;
          });
        }, durability)
        .catch((error: unknown) => {
          unsure.unshift(...now);
          throw error;
        });
      if (durability === 'soon') unsure.push(...lines);
      else if (now.length + lines.length > 0) await copy([...now, ...lines]);
      return result;
    },
    async close() {
      next?.start();
      await last;
      await store.close();
      // Writes that were still under way.
      if (unsure.length > 0) await copy(unsure.splice(0));
      next?.start();
      await last;
    },
  };
}
