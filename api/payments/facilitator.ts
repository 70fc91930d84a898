/**
 * A facilitator sees a payment once, to settle it. The chain, not its reply, decides what was paid. It is reached over
 * HTTP, where at most 64 kB of a reply are read, no redirect is followed, and nothing of a reply is used but a
 * transaction hash; or it is in this process: a key that pays the gas, a chain node, and a limit on the gas.
 */
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { z } from 'zod';
import type { Network } from '../../lib/network.ts';
import PQueue from 'p-queue';
import {
  BaseError,
  ContractFunctionRevertedError,
  createWalletClient,
  http,
  parseAbi,
  RpcRequestError,
  type Hex,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { SignedAuthorization } from './chain/authorization.ts';
import { evmChainOf, fromNode, readerOf } from './chain/node.ts';

/** A facilitator without a usable reply. The message is safe to publish: it has no URL and no text of the reply. */
export class FacilitatorUnavailable extends Error {
  override readonly name = 'FacilitatorUnavailable';
}

/** Why no settlement was requested after all, although the ledger has the purchase as settling. */
export type UnsentReason =
  /** This server has used its gas of the day. */
  | 'gas_spent'
  /** By our own node's estimate, the settlement needs more gas than one may take, or fails. */
  | 'settlement_gas_above_limit'
  | 'settlement_simulation_failed'
  /** The contract wallet does not accept the signature. */
  | 'invalid_exact_evm_signature'
  /** Our node or the ledger did not answer. */
  | 'unavailable';

/** Where to look on the chain. `transaction` is 0x and 64 lower-case hex digits; null if the reply has no such hash. */
export interface SettlementHint {
  readonly transaction: string | null;
  /** Set if this process requested nothing. Never taken from the reply of another host. */
  readonly unsent?: UnsentReason;
  /** True if there was no usable reply. That is not a refusal: the next facilitator is tried. */
  readonly hasFailed?: true;
}

export interface Facilitator {
  /** Request the transfer. Never rejects: money may have moved whatever the reply is. */
  settle(payload: PaymentPayload, requirements: PaymentRequirements): Promise<SettlementHint>;
  /**
   * Whether it serves exact payments on its network.
   * @throws FacilitatorUnavailable if the facilitator gives no usable reply
   */
  supported(): Promise<boolean>;
  /** Find out whether it can be reached, without a payment; absent if it is in this process. @throws the same */
  reach?(): Promise<void>;
  /** Whether today's gas budget is not used up; absent if we do not pay the gas. */
  hasBudget?(): Promise<boolean>;
  /** Settlements that our own account pays for at the current gas price; absent elsewhere. @throws ChainUnavailable */
  settlementsLeft?(): Promise<bigint>;
  /** Of several facilitators, the number of the one that is in use, from 1 in order of preference, for /health. */
  inUse?(): { readonly number: number; readonly of: number };
}

/** How long a facilitator that gave no usable reply is tried last. */
const AVOID_MS = 60_000;
/** How long a reply shows that a facilitator can be reached. */
const REACHED_MS = 10_000;

interface Candidate {
  readonly facilitator: Facilitator;
  /** From 1. */
  readonly number: number;
  /** Whether it serves the network; undefined until it has replied. */
  isServing?: boolean;
  /** Whether it gave a usable reply when it was asked last, and when that was. */
  hasReplied: boolean;
  askedAtMs: number;
}

/** @param nowMs a clock that never moves back */
export function preferredFacilitator(
  facilitators: readonly Facilitator[],
  nowMs: () => number = () => performance.now(),
): Facilitator {
  const all = facilitators.map((facilitator, i): Candidate => ({
    facilitator,
    number: i + 1,
    hasReplied: false,
    askedAtMs: Number.NEGATIVE_INFINITY,
  }));
  const isAvoided = ({ hasReplied, askedAtMs }: Candidate): boolean => !hasReplied && nowMs() - askedAtMs < AVOID_MS;
  const inOrder = (): Candidate[] =>
    all
      .filter((candidate) => candidate.isServing !== false)
      .sort((a, b) => Number(isAvoided(a)) - Number(isAvoided(b)));
  const note = (candidate: Candidate, hasReplied: boolean): void => {
    Object.assign(candidate, { hasReplied, askedAtMs: nowMs() });
  };
  /** Ask it whether it serves the network. @throws FacilitatorUnavailable */
  const ask = async (candidate: Candidate): Promise<boolean> => {
    try {
      candidate.isServing = await candidate.facilitator.supported();
    } catch (error) {
      if (error instanceof FacilitatorUnavailable) note(candidate, false);
      throw error;
    }
    note(candidate, true);
    return candidate.isServing;
  };
  /** Whether any serves the network, asking those without a recent reply. @throws FacilitatorUnavailable */
  const supported = async (): Promise<boolean> => {
    let failure: FacilitatorUnavailable | null = null;
    for (const candidate of inOrder()) {
      const { isServing, hasReplied, askedAtMs } = candidate;
      if (isServing === true && hasReplied && nowMs() - askedAtMs < REACHED_MS) return true;
      try {
        if (await ask(candidate)) return true;
      } catch (error) {
        if (!(error instanceof FacilitatorUnavailable)) throw error;
        failure = error;
      }
    }
    if (failure !== null) throw failure;
    return false;
  };

  return {
    supported,
    async reach() {
      if (!(await supported())) throw new FacilitatorUnavailable('no facilitator serves the network');
    },
    async settle(payload, requirements) {
      for (const candidate of inOrder()) {
        // One that does not serve the network would refuse every payment.
        if (!(candidate.isServing ?? (await ask(candidate).catch(() => false)))) continue;
        const hint = await candidate.facilitator.settle(payload, requirements);
        note(candidate, hint.hasFailed !== true);
        if (!hint.hasFailed) return hint;
      }
      return { transaction: null, hasFailed: true };
    },
    inUse: () => ({ number: inOrder()[0]?.number ?? 1, of: all.length }),
  };
}

const DEFAULT_TIMEOUT_MS = 30_000;
/** Statuses about our access to the facilitator, not about the payment. */
const ACCESS_STATUSES: ReadonlySet<number> = new Set([401, 403, 404, 405, 407, 408, 429]);

const SettleReply = z.object({ transaction: z.string().regex(/^0x[0-9a-fA-F]{64}$/) });
const Kind = z.object({ x402Version: z.number(), scheme: z.string(), network: z.string() });
const SupportedReply = z.object({ kinds: z.array(Kind) });

/** Where a facilitator is. */
export interface FacilitatorSettings {
  readonly url: string;
  /** Value of the Authorization header. */
  readonly authorization?: string;
}

interface HttpFacilitatorOptions extends FacilitatorSettings {
  readonly network: Pick<Network, 'name'>;
  /** Timeout of the whole reply, including its body. */
  readonly timeoutMs?: number;
}

/** Bytes of a reply that are read at most. */
const MAX_REPLY_BYTES = 65_536;

class LargeReply extends Error {}

/** @throws LargeReply */
async function readReply({ body }: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > MAX_REPLY_BYTES) throw new LargeReply();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

export function httpFacilitator(options: HttpFacilitatorOptions): Facilitator {
  const { network, url, authorization, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json',
    ...(authorization === undefined ? {} : { Authorization: authorization }),
  };

  /** Status and JSON of a reply; undefined if it is no JSON. @throws FacilitatorUnavailable if none arrives in time */
  const ask = async (operation: 'settle' | 'supported', body?: string) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const method = body === undefined ? { method: 'GET' } : { method: 'POST', body };
    try {
      const target = `${url.replace(/\/+$/, '')}/${operation}`;
      const reply = await fetch(target, { ...method, headers, signal, redirect: 'manual' });
      return { status: reply.status, json: parseJson(await readReply(reply)) };
    } catch (error) {
      // The text of the error may name the URL or the host.
      const why = error instanceof LargeReply ? 'reply larger than 64 kB' : 'could not be reached';
      throw new FacilitatorUnavailable(`facilitator ${operation}: ${signal.aborted ? 'did not respond in time' : why}`);
    }
  };

  return {
    async settle(payload, requirements) {
      try {
        const asked = { x402Version: payload.x402Version, paymentPayload: payload, paymentRequirements: requirements };
        const { status, json } = await ask('settle', JSON.stringify(asked));
        const reply = SettleReply.safeParse(json);
        if (reply.success) return { transaction: reply.data.transaction.toLowerCase() };
        return { transaction: null, ...(status >= 500 || ACCESS_STATUSES.has(status) ? { hasFailed: true } : {}) };
      } catch {
        return { transaction: null, hasFailed: true };
      }
    },
    async supported() {
      const { status, json } = await ask('supported');
      const reply = SupportedReply.safeParse(json);
      if (status !== 200 || !reply.success)
        throw new FacilitatorUnavailable(`facilitator supported: unusable reply (status ${status})`);
      return reply.data.kinds.some(
        (kind) =>
          kind.x402Version === 2 && kind.scheme === 'exact' && [network.name, 'eip155:*'].includes(kind.network),
      );
    },
  };
}

