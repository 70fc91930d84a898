/** Planted faults. The simulation must find each of them. */
import type { Answer } from '../../../ledger/ledger.ts';
import { realParts, type Parts } from './parts.ts';
import type { PlantedChange } from '../planted_change.ts';
import { planted } from './planted.ts';
import { LEASE_MS } from './session.ts';

export interface Fault {
  readonly name: string;
  readonly parts: () => Promise<Parts>;
  /** It shows in schedules with a restore only. */
  readonly isOfRestore?: true;
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

/** The server believes the facilitator instead of the chain. */
const hints: readonly Fault[] = [
  inSource(
    'a hint is believed as success',
    SALE,
    'const found = await awaitPayment(effects, payment, hint);',
    `const found: Evidence = transaction === null
      ? await awaitPayment(effects, payment, hint)
      : { kind: 'paid', transaction, block: 0n };`,
  ),
  inSource(
    'a refusal is believed',
    SALE,
    'const found = await awaitPayment(effects, payment, hint);',
    `const found: Evidence = transaction === null
      ? { kind: 'void', reason: 'expired_unused' }
      : await awaitPayment(effects, payment, hint);`,
  ),
  inSource(
    'a payment that is not seen in time counts as refused',
    SALE,
    "if (found.kind === 'void') await",
    "if (found.kind !== 'sold') await",
  ),
];

/** Evidence accepts too little. */
const evidence: readonly Fault[] = [
  inSource(
    'one transaction pays two purchases: events of its payer count for any nonce',
    EVIDENCE,
    ' && event.args.nonce.toLowerCase() === payment.nonce',
    '',
  ),
  inSource(
    'evidence is matched by transaction, not by payer and nonce',
    EVIDENCE,
    'event.args.authorizer.toLowerCase() === payment.payer && event.args.nonce.toLowerCase() === payment.nonce',
    'true',
    { file: EVIDENCE, from: 'moved.args.from.toLowerCase() === payment.payer', to: 'true' },
  ),
  inSource('evidence ignores who was paid', EVIDENCE, 'moved.args.to.toLowerCase() === payment.payTo && ', ''),
  inSource('evidence ignores the amount', EVIDENCE, ' && moved.args.value === payment.amount', ''),
  inSource(
    'evidence takes any transfer of the transaction',
    EVIDENCE,
    'events.find((event) => event.logIndex === used.logIndex + 1)',
    "events.find((event) => event.eventName === 'Transfer' && event.args.to.toLowerCase() === payment.payTo)",
  ),
  inSource(
    'a canceled authorization counts as paid',
    EVIDENCE,
    'const isElsewhere = ',
    `if (spent?.isCanceled) return { kind: 'paid', transaction: spent.transaction, block: spent.block };
    const isElsewhere = `,
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
      async evidenceOf(payment, hint) {
        const found = await chain.evidenceOf(payment, hint);
        return found.kind === 'open' && nowMs() / 1000 >= Number(payment.validBefore)
          ? { kind: 'void', reason: 'expired_unused' }
          : found;
      },
    }),
  }),
];

/** The audit misses transfers or books them wrongly. */
const audit: readonly Fault[] = [
  inSource('the audit does not move', AUDIT, 'next <= final.block; booking += 1', 'next < 0n; booking += 1'),
  inSource('the audit skips a block', AUDIT, 'state.throughBlock + 1n', 'state.throughBlock + 2n'),
  inSource('the audit books blocks that can be undone', CHAIN, "blockTag: 'finalized'", "blockTag: 'latest'"),
  inSource(
    'an audit without the lease',
    BOOK,
    'WHERE chain = $1 AND pay_to = $2 AND lease_holder = $3 RETURNING chain',
    'WHERE chain = $1 AND pay_to = $2 AND $3 = $3 RETURNING chain',
  ),
  inSource('a transfer is matched by its payer alone', MATCH, 'payer} AND nonce = ${', 'payer} AND ${nonce} = ${'),
  inSource('a transfer of another amount pays a purchase', MATCH, 'payment.amount !== transfer.amount || ', ''),
  inSource(
    'a released purchase is sold without its lead',
    MATCH,
    'if (!(await insertClaim(query, String(lead), purchase.id))) return false;',
    'await insertClaim(query, String(lead), purchase.id);',
    // The property is checked first, and hides the claim from schedules. The conformance tests find its loss alone.
    { file: MATCH, from: 'if ((await query(HOLDERS_OF_PROPERTY, purchase.id)).length > 0) return false;', to: '' },
  ),
  inSource(
    'a released purchase is sold without its property',
    MATCH,
    'if ((await query(HOLDERS_OF_PROPERTY, purchase.id)).length > 0) return false;',
    '',
    { file: MATCH, from: 'await query(TAKE_PROPERTY, purchase.id);', to: '' },
  ),
  inSource('a released purchase is never sold', MATCH, 'return sellReleased(candidate, purchase);', 'return false;'),
  inSource(
    'a transfer that was booked before its sale is never matched',
    BOOK,
    'const booked = await retryOwed(transaction, booking);',
    'const booked: BookedTransfer[] = [];',
  ),
  inSource(
    'a payment that moved to another block is not followed',
    AUDIT,
    'await ledger.movePayment(purchase.id, evidence)',
    'await Promise.resolve()',
    {
      file: MATCH,
      from: 'transaction !== transfer.transaction || block !== transfer.block',
      to: 'false',
    },
  ),
];

