/** Faults that somebody could build in. The simulation is worth something only if it finds each of them. */
import type { Answer } from '../../../ledger/ledger.ts';
import { realParts, type Parts } from './parts.ts';
import type { PlantedChange } from '../planted_change.ts';
import { planted } from './planted.ts';
import { LEASE_MS } from './server.ts';

export interface Fault {
  readonly name: string;
  readonly parts: () => Promise<Parts>;
}

const [SALE, EVIDENCE, AUDIT, CHAIN] = [
  'api/payments/sale.ts',
  'api/payments/chain/evidence.ts',
  'api/payments/audit/audit.ts',
  'api/payments/chain/payment_chain.ts',
];
const [UPKEEP, LIMITS, BOOK, MATCH] = [
  'ledger/sql/upkeep.ts',
  'ledger/sql/payer_limits.ts',
  'ledger/sql/transfer_book.ts',
  'ledger/sql/match_transfer.ts',
];

const inSource = (name: string, file: string, from: string, to: string, ...more: readonly PlantedChange[]): Fault => ({
  name,
  parts: () => planted({ file, from, to }, ...more),
});
const withParts = (name: string, parts: Partial<Parts>): Fault => ({
  name,
  parts: async () => ({ ...realParts, ...parts }),
});

/** The facilitator's word is taken for more than a hint. */
const believed: readonly Fault[] = [
  inSource(
    'a hint is believed as success',
    SALE,
    'const found = await lookForPayment(effects, payment, hint);',
    "const found: Evidence = transaction === null ? await lookForPayment(effects, payment, hint) : { kind: 'paid', transaction, block: 0n };",
  ),
  inSource(
    'a refusal is believed',
    SALE,
    'const found = await lookForPayment(effects, payment, hint);',
    "const found: Evidence = transaction === null ? { kind: 'void', reason: 'expired_unused' } : await lookForPayment(effects, payment, hint);",
  ),
  inSource(
    'a payment that is not seen in time counts as refused',
    SALE,
    "if (found.kind === 'void') {",
    "if (found.kind !== 'sold') {",
  ),
];

/** Evidence that proves less than it should. */
const evidence: readonly Fault[] = [
  inSource(
    'one transaction pays two purchases: events of its payer count for any nonce',
    EVIDENCE,
    ' && e.args.nonce.toLowerCase() === payment.nonce',
    '',
  ),
  inSource(
    'evidence is matched by transaction, not by payer and nonce',
    EVIDENCE,
    'e.args.authorizer.toLowerCase() === payment.payer && e.args.nonce.toLowerCase() === payment.nonce',
    'true',
    { file: EVIDENCE, from: 'moved.args.from.toLowerCase() === payment.payer', to: 'true' },
  ),
  inSource('evidence does not look at who was paid', EVIDENCE, 'moved.args.to.toLowerCase() === payment.payTo && ', ''),
  inSource('evidence does not look at the amount', EVIDENCE, ' && moved.args.value === payment.amount', ''),
  inSource(
    'evidence takes any transfer of the transaction',
    EVIDENCE,
    'events.find((e) => e.logIndex === used.logIndex + 1)',
    "events.find((e) => e.eventName === 'Transfer' && e.args.to.toLowerCase() === payment.payTo)",
  ),
  inSource(
    'a canceled authorization counts as paid',
    EVIDENCE,
    'const isElsewhere = ',
    "if (spent?.isCanceled) return { kind: 'paid', transaction: spent.transaction, block: spent.block }; const isElsewhere = ",
  ),
  inSource(
    'an unused authorization is void before a safe block is past its end',
    EVIDENCE,
    "blockTag: 'safe'",
    "blockTag: 'latest'",
  ),
  inSource(
    'an authorization that a block used elsewhere is void before that block is safe',
    EVIDENCE,
    ' && spent.block <= safe.number',
    '',
  ),
  inSource('an unused authorization is void at once', EVIDENCE, 'safe.timestamp >= payment.validBefore', 'true'),
  withParts('expiry is read from the clock of the server', {
    evidence: (chain, nowMs) => ({
      ...chain,
      async of(payment, hint) {
        const found = await chain.of(payment, hint);
        return found.kind === 'open' && nowMs() / 1000 >= Number(payment.validBefore)
          ? { kind: 'void', reason: 'expired_unused' }
          : found;
      },
    }),
  }),
];

