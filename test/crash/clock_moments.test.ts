/**
 * Every moment at which a wrong clock does the most harm. The suite plays two: a server is killed while a settlement is
 * in flight, with its clock two days ahead; and a clock moves while its server runs. `make prove` plays all on both
 * kinds of ledger, and each with the fault that it finds. The simulation moves clocks at random.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { closing } from '../../lib/closing.ts';
import { DAY_MS, HOUR_MS } from '../../lib/time.ts';
import type { PlantedChange } from '../ledger/planted_change.ts';
import { thorough } from '../thorough.ts';
import { Stage, type StageOptions } from './clock_stage.ts';
import { drawnUp, openSales, passOnChain } from './sales_world.ts';

const [EVIDENCE, LEDGER] = ['api/payments/chain/payment_chain.ts', 'ledger/sql/sql_ledger.ts'];
const DAY_SECONDS = DAY_MS / 1000;

interface Moment {
  readonly name: string;
  /** A fault that it finds. */
  readonly fault: readonly PlantedChange[];
  /** Part of the suite; the others are played by `make prove` only. */
  readonly isShort?: true;
  /** @returns broken guarantees; the caller compares the ledger with the chain afterwards */
  readonly play: (stage: Stage) => Promise<readonly string[]>;
}

const expected = (what: string, status: number, ...allowed: readonly number[]): string[] =>
  allowed.includes(status) ? [] : [`${what}: ${status}`];

const moments: readonly Moment[] = [
  {
    name: 'a server a day ahead does not release a purchase that can still be settled',
    fault: [
      {
        file: EVIDENCE,
        from: 'safe.timestamp >= payment.validBefore && !(await isUsedAt(safe.number))',
        to: 'BigInt(Math.floor(Date.now() / 1000)) >= payment.validBefore',
      },
    ],
    async play(stage) {
      const right = await stage.server();
      const held = stage.holdSettlement();
      const bought = stage.buy(right);
      await held;
      await stage.passing(DAY_MS);
      // The audit sells it when its money arrives: only now is it seen.
      const broken = (await stage.isSettling()) ? [] : ['what could still be settled was released'];
      await stage.releaseSettlement();
      // 502 where it arrived so late that its server had stopped waiting.
      return [...broken, ...expected('the settlement arrived after all', (await bought).status, 200, 502)];
    },
  },
  {
    name: 'a settlement whose server died is found, though server and buyer were both two days ahead',
    // It is looked for where our clocks say it must be, and nobody audits: the audit would find it all the same.
    fault: [
      {
        file: 'api/payments/audit/audit.ts',
        from: 'const final = await chain.finalBlock();',
        to: 'const final = { block: -1n, seconds: 0 };',
      },
      {
        file: EVIDENCE,
        from: 'firstBlockAt(client, payment.validBefore, latest.number)',
        to: 'firstBlockAt(client, payment.validBefore - 3960n, latest.number)',
      },
      { file: EVIDENCE, from: 'range < MAX_RANGES && to >= 0n', to: 'range < 0 && to >= 0n' },
    ],
    isShort: true,
    async play(stage) {
      await stage.buyAndLose(await stage.server(2 * DAY_MS), 2 * DAY_SECONDS);
      return [];
    },
  },
  {
    name: 'a server that starts with its clock forty days ahead does not forget the sales of today',
    fault: [{ file: 'api/payments/audit/watchers.ts', from: 'Math.min(nowMs(), seconds * 1000)', to: 'nowMs()' }],
    async play(stage) {
      const { status } = await stage.buy(await stage.server());
      await stage.passing(40 * DAY_MS);
      return expected('the purchase', status, 200);
    },
  },
  {
    name: 'a sale recorded by a server forty days behind is not forgotten by one with the right time',
    fault: [{ file: LEDGER, from: ' AND CAST(valid_before AS NUMERIC) * 1000 < $1', to: '' }],
    async play(stage) {
      await stage.buyAndLose(await stage.server());
      await stage.passing(-40 * DAY_MS);
      await stage.passing(0);
      return [];
    },
  },
  {
    name: 'a signature collects once, though the clock goes an hour ahead and back; the server says that it is wrong',
    // A used challenge is forgotten when its time is over.
    fault: [
      {
        file: LEDGER,
        from: 'useOnce: async (token, untilMs) => (await',
        to:
          'useOnce: async (token, untilMs) => (await store.write((query) => ' +
          "query('DELETE FROM used_tokens WHERE until_ms < $1', Date.now())), await",
      },
    ],
    isShort: true,
    async play(stage) {
      const server = await stage.server();
      const { attempt } = await stage.buy(server);
      const { attempt: other } = await stage.buy(server, { buyer: stage.buyer(1) });
      const signIn = ({ buyer, nonce }: typeof attempt): Promise<string> =>
        buyer.signIn(`${server.url}/api/purchases/${nonce}`);
      const header = await signIn(attempt);
      const broken = expected('the first time', await stage.collect(server, attempt, header), 200);
      await server.jump(HOUR_MS);
      const { payments } = (await (await fetch(`${server.url}/health`)).json()) as {
        payments: { warnings: readonly { code: string }[] };
      };
      if (!payments.warnings.some(({ code }) => code === 'clock_wrong')) broken.push('its health says nothing');
      broken.push(...expected('an hour later', await stage.collect(server, attempt, header), 401));
      broken.push(...expected('another', await stage.collect(server, other, await signIn(other)), 200));
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
async function played(
  kind: 'sqlite' | 'postgres',
  chosen: readonly Moment[],
  options: StageOptions & { readonly patienceMs?: number },
): Promise<readonly string[]> {
  await using stage = closing(new Stage(await openSales(kind, { properties: 10, buyers: 2 }), options));
  const broken: string[] = [];
  for (const { name, play } of chosen) {
    broken.push(...(await play(stage)).map((line) => `${name}: ${line}`));
    if (options.reuses !== true) await stage.endServers();
  }
  // Past what was signed three days ahead; fewer days than an answer is kept.
  await passOnChain(stage.world.chain, 3 * DAY_SECONDS);
  const last = await stage.server(3 * DAY_MS);
  return [...broken, ...(await drawnUp(stage.world, stage.attempts, last.url, 5, options.patienceMs)).broken];
}

const chosen = thorough(
  moments.filter(({ isShort }) => isShort),
  moments,
);
for (const kind of thorough(['sqlite'] as const, ['sqlite', 'postgres'] as const)) {
  test(`${kind}: ${chosen.map(({ name }) => name).join('; ')}`, async () => {
    assert.deepEqual(await played(kind, chosen, { reuses: thorough(true, false) }), []);
  });
}

if (thorough(false, true)) {
  describe('a planted fault is found by its moment', () => {
    for (const moment of moments)
      test(moment.name, async () => {
        // What is left open for longer is broken: with the fault it stays so.
        const found = await played('sqlite', [moment], { fault: moment.fault, patienceMs: 3_000 });
        assert.notDeepEqual(found, []);
      });
  });
}
