/**
 * The part of the full audit that needs no chain: journal, its copy, tables and answers are compared, each with each.
 * Nothing is skipped: what differs is named in a sentence. The rows are read in pages, so memory does not grow.
 */
import { hash } from 'node:crypto';
import { dollarsOf } from '../lib/network.ts';
import { DAY_MS } from '../lib/time.ts';
import { readIdentity } from './identity.ts';
import { journalLines } from './journal_file.ts';
import type { AuditedAccount, Money, Purchase } from './ledger.ts';
import { bodyOf } from './sql/answers.ts';
import { factsOf, type Facts, type JournalLine, type LedgerEvent } from './sql/journal.ts';
import { PAGE_OF_BODIES, rowsInOrder, type Query, type Row, type Store } from './sql/store.ts';
import { asNumber, FACTS, purchaseOf, TRANSACTION } from './sql/rows.ts';

/** Records a difference: one sentence. */
export type Say = (difference: string) => void;

export interface LedgerAuditOptions {
  /** The copy of the journal. */
  readonly file: string;
  /** Address of the token, in lower case. */
  readonly asset: string;
  /** Days for which an answer can be collected. */
  readonly collectDays: number;
  readonly nowMs: number;
}

export interface LedgerAudit {
  readonly lines: number;
  readonly purchases: number;
  readonly answers: number;
  /** Sold purchases without a booked transfer: their blocks are not audited yet, or they are not paid. */
  readonly soldWithoutTransfer: readonly Purchase[];
  readonly accounts: readonly AuditedBlocks[];
  readonly paidBack: readonly PaidBack[];
  /** Null before the first server. */
  readonly money: Money | null;
}

/** A transfer that paid a debt or a refund back, as the ledger records it. */
export interface PaidBack {
  readonly chain: string;
  readonly transaction: string;
  readonly receiver: string;
  readonly amount: bigint;
}

/** The blocks of an account whose transfers are booked. */
export interface AuditedBlocks extends AuditedAccount {
  readonly first: bigint;
  readonly through: bigint;
}

const ownerOf = (subject: string): string => (subject === '' ? 'the ledger' : `purchase ${subject}`);

/** Every line of the copy is in the journal. */
async function compareCopy(read: Query, file: string, ledgerId: string, say: Say): Promise<void> {
  for await (const line of journalLines(file, ledgerId)) {
    const { event, number, purchase } = line;
    const subject = purchase?.['id'] ?? '';
    const [row] = await read('SELECT line FROM journal WHERE subject = $1 AND number = $2', subject, number);
    const name = `line ${number} of ${ownerOf(subject)} (${event})`;
    if (!row) say(`the copy of the journal has ${name}, and the journal lacks it`);
    else if (row['line'] !== JSON.stringify(line)) say(`${name} of the journal is not that of its copy`);
  }
}

/** A purchase is as its last line states it. */
async function comparePurchase(read: Query, id: string, { event, purchase }: JournalLine, say: Say): Promise<void> {
  const [row] = await read(`SELECT ${FACTS} FROM purchases WHERE id = $1`, id);
  const isDropped = event === 'dropped';
  if (row && isDropped) say(`purchase ${id} is ${row['state']}, and the journal says that it was deleted`);
  if (!row && !isDropped) say(`purchase ${id} was ${purchase?.['state']}, and is gone`);
  if (!row || isDropped) return;
  const [facts, noted]: [Facts, Facts] = [factsOf(row), purchase ?? {}];
  for (const name of Object.keys({ ...noted, ...facts }))
    if (facts[name] !== noted[name])
      say(`purchase ${id}: ${name} is ${facts[name] ?? 'none'}, and the journal says ${noted[name] ?? 'none'}`);
}

/**
 * The lines of each purchase, and of the ledger, follow each other, and the tables are as the last ones state.
 * @returns the number of lines, and the lines of the ledger itself
 */
