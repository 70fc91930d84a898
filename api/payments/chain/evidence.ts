/**
 * Reads the evidence of a payment from our own node. USDC marks an authorization as used (AuthorizationUsed)
 * and moves the money (Transfer) in two consecutive events. A payer can also cancel an authorization, or spend its
 * nonce on another transfer.
 */
import {
  isHash,
  parseAbi,
  parseEventLogs,
  TransactionReceiptNotFoundError,
  type Address,
  type Hex,
  type PublicClient,
  type TransactionReceipt,
} from 'viem';
import type { Paid, Payment } from '../../../ledger/ledger.ts';
import { fromNode } from './node.ts';

/** The functions and events of the token that payments use. */
export const token = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function balanceOf(address account) view returns (uint256)',
  'function paused() view returns (bool)',
  'function isBlacklisted(address account) view returns (bool)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);
const [, , , , USED, CANCELED] = token;

/** Blocks per eth_getLogs request; public nodes reject long ranges. */
const BLOCKS_PER_REQUEST = 1_000n;
/** Ranges searched before the validBefore of a payment, and after it: more than two days of Base each. */
const MAX_RANGES = 100;

/** The evidence of one payment on the chain. */
export type Evidence =
  /** A mined receipt holds both events of this payment. */
  | ({ readonly kind: 'paid' } & Paid)
  /** A safe block shows that this payment will never pay us. */
  | { readonly kind: 'void'; readonly reason: 'expired_unused' | 'used_elsewhere' }
  /** Neither is certain yet. */
  | { readonly kind: 'open' };

export type EvidenceReader = Pick<PublicClient, 'getBlock' | 'getLogs' | 'getTransactionReceipt' | 'readContract'>;

/** A log as a node returns it; of a block that is not mined or was replaced, some of these are null. */
interface LogPlace {
  readonly blockNumber: bigint | null;
  readonly blockHash: Hex | null;
  readonly transactionHash: Hex | null;
  readonly logIndex: number | null;
  readonly removed?: boolean;
}

/** Whether a log has its place in a mined block, and was not removed by a reorganization. */
export const isMined = ({ blockNumber, transactionHash, logIndex, removed }: Omit<LogPlace, 'blockHash'>): boolean =>
  typeof blockNumber === 'bigint' &&
  isHash(transactionHash ?? '') &&
  Number.isSafeInteger(logIndex) &&
  removed !== true;

/**
 * The receipt of a transaction that succeeded in a block, with logs of its own alone; null if the node has none. A node
 * may return the receipt of a failed, a pending or another transaction, or logs that were removed: those prove nothing.
 */
export async function minedReceipt(
  client: Pick<PublicClient, 'getTransactionReceipt'>,
  hash: Hex,
): Promise<TransactionReceipt | null> {
  const receipt = await client.getTransactionReceipt({ hash }).catch((error: unknown) => {
    if (error instanceof TransactionReceiptNotFoundError) return null;
    throw error;
  });
  if (receipt?.status !== 'success' || !isHash(receipt.blockHash)) return null;
  const isOfIt = (place: LogPlace): boolean =>
    isMined(place) &&
    place.transactionHash?.toLowerCase() === hash.toLowerCase() &&
    place.blockNumber === receipt.blockNumber &&
    place.blockHash === receipt.blockHash;
  return [{ ...receipt, logIndex: 0 }, ...receipt.logs].every(isOfIt) ? receipt : null;
}

/** How this transaction used the payment's authorization; null if it did not. */
function authorizationUse(receipt: TransactionReceipt, payment: Payment): 'paid' | 'used_elsewhere' | null {
  const events = parseEventLogs({ abi: token, logs: receipt.logs, strict: true }).filter(
    (log) => log.address.toLowerCase() === payment.asset,
  );
  const used = events.find(
    (event) =>
      event.eventName === 'AuthorizationUsed' &&
      event.args.authorizer.toLowerCase() === payment.payer &&
      event.args.nonce.toLowerCase() === payment.nonce,
  );
  if (!used) return null;
  // A transaction may use several authorizations; the transfer of this one is the next event.
  const moved = events.find((event) => event.logIndex === used.logIndex + 1);
  const isPaid =
    moved?.eventName === 'Transfer' &&
    moved.args.from.toLowerCase() === payment.payer &&
    moved.args.to.toLowerCase() === payment.payTo &&
    moved.args.value === payment.amount;
  return isPaid ? 'paid' : 'used_elsewhere';
}

