/**
 * Servers that are killed while they sell: real processes on one ledger and one chain that outlives them, real buyers.
 * Afterwards the books are held against the chain, and every buyer who was charged collects what was bought.
 */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodePaymentSignatureHeader } from '@x402/core/http';
import type { Address } from 'viem';
import { startChain, type Chain } from '../../api/payments/sandbox/chain.ts';
import type { Purchase } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';
import { buyerWith, fetchPaying, type Buyer } from '../api/buyers.ts';
import { serverProcess, type ServerProcess } from '../api/server_process.ts';
import { dataFolder, rowsOfTable, uuid } from '../api/snapshots_made.ts';
import { startPostgres, type PostgresServer } from '../ledger/postgres_started.ts';
import { child } from '../ledger/processes.ts';
import { all, bodyOf } from '../ledger/purchases.ts';

const [SERVERS, BUYERS, LEADS] = [3, 6, 2000];
const PURSE = 100_000_000_000n;
const PAY_TO = '0x00000000000000000000000000000000000000Ad';
/** Paid requests that are sent between a server's being there and its death, at most, and the time that is waited for them. */
const [MOST_REQUESTS, LONGEST_LIFE_MS] = [5, 20_000];
const PATHS = ['/api/leads/exclusive', '/api/leads/exclusive', '/api/deals', `/api/deals/${uuid(1)}/report`, '/api/leads'] as const;
/** Answers before the first kill, by which it is known how long one takes on this machine. */
const WARM_UP = 8;
/** How often a buyer asks again for what it may have paid for, before it leaves that for later. */
const MOST_TRIES = 6;

export interface KillOptions {
  readonly ledger: 'sqlite' | 'postgres';
  readonly kills: number;
  readonly seed: number;
  /** Charged purchases that are collected over HTTP at the end; the bytes of all are held against their hash. */
  readonly collect: number;
  /** Ends the killing before all kills are done, where they take longer. */
  readonly minutes?: number;
  readonly say?: (line: string) => void;
}

export interface KillResult {
  readonly kills: number;
  /** Of them those that left a payment sent for settlement of unknown outcome, or a reservation. */
  readonly leftOpen: number;
  readonly answered: number;
  readonly sold: number;
  readonly released: number;
  readonly leads: number;
  readonly collected: number;
  /** Charged, and the answer never arrived before the end. */
  readonly chargedUnanswered: number;
  readonly troubles: readonly string[];
  readonly seconds: number;
  /** What was promised and not kept. */
  readonly broken: readonly string[];
}

/** How buying goes, by which the killer times itself: paid requests sent so far, and how long one takes. */
interface Pace { sent: number; answerMs: number }

interface Attempt {
  readonly buyer: Buyer;
  readonly path: string;
  readonly header: string;
  readonly nonce: string;
  /** SHA-256 of the body, and the receipt, where it was answered. */
  answer?: { readonly sha256: string; readonly receipt: string; readonly lead: string | null };
}

const sha256 = (body: Uint8Array): string => createHash('sha256').update(body).digest('hex');

async function rpc(chain: Chain, method: string, params: readonly unknown[]): Promise<void> {
  const response = await fetch(chain.rpcUrl, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) });
  await response.arrayBuffer();
}

/** Buy one thing after another, until told to stop; ask again for what may have been paid. */
async function buying(buyer: Buyer, urls: () => readonly string[], random: () => number, attempts: Attempt[], pace: Pace, stopped: AbortSignal, broken: string[]): Promise<void> {
  const anyUrl = (): string => urls()[Math.floor(random() * urls().length)] ?? '';
  while (!stopped.aborted) {
    const path = PATHS[Math.floor(random() * PATHS.length)] ?? PATHS[0];
    let header: string;
    try { header = await buyer.signAs(anyUrl() + path, randomBytes(12).toString('hex')); } catch {
      await sleep(50);
      continue;
    }
    const { authorization } = decodePaymentSignatureHeader(header).payload as { authorization: { nonce: string } };
    const attempt: Attempt = { buyer, path, header, nonce: authorization.nonce.toLowerCase() };
    attempts.push(attempt);
    for (let tries = 0; tries < MOST_TRIES && !attempt.answer; tries += 1) {
      const copies = random() < 0.2 ? 2 : 1;
      await Promise.all(Array.from({ length: copies }, async () => {
        pace.sent += 1;
        const sentMs = performance.now();
        try {
          const response = await fetchPaying(anyUrl() + path, header);
          const body = Buffer.from(await response.arrayBuffer());
          if (response.status !== 200) return;
          pace.answerMs = 0.8 * pace.answerMs + 0.2 * (performance.now() - sentMs);
          const lead = path === PATHS[0] ? (JSON.parse(body.toString()) as { lead: { id: string } }).lead.id : null;
          const answer = { sha256: sha256(body), receipt: response.headers.get('Receipt-Id') ?? '', lead };
          if (attempt.answer && (attempt.answer.sha256 !== answer.sha256 || attempt.answer.receipt !== answer.receipt)) broken.push(`payment ${attempt.nonce} was answered twice, differently`);
          attempt.answer = answer;
        } catch { /* Its server died: that is what this is about. */ }
      }));
      if (!attempt.answer) await sleep(30 + random() * 100);
    }
  }
}

