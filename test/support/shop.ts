/** Real servers on one ledger and a local chain, with a node that can fail and a facilitator that can lie. */
import assert from 'node:assert/strict';
import { createTestClient, http, publicActions, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { base, joinOn } from '../api/support/base.ts';
import { POLLING_MS, startChain, type Chain } from '../../api/payments/local_chain/chain.ts';
import { serve, type Serving } from '../../api/http/serve.ts';
import { readServerSettings } from '../../api/settings.ts';
import type { Purchase } from '../../ledger/ledger.ts';
import { buyerWith, type Buyer } from '../api/support/buyers.ts';
import type { TableName } from '../../models/serving/tables.ts';
import { dataFolder, rowsOfTable, type DataFolder, type Row } from '../api/support/snapshot_fixtures.ts';
import { facilitatorServer, type FacilitatorServer } from './facilitators.ts';
import { nodeProxy, type NodeProxy } from './node.ts';
import { receiptKeyPath } from '../api/support/receipt_key.ts';

export const DOLLAR = 1_000_000n;
export const DEALS = '/api/deals';
export const EXCLUSIVE = '/api/leads/exclusive';
export const LEADS = 24;
/** One lead is in each of them; the others are in another county. */
const RARE_COUNTIES = ['Wayne County, MI', 'Kent County, MI'] as const;
/** Paths of exclusive leads that one lead matches. */
export const [WAYNE, KENT] = ['wayne', 'kent'].map((county) => `${EXCLUSIVE}?county=${county}`) as [string, string];

/** Passes of the watcher after which an open purchase counts as staying open. */
const MAX_PASSES = 40;
/** Blocks mined between two passes: after two, what was paid or canceled is in a safe block. */
const BLOCKS_PER_PASS = 3;
/** The chain mines at once: a payment that is not visible after this is not coming, or is held by the test. */
const WAIT = { everyMs: 20, readsWithHint: 4, readsWithoutHint: 3 } as const;
/** A settlement in the sandbox is part of the wait. */
const SANDBOX_WAIT = { everyMs: 25, readsWithHint: 40, readsWithoutHint: 16 } as const;

const testClientOf = (rpcUrl: string) =>
  createTestClient({
    chain: base,
    mode: 'anvil',
    transport: http(rpcUrl),
    cacheTime: 0,
    pollingInterval: POLLING_MS,
  }).extend(publicActions);

export interface Shop {
  readonly folder: DataFolder;
  /** Servers that share a chain, a ledger and a snapshot. */
  readonly servers: readonly Serving[];
  /** The first of them, and its URL. */
  readonly server: Serving;
  readonly url: string;
  readonly payTo: Hex;
  readonly chain: Chain;
  /** Controls the chain: code at addresses, blocks. */
  readonly admin: ReturnType<typeof testClientOf>;
  readonly node: NodeProxy;
  readonly facilitator: FacilitatorServer;
  /** The second in order of preference, if the shop has one. */
  readonly second: FacilitatorServer | null;
  /** Account that pays the gas in self mode. */
  readonly gasAccount: Hex;
  readonly env: Readonly<Record<string, string>>;
  /** Total paid to the servers so far, in atomic units. */
  takings(): Promise<bigint>;
  /** A new ordinary wallet with this much money. */
  buyer(units?: bigint): Promise<Buyer>;
  /** Put code at an address, which gets money. */
  contract(address: Hex, code: Hex, units?: bigint): Promise<void>;
  purchases(): Promise<Purchase[]>;
  /** Mine blocks and run the watcher until every purchase that was paid on the chain is sold. */
  resolve(): Promise<void>;
  stopBlocks(): Promise<void>;
  mine(blocks?: number): Promise<void>;
  close(): Promise<void>;
}

export type Mode = 'facilitator' | 'self' | 'sandbox';

interface ShopOptions {
  /** Default: facilitator. */
  readonly mode?: Mode;
  /** Rows of the snapshot. Default: three deals and the leads of the attacks. */
  readonly tables?: Partial<Record<TableName, readonly Row[]>>;
  /** Number of servers. Default: 1. */
  readonly servers?: number;
  readonly receiptTimeoutMs?: number;
  /** Whether it has a second facilitator, with its own account for the gas. */
  readonly hasSecond?: boolean;
  /** Settings of the server, besides the usual ones. */
  readonly env?: Readonly<Record<string, string>>;
}

const GAS_MONEY = 10n ** 20n;

/** Leads of real money are sold for a week after their last read, by the real clock. */
const READ_TODAY = `${new Date().toISOString().slice(0, 10)}T00:00:00Z`;

const ATTACKED = {
  deals: rowsOfTable('deals', 3),
  leads: rowsOfTable('leads', LEADS, (i) => ({
    lead_score: i,
    last_verified: READ_TODAY,
    county: RARE_COUNTIES[i - 1] ?? 'Cuyahoga County, OH',
  })),
};

export async function openShop(options: ShopOptions = {}): Promise<Shop> {
  const { mode = 'facilitator', tables = ATTACKED, servers: count = 1 } = options;
  const { hasSecond = false, receiptTimeoutMs, env = {} } = options;
  const closers: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const end of closers.splice(0).reverse()) await end();
  };
  try {
    const folder = await dataFolder();
    closers.push(() => folder.remove());
    await folder.publish('2026-11-20.01', tables, { data: mode === 'sandbox' ? 'sandbox' : 'live' });
    const chain = await startChain();
    closers.push(() => chain.close());
    const admin = testClientOf(chain.rpcUrl);
    const node = await nodeProxy(chain.rpcUrl);
    closers.push(() => node.close());
    const facilitator = await facilitatorServer(chain.rpcUrl, chain.gasKey, receiptTimeoutMs);
    closers.push(() => facilitator.close());
    const key = generatePrivateKey();
    const gasAccount = privateKeyToAccount(key).address;
    await admin.setBalance({ address: gasAccount, value: GAS_MONEY });
    const second = hasSecond ? await facilitatorServer(chain.rpcUrl, key, receiptTimeoutMs) : null;
    if (second) closers.push(() => second.close());
    const payTo = privateKeyToAccount(generatePrivateKey()).address;
    const settingsOfMode: Record<Mode, Record<string, string>> = {
      sandbox: {},
      self: { RPC_URL: node.url, SETTLE_KEY: key },
      facilitator: {
        RPC_URL: node.url,
        FACILITATOR_URL: [facilitator, second].flatMap((one) => one?.url ?? []).join(','),
      },
    };
    const serverEnv = {
      DATA_DIR: folder.path,
      PORT: '0',
      PAYMENTS: mode,
      PAY_TO: payTo,
      PUBLIC_BASE_URL: 'https://dealfeed.test',
      CURSOR_SECRET: 'a secret of the tests',
      UNBILLED_PER_MINUTE: '0',
      RECEIPT_KEY_FILE: receiptKeyPath(),
      ...settingsOfMode[mode],
      ...env,
    };
    if (mode === 'sandbox') await joinOn(folder.path, { ...chain, rpcUrl: node.url }, payTo);
    const servers: Serving[] = [];
    for (let i = 0; i < count; i += 1) {
      const { settings, payments } = readServerSettings(serverEnv);
      const wait = mode === 'sandbox' ? SANDBOX_WAIT : WAIT;
      const started = await serve({ settings, payments: { ...payments, wait }, checkResponses: true });
      servers.push(started);
      closers.push(() => started.close());
    }
    const [server] = servers;
    assert.ok(server);

    const purchases = (): Promise<Purchase[]> => Array.fromAsync(server.running.ledger.purchases());
    const isUsed = ({ payment }: Purchase): Promise<boolean> =>
      chain.authorizationUsed(payment.payer as Hex, payment.nonce as Hex);
    return {
      folder,
      servers,
      server,
      url: server.url,
      payTo,
      chain,
      admin,
      node,
      facilitator,
      second,
      gasAccount,
      env: serverEnv,
      purchases,
      close,
      takings: () => chain.balanceOf(payTo),
      async buyer(units = 20n * DOLLAR) {
        const buyer = buyerWith();
        if (units > 0n) await chain.mint(buyer.address, units);
        return buyer;
      },
      async contract(address, code, units = 40n * DOLLAR) {
        await admin.setCode({ address, bytecode: code });
        if (units > 0n) await chain.mint(address, units);
      },
      async resolve() {
        for (let pass = 0; pass < MAX_PASSES; pass += 1) {
          await server.running.watch.pass();
          const open = (await purchases()).filter((p) => p.state === 'settling');
          const used = await Promise.all(open.map(isUsed));
          if (!used.includes(true)) return;
          await admin.mine({ blocks: BLOCKS_PER_PASS });
        }
      },
      async stopBlocks() {
        await admin.setAutomine(false);
        await admin.setIntervalMining({ interval: 0 });
      },
      async mine(blocks = 1) {
        await admin.mine({ blocks });
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
