/** Receipts and logs as a broken or lying node returns them: nothing but a mined, successful payment of ours counts. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { pad, type Hex, type TransactionReceipt } from 'viem';
import { paymentChain, type ChainReader, type PaymentChain } from '../../../api/payments/chain/payment_chain.ts';
import type { Payment } from '../../../ledger/ledger.ts';
import { openSqliteLedger } from '../../../ledger/sqlite/store.ts';
import { thorough } from '../../thorough.ts';
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
  /** Whether the value is the one that the receipt has there. */
  const isSame = (path: readonly (string | number)[], value: unknown): boolean => {
    let original: unknown = receipt;
    for (const step of path) original = (original as Plain)[step];
    return original === value;
  };
  const transfersIn = (chain: PaymentChain) => chain.incomingTransfers(US, receipt.blockNumber, receipt.blockNumber);

  it('with any field changed is evidence only if that field says nothing about the payment', async () => {
    const said = ['status', 'transactionHash', 'blockNumber', 'blockHash'].map((name) => [name]);
    const ofLog = ['address', 'data', 'blockNumber', 'blockHash', 'transactionHash', 'logIndex'];
    const ofLogs = [USED, MOVED].flatMap((i) => [
      ...ofLog.map((name) => ['logs', i, name]),
      ...[0, 1, 2].map((topic) => ['logs', i, 'topics', topic]),
    ]);
    const silent = ['gasUsed', 'logsBloom', 'type', 'effectiveGasPrice', 'contractAddress'].map((name) => [name]);
    // AuthorizationUsed has no data.
    const paths = [...said, ...ofLogs, ...silent].filter((path) => path.join() !== `logs,${USED},data`);
    const values = [null, undefined, OTHER_HASH, THEM, pad(THEM), pad('0x1'), 0, 1n, 77, 77n, 'reverted', '0x', [], {}];
    const removed = [USED, MOVED].map((i) => [['logs', i, 'removed'], true] as const);
    const all = paths.flatMap((path) => values.map((value) => [path, value] as const));
    const changes = [...removed, ...all.filter((_, i) => thorough(i % 5 === 0, true))];
    const orNone = (error: unknown): string => {
      assert.equal((error as Error).name, 'ChainUnavailable');
      return 'unavailable';
    };
    for (const [path, value] of changes) {
      const wrong = changed(receipt, path, value);
      const isSilent = silent.some((field) => field.join() === path.join()) || isSame(path, value);
      const name = `${path.join('.')} = ${String(value)}`;
      for (const hint of [receipt.transactionHash, null])
        assert.equal((await evidenceIn(wrong, hint).catch(orNone)) === 'paid', isSilent, name);
      const audited = await transfersIn(withReceipt(wrong)).then(
        (transfers) => (transfers.some(({ nonce }) => nonce === payment.nonce) ? 'paid' : 'paid by nobody'),
        orNone,
      );
      // Without its other event, a transfer is a plain one.
      const isPlain = path[1] === USED && audited === 'paid by nobody';
      assert.equal(isPlain ? 'unavailable' : audited, isSilent ? 'paid' : 'unavailable', name);
    }
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
        receiver: '0x00000000000000000000000000000000000000aa',
      },
    ]);
  });

  it('stops the audit if a transfer that the node lists is no longer there, or is another', async () => {
    for (const [field, value] of [
      ['removed', true],
      ['blockNumber', null],
      ['blockNumber', 1n],
      ['transactionHash', OTHER_HASH],
      ['logIndex', 77],
    ] as const) {
      const getLogs = (async (filter: never) =>
        (await on.chain.reader.getLogs(filter)).map((log) => ({ ...log, [field]: value }))) as never;
      await assert.rejects(transfersIn(reading({ getLogs })), { name: 'ChainUnavailable' }, field);
    }
  });
});