/** Sell, kill, and look. */
export async function sellUnderKills({ ledger: kind, kills, seed, collect, minutes = Infinity, say = () => undefined }: KillOptions): Promise<KillResult> {
  const startMs = Date.now();
  let state = seed >>> 0 || 1;
  const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  const [folder, cache] = [await dataFolder(), await mkdtemp(join(tmpdir(), 'dealfeed-compiled-'))];
  const chain = await startChain();
  const postgres: PostgresServer | undefined = kind === 'postgres' ? await startPostgres() : undefined;
  const LEDGER = postgres ? await postgres.database() : join(folder.path, 'ledger.sqlite');
  const broken: string[] = [];
  const troubles: string[] = [];
  const servers: (ServerProcess | undefined)[] = [];
  const start = (): Promise<ServerProcess> => serverProcess({
    DATA_DIR: folder.path, LEDGER, SANDBOX_RPC: chain.rpcUrl, PAY_TO, CURSOR_SECRET: 'the same on every server', PUBLIC_BASE_URL: 'http://dealfeed.test', UNBILLED_PER_MINUTE: '0', LOG_LEVEL: 'silent',
    // Starting is most of what is done here: code that is compiled already starts sooner.
    NODE_COMPILE_CACHE: cache,
  });
  try {
    await folder.publish('2026-11-20.01', { leads: rowsOfTable('leads', LEADS), deals: rowsOfTable('deals', 40), reports: rowsOfTable('reports', 1), assumptions: rowsOfTable('assumptions', 1) });
    const buyers = Array.from({ length: BUYERS }, () => buyerWith());
    for (const { address } of buyers) await chain.mint(address, PURSE);
    servers.push(...await Promise.all(Array.from({ length: SERVERS }, start)));
    const attempts: Attempt[] = [];
    const pace: Pace = { sent: 0, answerMs: 200 };
    const stopping = new AbortController();
    const urls = (): string[] => servers.flatMap((s) => (s ? [s.url] : []));
    const sales = Promise.all(buyers.map((buyer) => buying(buyer, urls, random, attempts, pace, stopping.signal, broken)));

    const count = { killed: 0, leftOpen: 0 };
    const looking = await openLedger({ DATA_DIR: folder.path, LEDGER });
    while (attempts.filter((a) => a.answer).length < WARM_UP) await sleep(20);
    const killer = async (slot: number): Promise<void> => {
      while (count.killed < kills && Date.now() < startMs + minutes * 60_000) {
        // Somewhere within the time that a paid request takes, from its being sent to its being answered.
        const [enough, latestMs] = [pace.sent + 1 + Math.floor(random() * MOST_REQUESTS), Date.now() + LONGEST_LIFE_MS];
        while (pace.sent < enough && Date.now() < latestMs) await sleep(2);
        await sleep(random() * pace.answerMs);
        const victim = servers[slot];
        if (!victim || count.killed >= kills) return;
        count.killed += 1;
        await victim.end('SIGKILL');
        servers[slot] = undefined;
        if ((await all(looking.purchases()).catch(() => [])).some((p) => p.state === 'settling' || p.state === 'reserved')) count.leftOpen += 1;
        if (count.killed % 25 === 0) say(`  ${count.killed} killed, ${attempts.filter((a) => a.answer).length} answers, ${((Date.now() - startMs) / 1000).toFixed(0)} s`);
        servers[slot] = await start();
      }
    };
    const half = Math.min(kills / 2, 20);
    const trouble = async (): Promise<void> => {
      while (count.killed < half && Date.now() < startMs + minutes * 30_000) await sleep(50);
      if (postgres) {
        await postgres.stop('immediate');
        await sleep(300);
        await postgres.start();
        troubles.push('PostgreSQL lost its power in the middle');
      } else {
        const locker = child('lock', LEDGER);
        await locker.started;
        await sleep(2000);
        locker.process.stdin.write('release\n');
        await once(locker.process, 'close');
        troubles.push('another process kept the ledger locked for 2 s');
      }
    };
    await Promise.all([trouble(), ...servers.map((_, slot) => killer(slot))]);
    stopping.abort();
    await sales;
    await looking.close();
    for (const server of servers.splice(0)) await server?.end('SIGKILL');

    // The chain's time passes, so that what was never settled cannot be any more; a new server finds everything as it was left.
    await rpc(chain, 'evm_increaseTime', [3600]);
    await rpc(chain, 'evm_mine', []);
    const last = await start();
    servers.push(last);
    const ledger = await openLedger({ DATA_DIR: folder.path, LEDGER });
    try {
      for (const untilMs = Date.now() + 120_000; (await ledger.unresolved(Number.MAX_SAFE_INTEGER)).length > 0 && Date.now() < untilMs;) await sleep(200);
      const purchases = await all(ledger.purchases());
      const books = await booksAgainstChain(purchases, attempts, chain);
      broken.push(...books);
      const sold = purchases.filter((p) => p.state === 'sold');
      const open = purchases.filter((p) => p.state === 'settling');
      if (open.length > 0) broken.push(`${open.length} purchases are still settling`);
      for (const p of sold) {
        const kept = await bodyOf(await ledger.answerOf(p.id));
        if (!kept || sha256(kept) !== p.answerSha256) broken.push(`${p.id} is sold, and its answer is not kept as it was`);
      }
      const byNonce = new Map(sold.map((p) => [p.payment.nonce, p]));
      const charged = attempts.filter((a) => byNonce.has(a.nonce));
      const asked = [...charged.filter((a) => !a.answer), ...charged.filter((a) => a.answer)].slice(0, collect);
      for (const { buyer, nonce, answer } of asked) {
        const url = `${last.url}/api/purchases/${nonce}`;
        const response = await fetch(url, { headers: { 'SIGN-IN-WITH-X': await buyer.signIn(url) } });
        const body = sha256(Buffer.from(await response.arrayBuffer()));
        const bought = byNonce.get(nonce);
        if (response.status !== 200 || body !== bought?.answerSha256 || (answer && answer.sha256 !== body)) broken.push(`payment ${nonce} was charged, and its buyer collects ${response.status}`);
      }
      return {
        kills: count.killed, leftOpen: count.leftOpen, answered: attempts.filter((a) => a.answer).length, sold: sold.length, released: purchases.filter((p) => p.state === 'released').length,
        leads: sold.filter((p) => p.leadId !== null).length, collected: asked.length, chargedUnanswered: charged.filter((a) => !a.answer).length, troubles, broken, seconds: (Date.now() - startMs) / 1000,
      };
    } finally { await ledger.close(); }
  } finally {
    for (const server of servers) await server?.end('SIGKILL');
    await postgres?.remove();
    await chain.close();
    await folder.remove();
    await rm(cache, { recursive: true, force: true });
  }
}

