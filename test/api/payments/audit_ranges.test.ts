/**
 * How the audit goes through many blocks, on a chain of scripted blocks. ledger/simulation.test.ts has auditors that
 * lose their lease, and nodes that are behind.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditPass, type AuditPass, type Auditor } from '../../../api/payments/audit/audit.ts';
import type { PaymentChain, SentTransfer } from '../../../api/payments/chain/payment_chain.ts';
import { BASE } from '../../../lib/network.ts';
import { openSqliteLedger } from '../../../ledger/sqlite/store.ts';
import type { AuditedAccount, BlockTime } from '../../../ledger/ledger.ts';

const ACCOUNT: AuditedAccount = { chain: `0x${'c'.repeat(64)}`, payTo: `0x${'a'.repeat(40)}` };
const SECONDS_PER_BLOCK = 2;

/** A chain with a plain transfer in each of these blocks. `incoming` is called before each range is read. */
function scriptedChain(final: bigint, blocks: readonly bigint[], incoming: (from: bigint) => void): PaymentChain {
  const payer = `0x${'b'.repeat(40)}`;
  const hash = (block: bigint): string => `0x${block.toString(16).padStart(64, '0')}`;
  const transferIn = (block: bigint): SentTransfer => ({
    transaction: hash(block),
    block,
    logIndex: 0,
    payer,
    nonce: null,
    amount: block,
    sender: payer,
    receiver: ACCOUNT.payTo,
  });
  const time = (block: bigint): BlockTime => ({ block, seconds: Number(block) * SECONDS_PER_BLOCK });
  const unused = (): never => {
    throw new Error('the audit does not ask for this');
  };
  return {
    network: BASE,
    id: async () => ACCOUNT.chain,
    evidenceOf: unused,
    payerState: unused,
    tokenObstacle: unused,
    latestBlock: unused,
    finalBlock: async () => time(final),
    outgoingTransfers: unused,
    pays: unused,
    firstBlockAt: async () => 0n,
    async incomingTransfers(_payTo, from, to) {
      incoming(from);
      return blocks.filter((block) => block >= from && block <= to).map(transferIn);
    },
  };
}

test('catches up after a long outage in several passes, without skipping or repeating a block', async () => {
  const ledger = await openSqliteLedger(':memory:');
  const final = 47_321n;
  const blocks = Array.from({ length: 1_893 }, (_, i) => BigInt(i) * 25n);
  const ranges: bigint[] = [];
  const chain = scriptedChain(final, blocks, (from) => {
    ranges.push(from);
  });
  const auditor: Auditor = { ledger, chain, payTo: ACCOUNT.payTo, holder: 'a', nowMs: () => 1 };
  const passes: AuditPass[] = [];
  for (let i = 0; i < 4; i += 1) passes.push(await auditPass(auditor));
  assert.deepEqual(
    passes.map(({ isBehind }) => isBehind),
    [true, true, false, false],
  );
  assert.deepEqual(
    passes.map(({ through }) => through?.block),
    [19_999n, 39_999n, final, final],
  );
  assert.equal(passes[2]?.through?.seconds, Number(final) * SECONDS_PER_BLOCK);
  assert.deepEqual(
    ranges,
    Array.from({ length: 48 }, (_, i) => BigInt(i) * 1000n),
  );
  const booked = await Array.fromAsync(ledger.transfers(ACCOUNT));
  assert.deepEqual(
    booked.map(({ block }) => block),
    blocks,
  );
  assert.equal(
    passes.reduce((sum, p) => sum + p.booked.dust, 0),
    blocks.length,
  );
  await ledger.close();
});