/** The first block at or after this time, in Unix seconds; the latest block if all are earlier. */
export async function firstBlockAt(
  client: Pick<PublicClient, 'getBlock'>,
  seconds: bigint,
  latest: bigint,
): Promise<bigint> {
  let [low, high] = [0n, latest];
  while (low < high) {
    const middle = (low + high) / 2n;
    if ((await client.getBlock({ blockNumber: middle })).timestamp < seconds) low = middle + 1n;
    else high = middle;
  }
  return low;
}

/** Ranges of blocks backward from this block, then forward from it. */
function* rangesAround(block: bigint, latest: bigint): Generator<readonly [from: bigint, to: bigint]> {
  for (let [range, to] = [0, block]; range < MAX_RANGES && to >= 0n; range += 1, to -= BLOCKS_PER_REQUEST) {
    yield [to >= BLOCKS_PER_REQUEST ? to - BLOCKS_PER_REQUEST + 1n : 0n, to];
  }
  for (
    let [range, from] = [0, block + 1n];
    range < MAX_RANGES && from <= latest;
    range += 1, from += BLOCKS_PER_REQUEST
  ) {
    yield [from, from + BLOCKS_PER_REQUEST - 1n < latest ? from + BLOCKS_PER_REQUEST - 1n : latest];
  }
}

interface Spent {
  readonly isCanceled: boolean;
  readonly transaction: Hex;
  readonly block: bigint;
}

/**
 * Reads the evidence of a payment from this node. `hint` is a transaction to read first; it proves nothing by itself.
 * The function throws ChainUnavailable.
 */
export function chainEvidence(client: EvidenceReader) {
  /** The event that used or canceled the authorization, searched around a block. */
  const spentAround = async (block: bigint, payment: Payment, latest: bigint): Promise<Spent | null> => {
    const args = { authorizer: payment.payer as Address, nonce: payment.nonce as Hex };
    for (const [fromBlock, toBlock] of rangesAround(block, latest)) {
      for (const event of [USED, CANCELED]) {
        const logs = await client.getLogs({ address: payment.asset as Address, event, args, fromBlock, toBlock });
        const found = logs.find((log) => isMined(log) && log.address.toLowerCase() === payment.asset);
        if (found)
          return { isCanceled: event === CANCELED, transaction: found.transactionHash, block: found.blockNumber };
      }
    }
    return null;
  };

  const findEvidence = async (payment: Payment, hint: string | null): Promise<Evidence> => {
    const hinted = hint !== null && isHash(hint) ? await minedReceipt(client, hint) : null;
    if (hinted && authorizationUse(hinted, payment) === 'paid')
      return { kind: 'paid', transaction: hinted.transactionHash, block: hinted.blockNumber };
    const latest = await client.getBlock({ blockTag: 'latest' });
    const isUsedAt = (blockNumber: bigint): Promise<boolean> =>
      client.readContract({
        address: payment.asset as Address,
        abi: token,
        functionName: 'authorizationState',
        args: [payment.payer as Address, payment.nonce as Hex],
        blockNumber,
      });
    const isUsed = await isUsedAt(latest.number);
    const safe = await client.getBlock({ blockTag: 'safe' });
    if (!isUsed) {
      // The token accepts it only in blocks before validBefore. Read the state again at the safe block itself: the
      // latest block may have been replaced since, and requests may reach several nodes.
      const isOver = safe.timestamp >= payment.validBefore && !(await isUsedAt(safe.number));
      return isOver ? { kind: 'void', reason: 'expired_unused' } : { kind: 'open' };
    }
    // Search by the chain's time, not by our clock: the chain accepts a payment only before validBefore.
    const end = await firstBlockAt(client, payment.validBefore, latest.number);
    const spent = await spentAround(end, payment, latest.number);
    const receipt = spent && !spent.isCanceled ? await minedReceipt(client, spent.transaction) : null;
    if (receipt && authorizationUse(receipt, payment) === 'paid')
      return { kind: 'paid', transaction: receipt.transactionHash, block: receipt.blockNumber };
    const isElsewhere =
      spent?.isCanceled === true || (receipt && authorizationUse(receipt, payment) === 'used_elsewhere');
    return spent && isElsewhere && spent.block <= safe.number
      ? { kind: 'void', reason: 'used_elsewhere' }
      : { kind: 'open' };
  };

  return (payment: Payment, hint: { readonly transaction: string | null }): Promise<Evidence> =>
    fromNode(findEvidence(payment, hint.transaction));
}
