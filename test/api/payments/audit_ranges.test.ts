/** How the audit goes through many blocks: step by step, and one auditor at a time. On a chain of scripted blocks. */
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
function scriptedChain(
  final: bigint,
  blocks: readonly bigint[],
  incoming = async (_from: bigint): Promise<void> => undefined,
): PaymentChain {
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
    firstBlockAt: async () => 0n,
    async incomingTransfers(_payTo, from, to) {
      await incoming(from);
      return blocks.filter((block) => block >= from && block <= to).map(transferIn);
    },
  };
}

test('catches up after a long outage in several passes, without skipping or repeating a block', async () => {
  const ledger = await openSqliteLedger(':memory:');
  const final = 47_321n;
  const blocks = Array.from({ length: 1_893 }, (_, i) => BigInt(i) * 25n);
  const ranges: bigint[] = [];
  const chain = scriptedChain(final, blocks, async (from) => {
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

test('an auditor that was slow and lost its lease skips no block that the other did not book', async () => {
  const ledger = await openSqliteLedger(':memory:');
  const blocks = Array.from({ length: 300 }, (_, i) => BigInt(i) * 10n);
  let nowMs = 0;
  const { payTo } = ACCOUNT;
  const second: Auditor = { ledger, chain: scriptedChain(1_200n, blocks), payTo, holder: 'b', nowMs: () => nowMs };
  const whileSlow = async (from: bigint): Promise<void> => {
    if (from !== 1_000n || nowMs > 0) return;
    // The lease of the first runs out; the second books what is final for its node, and ends; its lease runs out too.
    nowMs = 10 ** 6;
    assert.equal((await auditPass(second)).isAuditor, true);
    nowMs = 2 * 10 ** 6;
  };
  const first: Auditor = { ...second, chain: scriptedChain(2_999n, blocks, whileSlow), holder: 'a' };
  assert.equal((await auditPass(first)).isBehind, true, 'it stops when it finds that it lost its lease');
  assert.deepEqual(
    (await ledger.audits()).map(({ throughBlock }) => throughBlock),
    [1_200n],
  );
  assert.equal((await auditPass(first)).isBehind, false);
  assert.deepEqual(
    (await Array.fromAsync(ledger.transfers(ACCOUNT))).map(({ block }) => block),
    blocks,
  );
  await ledger.close();
});

test('a node whose final block is behind the booked block changes nothing', async () => {
  const ledger = await openSqliteLedger(':memory:');
  const auditor = (final: bigint): Auditor => ({
    ledger,
    chain: scriptedChain(final, [5n, 15n]),
    payTo: ACCOUNT.payTo,
    holder: 'a',
    nowMs: () => 1,
  });
  await auditPass(auditor(10n));
  const behind = await auditPass(auditor(3n));
  assert.deepEqual([behind.through?.block, behind.isBehind, behind.booked.dust], [10n, false, 0]);
  await auditPass(auditor(20n));
  assert.deepEqual(
    (await Array.fromAsync(ledger.transfers(ACCOUNT))).map(({ block }) => block),
    [5n, 15n],
  );
  await ledger.close();
});