/** What the books say that the chain does not, and the other way round. */
async function booksAgainstChain(purchases: readonly Purchase[], attempts: readonly Attempt[], chain: Chain): Promise<string[]> {
  const broken: string[] = [];
  const sold = purchases.filter((p) => p.state === 'sold');
  const [written, taken] = [sold.reduce((sum, p) => sum + p.payment.amount, 0n), await chain.balanceOf(PAY_TO)];
  if (written !== taken) broken.push(`the chain holds ${taken} and the ledger ${written}`);
  const leads = sold.flatMap((p) => (p.leadId === null ? [] : [p.leadId]));
  if (new Set(leads).size !== leads.length) broken.push('a lead is sold twice');
  const readers = new Map<string, Set<Address>>();
  for (const { answer, buyer } of attempts) if (answer?.lead) readers.set(answer.lead, (readers.get(answer.lead) ?? new Set()).add(buyer.address));
  for (const [lead, who] of readers) if (who.size > 1) broken.push(`lead ${lead} was given to ${who.size} buyers`);
  const byNonce = new Map(sold.map((p) => [p.payment.nonce, p]));
  for (const { buyer, nonce, answer } of attempts) {
    const purchase = byNonce.get(nonce);
    const used = await chain.authorizationUsed(buyer.address, nonce as `0x${string}`);
    if (used !== (purchase !== undefined)) broken.push(`payment ${nonce} is ${used ? 'charged' : 'not charged'}, and the ledger has ${purchase ? 'sold' : 'nothing sold'} for it`);
    if (answer && (purchase?.id !== answer.receipt || purchase.answerSha256 !== answer.sha256 || purchase.leadId !== answer.lead)) broken.push(`receipt ${answer.receipt} is not what the ledger has`);
  }
  return broken;
}
