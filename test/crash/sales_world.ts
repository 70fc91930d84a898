/** The world of the proofs of the sale: a ledger, a chain that outlives servers, buyers, and the final comparison. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import { joinOn } from '../api/support/base.ts';
import { auditPass } from '../../api/payments/audit/audit.ts';
import { fullAudit } from '../../api/payments/audit/full_audit.ts';
import { COLLECT_DAYS } from '../../api/payments/audit/watchers.ts';
import { paymentChain } from '../../api/payments/chain/payment_chain.ts';
import { startChain, type Chain } from '../../api/payments/local_chain/chain.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { journalFile } from '../../ledger/journal_file.ts';
import { openLedger, openLedgerStore } from '../../ledger/open.ts';
import { closing } from '../../lib/closing.ts';
import { USDC } from '../../lib/network.ts';
import { DAY_MS } from '../../lib/time.ts';
import { authorizationIn, buyerWith, fetchWithPayment, type Buyer } from '../api/support/buyers.ts';
import { dataFolder, rowsOfTable, uuid } from '../api/support/snapshot_fixtures.ts';
import { startPostgres, type PostgresServer } from '../ledger/postgres_started.ts';
import { all, bodyOf, sha256 } from '../ledger/purchases.ts';

const PURSE = 100_000_000_000n;
const PAY_TO = '0x00000000000000000000000000000000000000Ad';
export const EXCLUSIVE = '/api/leads/exclusive';

export interface SalesWorld {
  readonly chain: Chain;
  readonly buyers: readonly Buyer[];
  readonly postgres: PostgresServer | undefined;
  /** Place of the ledger. */
  readonly place: string;
  /** Settings of a server in this world. */
  readonly env: Readonly<Record<string, string>>;
  readonly dataDir: string;
  openLedger(): Promise<Ledger>;
  close(): Promise<void>;
}

/** The property of a lead. Two leads each are of one property. */
const propertyOf = (leadId: string): string => `parcel:39035:P${Math.ceil(Number(leadId.slice(-12)) / 2)}`;

interface SalesOptions {
  readonly properties: number;
  readonly buyers: number;
  /** Folder of an SQLite ledger. Default: the data folder. */
  readonly folder?: string;
}

/** Make a ledger, a chain, a snapshot with two leads for each of so many properties, and buyers with money. */
export async function openSales(kind: 'sqlite' | 'postgres', options: SalesOptions): Promise<SalesWorld> {
  const { properties, buyers: count } = options;
  const folder = await dataFolder();
  const chain = await startChain();
  const postgres = kind === 'postgres' ? await startPostgres() : undefined;
  const place = postgres ? await postgres.database() : join(options.folder ?? folder.path, 'ledger.sqlite');
  await folder.publish('2026-11-20.01', {
    leads: rowsOfTable('leads', 2 * properties),
    property_keys: rowsOfTable('property_keys', 2 * properties, (n) => ({ property_key: propertyOf(uuid(n)) })),
    deals: rowsOfTable('deals', 40),
    reports: rowsOfTable('reports', 1),
    assumptions: rowsOfTable('assumptions', 1),
  });
  await joinOn(folder.path, chain);
  const buyers = Array.from({ length: count }, () => buyerWith());
  for (const { address } of buyers) await chain.mint(address, PURSE);
  return {
    chain,
    buyers,
    postgres,
    place,
    env: {
      DATA_DIR: folder.path,
      LEDGER: place,
      PAY_TO,
      CURSOR_SECRET: 'the same on every server',
      PUBLIC_BASE_URL: 'http://dealfeed.test',
      UNBILLED_PER_MINUTE: '0',
      LOG_LEVEL: 'silent',
    },
    dataDir: folder.path,
    openLedger: () => openLedger({ DATA_DIR: folder.path, LEDGER: place }),
    async close() {
      await postgres?.remove();
      await chain.close();
      await folder.remove();
    },
  };
}

/** Blocks after which one is final on the sandbox chain. */
const FINAL_AFTER = 4;
/** Later than any lease that a server with a wrong clock took. */
const LONG_MS = 100 * DAY_MS;

/** Let the chain's own time pass, until a final block shows it. */
export async function passOnChain({ rpcUrl }: Chain, seconds: number): Promise<void> {
  const mined = Array.from({ length: FINAL_AFTER }, () => ['evm_mine', []] as const);
  for (const [method, params] of [['evm_increaseTime', [seconds]] as const, ...mined]) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'Content-Type': 'application/json' };
    await (await fetch(rpcUrl, { method: 'POST', headers, body })).arrayBuffer();
  }
}

/** A payment that a buyer signed. */
export interface Attempt {
  readonly buyer: Buyer;
  readonly path: string;
  readonly header: string;
  readonly nonce: string;
  /** Every answer that arrived. */
  readonly answers: { readonly sha256: string; readonly receipt: string; readonly lead: string | null }[];
}

/** Sign a payment. @param aheadSeconds how far the buyer's clock is ahead */
export async function sign(buyer: Buyer, url: string, path: string, aheadSeconds = 0): Promise<Attempt> {
  const header = await buyer.signAs(url + path, randomBytes(12).toString('hex'), aheadSeconds);
  return { buyer, path, header, nonce: authorizationIn(header).nonce.toLowerCase(), answers: [] };
}

