/** A server that sells on Base and on Polygon: two local chains, a node of each that can fail, and one ledger. */
import assert from 'node:assert/strict';
import { encodePaymentSignatureHeader } from '@x402/core/http';
import type { PaymentRequirements } from '@x402/core/types';
import { authorizationTypes } from '@x402/evm';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { serve, type Serving } from '../../../api/http/serve.ts';
import { startChain, type Chain } from '../../../api/payments/local_chain/chain.ts';
import { readServerSettings } from '../../../api/settings.ts';
import { BASE, knownNetwork, type Network } from '../../../lib/network.ts';
import { fetchPaymentRequired } from './buyers.ts';
import { nodeProxy, type NodeProxy } from '../../node/node.ts';
import { dataFolder, rowsOfTable, type DataFolder } from './snapshot_fixtures.ts';

export const POLYGON = knownNetwork('eip155:137') ?? assert.fail('Polygon is not known');

/** The chain mines at once, so a payment that is not visible after 0.4 s is held by the test. */
const SHORT_WAIT = { everyMs: 25, readsWithHint: 40, readsWithoutHint: 16 } as const;
const MONEY = 20_000_000n;

/** A network of the server. */
export interface Place {
  readonly network: Network;
  readonly chain: Chain;
  readonly node: NodeProxy;
}

export interface TwoNetworks {
  readonly folder: DataFolder;
  readonly base: Place;
  readonly polygon: Place;
  readonly server: Serving;
  /** URL of a paid call of $0.05. */
  readonly url: string;
  /** A new wallet with money on both networks. */
  buyer(): Promise<PrivateKeyAccount>;
  /** Paid to the server on Base and on Polygon, in atomic units. */
  takings(): Promise<readonly [base: bigint, polygon: bigint]>;
  close(): Promise<void>;
}

async function placeOn(network: Network): Promise<Place> {
  const chain = await startChain(network);
  return { network, chain, node: await nodeProxy(chain.rpcUrl) };
}

export async function openTwoNetworks(): Promise<TwoNetworks> {
  const folder = await dataFolder();
  await folder.publish('2026-11-20.01', { deals: rowsOfTable('deals', 1) });
  const [base, polygon] = await Promise.all([placeOn(BASE), placeOn(POLYGON)]);
  const { settings, payments } = readServerSettings({
    DATA_DIR: folder.path,
    PORT: '0',
    PUBLIC_BASE_URL: 'http://dealfeed.test',
    UNBILLED_PER_MINUTE: '0',
    NETWORKS: `${BASE.name},${POLYGON.name}`,
    SANDBOX_RPC: base.node.url,
    SANDBOX_RPC_137: polygon.node.url,
  });
  const server = await serve({ settings, payments: { ...payments, wait: SHORT_WAIT } });
  const { payTo } = server.payments;
  return {
    folder,
    base,
    polygon,
    server,
    url: `${server.url}/api/deals`,
    async buyer() {
      const account = privateKeyToAccount(generatePrivateKey());
      await Promise.all([base, polygon].map(({ chain }) => chain.mint(account.address, MONEY)));
      return account;
    },
    takings: async () => [await base.chain.balanceOf(payTo), await polygon.chain.balanceOf(payTo)],
    async close() {
      await server.close();
      for (const { node, chain } of [base, polygon]) {
        await node.close();
        await chain.close();
      }
      await folder.remove();
    },
  };
}

/** How a payment differs from an honest one. */
export interface SignedChanges {
  readonly nonce?: Hex;
  /** The terms that the payment names, after it was signed for those of its network. */
  readonly accepted?: (accepted: PaymentRequirements) => PaymentRequirements;
}

/** PAYMENT-SIGNATURE of a wallet for the terms of this URL on one network. */
export async function signedOn(
  { name, chainId, usdc }: Network,
  account: PrivateKeyAccount,
  url: string,
  { nonce = generatePrivateKey(), accepted: change = (accepted) => accepted }: SignedChanges = {},
): Promise<string> {
  const { accepts, resource } = await fetchPaymentRequired(url);
  const accepted = accepts.find(({ network }) => network === name) ?? assert.fail(`${name} is not offered`);
  const validBefore = BigInt(Math.floor(Date.now() / 1000) + 200);
  const message = {
    from: account.address,
    to: accepted.payTo as Hex,
    value: BigInt(accepted.amount),
    validAfter: 0n,
    validBefore,
    nonce,
  };
  const signature = await account.signTypedData({
    domain: { name: usdc.name, version: usdc.version, chainId, verifyingContract: usdc.address },
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message,
  });
  const authorization = {
    ...message,
    value: String(message.value),
    validAfter: '0',
    validBefore: String(validBefore),
  };
  return encodePaymentSignatureHeader({
    x402Version: 2,
    resource,
    accepted: change(accepted),
    payload: { signature, authorization },
  });
}
