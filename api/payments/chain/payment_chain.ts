/** Reads the chain from our own node: evidence of payments, the state of payers, incoming transfers. */
import { parseEventLogs, type Address, type Hex, type PublicClient } from 'viem';
import type { Payment } from '../../../ledger/ledger.ts';
import type { BlockTime, IncomingTransfer } from '../../../ledger/transfers.ts';
import { fromNode, isCallFailure, NotUsdc, WrongChain } from './chain_errors.ts';
import { chainEvidence, firstBlockAt, token, type ChainEvidence, type EvidenceReader } from './evidence.ts';
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
}

/** Why nobody can pay us: the issuer of the token has paused it, or blocks our address. */
export type TokenObstacle = 'token_paused' | 'pay_to_blocked';

export interface PaymentChain extends ChainEvidence {
  readonly network: Network;
  /** Identity of the chain in the ledger, after checking the chain id. @throws WrongChain, ChainUnavailable */
  id(): Promise<string>;
  /** State of the payer at the latest block. @throws ChainUnavailable */
  payerState(payment: Payment): Promise<PayerState>;
  /** What keeps everybody from paying this address. @throws ChainUnavailable */
  tokenObstacle(payTo: string): Promise<TokenObstacle | null>;
  /** Whether the issuer of the token blocks an account. @throws ChainUnavailable */
  isBlocked(account: string): Promise<boolean>;
  /** The latest final block. @throws ChainUnavailable */
  finalBlock(): Promise<BlockTime>;
  latestBlock(): Promise<BlockTime>;
  /** The first block at or after a time, in Unix seconds. @throws ChainUnavailable */
  firstBlockAt(seconds: number): Promise<bigint>;
  /** Transfers to this address in these blocks, in order. @throws ChainUnavailable */
  incomingTransfers(payTo: string, fromBlock: bigint, toBlock: bigint): Promise<readonly IncomingTransfer[]>;
}

export type ChainReader = EvidenceReader & Pick<PublicClient, 'getChainId' | 'getCode'>;

/** The transfer at `logIndex` of a transaction. */
interface TransferPlace {
  readonly token: string;
  readonly transaction: Hex;
  readonly logIndex: number;
  readonly payer: string;
}

/** The nonce of the authorization that made this transfer; null if none did. */
async function authorizationNonce(
  client: ChainReader,
  { token: address, transaction, logIndex, payer }: TransferPlace,
): Promise<string | null> {
  const { logs } = await client.getTransactionReceipt({ hash: transaction });
  const used = parseEventLogs({ abi: token, eventName: 'AuthorizationUsed', logs, strict: true }).find(
    (event) =>
      event.logIndex === logIndex - 1 &&
      event.address.toLowerCase() === address.toLowerCase() &&
      event.args.authorizer.toLowerCase() === payer,
  );
  return used ? used.args.nonce.toLowerCase() : null;
}

export function paymentChain(client: ChainReader, network: Network = BASE): PaymentChain {
  const { address } = network.usdc;
  let known: string | undefined;
  const identify = async (): Promise<string> => {
    const id = await client.getChainId();
    if (id !== network.chainId) throw new WrongChain(id, network.chainId);
    return chainIdentity(network, (await client.getBlock({ blockNumber: 0n })).hash);
  };
  const id = async (): Promise<string> => (known ??= await fromNode(identify()));
  const evidence = chainEvidence(client);
  const blockTime = ({ number, timestamp }: { readonly number: bigint; readonly timestamp: bigint }): BlockTime => ({
    block: number,
    seconds: Number(timestamp),
  });

  /** @throws NotUsdc if the token lacks this function */
  const fromToken = <T>(call: Promise<T>): Promise<T> =>
    fromNode(
      call.catch((error: unknown) => {
        throw isCallFailure(error) ? new NotUsdc(address) : error;
      }),
    );
  const isBlocked = (account: string): Promise<boolean> =>
    fromToken(client.readContract({ address, abi: token, functionName: 'isBlacklisted', args: [account as Address] }));

  const transfersIn = async (payTo: string, fromBlock: bigint, toBlock: bigint): Promise<IncomingTransfer[]> => {
    const logs = await client.getLogs({
      address,
      event: TRANSFER,
      args: { to: payTo as Address },
      fromBlock,
      toBlock,
      strict: true,
    });
    const transfers: IncomingTransfer[] = [];
    for (let at = 0; at < logs.length; at += RECEIPTS_IN_PARALLEL) {
      transfers.push(
        ...(await Promise.all(
          logs.slice(at, at + RECEIPTS_IN_PARALLEL).map(async ({ args, transactionHash, logIndex, blockNumber }) => {
            const payer = args.from.toLowerCase();
            return {
              transaction: transactionHash,
              logIndex,
              block: blockNumber,
              payer,
              nonce: await authorizationNonce(client, {
                token: address,
                transaction: transactionHash,
                logIndex,
                payer,
              }),
              amount: args.value,
            };
          }),
        )),
      );
    }
    return transfers;
  };

  return {
    network,
    id,
    async evidenceOf(payment, hint) {
      await id();
      return evidence.evidenceOf(payment, hint);
    },
    async payerState({ payer, nonce, asset }) {
      await id();
      const [code, balance, isUsed] = await fromNode(
        Promise.all([
          client.getCode({ address: payer as Address }),
          client.readContract({
            address: asset as Address,
            abi: token,
            functionName: 'balanceOf',
            args: [payer as Address],
          }),
          client.readContract({
            address: asset as Address,
            abi: token,
            functionName: 'authorizationState',
            args: [payer as Address, nonce as Hex],
          }),
        ]),
      );
      return { hasCode: code !== undefined && code !== '0x', balance, isUsed };
    },
    async tokenObstacle(payTo) {
      await id();
      const isPaused = fromToken(client.readContract({ address, abi: token, functionName: 'paused' }));
      const [paused, blocked] = await Promise.all([isPaused, isBlocked(payTo)]);
      if (paused) return 'token_paused';
      return blocked ? 'pay_to_blocked' : null;
    },
    isBlocked,
    finalBlock: async () => blockTime(await fromNode(client.getBlock({ blockTag: 'finalized' }))),
    latestBlock: async () => blockTime(await fromNode(client.getBlock({ blockTag: 'latest' }))),
    firstBlockAt: (seconds) =>
      fromNode(
        (async () => firstBlockAt(client, BigInt(seconds), (await client.getBlock({ blockTag: 'latest' })).number))(),
      ),
    incomingTransfers: (payTo, fromBlock, toBlock) => fromNode(transfersIn(payTo, fromBlock, toBlock)),
  };
}