/** Present a payment, and note the answer. */
export async function present(url: string, attempt: Attempt): Promise<{ status: number; text: string }> {
  const response = await fetchWithPayment(url + attempt.path, attempt.header);
  const body = Buffer.from(await response.arrayBuffer());
  if (response.status === 200) {
    const lead = attempt.path === EXCLUSIVE ? (JSON.parse(String(body)) as { lead: { id: string } }).lead.id : null;
    attempt.answers.push({ sha256: sha256(body), receipt: response.headers.get('Receipt-Id') ?? '', lead });
  }
  return { status: response.status, text: String(body) };
}

export interface Account {
  readonly sold: number;
  /** Broken guarantees. */
  readonly broken: readonly string[];
}

/**
 * Wait until the last server has resolved everything open, compare the ledger with the chain, and let charged buyers
 * collect, first those who never got their answer.
 * @param collect how many collect over HTTP; the bytes of all are compared with their hash
 * @param patienceMs time after which open purchases count as staying open
 */
export async function drawnUp(
  world: SalesWorld,
  attempts: readonly Attempt[],
  url: string,
  collect: number,
  patienceMs = 120_000,
): Promise<Account> {
  await using ledger = closing(await world.openLedger());
  const open = (): Promise<readonly unknown[]> => ledger.unresolved(Number.MAX_SAFE_INTEGER);
  for (let leftMs = patienceMs; (await open()).length > 0 && leftMs > 0; leftMs -= 200) await sleep(200);
  const broken = [...(await auditAll(ledger, world)), ...(await booksAgainstChain(ledger, attempts, world.chain))];
  const sold = (await all(ledger.purchases())).filter((p) => p.state === 'sold');
  const stillOpen = (await open()).length;
  if (stillOpen > 0) broken.push(`${stillOpen} purchases are still settling`);
  const byNonce = new Map(sold.map((p) => [p.payment.nonce, p]));
  const charged = attempts.filter((a) => byNonce.has(a.nonce)).sort((a, b) => a.answers.length - b.answers.length);
  for (const { buyer, nonce } of charged.slice(0, collect)) {
    const at = `${url}/api/purchases/${nonce}`;
    const response = await fetch(at, { headers: { 'SIGN-IN-WITH-X': await buyer.signIn(at) } });
    const body = sha256(await response.bytes());
    if (response.status !== 200 || body !== byNonce.get(nonce)?.answerSha256)
      broken.push(`payment ${nonce} was charged, and its buyer collects ${response.status}`);
  }
  return { sold: sold.length, broken };
}

/** Book the transfers of every final block, then audit everything. @returns differences */
async function auditAll(ledger: Ledger, { chain, place, dataDir }: SalesWorld): Promise<readonly string[]> {
  await passOnChain(chain, 0);
  const payments = paymentChain(chain.reader);
  const nowMs = (): number => Date.now() + LONG_MS;
  const auditor = { ledger, chain: payments, payTo: PAY_TO.toLowerCase(), holder: 'the proof', nowMs };
  for (let isBehind = true; isBehind;) ({ isBehind } = await auditPass(auditor));
  const store = await openLedgerStore({ DATA_DIR: dataDir, LEDGER: place });
  const { differences } = await fullAudit(store, payments, {
    file: journalFile(dataDir),
    asset: USDC.toLowerCase(),
    collectDays: COLLECT_DAYS,
    // The chain's own time may be ahead of ours.
    nowMs: Math.max(Date.now(), (await payments.latestBlock()).seconds * 1000),
  });
  await store.close();
  return differences;
}

/** What buyers and chain have seen, and the ledger does not have so. */
async function booksAgainstChain(ledger: Ledger, attempts: readonly Attempt[], chain: Chain): Promise<string[]> {
  const broken: string[] = [];
  const sold = (await all(ledger.purchases())).filter((p) => p.state === 'sold');
  const [written, taken] = [sold.reduce((sum, p) => sum + p.payment.amount, 0n), await chain.balanceOf(PAY_TO)];
  if (written !== taken) broken.push(`the chain holds ${taken} and the ledger ${written}`);
  const leads = sold.flatMap((p) => (p.leadId === null ? [] : [p.leadId]));
  if (new Set(leads.map(propertyOf)).size !== leads.length) broken.push('a lead or a property is sold twice');
  for (const { id, answerSha256 } of sold)
    if (sha256((await bodyOf(await ledger.answerOf(id))) ?? '') !== answerSha256)
      broken.push(`${id} is sold, and its answer is not kept as it was`);
  const byNonce = new Map(sold.map((p) => [p.payment.nonce, p]));
  for (const { buyer, nonce, answers } of attempts) {
    const purchase = byNonce.get(nonce);
    const isCharged = await chain.authorizationUsed(buyer.address, nonce as Hex);
    if (isCharged !== (purchase !== undefined))
      broken.push(`payment ${nonce} is ${isCharged ? '' : 'not '}charged, and the ledger contradicts it`);
    for (const answer of answers)
      if (purchase?.id !== answer.receipt || purchase.answerSha256 !== answer.sha256 || purchase.leadId !== answer.lead)
        broken.push(`receipt ${answer.receipt} is not what the ledger has`);
  }
  return broken;
}
