/** Reads the chain from our own node: evidence of payments, the state of payers, incoming transfers. */
import { parseEventLogs, type Address, type Hex, type Log, type PublicClient, type TransactionReceipt } from 'viem';
import type { BlockTime, IncomingTransfer, Payment } from '../../../ledger/ledger.ts';
import { ChainUnavailable, fromNode, isCallFailure, WrongChain } from './node.ts';
import {
  chainEvidence,
  firstBlockAt,
  isMined,
  minedReceipt,
  token,
  type Evidence,
  type EvidenceReader,
} from './evidence.ts';
import { BASE, chainIdentity, type Network } from '../../../lib/network.ts';

const [, , , , , , TRANSFER] = token;
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

  const eventsOf = (receipt: TransactionReceipt | null) =>
    parseEventLogs({ abi: token, logs: receipt?.logs ?? [], strict: true }).filter(
      (event) => event.address.toLowerCase() === address.toLowerCase(),
    );
  /** A transfer as its receipt has it. @throws ChainUnavailable if the receipt does not have it */
  const transferOf = async (side: 'from' | 'to', account: string, log: ListedTransfer): Promise<SentTransfer> => {
    const { transactionHash: transaction, blockNumber: block, logIndex } = log;
    const receipt = isMined(log) ? await minedReceipt(client, transaction) : null;
    const events = eventsOf(receipt);
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
      const events = eventsOf(await fromNode(minedReceipt(client, transaction as Hex)));
      return events.some(
        ({ eventName, args }) =>
          eventName === 'Transfer' && args.to.toLowerCase() === receiver && args.value === amount,
      );
    },
  };
}
