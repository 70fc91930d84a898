/**
 * Reads the chain from our own node: evidence of payments, the state of payers, transfers. USDC marks an authorization
 * as used (AuthorizationUsed) and moves the money (Transfer) in two consecutive events. A payer can also cancel an
 * authorization, or spend its nonce on another transfer.
 */
import {
  parseEventLogs,
  type Address,
  type Hex,
  type Log,
  type PublicClient,
  type TransactionReceipt,
  isHash,
  parseAbi,
  TransactionReceiptNotFoundError,
} from 'viem';
import type { BlockTime, IncomingTransfer, Payment, Paid } from '../../../ledger/ledger.ts';
import { ChainUnavailable, fromNode, isCallFailure, WrongChain } from './node.ts';
import { BASE, chainIdentity, type Network } from '../../../lib/network.ts';

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
const [, , , , USED, CANCELED, TRANSFER] = token;

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

type EvidenceReader = Pick<PublicClient, 'getBlock' | 'getLogs' | 'getTransactionReceipt' | 'readContract'>;

/** A log as a node returns it; of a block that is not mined or was replaced, some of these are null. */
interface LogPlace {
  readonly blockNumber: bigint | null;
  readonly blockHash: Hex | null;
  readonly transactionHash: Hex | null;
  readonly logIndex: number | null;
  readonly removed?: boolean;
}

/** Whether a log has its place in a mined block, and was not removed by a reorganization. */
const isMined = ({ blockNumber, transactionHash, logIndex, removed }: Omit<LogPlace, 'blockHash'>): boolean =>
  typeof blockNumber === 'bigint' &&
  isHash(transactionHash ?? '') &&
  Number.isSafeInteger(logIndex) &&
  removed !== true;

/**
 * The receipt of a transaction that succeeded in a block, with logs of its own alone; null if the node has none. A node
 * may return the receipt of a failed, a pending or another transaction, or logs that were removed: those prove nothing.
 */
