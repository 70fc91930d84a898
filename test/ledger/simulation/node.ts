/** The nodes of a provider as one process reads them: sometimes behind, unavailable, or without the newest events. */
import { TransactionReceiptNotFoundError, type Hex } from 'viem';
import type { ChainReader } from '../../../api/payments/chain/payment_chain.ts';
import { CHAIN, type Chain, type Log } from './chain.ts';
import type { Process, World } from './world.ts';

const [FAILS, BEHIND, NOT_FOUND, SLOW] = [0.02, 0.2, 0.05, 0.12];
/** No node is further behind: a final block is at least this many blocks old. */
const MAX_BEHIND = 2;

/** Hashes of the event signatures of the token. */
const TOPICS = {
  Transfer: '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  AuthorizationUsed: '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5',
  AuthorizationCanceled: '0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81',
} as const;

/** Who sends every transaction. */
const SENDER = `0x${'5e'.repeat(20)}`;

const word = (address: string): string => `0x${address.slice(2).padStart(64, '0')}`;
const blockHash = (number: number): string => (number === 0 ? CHAIN : `0x${number.toString(16).padStart(64, 'b')}`);
// Creating a viem error is slow, so all calls share one.
const noReceipt = new TransactionReceiptNotFoundError({ hash: CHAIN as Hex });

/** A log in the format of a receipt, and of a filter, which has its arguments. */
const foundLog = (
  { kind, payer, payTo, amount, nonce, transaction, block, logIndex }: Log,
  address: string,
): object => ({
  address,
  topics: [TOPICS[kind], word(payer), kind === 'Transfer' ? word(payTo) : nonce],
  data: kind === 'Transfer' ? `0x${amount.toString(16).padStart(64, '0')}` : '0x',
  args: kind === 'Transfer' ? { from: payer, to: payTo, value: amount } : { authorizer: payer, nonce },
  logIndex,
  transactionHash: transaction.hash,
  blockNumber: BigInt(block),
  blockHash: blockHash(block),
  removed: false,
});

interface LogFilter {
  readonly event: { readonly name: Log['kind'] };
  readonly args: { readonly authorizer?: string; readonly nonce?: string; readonly to?: string };
  readonly fromBlock: bigint;
  readonly toBlock: bigint;
}

/** A call of the token. */
interface TokenCall {
  readonly functionName: string;
  readonly args?: readonly string[];
  readonly blockNumber?: bigint;
}

/** The methods of a viem client that the server uses. */
export function nodeFor(world: World, chain: Chain, process: Process): ChainReader {
  /** Reach one of the nodes. @returns its latest block */
  const reach = async (what: string): Promise<number> => {
    if (world.mishap(SLOW)) await world.gate(process, `waits for ${what}`);
    if (world.mishap(FAILS)) throw new Error('the node cannot be reached');
    return chain.latest.number - (world.mishap(BEHIND) ? 1 + world.below(MAX_BEHIND) : 0);
  };
  const client = {
    getChainId: async () => chain.network.chainId,
    getCode: async ({ address }: { readonly address: string }) => {
      await reach('code');
      return chain.wallets.has(address) ? '0x60' : undefined;
    },
    async getBlock({ blockTag, blockNumber }: { readonly blockTag?: string; readonly blockNumber?: bigint }) {
      const head = await reach(blockTag ?? 'a block');
      const tagged = blockTag === 'safe' ? chain.safe : blockTag === 'finalized' ? chain.final : head;
      const number = blockTag === undefined ? Number(blockNumber) : Math.min(head, tagged);
      const block = chain.blocks[number];
      if (number > head || !block) throw new Error('the node does not have this block');
      return { number: BigInt(number), timestamp: BigInt(block.seconds), hash: blockHash(number) };
    },
    async readContract({ functionName, args: [account = '', nonce = ''] = [], blockNumber }: TokenCall) {
      if (functionName === 'paused' || functionName === 'isBlacklisted') return false;
      const head = await reach(functionName);
      const at = blockNumber === undefined ? head : Number(blockNumber);
      if (at > head) throw new Error('the node does not have this block');
      if (functionName === 'balanceOf') return chain.balanceAt(account, at);
      const used = chain.used.get(`${account}|${nonce}`);
      return used !== undefined && used.block <= at;
    },
    multicall: ({ contracts }: { readonly contracts: readonly TokenCall[] }) =>
      Promise.all(contracts.map((call) => client.readContract(call))),
    async getLogs({ event, args, fromBlock, toBlock }: LogFilter) {
      const head = await reach(event.name);
      // The index of events may lag behind, except for final blocks.
      if (Number(toBlock) > chain.final && world.mishap(NOT_FOUND)) return [];
      const { authorizer, nonce, to } = args;
      const matches = ({ kind, payer, payTo, nonce: used }: Log): boolean =>
        kind === event.name && (kind === 'Transfer' ? payTo === to : payer === authorizer && used === nonce);
      return chain.blocks
        .slice(Number(fromBlock), Math.min(head, Number(toBlock)) + 1)
        .flatMap(({ logs }) => logs.filter(matches).map((log) => foundLog(log, chain.asset)));
    },
    async getTransactionReceipt({ hash }: { readonly hash: string }) {
      const head = await reach('a receipt');
      const isOurs = ({ hash: own, state }: { hash: string; state: string }): boolean =>
        own === hash && state === 'mined';
      const block = chain.blocks.findLast(({ transactions }) => transactions.some(isOurs));
      if (!block || block.number > head) throw noReceipt;
      return {
        status: 'success',
        from: SENDER,
        transactionHash: hash,
        blockNumber: BigInt(block.number),
        blockHash: blockHash(block.number),
        logs: block.logs.filter((log) => log.transaction.hash === hash).map((log) => foundLog(log, chain.asset)),
      };
    },
  };
  return client as unknown as ChainReader;
}
