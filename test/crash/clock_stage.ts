/** The servers, buyers and settlements of a moment, and servers whose wall clock a test moves while they run. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { closing } from '../../lib/closing.ts';
import { joinOn } from '../api/support/base.ts';
import type { Buyer } from '../api/support/buyers.ts';
import type { PlantedChange } from '../ledger/planted_change.ts';
import { nodeProxy, type NodeProxy } from '../support/node.ts';
import { serverProcess, type ServerProcess } from '../support/program.ts';
import { EXCLUSIVE, present, sign, type Attempt, type SalesWorld } from './sales_world.ts';

export interface ClockedServer extends ServerProcess {
  /** Set its clock ahead of the machine's. @returns false if the server is gone */
  jump(offsetMs: number): Promise<boolean>;
}

/** Start a server whose clock is ahead of the machine's. */
async function clockedServer(env: Readonly<Record<string, string>>, offsetMs: number): Promise<ClockedServer> {
  const CLOCK_SOCKET = join(env['DATA_DIR'] ?? '', `clock-${randomBytes(6).toString('hex')}`);
  const NODE_OPTIONS = `--import=${new URL('clock_preload.ts', import.meta.url).href}`;
  const server = await serverProcess({ ...env, CLOCK_SOCKET, CLOCK_OFFSET_MS: String(offsetMs), NODE_OPTIONS });
  const control = createConnection(CLOCK_SOCKET);
  control.on('error', () => undefined);
  await once(control, 'connect');
  let told: (isSet: boolean) => void = () => undefined;
  createInterface(control)
    .on('error', () => undefined)
    .on('line', () => {
      told(true);
    })
    .on('close', () => {
      told(false);
    });
  return {
    ...server,
    async jump(to) {
      if (server.child.exitCode !== null || server.child.signalCode !== null) return false;
      return new Promise((resolve) => {
        told = resolve;
        control.write(`${to}\n`);
      });
    },
  };
}

export interface StageOptions {
  /** Planted into each server. */
  readonly fault?: readonly PlantedChange[];
  /** A server that runs gets another clock where a new one would be started. */
  readonly reuses?: boolean;
}

export class Stage {
  readonly attempts: Attempt[] = [];
  readonly world: SalesWorld;
  readonly #options: StageOptions;
  readonly #servers: ClockedServer[] = [];
  #node: NodeProxy | undefined;

  constructor(world: SalesWorld, options: StageOptions) {
    this.world = world;
    this.#options = options;
  }

  async server(offsetMs = 0): Promise<ClockedServer> {
    const { fault, reuses = false } = this.#options;
    if (reuses) for (const running of this.#servers) if (await running.jump(offsetMs)) return running;
    const { chain, dataDir, env } = this.world;
    this.#node ??= await nodeProxy(chain.rpcUrl);
    await joinOn(dataDir, { ...chain, rpcUrl: this.#node.url });
    const server = await clockedServer(fault ? { ...env, FAULT: JSON.stringify(fault) } : env, offsetMs);
    this.#servers.push(server);
    return server;
  }

  /** Start a server, which looks at everything open, and stop it. */
  async passing(offsetMs: number): Promise<void> {
    await (await this.server(offsetMs)).end('SIGTERM');
  }

  buyer(n: number): Buyer {
    const buyer = this.world.buyers[n];
    if (!buyer) throw new Error(`there is no buyer ${n}`);
    return buyer;
  }

  /** Buy a lead that nobody else gets. @returns the status of the answer */
  async buy(
    server: ClockedServer,
    { buyer = this.buyer(0), aheadSeconds = 0 } = {},
  ): Promise<{ readonly status: number; readonly attempt: Attempt }> {
    const attempt = await sign(buyer, server.url, EXCLUSIVE, aheadSeconds);
    this.attempts.push(attempt);
    const { status } = await present(server.url, attempt);
    return { status, attempt };
  }

  /** Keep settlements on their way, from when the first server runs. @returns what resolves with the first of them */
  holdSettlement(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#node?.hold(async () => resolve());
    return promise;
  }

  /** Let them arrive, without replies. */
  async releaseSettlement(): Promise<void> {
    await this.#node?.release();
  }

  /** Buy from a server that is killed while the settlement is on its way, which arrives afterwards. */
  async buyAndLose(server: ClockedServer, aheadSeconds = 0): Promise<void> {
    const held = this.holdSettlement();
    const bought = this.buy(server, { aheadSeconds }).catch(() => undefined);
    await held;
    await server.end('SIGKILL');
    await bought;
    await this.releaseSettlement();
  }

  /** Status of a collection of this payment with this signature. */
  async collect(server: ClockedServer, { nonce }: Attempt, header: string): Promise<number> {
    const response = await fetch(`${server.url}/api/purchases/${nonce}`, { headers: { 'SIGN-IN-WITH-X': header } });
    await response.arrayBuffer();
    return response.status;
  }

  async isSettling(): Promise<boolean> {
    await using ledger = closing(await this.world.openLedger());
    return (await ledger.unresolved(Number.MAX_SAFE_INTEGER)).length > 0;
  }

  async endServers(): Promise<void> {
    for (const server of this.#servers.splice(0)) await server.end('SIGKILL');
    await this.#node?.idle();
  }

  async close(): Promise<void> {
    await this.endServers();
    await this.#node?.close();
    await this.world.close();
  }
}
