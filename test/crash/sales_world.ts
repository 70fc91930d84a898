/** The world of the proofs of the sale: a ledger, a chain that outlives servers, buyers, and the final comparison. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Address } from 'viem';
import { auditPass } from '../../api/payments/audit/audit.ts';
import { fullAudit } from '../../api/payments/audit/full_audit.ts';
import { COLLECT_DAYS } from '../../api/payments/audit/watchers.ts';
import { differencesOf } from '../../ledger/differences.ts';
import { paymentChain } from '../../api/payments/chain/payment_chain.ts';
import { startChain, type Chain } from '../../api/payments/local_chain/chain.ts';
import type { Ledger, Purchase } from '../../ledger/ledger.ts';
import { journalFile } from '../../ledger/journal_file.ts';
import { openLedger, openStore } from '../../ledger/open.ts';
import { USDC } from '../../lib/network.ts';
import { DAY_MS } from '../../lib/time.ts';
import { buyerWith, type Buyer } from '../api/support/buyers.ts';
import { dataFolder, rowsOfTable, uuid } from '../api/support/snapshot_fixtures.ts';
import { startPostgres, type PostgresServer } from '../ledger/postgres_started.ts';
import { all, bodyOf } from '../ledger/purchases.ts';

const PURSE = 100_000_000_000n;
const PAY_TO = '0x00000000000000000000000000000000000000Ad';

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

/** Make a ledger, a chain, a snapshot with two leads for each of so many properties, and buyers with money. */
export async function openSales(
  kind: 'sqlite' | 'postgres',
  { properties, buyers: count }: { readonly properties: number; readonly buyers: number },
): Promise<SalesWorld> {
  const folder = await dataFolder();
  const chain = await startChain();
  const postgres = kind === 'postgres' ? await startPostgres() : undefined;
  const place = postgres ? await postgres.database() : join(folder.path, 'ledger.sqlite');
  await folder.publish('2026-11-20.01', {
    leads: rowsOfTable('leads', 2 * properties),
    property_keys: rowsOfTable('property_keys', 2 * properties, (n) => ({ property_key: propertyOf(uuid(n)) })),
    deals: rowsOfTable('deals', 40),
    reports: rowsOfTable('reports', 1),
    assumptions: rowsOfTable('assumptions', 1),
  });
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
      SANDBOX_RPC: chain.rpcUrl,
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

async function askAnvil(chain: Chain, method: string, params: readonly unknown[]): Promise<void> {
  const response = await fetch(chain.rpcUrl, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  await response.arrayBuffer();
}

async function mineBlocks(chain: Chain): Promise<void> {
  for (let block = 0; block < FINAL_AFTER; block += 1) await askAnvil(chain, 'evm_mine', []);
}

/** Let the chain's own time pass, until a final block shows it. */
export async function passOnChain(chain: Chain, seconds: number): Promise<void> {
  await askAnvil(chain, 'evm_increaseTime', [seconds]);
  await mineBlocks(chain);
}

export const sha256 = (body: Uint8Array): string => createHash('sha256').update(body).digest('hex');

/** A payment that a buyer signed and sent. */
export interface Attempt {
  readonly buyer: Buyer;
  readonly path: string;
  readonly header: string;
  readonly nonce: string;
  /** SHA-256 of the body, and the receipt, where it was answered. */
  answer?: { readonly sha256: string; readonly receipt: string; readonly lead: string | null };
}

export interface Account {
  readonly answered: number;
  readonly sold: number;
  readonly released: number;
  readonly leads: number;
  readonly collected: number;
  /** Charged, and the answer never arrived before the end. */
  readonly chargedUnanswered: number;
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
  const ledger = await world.openLedger();
  try {
    for (
      const untilMs = performance.now() + patienceMs;
      (await ledger.unresolved(Number.MAX_SAFE_INTEGER)).length > 0 && performance.now() < untilMs;
    ) {
      await new Promise((resolve) => {
        setTimeout(resolve, 200);
      });
    }
    const open = await ledger.unresolved(Number.MAX_SAFE_INTEGER);
    const audited = await auditAll(ledger, world);
    const purchases = await all(ledger.purchases());
    const broken = [...audited, ...(await booksAgainstChain(purchases, attempts, world.chain))];
    const sold = purchases.filter((p) => p.state === 'sold');
    if (open.length > 0) broken.push(`${open.length} purchases are still settling`);
    for (const p of sold) {
      const kept = await bodyOf(await ledger.answerOf(p.id));
      if (!kept || sha256(kept) !== p.answerSha256) {
        broken.push(`${p.id} is sold, and its answer is not kept as it was`);
      }
    }
    const byNonce = new Map(sold.map((p) => [p.payment.nonce, p]));
    const charged = attempts.filter((a) => byNonce.has(a.nonce));
    const asked = [...charged.filter((a) => !a.answer), ...charged.filter((a) => a.answer)].slice(0, collect);
    for (const { buyer, nonce, answer } of asked) {
      const at = `${url}/api/purchases/${nonce}`;
      const response = await fetch(at, { headers: { 'SIGN-IN-WITH-X': await buyer.signIn(at) } });
      const body = sha256(Buffer.from(await response.arrayBuffer()));
      const bought = byNonce.get(nonce);
      if (response.status !== 200 || body !== bought?.answerSha256 || (answer && answer.sha256 !== body)) {
        broken.push(`payment ${nonce} was charged, and its buyer collects ${response.status}`);
      }
    }
    return {
      answered: attempts.filter((a) => a.answer).length,
      sold: sold.length,
      released: purchases.filter((p) => p.state === 'released').length,
      leads: sold.filter((p) => p.leadId !== null).length,
      collected: asked.length,
      chargedUnanswered: charged.filter((a) => !a.answer).length,
      broken,
    };
  } finally {
    await ledger.close();
  }
}

/** Audit every final block. @returns differences, and transfers that no sold purchase took at once */
async function auditAll(ledger: Ledger, { chain, place, dataDir }: SalesWorld): Promise<string[]> {
  await mineBlocks(chain);
  const payments = paymentChain(chain.reader);
  const account = { chain: await payments.id(), payTo: PAY_TO.toLowerCase() };
  const auditor = {
    ledger,
    chain: payments,
    payTo: account.payTo,
    holder: 'the proof',
    nowMs: () => Date.now() + LONG_MS,
  };
  for (let isBehind = true; isBehind;) ({ isBehind } = await auditPass(auditor));
  const broken = (await differencesOf(ledger, account)).map(
    ({ kind, ...of }) => `the audit finds ${kind}: ${'purchase' in of ? of.purchase.id : of.transfer.transaction}`,
  );
  const transfers = await all(ledger.transfers(account));
  for (const { kind, transaction } of transfers) {
    if (kind !== 'matched') broken.push(`transfer ${transaction} is booked as ${kind}`);
  }
  const [booked, taken] = [transfers.reduce((sum, t) => sum + t.amount, 0n), await chain.balanceOf(PAY_TO)];
  if (booked !== taken) broken.push(`the chain holds ${taken}, and transfers of ${booked} are booked`);
  const store = await openStore({ DATA_DIR: dataDir, LEDGER: place });
  const { differences } = await fullAudit(store, payments, {
    file: journalFile(dataDir),
    asset: USDC.toLowerCase(),
    collectDays: COLLECT_DAYS,
    // The chain's own time may be ahead of ours.
    nowMs: Math.max(Date.now(), (await payments.latestBlock()).seconds * 1000),
  });
  await store.close();
  return [...broken, ...differences];
}

/** Differences between the ledger and the chain. */
async function booksAgainstChain(
  purchases: readonly Purchase[],
  attempts: readonly Attempt[],
  chain: Chain,
): Promise<string[]> {
  const broken: string[] = [];
  const sold = purchases.filter((p) => p.state === 'sold');
  const [written, taken] = [sold.reduce((sum, p) => sum + p.payment.amount, 0n), await chain.balanceOf(PAY_TO)];
  if (written !== taken) broken.push(`the chain holds ${taken} and the ledger ${written}`);
  const leads = sold.flatMap((p) => (p.leadId === null ? [] : [p.leadId]));
  if (new Set(leads.map(propertyOf)).size !== leads.length) broken.push('a lead or a property is sold twice');
  const readers = new Map<string, Set<Address>>();
  for (const { answer, buyer } of attempts) {
    if (answer?.lead) readers.set(answer.lead, (readers.get(answer.lead) ?? new Set()).add(buyer.address));
  }
  for (const [lead, who] of readers) if (who.size > 1) broken.push(`lead ${lead} was given to ${who.size} buyers`);
  const byNonce = new Map(sold.map((p) => [p.payment.nonce, p]));
  for (const { buyer, nonce, answer } of attempts) {
    const purchase = byNonce.get(nonce);
    const used = await chain.authorizationUsed(buyer.address, nonce as `0x${string}`);
    if (used !== (purchase !== undefined)) {
      broken.push(
        `payment ${nonce} is ${used ? 'charged' : 'not charged'}, ` +
          `and the ledger has ${purchase ? 'sold' : 'nothing sold'} for it`,
      );
    }
    if (
      answer &&
      (purchase?.id !== answer.receipt || purchase.answerSha256 !== answer.sha256 || purchase.leadId !== answer.lead)
    ) {
      broken.push(`receipt ${answer.receipt} is not what the ledger has`);
    }
  }
  return broken;
}
