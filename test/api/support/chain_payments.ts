/** Payments on a real local chain, and purchases whose outcome is known only from the chain. */
import assert from 'node:assert/strict';
import {
  createTestClient,
  createWalletClient,
  encodeFunctionData,
  http,
  parseAbi,
  parseSignature,
  type Hex,
  type TransactionReceipt,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { base, signAuthorization, useOf, type Authorization } from './base.ts';
import { NETWORK, USDC } from '../../../lib/network.ts';
import { paymentChain, type PaymentChain } from '../../../api/payments/chain/payment_chain.ts';
import { startChain, type Chain } from '../../../api/payments/local_chain/chain.ts';
import type { Answer, Ledger, OfferedLead, Payment, Purchase } from '../../../ledger/ledger.ts';

const abi = parseAbi(['function transfer(address to, uint256 value) returns (bool)']);
export const US: Hex = '0x00000000000000000000000000000000000000aa';
export const THEM: Hex = '0x00000000000000000000000000000000000000bb';
export const AMOUNT = 50_000n;
/** Blocks mined per request, so that it does not time out on a busy machine. */
const BLOCKS_AT_ONCE = 100;
const LIMITS = { balance: 1_000n * AMOUNT, maxOpen: 100 };

const answer: Answer = {
  headers: {},
  sha256: '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
  body: Buffer.from('{}'),
};

interface SettlingOptions {
  /** Time until the payment expires, by the chain's clock. */
  readonly seconds?: bigint;
  readonly nowMs?: number;
  /** Default: US. */
  readonly payTo?: Hex;
  /** An exclusive lead that it holds. */
  readonly lead?: OfferedLead;
}

/** A local chain that mines a block per transaction and on request, and one payer with money. */
export interface ChainPayments {
  readonly chain: Chain;
  readonly payments: PaymentChain;
  readonly payer: Hex;
  /** A purchase that was sent for settlement. */
  settling(ledger: Ledger, options?: SettlingOptions): Promise<Purchase>;
  /** Call data that settles this payment with the signature in three parts. */
  authorizedInParts(payment: Payment): Promise<Hex>;
  /** Send a call of the token, and wait for its block. */
  mined(data: Hex): Promise<TransactionReceipt>;
  /** Settle this payment in a block of its own. */
  pay(payment: Payment): Promise<TransactionReceipt>;
  /** A transfer without an authorization, from an account that is not the payer. */
  plainTransfer(to: Hex, value: bigint): Promise<TransactionReceipt>;
  mine(blocks: number): Promise<void>;
  /** Mine a block with this timestamp, in Unix seconds. */
  mineAt(seconds: bigint): Promise<void>;
  close(): Promise<void>;
}

export async function startChainPayments(): Promise<ChainPayments> {
  const chain = await startChain();
  const payments = paymentChain(chain.reader);
  const transport = http(chain.rpcUrl, { timeout: 60_000 });
  const admin = createTestClient({ mode: 'anvil', transport });
  // A block mined at an unexpected moment would make earlier blocks safe and final.
  await admin.setIntervalMining({ interval: 0 });
  await admin.setAutomine(true);
  const account = privateKeyToAccount(generatePrivateKey());
  const payer = account.address.toLowerCase() as Hex;
  const sender = createWalletClient({ account: privateKeyToAccount(chain.gasKey), chain: base, transport });
  await chain.mint(payer, 1_000n * AMOUNT);
  await chain.mint(sender.account.address, 1_000n * AMOUNT);

  const send = async (to: Hex, data: Hex): Promise<TransactionReceipt> => {
    const receipt = await chain.reader.waitForTransactionReceipt({ hash: await sender.sendTransaction({ to, data }) });
    assert.equal(receipt.status, 'success');
    return receipt;
  };
  const authorizationOf = ({ validBefore, nonce, payTo }: Payment): Authorization => ({
    from: payer,
    to: payTo as Hex,
    value: String(AMOUNT),
    validAfter: '0',
    validBefore: String(validBefore),
    nonce: nonce as Hex,
  });
  const signed = (payment: Payment): Promise<Hex> => signAuthorization(account, authorizationOf(payment));

  return {
    chain,
    payments,
    payer,
    async settling(ledger, { seconds = 300n, nowMs = Date.now(), payTo = US, lead } = {}) {
      const { timestamp } = await chain.reader.getBlock({ blockTag: 'latest' });
      const payment: Payment = {
        network: NETWORK,
        asset: USDC.toLowerCase(),
        payer,
        nonce: generatePrivateKey(),
        payTo,
        amount: AMOUNT,
        validBefore: timestamp + seconds,
      };
      const begun = await ledger.begin({
        payment,
        route: 'GET /x',
        request: '/x',
        snapshotId: 's',
        identifierHash: null,
        nowMs,
        reserveMs: 60_000,
        chain: await payments.id(),
        limits: LIMITS,
      });
      if (begun.kind !== 'reserved') throw new Error(`the purchase is ${begun.kind}`);
      const limits = { perPayer: 100, byNewPayers: 100 };
      if (lead) await ledger.hold(begun.purchase.id, [lead], limits, nowMs);
      await ledger.startSettling(begun.purchase.id, answer, nowMs);
      return begun.purchase;
    },
    async authorizedInParts(payment) {
      const { r, s, yParity } = parseSignature(await signed(payment));
      return useOf(authorizationOf(payment), 27 + yParity, r, s);
    },
    mined: (data) => send(USDC, data),
    pay: async (payment) => send(USDC, useOf(authorizationOf(payment), await signed(payment))),
    plainTransfer: (to, value) => send(USDC, encodeFunctionData({ abi, functionName: 'transfer', args: [to, value] })),
    async mine(blocks) {
      // anvil takes several seconds for a thousand blocks.
      for (let left = blocks; left > 0; left -= BLOCKS_AT_ONCE) {
        await admin.mine({ blocks: Math.min(left, BLOCKS_AT_ONCE) });
      }
    },
    async mineAt(seconds) {
      await admin.setNextBlockTimestamp({ timestamp: seconds });
      await admin.mine({ blocks: 1 });
    },
    close: () => chain.close(),
  };
}
