/** What the chain says ends a purchase of unknown outcome; the clock of this machine never does. On the real local chain. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { authorizationTypes } from '@x402/evm';
import { createTestClient, createWalletClient, encodeFunctionData, http, parseAbi, parseSignature, type Hex, type TransactionReceipt } from 'viem';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { base as asViemHasIt } from 'viem/chains';
import { base } from '../../api/payments/base.ts';
import { chainEvidence } from '../../api/payments/evidence.ts';
import { CHAIN_ID, NETWORK, USDC } from '../../api/payments/network.ts';
import { EXPIRY_MARGIN_SECONDS, reconcile } from '../../api/payments/reconcile.ts';
import { startChain, type Chain } from '../../api/payments/sandbox/chain.ts';
import type { Answer, Ledger, Payment, Purchase } from '../../ledger/ledger.ts';
import { openSqliteLedger } from '../../ledger/sqlite.ts';

const abi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)',
  'function tryAggregate(bool requireSuccess, (address target, bytes callData)[] calls)',
]);
const MULTICALL = '0xcA11bde05977b3631167028862bE2a173976CA11';
const domain = { name: 'USD Coin', version: '2', chainId: CHAIN_ID, verifyingContract: USDC } as const;
const US: Hex = '0x00000000000000000000000000000000000000aa';
const THEM: Hex = '0x00000000000000000000000000000000000000bb';
const AMOUNT = 50_000n;

it('the chain is Base as viem has it, without what nothing here asks for', () => {
  const asked = (chain: object): object => Object.fromEntries(Object.entries(chain).filter(([name]) => !['contracts', 'extend', 'blockExplorers', 'sourceId'].includes(name)));
  assert.deepEqual(asked(base), asked(asViemHasIt));
  for (const [name, contract] of Object.entries(base.contracts)) assert.deepEqual(contract, asViemHasIt.contracts[name as keyof typeof asViemHasIt.contracts], name);
});

describe('the reconciler', () => {
  let chain: Chain;
  let ledger: Ledger;
  let payer: PrivateKeyAccount;
  let sender: ReturnType<typeof walletOf>;
  const admin = () => createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) });
  const walletOf = (key: Hex) => createWalletClient({ account: privateKeyToAccount(key), chain: base, transport: http(chain.rpcUrl) });
  const chainSeconds = async (): Promise<bigint> => (await chain.reader.getBlock({ blockTag: 'latest' })).timestamp;
  const pass = (nowMs = Date.now()) => reconcile({ ledger, chain: chainEvidence(chain.reader), nowMs: () => nowMs }, 0);
  const stateOf = async ({ id }: Purchase): Promise<Purchase> => (await ledger.find({ id })) ?? assert.fail('the purchase is gone');

  const body = Buffer.from('{}');
  const answer: Answer = { headers: {}, sha256: '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a', bytes: 2, async* body() { yield body; } };
  /** A purchase that was sent for settlement, and nothing is known of what came of it. */
  async function settling(seconds = 300n): Promise<Purchase> {
    const payment: Payment = {
      network: NETWORK, asset: USDC.toLowerCase(), payer: payer.address.toLowerCase(), nonce: generatePrivateKey(), payTo: US, amount: AMOUNT, validBefore: (await chainSeconds()) + seconds,
    };
    const { purchase } = await ledger.begin({ payment, route: 'GET /x', request: '/x', snapshotId: 's', identifierHash: null, nowMs: Date.now(), leaseMs: 60_000 });
    await ledger.settling(purchase.id, answer, Date.now());
    return purchase;
  }
  const authorized = async ({ payment }: Purchase, to: Hex, value = AMOUNT): Promise<Hex> => {
    const message = { from: payer.address, to, value, validAfter: 0n, validBefore: payment.validBefore, nonce: payment.nonce as Hex } as const;
    const signature = await payer.signTypedData({ domain, types: authorizationTypes, primaryType: 'TransferWithAuthorization', message });
    return encodeFunctionData({ abi, functionName: 'transferWithAuthorization', args: [message.from, to, value, 0n, message.validBefore, message.nonce, signature] });
  };
  const mined = async (to: Hex, data: Hex): Promise<TransactionReceipt> => {
    const receipt = await chain.reader.waitForTransactionReceipt({ hash: await sender.sendTransaction({ to, data }) });
    assert.equal(receipt.status, 'success');
    return receipt;
  };

  before(async () => {
    chain = await startChain();
    ledger = await openSqliteLedger(':memory:');
    payer = privateKeyToAccount(generatePrivateKey());
    sender = walletOf(chain.gasKey);
    await chain.mint(payer.address, 100n * AMOUNT);
  });
  after(async () => {
    await ledger.close();
    await chain.close();
  });

  it('finds the payment that paid us, and writes down its transaction', async () => {
    const purchase = await settling();
    const { transactionHash } = await mined(USDC, await authorized(purchase, US));
    assert.deepEqual(await pass(), { sold: 1, released: 0, waiting: 0, failure: null });
    const { state, transaction } = await stateOf(purchase);
    assert.deepEqual({ state, transaction }, { state: 'sold', transaction: transactionHash });
  });

  it('finds it by the transaction that was named, and in the other form of the call', async () => {
    const purchase = await settling();
    const { payment } = purchase;
    const message = { from: payer.address, to: US, value: AMOUNT, validAfter: 0n, validBefore: payment.validBefore, nonce: payment.nonce as Hex } as const;
    const { r, s, yParity } = parseSignature(await payer.signTypedData({ domain, types: authorizationTypes, primaryType: 'TransferWithAuthorization', message }));
    const { transactionHash } = await mined(USDC, encodeFunctionData({ abi, functionName: 'transferWithAuthorization', args: [message.from, US, AMOUNT, 0n, message.validBefore, message.nonce, 27 + yParity, r, s] }));
    await ledger.unknown(purchase.id, 'settlement_pending', transactionHash);
    assert.equal((await pass()).sold, 1);
    assert.equal((await stateOf(purchase)).transaction, transactionHash);
  });

  it('does not take a named transaction for the payment where it is another', async () => {
    const [paid, open] = [await settling(), await settling()];
    const { transactionHash } = await mined(USDC, await authorized(paid, US));
    await ledger.unknown(open.id, 'settlement_pending', transactionHash);
    assert.deepEqual(await pass(), { sold: 1, released: 0, waiting: 1, failure: null });
    assert.equal((await stateOf(open)).state, 'settling');
    await mined(USDC, await authorized(open, US));
    assert.equal((await pass()).sold, 1);
  });

  it('releases a payment whose nonce was spent on somebody else, or on less', async () => {
    for (const [to, value] of [[THEM, AMOUNT], [US, AMOUNT - 1n]] as const) {
      const purchase = await settling();
      await mined(USDC, await authorized(purchase, to, value));
      assert.equal((await pass()).released, 1);
      const { state, why } = await stateOf(purchase);
      assert.deepEqual({ state, why }, { state: 'released', why: 'used_elsewhere' });
    }
  });

  it('releases a payment that its payer has cancelled', async () => {
    const purchase = await settling();
    const nonce = purchase.payment.nonce as Hex;
    const signature = await payer.signTypedData({
      domain, types: { CancelAuthorization: [{ name: 'authorizer', type: 'address' }, { name: 'nonce', type: 'bytes32' }] }, primaryType: 'CancelAuthorization', message: { authorizer: payer.address, nonce },
    });
    await mined(USDC, encodeFunctionData({ abi, functionName: 'cancelAuthorization', args: [payer.address, nonce, signature] }));
    assert.equal((await pass()).released, 1);
    assert.equal((await stateOf(purchase)).why, 'used_elsewhere');
  });

  it('holds each payment to its own transfer where one transaction uses several', async () => {
    const [ours, theirs] = [await settling(), await settling()];
    const calls = [await authorized(theirs, THEM), await authorized(ours, US)].map((callData) => ({ target: USDC, callData } as const));
    await mined(MULTICALL, encodeFunctionData({ abi, functionName: 'tryAggregate', args: [true, calls] }));
    assert.deepEqual(await pass(), { sold: 1, released: 1, waiting: 0, failure: null });
    assert.equal((await stateOf(ours)).state, 'sold');
    assert.equal((await stateOf(theirs)).why, 'used_elsewhere');
  });

  it('waits for the chain\'s own time, wherever the clock of this machine stands, and then says that nobody was charged', async () => {
    const purchase = await settling(60n);
    const year = 365 * 86_400_000;
    for (const nowMs of [Date.now() + year, Date.now(), Date.now() - year]) assert.equal((await pass(nowMs)).waiting, 1);
    // Past validBefore it can be settled no more, but a block that is being made may still be replaced.
    await admin().setNextBlockTimestamp({ timestamp: purchase.payment.validBefore + EXPIRY_MARGIN_SECONDS });
    await admin().mine({ blocks: 1 });
    assert.equal((await pass()).waiting, 1);
    await admin().setNextBlockTimestamp({ timestamp: purchase.payment.validBefore + EXPIRY_MARGIN_SECONDS + 1n });
    await admin().mine({ blocks: 1 });
    assert.deepEqual(await pass(Date.now() - year), { sold: 0, released: 1, waiting: 0, failure: null });
    assert.equal((await stateOf(purchase)).why, 'expired_unused');
    await assert.rejects(mined(USDC, await authorized(purchase, US)), /authorization is expired/);
  });

  it('believes nothing of another chain, and ends nothing where the chain cannot be asked', async () => {
    const purchase = await settling();
    await mined(USDC, await authorized(purchase, US));
    const other = chainEvidence({ ...chain.reader, getChainId: async () => 1 });
    const asked = await reconcile({ ledger, chain: other, nowMs: Date.now }, 0);
    assert.deepEqual({ ...asked, failure: '' }, { sold: 0, released: 0, waiting: 1, failure: '' });
    assert.match(asked.failure ?? '', /has id 1, expected 8453/);
    const away = await reconcile({ ledger, chain: { of: async () => { throw new Error('fetch failed'); } }, nowMs: Date.now }, 0);
    assert.deepEqual(away, { sold: 0, released: 0, waiting: 1, failure: 'fetch failed' });
    assert.equal((await stateOf(purchase)).state, 'settling');
    assert.equal((await pass()).sold, 1);
  });

  it('may be run by any number of processes at once', async () => {
    const purchases = [await settling(), await settling(), await settling()];
    for (const purchase of purchases) await mined(USDC, await authorized(purchase, US));
    const passes = await Promise.all([pass(), pass(), pass()]);
    assert.ok(passes.every((p) => p.failure === null));
    for (const purchase of purchases) assert.equal((await stateOf(purchase)).state, 'sold');
  });
});
