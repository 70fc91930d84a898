/** Faults that somebody could build into the sale. The simulation is worth something only if it finds each of them. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Answer } from '../../../ledger/ledger.ts';
import type { ChainEvidence } from '../../../api/payments/reconcile.ts';
import type { sell } from '../../../api/payments/sale.ts';
import { LEASE_MS, realParts, type Parts } from './server.ts';

const FAR_FUTURE = 10n ** 12n;
const SALE = new URL('../../../api/payments/sale.ts', import.meta.url);

/** The sale with one place of its source changed. @throws where the place is not there any more */
async function saleWith(from: string, to: string): Promise<Partial<Parts>> {
  const source = readFileSync(SALE, 'utf8');
  if (source.split(from).length !== 2) throw new Error(`the sale no longer has exactly one ${JSON.stringify(from)}: plant this fault anew`);
  const folder = mkdtempSync(join(tmpdir(), 'dealfeed-fault-'));
  try {
    const file = join(folder, 'sale.mts');
    writeFileSync(file, source.replace(from, () => to).replaceAll(/from '(\.\.?\/[^']+)'/g, (_, path: string) => `from '${new URL(path, SALE).href}'`));
    return { sell: ((await import(pathToFileURL(file).href)) as { sell: typeof sell }).sell };
  } finally { rmSync(folder, { recursive: true }); }
}

const evidence = (change: (found: Awaited<ReturnType<ChainEvidence['of']>>, nowMs: () => number) => Awaited<ReturnType<ChainEvidence['of']>>): Partial<Parts> => ({
  evidence: (chain, nowMs) => ({ of: async (payment, hint) => change(await chain.of(payment, hint), nowMs) }),
});

export interface Fault {
  readonly name: string;
  readonly parts: () => Promise<Parts>;
}

const fault = (name: string, parts: () => Partial<Parts> | Promise<Partial<Parts>>): Fault => ({ name, parts: async () => ({ ...realParts, ...await parts() }) });

export const faults: readonly Fault[] = [
  fault('the answer is kept and "settling" written only after the money has moved', () => ({
    ledger: (ledger) => {
      const held = new Map<string, Answer>();
      return {
        settling: async (id, answer) => {
          held.set(id, answer);
          return true;
        },
        sold: async (id, transaction, nowMs) => {
          const answer = held.get(id);
          if (answer) await ledger.settling(id, answer, nowMs);
          return ledger.sold(id, transaction, nowMs);
        },
      };
    },
  })),
  fault('a lead is chosen without being claimed', () => ({ ledger: () => ({ claim: async (_, [lead = null]) => lead }) })),
  fault('a settlement of unknown outcome counts as a refusal', () => ({
    settlement: (settlement) => (settlement.kind === 'unknown' ? { kind: 'refused', why: settlement.why } : settlement),
  })),
  fault('what was said to be pending may be refused afterwards', () => ({ plainSpoken: (client) => client })),
  fault('the payment alone is enough to collect what it bought', () => ({ mayCollect: () => true })),
  fault('the payer\'s name is enough beside an identifier of anybody\'s', () => ({ mayCollect: (purchase, { identifierHash, payment }) => identifierHash !== null && purchase.payment.payer === payment.payer })),
  fault('an unused authorization is given up before it has expired', () => evidence((found) => (found.kind === 'unused' ? { ...found, chainSeconds: FAR_FUTURE } : found))),
  fault('expiry is read from our own clock instead of the chain\'s', () => evidence((found, nowMs) => (found.kind === 'unused' ? { ...found, chainSeconds: BigInt(Math.floor(nowMs() / 1000)) } : found))),
  fault('an event that was not found counts as an authorization that is free', () => evidence((found) => (found.kind === 'not_found' ? { kind: 'unused', chainSeconds: FAR_FUTURE } : found))),
  fault('an authorization spent elsewhere counts as paid', () => evidence((found) => (found.kind === 'used_elsewhere' ? { ...found, kind: 'paid' } : found))),
  fault('a purchase that settles for long is given up like a reservation', () => ({
    ledger: (ledger) => ({
      giveUpAbandoned: async (nowMs) => {
        for (const { id } of await ledger.unresolved(nowMs - LEASE_MS)) await ledger.release(id, 'refused', nowMs);
        return ledger.giveUpAbandoned(nowMs);
      },
    }),
  })),
  fault('settled for, though the reservation was gone', () => saleWith('if (!settling) return', 'if (settling === null) return')),
  fault('settled for, though it is not known whether "settling" was written', () => saleWith('try { settling = await ledger.settling(purchase.id, answer, nowMs()); } catch (error) {',
    'try { settling = await ledger.settling(purchase.id, answer, nowMs()); } catch (error) { return collectMoney(effects, purchase, answer);')),
  fault('sent before "sold" is written', () => ({
    ledger: (ledger) => {
      const asked = new Set<string>();
      return {
        sold: async (id, transaction, nowMs) => {
          const found = asked.has(id) ? null : await ledger.find({ id });
          asked.add(id);
          return found ? { ...found, state: 'sold', transaction } : ledger.sold(id, transaction, nowMs);
        },
      };
    },
  })),
];
