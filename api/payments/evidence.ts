/**
 * What the chain knows of a payment. USDC marks an authorization as used (AuthorizationUsed) and moves the money
 * (Transfer) in two events, one right after the other; a payer may also spend the same nonce on somebody else, or
 * cancel it, and then nobody has paid us.
 */
import { parseAbi, parseEventLogs, TransactionReceiptNotFoundError, type Address, type Hex, type PublicClient, type TransactionReceipt } from 'viem';
import type { Payment } from '../../ledger/ledger.ts';
import { CHAIN_ID, CLOCK_SKEW_SECONDS, PAYMENT_SECONDS } from './network.ts';
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
/** Ranges looked through for one payment: more than two days of Base. */
const MOST_RANGES = 100;
/** Seconds by which our clock may be ahead of the chain's when a search begins at a time of ours. */
const SEARCH_MARGIN_SECONDS = 3_600n;

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

  /** The transaction of the first such event of the payer and nonce, looking from block to block. */
  const eventOf = async (event: typeof USED | typeof CANCELED, payment: Payment, from: bigint, to: bigint): Promise<Hex | null> => {
    let start = from;
    for (let range = 0; range < MOST_RANGES && start <= to; range += 1, start += BLOCKS_AT_ONCE) {
      const end = start + BLOCKS_AT_ONCE - 1n < to ? start + BLOCKS_AT_ONCE - 1n : to;
      const [found] = await client.getLogs({ address: payment.asset as Address, event, args: { authorizer: payment.payer as Address, nonce: payment.nonce as Hex }, fromBlock: start, toBlock: end });
      if (found) return found.transactionHash;
    }
    return null;
  };

  return {
    async of(payment, { transaction, settlingAtMs }) {
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
      const earliest = payment.validBefore - BigInt(PAYMENT_SECONDS + CLOCK_SKEW_SECONDS);
      const settlingAt = BigInt(Math.floor(settlingAtMs / 1000));
      const from = await firstBlockAt(client, (earliest < settlingAt ? earliest : settlingAt) - SEARCH_MARGIN_SECONDS, latest.number);
      const spent = await eventOf(USED, payment, from, latest.number);
      const found = spent === null ? null : await inTransaction(spent, payment);
      if (found) return found;
      const canceled = await eventOf(CANCELED, payment, from, latest.number);
      if (canceled) return { kind: 'used_elsewhere', transaction: canceled };
      return { kind: 'not_found', why: `the authorization is used, and no event of it was found from block ${from}` };
    },
  };
}