/** An audit that does not see everything, or sees it wrongly. */
const audit: readonly Fault[] = [
  inSource('the audit does not move', AUDIT, 'next <= final.block; booking += 1', 'next < 0n; booking += 1'),
  inSource('the audit leaves out a block', AUDIT, 'state.throughBlock + 1n', 'state.throughBlock + 2n'),
  inSource('the audit books blocks that can be undone', CHAIN, "blockTag: 'finalized'", "blockTag: 'latest'"),
  inSource(
    'anybody audits, without the lease',
    BOOK,
    'WHERE chain = $1 AND pay_to = $2 AND lease_holder = $3 RETURNING chain',
    'WHERE chain = $1 AND pay_to = $2 AND $3 = $3 RETURNING chain',
  ),
  inSource(
    'a transfer is matched by its payer alone',
    MATCH,
    'p.payer = $1 AND p.nonce = $2',
    'p.payer = $1 AND $2 = $2',
  ),
  inSource(
    'a transfer of another amount pays a purchase',
    MATCH,
    'purchase.payment.amount !== transfer.amount || ',
    '',
  ),
  inSource(
    'a purchase is made good without its lead',
    MATCH,
    'if (!(await insertClaim(query, String(lead), purchase.id, nowMs))) return false;',
    'await insertClaim(query, String(lead), purchase.id, nowMs);',
  ),
  inSource('a purchase is not made good', MATCH, 'return (await makeGood(candidate, purchase)) ?', 'return false ?'),
  inSource(
    'a transfer that was booked before its sale stays without it',
    MATCH,
    "SET kind = 'matched', purchase_id = $1",
    'SET kind = kind, purchase_id = purchase_id || $1',
  ),
  inSource(
    'a payment that moved to another block is not followed',
    AUDIT,
    'await ledger.movePayment(purchase.id, evidence)',
    'await Promise.resolve()',
    {
      file: MATCH,
      from: 'purchase.transaction !== transfer.transaction || purchase.block !== transfer.block',
      to: 'false',
    },
  ),
];

/** Limits that do not hold, or hold for the wrong ones. */
const limits: readonly Fault[] = [
  inSource('open purchases are not counted', LIMITS, 'open.length >= limits.mostOpen', 'open.length >= 99'),
  inSource(
    'open purchases are not held against the balance',
    LIMITS,
    'committed + payment.amount > limits.balance',
    'payment.amount > limits.balance',
  ),
  inSource(
    'purchases left unpaid are not counted',
    LIMITS,
    'rows.length - open.length >= limits.mostUnpaid',
    'rows.length - open.length >= 99',
  ),
  inSource(
    'a payer is refused for the purchases of others',
    LIMITS,
    "WHERE payer = $1 AND state IN ('reserved', 'settling', 'released')",
    "WHERE $1 = $1 AND state IN ('reserved', 'settling', 'released')",
  ),
  inSource(
    'leads of a payer are not counted',
    LIMITS,
    "sumOf(row, 'own') >= limits.perPayer",
    "sumOf(row, 'own') >= 99",
  ),
  inSource(
    'leads of new payers are not counted',
    LIMITS,
    "sumOf(row, 'by_new_payers') < limits.byNewPayers",
    "sumOf(row, 'by_new_payers') < 99",
  ),
  inSource(
    'a contract wallet buys exclusive leads',
    'api/payments/chain/payer_check.ts',
    'if (isExclusive) return contractRefused',
    'if (isExclusive && !hasCode) return contractRefused',
  ),
];

/** Steps of the sale in the wrong order, or left out. */
const steps: readonly Fault[] = [
  withParts('the answer is stored and "settling" written only after the money has moved', {
    ledger: (ledger) => {
      const held = new Map<string, Answer>();
      return {
        settling: async (id, answer) => {
          held.set(id, answer);
          return true;
        },
        sold: async (id, paid, nowMs) => {
          const answer = held.get(id);
          if (answer) await ledger.settling(id, answer, nowMs);
          return ledger.sold(id, paid, nowMs);
        },
      };
    },
  }),
  withParts('a lead is chosen without being claimed', {
    ledger: () => ({
      claim: async (_, [leadId]) => (leadId === undefined ? { kind: 'none' } : { kind: 'claimed', leadId }),
    }),
  }),
  withParts('the payment alone is enough to collect what it bought', { mayCollect: () => true }),
  withParts("the payer's name is enough beside an identifier of anybody's", {
    mayCollect: (purchase, { identifierHash, payment }) =>
      identifierHash !== null && purchase.payment.payer === payment.payer,
  }),
  withParts('a purchase that settles for long is released like a reservation', {
    ledger: (ledger) => ({
      deleteExpiredReservations: async (nowMs) => {
        for (const { id } of await ledger.unresolved(nowMs - LEASE_MS)) {
          await ledger.release(id, 'expired_unused', nowMs);
        }
        return ledger.deleteExpiredReservations(nowMs);
      },
    }),
  }),
  inSource(
    'a purchase that settles is deleted as an abandoned reservation',
    UPKEEP,
    "`DELETE FROM purchases WHERE ${overAt('$1')} RETURNING id`",
    "`DELETE FROM purchases WHERE state IN ('reserved', 'settling') AND lease_until_ms <= $1 RETURNING id`",
  ),
  inSource(
    'settled for, though the reservation was gone',
    SALE,
    'if (!isSettling) return',
    'if (isSettling === null) return',
  ),
  inSource(
    'settled for, though it is not known whether "settling" was written',
    SALE,
    '// The write may have succeeded. No settlement was requested, so release the purchase in either state.',
    'return collectMoney(effects, purchase, answer);',
  ),
  withParts('sent before "sold" is written', {
    ledger: (ledger) => {
      const asked = new Set<string>();
      return {
        sold: async (id, paid, nowMs) => {
          const found = asked.has(id) ? null : await ledger.find({ id });
          asked.add(id);
          return found ? { ...found, state: 'sold', ...paid } : ledger.sold(id, paid, nowMs);
        },
      };
    },
  }),
];

export const faults: readonly Fault[] = [...believed, ...evidence, ...audit, ...limits, ...steps];