const token = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, ' +
    'uint256 validBefore, bytes32 nonce, bytes signature)',
]);

/** Gas of settlements, reserved before it is spent. */
export interface GasBudget {
  /** Gas limit of every settlement; a settlement that needs more is refused. */
  readonly perSettlement: bigint;
  /** @returns false if the day's gas is used up */
  reserve(gas: bigint): Promise<boolean>;
  hasLeft(): Promise<boolean>;
}

interface LocalFacilitatorOptions {
  readonly network: Network;
  readonly rpcUrl: string;
  /** Key of an account with gas. Buyers never pay this account. */
  readonly key: Hex;
  readonly gas: GasBudget;
}

/** The call that settles a payment. */
function callFor({ usdc }: Network, payload: PaymentPayload) {
  const { signature, authorization: a } = payload.payload as SignedAuthorization;
  const [value, validAfter, validBefore] = [BigInt(a.value), BigInt(a.validAfter), BigInt(a.validBefore)];
  return {
    address: usdc.address,
    abi: token,
    functionName: 'transferWithAuthorization',
    args: [a.from, a.to, value, validAfter, validBefore, a.nonce, signature],
  } as const;
}

/** Whether the node answered that the call fails, rather than not answering. */
const isRefusal = (error: unknown): boolean =>
  error instanceof BaseError &&
  error.walk((inner) => inner instanceof ContractFunctionRevertedError || inner instanceof RpcRequestError) !== null;

