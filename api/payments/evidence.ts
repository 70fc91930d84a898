/**
 * What the chain knows of a payment. USDC marks an authorization as used (AuthorizationUsed) and moves the money
 * (Transfer) in two events, one right after the other; a payer may also spend the same nonce on somebody else, or
 * cancel it, and then nobody has paid us.
 */
import { parseAbi, parseEventLogs, TransactionReceiptNotFoundError, type Address, type Hex, type PublicClient, type TransactionReceipt } from 'viem';
import type { Payment } from '../../ledger/ledger.ts';
import { CHAIN_ID } from './network.ts';
import type { ChainEvidence, Evidence } from './reconcile.ts';

const token = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);
const [, USED, CANCELED] = token;

/** Blocks whose events are asked for at once; public nodes refuse long ranges. */
const BLOCKS_AT_ONCE = 1_000n;
/** Ranges looked through for one payment, before its validBefore and after it: more than two days of Base each. */
const MOST_RANGES = 100;

type Reader = Pick<PublicClient, 'getChainId' | 'getBlock' | 'getLogs' | 'getTransactionReceipt' | 'readContract'>;

/** The payment's own use in a transaction, or null where it is not there. */
function usedIn(receipt: TransactionReceipt, payment: Payment): Evidence | null {
  const events = parseEventLogs({ abi: token, logs: receipt.logs, strict: true }).filter((log) => log.address.toLowerCase() === payment.asset);
  const used = events.find((e) => e.eventName === 'AuthorizationUsed' && e.args.authorizer.toLowerCase() === payment.payer && e.args.nonce.toLowerCase() === payment.nonce);
  if (!used) return null;
  // A transaction may use several authorizations: the transfer of this one is the event after it.
  const moved = events.find((e) => e.logIndex === used.logIndex + 1);
  const paid = moved?.eventName === 'Transfer' && moved.args.from.toLowerCase() === payment.payer && moved.args.to.toLowerCase() === payment.payTo && moved.args.value === payment.amount;
  return { kind: paid ? 'paid' : 'used_elsewhere', transaction: receipt.transactionHash };
}

/** Number of the first block that is not older than this time; the latest where all are. */
async function firstBlockAt(client: Reader, seconds: bigint, latest: bigint): Promise<bigint> {
  let [low, high] = [0n, latest];
  while (low < high) {
    const middle = (low + high) / 2n;
    if ((await client.getBlock({ blockNumber: middle })).timestamp < seconds) low = middle + 1n;
    else high = middle;
  }
  return low;
}

/** Ranges of blocks from this one back, and then from it on. */
function* rangesAround(block: bigint, latest: bigint): Generator<readonly [from: bigint, to: bigint]> {
  for (let [range, to] = [0, block]; range < MOST_RANGES && to >= 0n; range += 1, to -= BLOCKS_AT_ONCE) {
    yield [to >= BLOCKS_AT_ONCE ? to - BLOCKS_AT_ONCE + 1n : 0n, to];
  }
  for (let [range, from] = [0, block + 1n]; range < MOST_RANGES && from <= latest; range += 1, from += BLOCKS_AT_ONCE) {
    yield [from, from + BLOCKS_AT_ONCE - 1n < latest ? from + BLOCKS_AT_ONCE - 1n : latest];
  }
}

/** The chain id is wrong: what this chain says is no evidence. */
export class WrongChain extends Error {
  override readonly name = 'WrongChain';
}

/** @throws WrongChain, or what the client throws where the chain cannot be asked */
export async function checkChain(client: Pick<PublicClient, 'getChainId'>): Promise<void> {
  const id = await client.getChainId();
  if (id !== CHAIN_ID) throw new WrongChain(`the chain there has id ${id}, expected ${CHAIN_ID}`);
}

/** Evidence from a node of the chain. Nothing it says is believed before it has named the right chain. */
export function chainEvidence(client: Reader): ChainEvidence {
  let checked = false;

  const inTransaction = async (hash: string, payment: Payment): Promise<Evidence | null> => {
    try { return usedIn(await client.getTransactionReceipt({ hash: hash as Hex }), payment); } catch (error) {
      if (error instanceof TransactionReceiptNotFoundError) return null;
      throw error;
    }
  };

  /** The event that used or cancelled the authorization of this payer and nonce, looked for around a block. */
  const spentAround = async (block: bigint, payment: Payment, latest: bigint): Promise<{ readonly by: typeof USED | typeof CANCELED; readonly hash: Hex } | null> => {
    for (const [fromBlock, toBlock] of rangesAround(block, latest)) {
      for (const event of [USED, CANCELED]) {
        const [found] = await client.getLogs({ address: payment.asset as Address, event, args: { authorizer: payment.payer as Address, nonce: payment.nonce as Hex }, fromBlock, toBlock });
        if (found) return { by: event, hash: found.transactionHash };
      }
    }
    return null;
  };

  return {
    async of(payment, { transaction }) {
      if (!checked) {
        await checkChain(client);
        checked = true;
      }
      const hinted = transaction === null ? null : await inTransaction(transaction, payment);
      if (hinted) return hinted;
      const latest = await client.getBlock({ blockTag: 'latest' });
      const used = await client.readContract({
        address: payment.asset as Address, abi: token, functionName: 'authorizationState', args: [payment.payer as Address, payment.nonce as Hex], blockNumber: latest.number,
      });
      if (!used) return { kind: 'unused', chainSeconds: latest.timestamp };
      // The chain takes it only before validBefore, by its own time: no clock of ours says where to look.
      const end = await firstBlockAt(client, payment.validBefore, latest.number);
      const spent = await spentAround(end, payment, latest.number);
      if (spent?.by === CANCELED) return { kind: 'used_elsewhere', transaction: spent.hash };
      const found = spent && await inTransaction(spent.hash, payment);
      return found ?? { kind: 'not_found', why: `the authorization is used, and no event of it was found around block ${end}` };
    },
  };
}
