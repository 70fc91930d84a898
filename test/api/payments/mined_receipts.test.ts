/** Receipts and logs as a broken or lying node returns them: nothing but a mined, successful payment of ours counts. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { pad, type Hex, type TransactionReceipt } from 'viem';
import { paymentChain, type ChainReader, type PaymentChain } from '../../../api/payments/chain/payment_chain.ts';
import type { Payment } from '../../../ledger/ledger.ts';
import { openSqliteLedger } from '../../../ledger/sqlite/store.ts';
import { AMOUNT, startChainPayments, THEM, US, type ChainPayments } from '../support/chain_payments.ts';

type Plain = Record<string, unknown>;

const OTHER_HASH: Hex = `0x${'2'.repeat(64)}`;
/** Index of the payment's events in its receipt. */
const [USED, MOVED] = [0, 1];

/** A copy with another value at a path. */
function changed<T>(original: T, path: readonly (string | number)[], value: unknown): T {
  const copy = structuredClone(original);
  let at = copy as Plain;
  for (const step of path.slice(0, -1)) at = at[step] as Plain;
  at[path.at(-1) ?? ''] = value;
  return copy;
}

describe('a receipt', () => {
  let on: ChainPayments;
  let payment: Payment;
  let receipt: TransactionReceipt;
  before(async () => {
    on = await startChainPayments();
    const ledger = await openSqliteLedger(':memory:');
    ({ payment } = await on.settling(ledger));
    await ledger.close();
    receipt = await on.pay(payment);
    await on.mine(4);
  });
  after(() => on.close());

  const reading = (client: Partial<ChainReader>): PaymentChain => paymentChain({ ...on.chain.reader, ...client });
  const withReceipt = (wrong: unknown): PaymentChain =>
    reading({ getTransactionReceipt: (async () => wrong) as unknown as ChainReader['getTransactionReceipt'] });
  const evidenceIn = async (wrong: unknown, hint: string | null): Promise<string> =>
    (await withReceipt(wrong).evidenceOf(payment, { transaction: hint })).kind;
  const transfersIn = (chain: PaymentChain) => chain.incomingTransfers(US, receipt.blockNumber, receipt.blockNumber);

  const unusable: readonly [name: string, path: readonly (string | number)[], value: unknown][] = [
    ['that reverted', ['status'], 'reverted'],
    ['without a status', ['status'], null],
    ['of another transaction', ['transactionHash'], OTHER_HASH],
    ['without a block', ['blockNumber'], null],
    ['without the hash of a block', ['blockHash'], null],
    ['with a removed event', ['logs', MOVED, 'removed'], true],
    ['with an event of another transaction', ['logs', USED, 'transactionHash'], OTHER_HASH],
    ['with an event of another block', ['logs', MOVED, 'blockNumber'], 1n],
    ['with an event of another fork', ['logs', MOVED, 'blockHash'], OTHER_HASH],
    ['with an event of a pending block', ['logs', USED, 'blockNumber'], null],
    ['of another token', ['logs', MOVED, 'address'], THEM],
    ['that paid another address', ['logs', MOVED, 'topics', 2], pad(THEM)],
    ['of another payer', ['logs', MOVED, 'topics', 1], pad(THEM)],
    ['of another amount', ['logs', MOVED, 'data'], pad('0x1')],
  ];
  for (const [name, path, value] of unusable) {
    it(`${name} is no evidence, and stops the audit`, async () => {
      const wrong = changed(receipt, path, value);
      assert.notEqual(await evidenceIn(wrong, receipt.transactionHash), 'paid');
      assert.notEqual(await evidenceIn(wrong, null), 'paid');
      await assert.rejects(transfersIn(withReceipt(wrong)), { name: 'ChainUnavailable' });
    });
  }

  it('with any field changed is evidence only if that field says nothing about the payment', async () => {
    const said = ['status', 'transactionHash', 'blockNumber', 'blockHash'].map((name) => [name]);
    const ofLogs = [USED, MOVED].flatMap((i) =>
      ['address', 'topics', 'data', 'blockNumber', 'blockHash', 'transactionHash', 'logIndex'].map((name) => [
        'logs',
        i,
        name,
      ]),
    );
    const silent = ['gasUsed', 'logsBloom', 'type', 'effectiveGasPrice', 'contractAddress'].map((name) => [name]);
    // AuthorizationUsed has no data.
    const paths = [...said, ...ofLogs, ...silent].filter((path) => path.join() !== `logs,${USED},data`);
    const values = fc.oneof(
      fc.constantFrom<unknown>(null, undefined, OTHER_HASH, THEM, 0, 1n, 'success ', '0x', [], {}, true),
      fc.bigInt({ min: 0n, max: 1_000n }),
      fc.stringMatching(/^0x[0-9a-f]{64}$/),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), values, async (path, value) => {
        const wrong = changed(receipt, path, value);
        const kind = await evidenceIn(wrong, receipt.transactionHash).catch((error: unknown) => {
          assert.equal((error as Error).name, 'ChainUnavailable');
          return 'unavailable';
        });
        let original: unknown = receipt;
        for (const step of path) original = (original as Plain)[step];
        const isSame = original === value;
        assert.equal(kind === 'paid', isSame || silent.some((field) => field.join() === path.join()), path.join('.'));
      }),
      { numRuns: 400 },
    );
  });

  it('as the node returns it is evidence, and its transfer has the sender', async () => {
    const paid = { kind: 'paid', transaction: receipt.transactionHash, block: receipt.blockNumber };
    assert.deepEqual(await on.payments.evidenceOf(payment, { transaction: null }), paid);
    assert.deepEqual(await transfersIn(on.payments), [
      {
        transaction: receipt.transactionHash,
        logIndex: receipt.logs[MOVED]?.logIndex,
        block: receipt.blockNumber,
        payer: payment.payer,
        nonce: payment.nonce,
        amount: AMOUNT,
        sender: receipt.from.toLowerCase(),
      },
    ]);
  });

  for (const [name, field, value] of [
    ['was removed', 'removed', true],
    ['is of a pending block', 'blockNumber', null],
    ['is of a block that was not asked for', 'blockNumber', 1n],
    ['names another transaction', 'transactionHash', OTHER_HASH],
    ['names another place', 'logIndex', 77],
  ] as const) {
    it(`stops the audit if a transfer that the node lists ${name}`, async () => {
      const getLogs = (async (filter: never) =>
        (await on.chain.reader.getLogs(filter)).map((log) => ({ ...log, [field]: value }))) as never;
      await assert.rejects(transfersIn(reading({ getLogs })), { name: 'ChainUnavailable' });
    });
  }
});