export function localFacilitator({ network, rpcUrl, key, gas }: LocalFacilitatorOptions): Facilitator {
  const account = privateKeyToAccount(key);
  const reader = readerOf(network, rpcUrl);
  const wallet = createWalletClient({
    chain: evmChainOf(network),
    transport: http(rpcUrl, { retryCount: 0 }),
    account,
  });
  // Send one transaction at a time, so that two settlements never use the same account nonce.
  const sending = new PQueue({ concurrency: 1 });
  return {
    async settle(payload) {
      const call = callFor(network, payload);
      try {
        const needed = await reader.estimateContractGas({ ...call, account });
        if (needed > gas.perSettlement) return { transaction: null, unsent: 'settlement_gas_above_limit' };
        if (!(await gas.reserve(gas.perSettlement))) return { transaction: null, unsent: 'gas_spent' };
      } catch (error) {
        const unsent = isRefusal(error) ? 'settlement_simulation_failed' : 'unavailable';
        return { transaction: null, unsent };
      }
      try {
        return {
          transaction: await sending.add(() => wallet.writeContract({ ...call, gas: gas.perSettlement })),
        };
      } catch {
        // It may have been sent; the chain decides.
        return { transaction: null };
      }
    },
    supported: async () => (await fromNode(reader.getChainId())) === network.chainId,
    hasBudget: () => gas.hasLeft(),
    async settlementsLeft() {
      const [balance, price] = await fromNode(
        Promise.all([reader.getBalance({ address: account.address }), reader.getGasPrice()]),
      );
      return price === 0n ? balance : balance / (price * gas.perSettlement);
    },
  };
}
