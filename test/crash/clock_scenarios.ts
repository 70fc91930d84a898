/** Scenarios with a clock that is wrong at the worst moment, each with the fault of clock_faults.ts that it finds. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodePaymentSignatureHeader } from '@x402/core/http';
import { DAY_MS, HOUR_MS } from '../../lib/time.ts';
import { fetchWithPayment, type Buyer } from '../api/support/buyers.ts';
import { clockedServer, SECOND_MS, type ClockedServer } from './clocked_server.ts';
import { nodeProxy, UNHARMED, type Fate, type NodeProxy } from '../node/node.ts';
import { drawnUp, openSales, passOnChain, sha256, type Attempt, type SalesWorld } from './sales_world.ts';

const EXCLUSIVE = '/api/leads/exclusive';

/** The servers, buyers and settlements of a moment. */
class Stage {
  readonly attempts: Attempt[] = [];
  fate: Fate | Promise<Fate> = UNHARMED;
  readonly world: SalesWorld;
  readonly #node: NodeProxy;
  readonly #fault: string | undefined;
  readonly #reuses: boolean;
  readonly #servers: ClockedServer[] = [];

  /** @param options.reuses a server that runs gets another clock where a new one would be started */
  constructor(world: SalesWorld, node: NodeProxy, options: { readonly fault?: string; readonly reuses?: boolean }) {
    this.world = world;
    this.#node = node;
    this.#fault = options.fault;
    this.#reuses = options.reuses ?? false;
  }

