/** Planted faults. The simulation must find each of them. */
import type { Answer } from '../../../ledger/ledger.ts';
import type { PlantedChange } from '../planted_change.ts';
import { planted, realParts, type Parts } from './planted.ts';
import { RESERVE_MS } from './server.ts';

export interface Fault {
  readonly name: string;
  readonly parts: () => Promise<Parts>;
}

/** What is looked for in a file, and what is put there; several pairs are one fault. */
type Pairs = readonly [from: string, to: string, ...more: string[]];

function inSource(file: string, faults: Readonly<Record<string, Pairs>>): readonly Fault[] {
  return Object.entries(faults).map(([name, pairs]) => {
    const changes: PlantedChange[] = [];
    for (let i = 0; i < pairs.length; i += 2) changes.push({ file, from: pairs[i] ?? '', to: pairs[i + 1] ?? '' });
    return { name, parts: () => planted(...changes) };
  });
}
const withParts = (faults: Readonly<Record<string, Partial<Parts>>>): readonly Fault[] =>
  Object.entries(faults).map(([name, parts]) => ({ name, parts: async () => ({ ...realParts, ...parts }) }));

/** The server believes the facilitator instead of the chain, or leaves out a step of the sale. */
const sale = inSource('api/payments/sale.ts', {
  'a hint is believed as success': [
    'const found = await awaitPayment(effects, payment, hint);',
    `const found: Evidence = transaction === null
      ? await awaitPayment(effects, payment, hint)
      : { kind: 'paid', transaction, block: 0n };`,
  ],
  'a refusal is believed': [
    'const found = await awaitPayment(effects, payment, hint);',
    `const found: Evidence = transaction === null
      ? { kind: 'void', reason: 'expired_unused' }
      : await awaitPayment(effects, payment, hint);`,
  ],
  'a payment that is not seen in time counts as refused': [
    "if (found.kind === 'void') await",
    "if (found.kind !== 'sold') await",
  ],
  'settlement is requested although the reservation is gone': [
    'if (!isSettling) return',
    'if (isSettling === null) return',
  ],
  'settlement is requested although "settling" may not be written': [
    '// The write may have succeeded. No settlement was requested, so release the purchase in either state.',
    'return settlePayment(effects, purchase, answer);',
  ],
});

/** Evidence accepts too little. */
const OF_NONCE = ' && event.args.nonce.toLowerCase() === payment.nonce';
const evidence = inSource('api/payments/chain/payment_chain.ts', {
  'one transaction pays two purchases: events of its payer count for any nonce': [OF_NONCE, ''],
  'evidence is matched by transaction, not by payer and nonce': [
    `event.args.authorizer.toLowerCase() === payment.payer${OF_NONCE}`,
    'true',
    'moved.args.from.toLowerCase() === payment.payer',
    'true',
  ],
  'evidence ignores who was paid': ['moved.args.to.toLowerCase() === payment.payTo && ', ''],
  'evidence ignores the amount': [' && moved.args.value === payment.amount', ''],
  'evidence takes any transfer of the transaction': [
    'events.find((event) => event.logIndex === used.logIndex + 1)',
    "events.find((event) => event.eventName === 'Transfer' && event.args.to.toLowerCase() === payment.payTo)",
  ],
  'a canceled authorization counts as paid': [
    'const isElsewhere = ',
    `if (spent?.isCanceled) return { kind: 'paid', transaction: spent.transaction, block: spent.block };
    const isElsewhere = `,
  ],
  'an unused authorization is void before a safe block is past its end': ["blockTag: 'safe'", "blockTag: 'latest'"],
  'an authorization that a block used elsewhere is void before that block is safe': [
    ' && spent.block <= safe.number',
    '',
  ],
  'an unused authorization is void at once': ['safe.timestamp >= payment.validBefore', 'true'],
});

/** The audit misses transfers or books them wrongly. */
const MATCH = 'ledger/sql/transfer_book.ts';
const audit = [
  ...inSource('api/payments/audit/audit.ts', {
    'the audit does not move': ['next <= final.block; booking += 1', 'next < 0n; booking += 1'],
    'the audit skips a block': ['state.throughBlock + 1n', 'state.throughBlock + 2n'],
  }),
  ...inSource('api/payments/chain/payment_chain.ts', {
    'the audit books blocks that can be undone': ["blockTag: 'finalized'", "blockTag: 'latest'"],
  }),
  ...inSource('ledger/sql/transfer_book.ts', {
    'an audit without the lease': [
      'WHERE chain = $1 AND pay_to = $2 AND lease_holder = $3 RETURNING chain',
      'WHERE chain = $1 AND pay_to = $2 AND $3 = $3 RETURNING chain',
    ],
    'a transfer that was booked before its sale is never matched': [
      'const booked = await retryOwed(transaction, booking);',
      'const booked: BookedTransfer[] = [];',
    ],
  }),
  ...inSource(MATCH, {
    'a transfer is matched by its payer alone': ['payer} AND nonce = ${', 'payer} AND ${nonce} = ${'],
    'a transfer of another amount pays a purchase': ['payment.amount !== transfer.amount || ', ''],
    // The property is checked first, and hides the hold from schedules. The conformance tests find its loss alone.
    'a released purchase is sold without its lead': [
      'if (!(await insertHold(query, String(lead), purchase.id))) return false;',
      'await insertHold(query, String(lead), purchase.id);',
      'if ((await query(HOLDERS_OF_PROPERTY, purchase.id)).length > 0) return false;',
      '',
    ],
    'a released purchase is sold without its property': [
      'if ((await query(HOLDERS_OF_PROPERTY, purchase.id)).length > 0) return false;',
      '',
      'await query(TAKE_PROPERTY, purchase.id);',
      '',
    ],
    'a released purchase is never sold': ['return sellReleased(candidate, purchase);', 'return false;'],
  }),
  {
    name: 'a payment that moved to another block is not followed',
    parts: () =>
      planted(
        {
          file: 'api/payments/audit/audit.ts',
          from: 'await ledger.movePayment(purchase.id, evidence)',
          to: 'await Promise.resolve()',
        },
        { file: MATCH, from: 'transaction !== transfer.transaction || block !== transfer.block', to: 'false' },
      ),
  },
];

