/**
 * The claims journal: an append-only file outside the ledger that records each exclusive lead before money moves. A
 * ledger that lost its last sales (a truncated log, an old backup) withholds the leads that the journal records.
 */
import { createReadStream, existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { makeFolder, sync } from '../lib/files.ts';
import { LedgerUnavailable, type Ledger, type Purchase } from './ledger.ts';
import type { Query, Store } from './sql/store.ts';

const entrySchema = z.object({
  /** Time in ISO 8601. */
  at: z.iso.datetime(),
  /** Id of the ledger. */
  ledger: z.string(),
  lead: z.string(),
  /** Keys of its property. An older version recorded none. */
  properties: z.array(z.string()).default([]),
  purchase: z.string(),
  payer: z.string(),
  nonce: z.string(),
  state: z.enum(['held', 'released']),
});

/** One line of the journal. */
export type ClaimEntry = z.infer<typeof entrySchema>;

export interface ClaimsJournal {
  /** Resolves when the entry is on the disk. */
  append(entry: Omit<ClaimEntry, 'ledger'>): Promise<void>;
}

export const journalFile = (dataDir: string): string => join(dataDir, 'claims.journal');

/** Append one entry with one write, and flush it. */
async function appendEntry(path: string, entry: ClaimEntry): Promise<void> {
  await makeFolder(dirname(path));
  const handle = await open(path, 'a', 0o600);
  let isNew: boolean;
  try {
    isNew = (await handle.stat()).size === 0;
    // Line breaks on both sides separate this entry from a partial one that a crash left.
    const line = Buffer.from(`\n${JSON.stringify(entry)}\n`);
    const { bytesWritten } = await handle.write(line);
    if (bytesWritten !== line.length) throw new Error('the disk is full');
    await handle.sync();
  } finally {
    await handle.close();
  }
  if (isNew) await sync(dirname(path));
}

/** The journal of a ledger. The first entry creates the file. */
export const claimsJournal = (path: string, ledgerId: string): ClaimsJournal => ({
  append: (entry) => appendEntry(path, { ...entry, ledger: ledgerId }),
});

function entryOf(line: string): ClaimEntry | null {
  try {
    return entrySchema.parse(JSON.parse(line));
  } catch {
    return null;
  }
}

/**
 * The claims that journals record as held and not as released. The order of files and lines does not matter. Lines that
 * cannot be parsed are ignored: a crash truncated them before money moved.
 * @param ledgerId ignores entries of other ledgers; null reads all
 */
export async function heldClaims(files: readonly string[], ledgerId: string | null): Promise<readonly ClaimEntry[]> {
  const held = new Map<string, ClaimEntry>();
  const released = new Set<string>();
  for (const file of files) {
    if (!existsSync(file)) continue;
    for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
      const entry = entryOf(line);
      if (entry === null || (ledgerId !== null && entry.ledger !== ledgerId)) continue;
      if (entry.state === 'held') held.set(entry.purchase, entry);
      else released.add(entry.purchase);
    }
  }
  return [...held.values()].filter(({ purchase }) => !released.has(purchase));
}

/** Purchases whose outcome the ledger knows or will learn from the chain. */
const KNOWN = `SELECT c.purchase_id FROM claims c JOIN purchases p ON p.id = c.purchase_id WHERE p.state <> 'reserved'
  UNION SELECT purchase_id FROM withheld_leads`;

async function lostClaims(query: Query, held: readonly ClaimEntry[]): Promise<readonly ClaimEntry[]> {
  if (held.length === 0) return [];
  const known = new Set((await query(KNOWN)).map((row) => String(row['purchase_id'])));
  return held.filter(({ purchase }) => !known.has(purchase));
}

/**
 * Withhold the leads of claims that this ledger has lost, with their properties. A reserved purchase counts as lost:
 * its money may have moved, and the lead would be free when its lease expires.
 * @returns the number of leads that were not withheld before
 */
export async function withholdLost(query: Query, held: readonly ClaimEntry[]): Promise<number> {
  let count = 0;
  for (const { lead, properties, purchase, payer, nonce, at } of await lostClaims(query, held)) {
    const [found] = await query('SELECT state FROM purchases WHERE id = $1', purchase);
    if (found?.['state'] !== undefined && found['state'] !== 'reserved') continue;
    const added = await query(
      `INSERT INTO withheld_leads (lead_id, purchase_id, payer, nonce, at_ms) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT DO NOTHING RETURNING lead_id`,
      lead,
      purchase,
      payer,
      nonce,
      Date.parse(at),
    );
    count += added.length;
    for (const key of properties) {
      await query(
        'INSERT INTO withheld_properties (property_key, lead_id) VALUES ($1, $2) ON CONFLICT DO NOTHING',
        key,
        lead,
      );
    }
  }
  return count;
}

/** Replay a journal before a ledger is used. @returns the number of newly withheld leads */
export async function replayClaims(store: Store, file: string, ledgerId: string): Promise<number> {
  const held = await heldClaims([file], ledgerId);
  if ((await lostClaims(store.read, held)).length === 0) return 0;
  return store.write((query) => withholdLost(query, held));
}

const entryFor = (
  purchase: Purchase,
  lead: string,
  state: ClaimEntry['state'],
  nowMs: number,
): Omit<ClaimEntry, 'ledger'> => ({
  at: new Date(nowMs).toISOString(),
  lead,
  properties: [...purchase.properties],
  purchase: purchase.id,
  payer: purchase.payment.payer,
  nonce: purchase.payment.nonce,
  state,
});

/** A ledger that records the leads of its purchases in the journal before money moves and after a release. */
export function withClaimsJournal(ledger: Ledger, journal: ClaimsJournal): Ledger {
  const append = async (purchaseId: string, state: ClaimEntry['state'], nowMs: number): Promise<void> => {
    const purchase = await ledger.find({ id: purchaseId });
    if (purchase === null || purchase.leadId === null) return;
    await journal.append(entryFor(purchase, purchase.leadId, state, nowMs));
  };
  return {
    ...ledger,
    async startSettling(purchaseId, answer, nowMs) {
      if (!(await ledger.startSettling(purchaseId, answer, nowMs))) return false;
      try {
        await append(purchaseId, 'held', nowMs);
      } catch (error) {
        if (error instanceof LedgerUnavailable) throw error;
        const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
        throw new LedgerUnavailable(`the claims journal cannot be written${code}`, { cause: error });
      }
      return true;
    },
    async release(purchaseId, reason, nowMs) {
      const isReleased = await ledger.release(purchaseId, reason, nowMs);
      if (isReleased && reason !== 'not_settled') {
        // Optional: the ledger already has the release, and a replay reads the ledger too.
        await append(purchaseId, 'released', nowMs).catch(() => undefined);
      }
      return isReleased;
    },
  };
}
