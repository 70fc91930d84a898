/** Sandbox servers for tests: snapshot, ledger, chain, and wallets with test money. */
import assert from 'node:assert/strict';
import { createTestClient, http } from 'viem';
import { serve, type Serving } from '../../../api/http/serve.ts';
import { readServerSettings } from '../../../api/settings.ts';
import type { Chain } from '../../../api/payments/local_chain/chain.ts';
import { startChain } from '../../../api/payments/local_chain/chain.ts';
import { buyerWith, type Buyer } from './buyers.ts';
import { nodeProxy, type NodeProxy } from '../../node/node.ts';
import { dataFolder, type DataFolder, type Row } from './snapshot_fixtures.ts';
import type { TableName } from '../../../api/snapshot/tables.ts';

export const DOLLAR = 1_000_000n;
/** The chain mines at once, so a payment that is not visible after 0.4 s is held by the test. */
const SHORT_WAIT = { everyMs: 25, readsWithHint: 40, readsWithoutHint: 16 } as const;

/** Mine this many blocks. */
export const mine = (chain: Chain, blocks: number): Promise<void> =>
  createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) }).mine({ blocks });

export interface Shop {
  readonly folder: DataFolder;
  readonly chain: Chain;
  /** The node of the servers. */
  readonly node: NodeProxy;
  /** Servers that share a chain, a ledger and a snapshot. */
  readonly servers: readonly Serving[];
  /** URL of the first server. */
  readonly url: string;
  /** A new wallet with this much test money. */
  buyer(units?: bigint): Promise<Buyer>;
  /** Total paid to the servers so far, in atomic units. */
  takings(): Promise<bigint>;
  close(): Promise<void>;
}

/** Serve these rows with one or more servers. */
export async function openShop(
  tables: Partial<Record<TableName, readonly Row[]>>,
  { servers: count = 1, env = {} }: { servers?: number; env?: Record<string, string> } = {},
): Promise<Shop> {
  const folder = await dataFolder();
  await folder.publish('2026-11-20.01', tables);
  const chain = await startChain();
  const node = await nodeProxy(chain.rpcUrl);
  const servers: Serving[] = [];
  for (let i = 0; i < count; i += 1) {
    const { settings, payments } = readServerSettings({
      DATA_DIR: folder.path,
      PORT: '0',
      SANDBOX_RPC: node.url,
      CURSOR_SECRET: 'a secret of the tests',
      PUBLIC_BASE_URL: 'http://dealfeed.test',
      UNBILLED_PER_MINUTE: '0',
      ...env,
    });
    servers.push(await serve({ settings, payments: { ...payments, wait: SHORT_WAIT }, checkResponses: true }));
  }
  const [first] = servers;
  assert.ok(first);
  return {
    folder,
    chain,
    node,
    servers,
    url: first.url,
    async buyer(units = 20n * DOLLAR) {
      const buyer = buyerWith();
      await chain.mint(buyer.address, units);
      return buyer;
    },
    takings: () => chain.balanceOf(first.payments.payTo),
    async close() {
      for (const server of servers) await server.close();
      await node.close();
      await chain.close();
      await folder.remove();
    },
  };
}
