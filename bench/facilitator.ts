/**
 * Stand-ins for what a server with real money asks: a facilitator that approves and settles whatever it is given, and a
 * node of Base that shows every payer as an ordinary account with money, and every payment that was settled.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LRUCache } from 'lru-cache';
import {
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionResult,
  numberToHex,
  toFunctionSelector,
  type Hex,
} from 'viem';
import type { SignedAuthorization } from '../api/payments/chain/authorization.ts';
import { token } from '../api/payments/chain/evidence.ts';
import { CHAIN_ID, USDC } from '../lib/network.ts';
import { approving, transactionOf } from './servers/approving.ts';

interface Asked {
  readonly paymentPayload: Parameters<typeof approving.settle>[0];
  readonly paymentRequirements: Parameters<typeof approving.settle>[1];
}
interface Called {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Settled payments whose receipts are still given out. A server asks for each right after it was settled. */
const MOST_RECEIPTS = 10_000;
const NO_HASH: Hex = `0x${'0'.repeat(64)}`;
const BALANCE = toFunctionSelector('balanceOf(address)');
const RICH = encodeFunctionResult({ abi: token, functionName: 'balanceOf', result: 10n ** 18n });
const UNUSED = encodeFunctionResult({ abi: token, functionName: 'authorizationState', result: false });

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

/** The receipt of a settlement, with the two events that USDC emits. */
function receiptOf(transaction: Hex, { authorization: { from, to, value, nonce } }: SignedAuthorization): unknown {
  const log = (index: number, topics: unknown, data: Hex): unknown => ({
    address: USDC,
    topics,
    data,
    logIndex: numberToHex(index),
    blockNumber: '0x1',
    blockHash: NO_HASH,
    transactionHash: transaction,
    transactionIndex: '0x0',
    removed: false,
  });
  return {
    transactionHash: transaction,
    transactionIndex: '0x0',
    blockNumber: '0x1',
    blockHash: NO_HASH,
    from,
    to: USDC,
    contractAddress: null,
    status: '0x1',
    type: '0x2',
    gasUsed: '0x1',
    cumulativeGasUsed: '0x1',
    effectiveGasPrice: '0x1',
    logsBloom: '0x',
    logs: [
      log(
        0,
        encodeEventTopics({ abi: token, eventName: 'AuthorizationUsed', args: { authorizer: from, nonce } }),
        '0x',
      ),
      log(
        1,
        encodeEventTopics({ abi: token, eventName: 'Transfer', args: { from, to } }),
        encodeAbiParameters([{ type: 'uint256' }], [BigInt(value)]),
      ),
    ],
  };
}

/** What the node answers. No block is final yet but the first, so that nothing is there to be audited. */
function resultOf({ method, params }: Called, settled: LRUCache<string, SignedAuthorization>): unknown {
  switch (method) {
    case 'eth_chainId':
      return numberToHex(CHAIN_ID);
    case 'eth_blockNumber':
      return '0x1';
    case 'eth_getBlockByNumber': {
      const number = params[0] === 'latest' || params[0] === '0x1' ? '0x1' : '0x0';
      return { number, hash: NO_HASH, timestamp: numberToHex(Math.floor(Date.now() / 1000)), transactions: [] };
    }
    case 'eth_getLogs':
      return [];
    case 'eth_getCode':
      return '0x';
    case 'eth_call':
      return (params[0] as { data: string }).data.startsWith(BALANCE) ? RICH : UNUSED;
    case 'eth_getTransactionReceipt': {
      const transaction = params[0] as Hex;
      const payment = settled.get(transaction);
      return payment ? receiptOf(transaction, payment) : null;
    }
    default:
      throw new Error(`${method} is not answered here`);
  }
}

async function answer(request: IncomingMessage, settled: LRUCache<string, SignedAuthorization>): Promise<unknown> {
  if (request.url === '/supported') return approving.getSupported();
  const body = await bodyOf(request);
  if (request.url === '/verify' || request.url === '/settle') {
    const { paymentPayload, paymentRequirements } = body as Asked;
    if (request.url === '/settle')
      settled.set(transactionOf(paymentPayload), paymentPayload.payload as SignedAuthorization);
    return approving[request.url === '/verify' ? 'verify' : 'settle'](paymentPayload, paymentRequirements);
  }
  const called = body as Called;
  return { jsonrpc: '2.0', id: called.id, result: resultOf(called, settled) };
}

export interface StandIn {
  readonly url: string;
  close(): Promise<void>;
}

/** Both at one address. */
export async function startFacilitator(): Promise<StandIn> {
  const settled = new LRUCache<string, SignedAuthorization>({ max: MOST_RECEIPTS });
  const server = createServer(async (request, response) => {
    try {
      response
        .writeHead(200, { 'Content-Type': 'application/json' })
        .end(JSON.stringify(await answer(request, settled)));
    } catch {
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