async function minedReceipt(
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

/** The events of this token in a receipt. @param asset in lower case */
const eventsOf = (receipt: TransactionReceipt | null, asset: string) =>
  parseEventLogs({ abi: token, logs: receipt?.logs ?? [], strict: true }).filter(
    (event) => event.address.toLowerCase() === asset,
  );

/** How this transaction used the payment's authorization; null if it did not. */
function authorizationUse(receipt: TransactionReceipt | null, payment: Payment): 'paid' | 'used_elsewhere' | null {
  const events = eventsOf(receipt, payment.asset);
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

const paidIn = (receipt: TransactionReceipt | null, payment: Payment): Evidence | null =>
  receipt && authorizationUse(receipt, payment) === 'paid'
    ? { kind: 'paid', transaction: receipt.transactionHash, block: receipt.blockNumber }
    : null;

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
function chainEvidence(client: EvidenceReader) {
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
    const paidByHint = paidIn(hinted, payment);
    if (paidByHint) return paidByHint;
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
    const paid = paidIn(receipt, payment);
    if (paid) return paid;
    const isElsewhere = spent?.isCanceled === true || authorizationUse(receipt, payment) === 'used_elsewhere';
    return spent && isElsewhere && spent.block <= safe.number
      ? { kind: 'void', reason: 'used_elsewhere' }
      : { kind: 'open' };
  };

  return (payment: Payment, hint: { readonly transaction: string | null }): Promise<Evidence> =>
    fromNode(findEvidence(payment, hint.transaction));
}

/** Receipts requested in parallel. */
const RECEIPTS_IN_PARALLEL = 8;

/** The state of a payer before a sale. */
export interface PayerState {
  /** Whether the account has code: a contract wallet, or one with an EIP-7702 delegation. */
  readonly hasCode: boolean;
  /** Atomic units of the token. */
  readonly balance: bigint;
  /** Whether the authorization was used or canceled. */
  readonly isUsed: boolean;
  /** Whether the issuer of the token blocks the payer. */
  readonly isBlocked: boolean;
  /** What keeps everybody from paying the payment's receiver. */
  readonly obstacle: TokenObstacle | null;
}

/** Why nobody can pay us: the issuer of the token has paused it, or blocks our address. */
export type TokenObstacle = 'token_paused' | 'pay_to_blocked';

export interface PaymentChain {
  readonly network: Network;
  /** @param hint a transaction to read first; it proves nothing by itself. @throws ChainUnavailable */
  evidenceOf(payment: Payment, hint: { readonly transaction: string | null }): Promise<Evidence>;
  /** Identity of the chain in the ledger, after checking the chain id. @throws WrongChain, ChainUnavailable */
  id(): Promise<string>;
  /** State of the payer and the token at the latest block, in two requests. @throws ChainUnavailable */
  payerState(payment: Payment): Promise<PayerState>;
  /** What keeps everybody from paying this address. @throws ChainUnavailable */
  tokenObstacle(payTo: string): Promise<TokenObstacle | null>;
  /** The latest final block. @throws ChainUnavailable */
  finalBlock(): Promise<BlockTime>;
  latestBlock(): Promise<BlockTime>;
  /** The first block at or after a time, in Unix seconds. @throws ChainUnavailable */
  firstBlockAt(seconds: number): Promise<bigint>;
  /** Transfers to this address in these blocks, in order. @throws ChainUnavailable */
  incomingTransfers(payTo: string, fromBlock: bigint, toBlock: bigint): Promise<readonly SentTransfer[]>;
  /** Transfers from this address. */
  outgoingTransfers(payTo: string, fromBlock: bigint, toBlock: bigint): Promise<readonly SentTransfer[]>;
  /** Whether a mined transaction moves exactly this amount to this address. @throws ChainUnavailable */
  pays(transaction: string, receiver: string, amount: bigint): Promise<boolean>;
}

export type ChainReader = EvidenceReader & Pick<PublicClient, 'getChainId' | 'getCode' | 'multicall'>;

type ListedTransfer = Log<bigint, number, false, typeof TRANSFER, true>;

/** A transfer to us, and who sent its transaction. */
export interface SentTransfer extends IncomingTransfer {
  readonly sender: string;
  readonly receiver: string;
}

export function paymentChain(client: ChainReader, network: Network = BASE): PaymentChain {
  const { address } = network.usdc;
  const asset = address.toLowerCase();
  const usdc = { address, abi: token } as const;
  let known: string | undefined;
  const identify = async (): Promise<string> => {
    const id = await client.getChainId();
    if (id !== network.chainId) throw new WrongChain(`the node serves chain ${id}, expected ${network.chainId}`);
    return chainIdentity(network, (await client.getBlock({ blockNumber: 0n })).hash);
  };
  const id = async (): Promise<string> => (known ??= await fromNode(identify()));
  const evidence = chainEvidence(client);
  const blockTime = ({ number, timestamp }: { readonly number: bigint; readonly timestamp: bigint }): BlockTime => ({
    block: number,
    seconds: Number(timestamp),
  });

  /** @throws WrongChain if the token lacks this function: another contract, or none, is at its address */
  const fromToken = <T>(call: Promise<T>): Promise<T> =>
    fromNode(
      call.catch((error: unknown) => {
        const text = `the contract ${address} of this chain does not answer paused() and isBlacklisted()`;
        throw isCallFailure(error) ? new WrongChain(text) : error;
      }),
    );
  const obstacleOf = (isPaused: boolean, isBlocked: boolean): TokenObstacle | null => {
    if (isPaused) return 'token_paused';
    return isBlocked ? 'pay_to_blocked' : null;
  };

  /** A transfer as its receipt has it. @throws ChainUnavailable if the receipt does not have it */
  const transferOf = async (side: 'from' | 'to', account: string, log: ListedTransfer): Promise<SentTransfer> => {
    const { transactionHash: transaction, blockNumber: block, logIndex } = log;
    const receipt = isMined(log) ? await minedReceipt(client, transaction) : null;
    const events = eventsOf(receipt, asset);
    const moved = events.find((event) => event.logIndex === logIndex);
    const isListed =
      moved?.eventName === 'Transfer' &&
      moved.args.from.toLowerCase() === log.args.from.toLowerCase() &&
      moved.args.to.toLowerCase() === log.args.to.toLowerCase() &&
      moved.args[side].toLowerCase() === account.toLowerCase() &&
      moved.args.value === log.args.value;
    if (receipt?.blockNumber !== block || !isListed)
      throw new ChainUnavailable('the node returned a transfer that its receipt does not have');
    const payer = moved.args.from.toLowerCase();
    const used = events.find((event) => event.logIndex === logIndex - 1);
    const isAuthorized = used?.eventName === 'AuthorizationUsed' && used.args.authorizer.toLowerCase() === payer;
    return {
      transaction,
      logIndex,
      block,
      payer,
      nonce: isAuthorized ? used.args.nonce.toLowerCase() : null,
      amount: moved.args.value,
      sender: receipt.from.toLowerCase(),
      receiver: moved.args.to.toLowerCase(),
    };
  };
  /** The transfers from or to this account. */
  const transfersOf = async (
    side: 'from' | 'to',
    account: string,
    fromBlock: bigint,
    toBlock: bigint,
  ): Promise<SentTransfer[]> => {
    const args = { [side]: account as Address };
    const logs = await client.getLogs({ address, event: TRANSFER, args, fromBlock, toBlock, strict: true });
    if (logs.some(({ blockNumber }) => blockNumber < fromBlock || blockNumber > toBlock))
      throw new ChainUnavailable('the node returned a transfer of blocks that were not asked for');
    const transfers: SentTransfer[] = [];
    for (let at = 0; at < logs.length; at += RECEIPTS_IN_PARALLEL) {
      const some = logs.slice(at, at + RECEIPTS_IN_PARALLEL);
      transfers.push(...(await Promise.all(some.map((log) => transferOf(side, account, log)))));
    }
    return transfers;
  };

  return {
    network,
    id,
    async evidenceOf(payment, hint) {
      await id();
      return evidence(payment, hint);
    },
    async payerState({ payer, nonce, payTo }) {
      await id();
      const account = payer as Address;
      const contracts = [
        { ...usdc, functionName: 'balanceOf', args: [account] },
        { ...usdc, functionName: 'authorizationState', args: [account, nonce as Hex] },
        { ...usdc, functionName: 'isBlacklisted', args: [account] },
        { ...usdc, functionName: 'isBlacklisted', args: [payTo as Address] },
        { ...usdc, functionName: 'paused' },
      ] as const;
      const [code, [balance, isUsed, isBlocked, isPayToBlocked, isPaused]] = await fromNode(
        Promise.all([client.getCode({ address: account }), client.multicall({ contracts, allowFailure: false })]),
      );
      const hasCode = code !== undefined && code !== '0x';
      return { hasCode, balance, isUsed, isBlocked, obstacle: obstacleOf(isPaused, isPayToBlocked) };
    },
    async tokenObstacle(payTo) {
      await id();
      const isBlocked = client.readContract({ ...usdc, functionName: 'isBlacklisted', args: [payTo as Address] });
      const isPaused = client.readContract({ ...usdc, functionName: 'paused' });
      return obstacleOf(...(await Promise.all([fromToken(isPaused), fromToken(isBlocked)])));
    },
    finalBlock: async () => blockTime(await fromNode(client.getBlock({ blockTag: 'finalized' }))),
    latestBlock: async () => blockTime(await fromNode(client.getBlock({ blockTag: 'latest' }))),
    firstBlockAt: (seconds) =>
      fromNode(
        (async () => firstBlockAt(client, BigInt(seconds), (await client.getBlock({ blockTag: 'latest' })).number))(),
      ),
    incomingTransfers: (payTo, fromBlock, toBlock) => fromNode(transfersOf('to', payTo, fromBlock, toBlock)),
    outgoingTransfers: (payTo, fromBlock, toBlock) => fromNode(transfersOf('from', payTo, fromBlock, toBlock)),
    async pays(transaction, receiver, amount) {
      const events = eventsOf(await fromNode(minedReceipt(client, transaction as Hex)), asset);
      return events.some(
        ({ eventName, args }) =>
          eventName === 'Transfer' && args.to.toLowerCase() === receiver && args.value === amount,
      );
    },
  };
}