export async function compareJournal(
  read: Query,
  ledgerId: string,
  say: Say,
): Promise<{ readonly lines: number; readonly own: readonly JournalLine[] }> {
  const own: JournalLine[] = [];
  let lines = 0;
  let [subject, last]: [string, JournalLine | null] = ['', null];
  const endSubject = async (): Promise<void> => {
    if (last && subject !== '') await comparePurchase(read, subject, last, say);
    last = null;
  };
  const journal = { select: 'SELECT subject, number, line FROM journal', key: 'subject, number' };
  for await (const row of rowsInOrder(read, journal)) {
    if (row['subject'] !== subject) await endSubject();
    subject = String(row['subject']);
    const [number, line] = [Number(row['number']), JSON.parse(String(row['line'])) as JournalLine];
    const expected: number = (last?.number ?? 0) + 1;
    if (number !== expected) say(`the journal lacks line ${expected} of ${ownerOf(subject)}`);
    if (line.ledger !== ledgerId || line.number !== number || (line.purchase?.['id'] ?? '') !== subject)
      say(`line ${number} of ${ownerOf(subject)} in the journal is of another ledger, purchase or number`);
    if (subject === '') own.push(line);
    last = line;
    lines += 1;
  }
  await endSubject();
  const [identity] = await read('SELECT changes FROM ledger_identity');
  if (Number(identity?.['changes']) !== (own.at(-1)?.number ?? 0))
    say(`the journal lacks lines of the ledger after ${own.at(-1)?.number ?? 0}`);
  const orphans = `SELECT id, state FROM purchases WHERE NOT EXISTS (SELECT 1 FROM journal j WHERE j.subject = id)`;
  for (const { id, state } of await read(orphans)) say(`purchase ${id} is ${state}, and the journal does not know it`);
  return { lines, own };
}

/** Whether the stored bytes of an answer have its hash. */
function isWhole(row: Row): boolean {
  try {
    return hash('sha256', bodyOf(row), 'hex') === row['sha256'];
  } catch {
    return false; // It cannot be decompressed.
  }
}

/** Every answer that can be collected is there, with the bytes that were sold. */
async function checkAnswers(
  read: Query,
  { collectDays, nowMs }: LedgerAuditOptions,
  say: Say,
): Promise<{ readonly purchases: number; readonly answers: number }> {
  const damaged = new Set<string>();
  let [purchases, answers] = [0, 0];
  const select = 'SELECT number, sha256, bytes, coding, body FROM answers';
  const where = 'EXISTS (SELECT 1 FROM purchases WHERE kept_answer = number)';
  for await (const row of rowsInOrder(read, { select, where, key: 'number', limit: PAGE_OF_BODIES })) {
    answers += 1;
    if (!isWhole(row)) damaged.add(String(row['number']));
  }
  const sold = `SELECT id, state, answer_sha256, ended_at_ms, valid_before, kept_answer,
    (SELECT a.sha256 FROM answers a WHERE a.number = purchases.kept_answer) AS kept_sha256 FROM purchases`;
  for await (const row of rowsInOrder(read, { select: sold, key: 'id' })) {
    purchases += 1;
    const endedMs = Math.max(Number(row['ended_at_ms'] ?? nowMs), Number(row['valid_before']) * 1000);
    const isDue = (row['state'] === 'sold' || row['state'] === 'settling') && endedMs + collectDays * DAY_MS > nowMs;
    if (row['kept_answer'] === null) {
      if (isDue) say(`purchase ${row['id']} is ${row['state']}, and its answer is gone`);
    } else if (row['kept_sha256'] !== row['answer_sha256'] || damaged.has(String(row['kept_answer'])))
      say(`purchase ${row['id']}: the bytes of its answer are not those that were sold`);
  }
  return { purchases, answers };
}

const WRONG_MATCHES = `SELECT t.tx_hash, t.log_index, t.purchase_id
  FROM transfers t LEFT JOIN purchases p ON p.id = t.purchase_id WHERE t.kind = 'matched'
    AND (p.id IS NULL OR p.state <> 'sold' OR p.payer <> t.payer OR p.nonce <> t.nonce OR p.amount <> t.amount
      OR p.pay_to <> t.pay_to OR p.chain <> t.chain OR p.asset <> $1 OR p.tx_hash <> t.tx_hash OR p.block <> t.block)`;
/** A booking moves the audit forward in its transaction. */
const NOT_AUDITED = `SELECT t.tx_hash, t.log_index, t.block FROM transfers t
  LEFT JOIN audits a ON a.chain = t.chain AND a.pay_to = t.pay_to
  WHERE a.first_block IS NULL OR t.block < a.first_block OR t.block > a.through_block`;
const SOLD_WITHOUT_TRANSFER = `SELECT ${FACTS} FROM purchases WHERE state = 'sold'
  AND NOT EXISTS (SELECT 1 FROM transfers t WHERE t.purchase_id = purchases.id) ORDER BY id`;