/** A restore sells again what is sold. */
const restores: readonly Fault[] = [
  {
    ...inSource(
      'exclusive sales are not paused after a restore',
      'ledger/sql/restore_mark.ts',
      'if (!mark) return null;',
      'if (mark !== null) return null;',
    ),
    isOfRestore: true,
  },
];

/** Limits are not enforced, or count the wrong purchases. */
const limits: readonly Fault[] = [
  inSource('open purchases are not counted', LIMITS, 'open.length >= limits.maxOpen', 'open.length >= 99'),
  inSource(
    'open purchases are not subtracted from the balance',
    LIMITS,
    'committed + payment.amount > limits.balance',
    'payment.amount > limits.balance',
  ),
  inSource('released purchases of leads are not counted', LIMITS, "why <> 'not_sent'", 'FALSE'),
  inSource(
    'a payer is refused for the purchases of others',
    LIMITS,
    'SELECT amount FROM purchases WHERE payer = $1',
    'SELECT amount FROM purchases WHERE $1 = $1',
  ),
  inSource('leads of a payer are not counted', LIMITS, 'leads.length >= limits.perPayer', 'leads.length >= 99'),
  inSource(
    'leads of new payers are not counted',
    LIMITS,
    "asNumber(held?.['leads']) < limits.byNewPayers",
    "asNumber(held?.['leads']) < 99",
  ),
  inSource(
    'a contract wallet buys exclusive leads',
    'api/payments/chain/payer_check.ts',
    'if (isExclusive) return contractRefused',
    'if (isExclusive && !hasCode) return contractRefused',
  ),
];

/** Steps of the sale are in the wrong order or missing. */
const steps: readonly Fault[] = [
  withParts('the answer is stored and "settling" written only after the money has moved', {
    ledger: (ledger) => {
      const answers = new Map<string, Answer>();
      return {
        startSettling: async (id, answer) => {
          answers.set(id, answer);
          return true;
        },
        markSold: async (id, paid, nowMs) => {
          const answer = answers.get(id);
          if (answer) await ledger.startSettling(id, answer, nowMs);
          return ledger.markSold(id, paid, nowMs);
        },
      };
    },
  }),
  withParts('a lead is chosen without being claimed', {
    ledger: () => ({
      claim: async (_, [lead]) => (lead === undefined ? { kind: 'none' } : { kind: 'claimed', leadId: lead.leadId }),
    }),
  }),
  inSource(
    'a claim takes the lead without its property',
    'ledger/sql/lead_claims.ts',
    'const hasProperty = await insertProperties(query, purchaseId, properties);',
    'const hasProperty = properties.length >= 0;',
  ),
  inSource(
    'a released purchase keeps its property',
    'ledger/sql/settlements.ts',
    "await query('UPDATE claimed_properties SET standing = NULL WHERE purchase_id = $1', purchaseId);",
    '',
  ),
  withParts('the payment alone is enough to collect what it bought', { mayCollect: () => true }),
  withParts("the payer's address with any identifier is enough to collect", {
    mayCollect: (purchase, { identifierHash, payment }) =>
      identifierHash !== null && purchase.payment.payer === payment.payer,
  }),
  withParts('a purchase that settles for too long is released like a reservation', {
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
    "drop(query, `${UNFINISHED} AND ${expiredAt('$1')}`, nowMs)",
    `query("DELETE FROM purchases WHERE state IN ('reserved', 'settling') AND lease_until_ms <= $1 RETURNING id", nowMs)
      .then(({ length }) => length)`,
  ),
  inSource(
    'settlement is requested although the reservation is gone',
    SALE,
    'if (!isSettling) return',
    'if (isSettling === null) return',
  ),
  inSource(
    'settlement is requested although "settling" may not be written',
    SALE,
    '// The write may have succeeded. No settlement was requested, so release the purchase in either state.',
    'return settlePayment(effects, purchase, answer);',
  ),
  withParts('an answer is sent before "sold" is written', {
    ledger: (ledger) => {
      const asked = new Set<string>();
      return {
        markSold: async (id, paid, nowMs) => {
          const found = asked.has(id) ? null : await ledger.find({ id });
          asked.add(id);
          return found ? { ...found, state: 'sold', ...paid } : ledger.markSold(id, paid, nowMs);
        },
      };
    },
  }),
];

export const faults: readonly Fault[] = [...hints, ...evidence, ...audit, ...restores, ...limits, ...steps];
