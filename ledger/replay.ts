/** Puts back what a ledger has lost, from the lines of the journal's copies. */
import { hash } from 'node:crypto';
import { storeBody } from './sql/answers.ts';
import { change, type Facts, type JournalLine } from './sql/journal.ts';
import { markRestored } from './sql/transfer_book.ts';
import { COLUMNS } from './sql/rows.ts';
import { release } from './sql/purchases.ts';
import type { Query } from './sql/store.ts';

const INSERT_LINE =
  'INSERT INTO journal (subject, number, line) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING number';
const STORED_COLUMNS = [...COLUMNS, 'kept_answer'];
const PUT_PURCHASE = `INSERT INTO purchases (${STORED_COLUMNS.join(', ')})
  VALUES (${STORED_COLUMNS.map((_, i) => `$${i + 1}`).join(', ')})
  ON CONFLICT (id) DO UPDATE SET ${STORED_COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ')}`;
const RESOLVE = `UPDATE transfers SET kind = 'resolved', resolution = $3
  WHERE tx_hash = $1 AND log_index = $2 AND kind = 'owed'`;

/** A purchase as its last line states it, and the answer of its exclusive lead, in base64. */
interface LostPurchase {
  readonly event: JournalLine['event'];
  readonly at: string;
  readonly facts: Facts;
  readonly answer: string | undefined;
}

/** Store an answer unless it is there. @returns its number; null if its bytes are lost */
async function putAnswer(query: Query, { facts, answer }: LostPurchase): Promise<number | null> {
  const sha256 = facts['answer_sha256'] ?? '';
  const body = Buffer.from(answer ?? '', 'base64');
  if (answer !== undefined && hash('sha256', body, 'hex') === sha256)
    return storeBody(query, { sha256, body }, Date.now());
  const [known] = await query('SELECT number FROM answers WHERE sha256 = $1', sha256);
  return known ? Number(known['number']) : null;
}

const RIVALS = `SELECT id FROM purchases WHERE id <> $1
  AND ((standing = 1 AND payer = $2 AND (nonce = $3 OR identifier_hash = $4))
    OR id IN (SELECT purchase_id FROM holds WHERE lead_id = $5))`;
const RIVALS_OF_PROPERTY =
  'SELECT purchase_id AS id FROM held_properties WHERE standing = 1 AND purchase_id <> $1 AND property_key = $2';

/**
 * Release the purchases that have what this one had. A crash came before the copy of their own release.
 * @returns false if one of them is sold: after a restore without this line
 */
async function releaseRivals(query: Query, { facts }: LostPurchase): Promise<boolean> {
  const [id, payer] = [facts['id'] ?? '', facts['standing'] === null ? '' : (facts['payer'] ?? '')];
  const held = [facts['nonce'] ?? '', facts['identifier_hash'] ?? null, facts['lead'] ?? null];
  const rivals = [...(await query(RIVALS, id, payer, ...held))];
  for (const key of facts['properties']?.split('|') ?? []) rivals.push(...(await query(RIVALS_OF_PROPERTY, id, key)));
  let areReleased = true;
  for (const rival of new Set(rivals.map((row) => String(row['id']))))
    if (!(await release(query, '', rival, { nowMs: Date.now(), reason: 'superseded' }))) areReleased = false;
  return areReleased;
}

const released = (facts: Facts, why: string): Facts => ({
  ...facts,
  state: 'released',
  standing: null,
  ended_at_ms: facts['ended_at_ms'] ?? String(Date.now()),
  why,
});

const superseded = (facts: Facts): Facts => ({
  ...released(facts, 'superseded'),
  lead: null,
  returned_lead: facts['lead'] ?? facts['returned_lead'] ?? null,
  properties: null,
  returned_properties: facts['properties'] ?? facts['returned_properties'] ?? null,
});