  async server(offsetMs = 0): Promise<ClockedServer> {
    if (this.#reuses) for (const running of this.#servers) if (await running.jump(offsetMs)) return running;
    const server = await clockedServer({ ...this.world.env, SANDBOX_RPC: this.#node.url }, offsetMs, this.#fault);
    this.#servers.push(server);
    return server;
  }

  /** Start a server, which looks at everything open, and stop it. */
  async passing(offsetMs: number): Promise<void> {
    await (await this.server(offsetMs)).end('SIGTERM');
  }

  buyer(n = 0): Buyer {
    const buyer = this.world.buyers[n];
    if (!buyer) throw new Error(`there is no buyer ${n}`);
    return buyer;
  }

  /** Buy a lead that nobody else gets. @returns the status of the answer */
  async buy(
    server: ClockedServer,
    { buyer = this.buyer(), aheadSeconds = 0 }: { readonly buyer?: Buyer; readonly aheadSeconds?: number } = {},
  ): Promise<{ readonly status: number; readonly attempt: Attempt }> {
    const header = await buyer.signAs(server.url + EXCLUSIVE, randomBytes(12).toString('hex'), aheadSeconds);
    const { authorization } = decodePaymentSignatureHeader(header).payload as { authorization: { nonce: string } };
    const attempt: Attempt = { buyer, path: EXCLUSIVE, header, nonce: authorization.nonce.toLowerCase() };
    this.attempts.push(attempt);
    const response = await fetchWithPayment(server.url + EXCLUSIVE, header);
    const body = Buffer.from(await response.arrayBuffer());
    if (response.status === 200)
      attempt.answer = {
        sha256: sha256(body),
        receipt: response.headers.get('Receipt-Id') ?? '',
        lead: (JSON.parse(body.toString()) as { lead: { id: string } }).lead.id,
      };
    return { status: response.status, attempt };
  }

  /** Buy from a server that is killed while the settlement is on its way, which arrives afterwards. */
  async buyAndLose(server: ClockedServer, aheadSeconds = 0): Promise<void> {
    let arrives: (fate: Fate) => void = () => undefined;
    this.fate = new Promise((resolve) => {
      arrives = resolve;
    });
    const bought = this.buy(server, { aheadSeconds }).catch(() => undefined);
    await this.settling();
    await this.#node.reached();
    await server.end('SIGKILL');
    await bought;
    this.fate = UNHARMED;
    arrives({ ...UNHARMED, replied: false });
    await this.#node.idle();
  }

  /** Status of a collection of this payment with this signature. */
  async collect(server: ClockedServer, { nonce }: Attempt, header: string): Promise<number> {
    const response = await fetch(`${server.url}/api/purchases/${nonce}`, { headers: { 'SIGN-IN-WITH-X': header } });
    await response.arrayBuffer();
    return response.status;
  }

  async isSettling(): Promise<boolean> {
    const ledger = await this.world.openLedger();
    try {
      return (await ledger.unresolved(Number.MAX_SAFE_INTEGER)).length > 0;
    } finally {
      await ledger.close();
    }
  }

  /** Wait until a purchase is settling. */
  async settling(): Promise<void> {
    while (!(await this.isSettling())) await sleep(20);
  }

  async close(): Promise<void> {
    for (const server of this.#servers.splice(0)) await server.end('SIGKILL');
  }
}

export interface Scenario {
  readonly name: string;
  /** The fault that it finds. */
  readonly fault: string;
  /** Part of the suite; the others run in the proofs only. */
  readonly isShort?: true;
  /** @returns broken guarantees; the caller compares the ledger with the chain afterwards */
  readonly play: (stage: Stage) => Promise<readonly string[]>;
}

const expected = (what: string, status: number, ...allowed: readonly number[]): string[] =>
  allowed.includes(status) ? [] : [`${what}: ${status}`];

export const scenarios: readonly Scenario[] = [
  {
    name: 'a server a day ahead does not release what can still be settled',
    fault: 'expiry is read from the clock of the server',
    async play(stage) {
      const right = await stage.server();
      let arrives: (fate: Fate) => void = () => undefined;
      stage.fate = new Promise((resolve) => {
        arrives = resolve;
      });
      const bought = stage.buy(right);
      await stage.settling();
      await stage.passing(DAY_MS);
      // The audit sells it when its money arrives: only now is it seen.
      const broken = (await stage.isSettling()) ? [] : ['what could still be settled was released'];
      stage.fate = UNHARMED;
      arrives(UNHARMED);
      // 502 where it arrived so late that its server had stopped waiting.
      return [...broken, ...expected('the settlement arrived after all', (await bought).status, 200, 502)];
    },
  },
  {
    name: 'a settlement whose server died is found, though server and buyer were both two days ahead',
    fault: 'a settlement is looked for where our clocks say it must be, and nobody audits',
    isShort: true,
    async play(stage) {
      await stage.buyAndLose(await stage.server(2 * DAY_MS), (2 * DAY_MS) / SECOND_MS);
      return [];
    },
  },
  {
    name: 'a server that starts with its clock forty days ahead does not forget what was sold today',
    fault: 'answers are forgotten by the clock of the server alone',
    async play(stage) {
      const { status } = await stage.buy(await stage.server());
      await stage.passing(40 * DAY_MS);
      return expected('the purchase', status, 200);
    },
  },
  {
    name: 'what a server forty days behind wrote down as sold is not forgotten by a right one',
    fault: 'answers are forgotten by the time that a clock wrote beside them',
    async play(stage) {
      await stage.buyAndLose(await stage.server());
      await stage.passing(-40 * DAY_MS);
      await stage.passing(0);
      return [];
    },
  },
  {
    name: 'a signature collects once, though the clock goes an hour ahead and back; the server says that it is wrong',
    fault: 'a used challenge is forgotten when its time is over',
    isShort: true,
    async play(stage) {
      const server = await stage.server();
      const { attempt } = await stage.buy(server);
      const [url, other] = [
        `${server.url}/api/purchases/${attempt.nonce}`,
        (await stage.buy(server, { buyer: stage.buyer(1) })).attempt,
      ];
      const header = await attempt.buyer.signIn(url);
      const broken = expected('the first time', await stage.collect(server, attempt, header), 200);
      await server.jump(HOUR_MS);
      const { payments } = (await (await fetch(`${server.url}/health`)).json()) as {
        payments: { warnings: readonly { code: string; detail: string }[] };
      };
      if (!payments.warnings.some((w) => w.detail.startsWith('the server clock is 60 minutes ahead')))
        broken.push(`its health says ${JSON.stringify(payments.warnings)}`);
      broken.push(...expected('an hour later', await stage.collect(server, attempt, header), 401));
      broken.push(
        ...expected(
          'another buyer then',
          await stage.collect(server, other, await other.buyer.signIn(`${server.url}/api/purchases/${other.nonce}`)),
          200,
        ),
      );
      await server.jump(0);
      broken.push(...expected('the clock being right again', await stage.collect(server, attempt, header), 401));
      return broken;
    },
  },
];

/**
 * Play moments one after the other in a new world, then compare the ledger with the chain.
 * @returns broken guarantees
 */
export async function played(
  kind: 'sqlite' | 'postgres',
  moments: readonly Scenario[],
  options: { readonly fault?: string; readonly patienceMs?: number; readonly reuses?: boolean } = {},
): Promise<readonly string[]> {
  const world = await openSales(kind, { properties: 10, buyers: 2 });
  let stage: Stage | undefined;
  const node = await nodeProxy(world.chain.rpcUrl, () => stage?.fate ?? UNHARMED);
  stage = new Stage(world, node, options);
  try {
    const broken: string[] = [];
    for (const { name, play } of moments) {
      broken.push(...(await play(stage)).map((line) => `${name}: ${line}`));
      if (options.reuses !== true) await stage.close();
      await node.idle();
    }
    // Past what was signed three days ahead; fewer days than an answer is kept.
    await passOnChain(world.chain, (3 * DAY_MS) / SECOND_MS);
    const last = await stage.server(3 * DAY_MS);
    return [...broken, ...(await drawnUp(world, stage.attempts, last.url, 5, options.patienceMs)).broken];
  } finally {
    await stage.close();
    await node.close();
    await world.close();
  }
}
