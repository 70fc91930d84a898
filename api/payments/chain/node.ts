/** A client that reads from a chain node. */
import { createPublicClient, http, type PublicClient } from 'viem';
import type { Network } from '../../../lib/network.ts';
import { evmChainOf } from './evm_chain.ts';

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