/** Limits are not enforced, or count the wrong purchases; holds take or keep too little. */
const limits = [
  ...inSource('ledger/sql/purchases.ts', {
    'open purchases are not counted': ['open.length >= limits.maxOpen', 'open.length >= 99'],
    'open purchases are not subtracted from the balance': [
      'committed + payment.amount > limits.balance',
      'payment.amount > limits.balance',
    ],
    'released purchases of leads are not counted': ["why <> 'not_sent'", 'FALSE'],
    'a payer is refused for the purchases of others': [
      'SELECT amount FROM purchases WHERE payer = $1',
      'SELECT amount FROM purchases WHERE $1 = $1',
    ],
    'leads of a payer are not counted': ['leads.length >= limits.perPayer', 'leads.length >= 99'],
    'leads of new payers are not counted': [
      "asNumber(held?.['leads']) < limits.byNewPayers",
      "asNumber(held?.['leads']) < 99",
    ],
  }),
  ...inSource('api/payments/chain/payer_check.ts', {
    'a contract wallet buys exclusive leads': [
      'if (isExclusive) return contractRefused',
      'if (isExclusive && !hasCode) return contractRefused',
    ],
  }),
  ...inSource('ledger/sql/holds.ts', {
    'a hold takes the lead without its property': [
      'const hasProperty = await insertProperties(query, purchaseId, properties);',
      'const hasProperty = properties.length >= 0;',
    ],
  }),
  ...inSource('ledger/sql/purchases.ts', {
    'a released purchase keeps its property': [
      "await query('UPDATE held_properties SET standing = NULL WHERE purchase_id = $1', purchaseId);",
      '',
    ],
  }),
  ...inSource('ledger/sql/sql_ledger.ts', {
    'a purchase that settles is deleted as an abandoned reservation': [
      "drop(query, `${UNFINISHED} AND ${expiredAt('$1')}`, nowMs)",
      `query("DELETE FROM purchases WHERE state <> 'sold' AND reserved_until_ms <= $1 RETURNING id", nowMs)
        .then(({ length }) => length)`,
    ],
  }),
];

/** Steps are in the wrong order, or another clock or proof is believed. */
const steps = withParts({
  'expiry is read from the clock of the server': {
    evidence: (chain, nowMs) => ({
      ...chain,
      async evidenceOf(payment, hint) {
        const found = await chain.evidenceOf(payment, hint);
        const isOver = found.kind === 'open' && nowMs() / 1000 >= Number(payment.validBefore);
        return isOver ? { kind: 'void', reason: 'expired_unused' } : found;
      },
    }),
  },
  'the answer is stored and "settling" written only after the money has moved': {
    ledger: (ledger) => {
      const answers = new Map<string, Answer>();
      return {
        startSettling: async (id, answer) => answers.set(id, answer).has(id),
        markSold: async (id, paid, nowMs) => {
          const answer = answers.get(id);
          if (answer) await ledger.startSettling(id, answer, nowMs);
          return ledger.markSold(id, paid, nowMs);
        },
      };
    },
  },
  'an answer is sent before "sold" is written': {
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
  },
  'a lead is chosen without being held': {
    ledger: () => ({
      hold: async (_, [lead]) => (lead === undefined ? { kind: 'none' } : { kind: 'held', leadId: lead.leadId }),
    }),
  },
  'a purchase that settles for too long is released like a reservation': {
    ledger: (ledger) => ({
      deleteExpiredReservations: async (nowMs) => {
        for (const { id } of await ledger.unresolved(nowMs - RESERVE_MS))
          await ledger.release(id, 'expired_unused', nowMs);
        return ledger.deleteExpiredReservations(nowMs);
      },
    }),
  },
  'the payment alone is enough to collect what it bought': { mayCollect: () => true },
  "the payer's address with any identifier is enough to collect": {
    mayCollect: (purchase, { identifierHash, payment }) =>
      identifierHash !== null && purchase.payment.payer === payment.payer,
  },
});

export const faults: readonly Fault[] = [...sale, ...evidence, ...audit, ...limits, ...steps];

/** They show in schedules with a restore only, which sells again what is sold. */
export const restoreFaults = inSource('ledger/sql/transfer_book.ts', {
  'exclusive sales are not paused after a restore': ['if (!mark) return null;', 'if (mark !== null) return null;'],
});