/** Rows are as lines of the journal state them. */
function compareOwn(noted: ReadonlyMap<string, unknown>, rows: ReadonlyMap<string, unknown>, say: Say): void {
  for (const name of new Set([...noted.keys(), ...rows.keys()]))
    if (String(rows.get(name)) !== String(noted.get(name)))
      say(`${name}: ${rows.get(name) ?? 'nothing'}, and the journal says ${noted.get(name) ?? 'nothing'}`);
}

/** What is booked agrees with the purchases, and with the ledger's own lines of the journal. */
async function compareTransfers(read: Query, asset: string, own: readonly JournalLine[], say: Say): Promise<void> {
  const place = ({ tx_hash: transaction, log_index: index }: Row): string => `transfer ${transaction}:${index}`;
  for (const row of await read(WRONG_MATCHES, asset))
    say(`${place(row)} is booked for purchase ${row['purchase_id']}, which it does not pay`);
  for (const row of await read(NOT_AUDITED))
    say(`${place(row)} is booked in block ${row['block']}, which no audit has read`);
  for (const row of await read(`SELECT * FROM transfers WHERE kind = 'owed' ORDER BY block, log_index`))
    say(
      `${place(row)} in block ${row['block']} is owed: ${dollarsOf(BigInt(String(row['amount'])))} USDC ` +
        `by ${row['payer']} with nonce ${row['nonce']}`,
    );
  const noted = (event: LedgerEvent, name: (line: Row) => string, fact: string): ReadonlyMap<string, unknown> =>
    new Map(own.filter((line) => line.event === event).map((line) => [name(line), line[fact]]));
  const resolutions = await read(`SELECT tx_hash, log_index, resolution FROM transfers WHERE kind = 'resolved'`);
  const resolved = new Map(resolutions.map((row) => [place(row), row['resolution']]));
  compareOwn(
    noted('resolved', ({ transaction, ...line }) => place({ ...line, tx_hash: transaction }), 'resolution'),
    resolved,
    say,
  );
  const account = ({ chain, pay_to: payTo }: Row): string => `first block of the audit of ${payTo} on ${chain}`;
  const begun = new Map((await read(AUDITED)).map((row) => [account(row), row['first_block']]));
  compareOwn(noted('began', account, 'first_block'), begun, say);
}

const PAID_BACK = `SELECT chain, resolution AS tx_hash, payer, amount FROM transfers WHERE kind = 'resolved'
  UNION ALL SELECT chain, refunded, payer, refund_due FROM purchases WHERE refunded IS NOT NULL`;
const AUDITED = 'SELECT chain, pay_to, first_block, through_block FROM audits WHERE first_block IS NOT NULL';

/** What was paid back by a transaction, not in the way that a note says. */
const readPaidBack = async (read: Query): Promise<readonly PaidBack[]> =>
  (await read(PAID_BACK))
    .filter((row) => TRANSACTION.test(String(row['tx_hash'])))
    .map((row) => ({
      chain: String(row['chain']),
      transaction: String(row['tx_hash']),
      receiver: String(row['payer']),
      amount: BigInt(String(row['amount'])),
    }));

const readAccounts = async (read: Query): Promise<readonly AuditedBlocks[]> =>
  (await read(AUDITED)).map((row) => ({
    chain: String(row['chain']),
    payTo: String(row['pay_to']),
    first: BigInt(asNumber(row['first_block'])),
    through: BigInt(asNumber(row['through_block'])),
  }));

/** Compare everything but the chain, in one snapshot of the ledger. */
export async function auditLedger(store: Store, options: LedgerAuditOptions, say: Say): Promise<LedgerAudit> {
  // Lines are copied after their commit: each that is read before the snapshot is in it.
  const { id } = await readIdentity(store.read);
  await compareCopy(store.read, options.file, id, say);
  return store.readSnapshot(async (read) => {
    const { lines, own } = await compareJournal(read, id, say);
    const counts = await checkAnswers(read, options, say);
    await compareTransfers(read, options.asset, own, say);
    const [money] = await read('SELECT kind FROM money');
    return {
      lines,
      ...counts,
      soldWithoutTransfer: (await read(SOLD_WITHOUT_TRANSFER)).map(purchaseOf),
      accounts: await readAccounts(read),
      paidBack: await readPaidBack(read),
      money: (money?.['kind'] ?? null) as Money | null,
    };
  });
}
