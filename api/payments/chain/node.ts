/** Reading from a node of the chain. */
import { createPublicClient, http, type PublicClient } from 'viem';
import { base } from './base_chain.ts';

const USUAL_POLLING_MS = 1_000;
const RETRIES = 2;
/** Time for one answer of the node. */
const TIMEOUT_MS = 5_000;

/** A client that only reads, and asks again where a node does not answer. Nothing is kept from one question to the next. */
export const readerOf = (rpcUrl: string, pollingMs = USUAL_POLLING_MS): PublicClient =>
  createPublicClient({
    chain: base,
    transport: http(rpcUrl, { retryCount: RETRIES, retryDelay: 100, timeout: TIMEOUT_MS }),
    pollingInterval: pollingMs,
    cacheTime: 0,
  }) as PublicClient;
