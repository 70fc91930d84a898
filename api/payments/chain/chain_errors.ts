/** Errors of the chain, without a library's text: that may contain the node's address and key. */
import {
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  HttpRequestError,
  RpcRequestError,
  TimeoutError,
} from 'viem';

/** The chain node did not respond, or its response cannot be used. */
export class ChainUnavailable extends Error {
  override readonly name: string = 'ChainUnavailable';
}

/** The node serves another chain. */
export class WrongChain extends ChainUnavailable {
  override readonly name = 'WrongChain';
  constructor(id: number, expected: number) {
    super(`the node serves chain ${id}, expected ${expected}`);
  }
}

/** The token lacks functions of USDC: another contract, or none, is at its address. */
export class NotUsdc extends ChainUnavailable {
  override readonly name = 'NotUsdc';
  constructor(address: string) {
    super(`the contract ${address} of this chain does not answer paused() and isBlacklisted()`);
  }
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