/** Release what it held, so that the purchases put back can take it. */
async function clear(query: Query, { event, facts }: LostPurchase): Promise<void> {
  const id = facts['id'] ?? '';
  for (const table of ['holds', 'held_properties']) await query(`DELETE FROM ${table} WHERE purchase_id = $1`, id);
  if (event === 'dropped') await query('DELETE FROM purchases WHERE id = $1', id);
  else await query('UPDATE purchases SET identifier_hash = NULL, nonce = id WHERE id = $1', id);
}

/**
 * Write the row of a purchase with all it holds. If a sale has that by now, or if its answer is lost, it is released:
 * the audit sells it if it can be delivered, else its transfer is owed. With a lost answer, which the buyer may have
 * got or not, it keeps its lead.
 */
async function putBack(query: Query, lost: LostPurchase): Promise<void> {
  const facts = (await releaseRivals(query, lost)) ? lost.facts : superseded(lost.facts);
  const id = facts['id'] ?? '';
  const hadAnswer = facts['has_answer'] === '1';
  const number = hadAnswer ? await putAnswer(query, lost) : null;
  const isLost = hadAnswer && number === null;
  const row = isLost ? released(facts, 'answer_lost') : facts;
  await query(PUT_PURCHASE, ...COLUMNS.map((column) => row[column] ?? null), number);
  if (facts['lead'] !== null)
    await query('INSERT INTO holds (lead_id, purchase_id) VALUES ($1, $2)', facts['lead'] ?? '', id);
  const add = 'INSERT INTO held_properties (purchase_id, property_key, standing) VALUES ($1, $2, $3)';
  for (const [name, standing] of [
    ['properties', 1],
    ['returned_properties', null],
  ] as const)
    for (const key of facts[name]?.split('|') ?? []) await query(add, id, key, standing);
  if (isLost || facts !== lost.facts) await change(query, 'released', { where: 'id = $1' }, id);
}

/** Reservations first: whatever was sent for settlement since has what they had. Then the older before the later. */
const byAge = (one: LostPurchase, other: LostPurchase): number =>
  Number(other.facts['state'] === 'reserved') - Number(one.facts['state'] === 'reserved') ||
  one.at.localeCompare(other.at);

/** Lines that the journal lacks become rows of it. @returns those that it lacked */
async function addLines(query: Query, lines: readonly JournalLine[]): Promise<readonly JournalLine[]> {
  const added: JournalLine[] = [];
  for (const line of lines) {
    const subject = line.purchase?.['id'] ?? '';
    if ((await query(INSERT_LINE, subject, line.number, JSON.stringify(line))).length > 0) added.push(line);
  }
  const last = `SELECT max(number) FROM journal WHERE subject = ''`;
  await query(`UPDATE ledger_identity SET changes = COALESCE((${last}), changes)`);
  return added;
}

/**
 * Put back the purchases that these lines know better than the ledger, and mark the ledger as restored.
 * @returns the number of purchases
 */
export async function replay(query: Query, lines: readonly JournalLine[], nowMs: number): Promise<number> {
  const latest = new Map<string, JournalLine & { readonly purchase: Facts }>();
  const answers = new Map<string, string>();
  for (const line of await addLines(query, lines)) {
    const { purchase, number, answer } = line;
    if (line.event === 'resolved')
      await query(RESOLVE, String(line['transaction']), Number(line['log_index']), String(line['resolution']));
    if (purchase === null) continue;
    const id = purchase['id'] ?? '';
    if (answer !== undefined) answers.set(id, answer);
    if (number > (latest.get(id)?.number ?? 0)) latest.set(id, { ...line, purchase });
  }
  const lost: LostPurchase[] = [];
  for (const [id, { event, at, number, purchase: facts }] of latest) {
    const [row] = await query('SELECT changes FROM purchases WHERE id = $1', id);
    if (number > Number(row?.['changes'] ?? 0)) lost.push({ event, at, facts, answer: answers.get(id) });
  }
  for (const each of lost) await clear(query, each);
  for (const each of lost.sort(byAge)) {
    if (each.event === 'dropped') continue;
    await putBack(query, each);
  }
  await markRestored(query, nowMs);
  return lost.length;
}
