/** The client of a chain node, and its errors without the text of a library: that may contain the address and key. */
import {
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  createPublicClient,
  defineChain,
  http,
  HttpRequestError,
  RpcRequestError,
  TimeoutError,
  type PublicClient,
} from 'viem';
import type { Network } from '../../../lib/network.ts';

/** Contract that batches calls, at this address on every network. */
export const MULTICALL = '0xca11bde05977b3631167028862be2a173976ca11';

export const evmChainOf = ({ chainId, title }: Network) =>
  defineChain({
    id: chainId,
    name: title,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [] } },
    contracts: { multicall3: { address: MULTICALL } },
  });

const POLLING_MS = 1_000;
const RETRIES = 2;
/** Timeout of one request. */
const TIMEOUT_MS = 5_000;

/** A read-only client that retries when the node does not respond. It caches nothing. */
export const readerOf = (network: Network, rpcUrl: string, pollingMs = POLLING_MS): PublicClient =>
  createPublicClient({
    chain: evmChainOf(network),
    transport: http(rpcUrl, { retryCount: RETRIES, retryDelay: 100, timeout: TIMEOUT_MS }),
    pollingInterval: pollingMs,
    cacheTime: 0,
  }) as PublicClient;

/** The chain node did not respond, or its response cannot be used. */
export class ChainUnavailable extends Error {
  override readonly name: string = 'ChainUnavailable';
}

/** The node serves another chain, or a token without the functions of USDC: it is not the node of this network. */
export class WrongChain extends ChainUnavailable {
  override readonly name = 'WrongChain';
}

/** Whether the called contract itself failed, or there is none, rather than the node. */
export const isCallFailure = (error: unknown): boolean =>
  error instanceof BaseError &&
  error.walk(
    (inner) => inner instanceof ContractFunctionRevertedError || inner instanceof ContractFunctionZeroDataError,
  ) !== null;

function describe(error: unknown): string {
  const cause =
    error instanceof BaseError
      ? error.walk(
          (inner) =>
            inner instanceof HttpRequestError || inner instanceof RpcRequestError || inner instanceof TimeoutError,
        )
      : error;
  if (cause instanceof TimeoutError) return 'the node did not respond in time';
  if (cause instanceof HttpRequestError && cause.status !== undefined)
    return `the node responded with HTTP ${cause.status}`;
  if (cause instanceof RpcRequestError) return `the node refused the request (code ${cause.code})`;
  if (cause instanceof HttpRequestError) return 'the node could not be reached';
  return 'the node gave no usable response';
}

/** Await a response of the node. @throws ChainUnavailable */
export async function fromNode<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof ChainUnavailable ? error : new ChainUnavailable(describe(error));
  }
}
