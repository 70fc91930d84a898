/** A client that reads from a chain node. */
import { createPublicClient, http, type PublicClient } from 'viem';
import { base } from './base_chain.ts';

const POLLING_MS = 1_000;
const RETRIES = 2;
/** Timeout of one request. */
const TIMEOUT_MS = 5_000;

/** A read-only client that retries when the node does not answer. It caches nothing. */
export const readerOf = (rpcUrl: string, pollingMs = POLLING_MS): PublicClient =>
  createPublicClient({
    chain: base,
    transport: http(rpcUrl, { retryCount: RETRIES, retryDelay: 100, timeout: TIMEOUT_MS }),
    pollingInterval: pollingMs,
    cacheTime: 0,
  }) as PublicClient;
