/** An agent buys over MCP: the SDK's client, a real server, a real local chain, and spending caps. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client, InMemoryTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { serve, type Serving } from '../../api/http/serve.ts';
import { readServerSettings } from '../../api/settings.ts';
import { openMcpSession } from '../../clients/mcp_server.ts';
import { closing } from '../../lib/closing.ts';
import { dataFolder, rowsOfTable, uuid, type DataFolder } from '../api/support/snapshot_fixtures.ts';
import { BARE } from '../environment.ts';
import { runHere } from '../support/run_here.ts';

const MCP_PROGRAM = fileURLToPath(new URL('../../clients/mcp.ts', import.meta.url));

type Env = Readonly<Record<string, string>>;

/** The SDK's client of an MCP server. */
class Agent {
  readonly client: Client;
  /** Everything that the MCP server wrote to standard error. */
  stderr = '';

  /** @param mode revision of the protocol: 2026-07-28 if the server has it, or one of 2025 */
  constructor(mode: 'auto' | 'legacy') {
    this.client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  }
  readonly connect = (transport: Transport): Promise<void> => this.client.connect(transport);
  readonly call = async (name: string, args: Record<string, unknown> = {}) => {
    const { isError, structuredContent, content } = await this.client.callTool({ name, arguments: args });
    assert.equal((content as { text: string }[])[0]?.text, JSON.stringify(structuredContent));
    return { isError: isError === true, content: structuredContent as Record<string, unknown> };
  };
}

describe('the MCP server', () => {
  let folder: DataFolder;
  let server: Serving;
  /** Key of the sandbox wallet. */
  let key: string;
  before(async () => {
    folder = await dataFolder();
    await folder.publish('2026-11-20.01', {
      deals: rowsOfTable('deals', 40, (i) => ({ deal_score: i, state: i > 30 ? 'MI' : 'OH' })),
      reports: rowsOfTable('reports', 40),
      signals: rowsOfTable('signals', 2),
      leads: rowsOfTable('leads', 3),
      filings: rowsOfTable('filings', 4, () => ({ first_seen: '2026-11-12T12:00:00Z' })),
    });
    const { settings, payments } = readServerSettings({ DATA_DIR: folder.path, PORT: '0' });
    server = await serve({ settings, payments, checkResponses: true });
    key = server.payments.sandbox?.buyer.privateKey ?? assert.fail();
  });
  after(async () => {
    await server.close();
    await folder.remove();
  });

  /** Use an agent of 2026-07-28 with these settings, whose MCP server is in this process. */
  const withAgent = async (env: Env, use: (agent: Agent) => Promise<void>): Promise<void> => {
    const session = await openMcpSession({ DATA_DIR: folder.path, ...env });
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    serveStdio(session.server, { transport: theirs });
    const agent = new Agent('auto');
    await agent.connect(ours);
    try {
      await use(agent);
    } finally {
      await agent.client.close();
      session.close();
    }
  };
  /** The same of 2025, with an MCP server in a process of its own. */
  const withAgentProcess = async (env: Env, use: (agent: Agent) => Promise<void>): Promise<void> => {
    const settings = { ...BARE, DATA_DIR: folder.path, ...env };
    const command = { command: process.execPath, args: [MCP_PROGRAM], env: settings };
    const transport = new StdioClientTransport({ ...command, stderr: 'pipe' });
    const agent = new Agent('legacy');
    transport.stderr?.on('data', (chunk: Buffer) => {
      agent.stderr += chunk.toString('utf8');
    });
    await agent.connect(transport);
    await using _client = closing(agent.client);
    await use(agent);
  };
  /** Atomic units that an action paid to the server. */
  const amountPaid = async (action: () => Promise<void>): Promise<bigint> => {
    const received = async (): Promise<bigint> =>
      (await server.payments.sandbox?.chain.balanceOf(server.payments.payTo)) ?? 0n;
    const start = await received();
    await action();
    return (await received()) - start;
  };

  it('has a tool for every endpoint, with its parameters and price, and two own tools, in at most 15 kB', () =>
    withAgent({}, async ({ client, call }) => {
      assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28');
      const { tools } = await client.listTools();
      assert.ok(Buffer.byteLength(JSON.stringify(tools)) <= 15_000);
      // The feed of one register is filings with its state.
      const routes = server.app.routes.filter(({ path }) => path.startsWith('/api/'));
      assert.deepEqual(
        tools.map(({ name }) => name),
        ['collect', 'spending', ...routes.map(({ name }) => name)],
      );
      const told = new Set<string>();
      for (const [i, { name, price, params, pathParams = {} }] of routes.entries()) {
        const tool = tools[i + 2] ?? assert.fail();
        const properties = tool.inputSchema.properties as Record<string, { description?: string }>;
        const parameters = [...Object.keys(pathParams), ...Object.keys(params)];
        assert.deepEqual(Object.keys(properties), [...parameters, 'show', 'part', 'from'], name);
        for (const parameter of parameters) {
          assert.ok(told.has(parameter) || properties[parameter]?.description, `${parameter}: described at first`);
          told.add(parameter);
        }
        assert.deepEqual(tool.inputSchema.required ?? [], Object.keys(pathParams), name);
        assert.match(tool.description ?? '', price === null ? /\. Free\.$/ : new RegExp(`\\. \\$${price}\\.$`));
        assert.equal(tool.annotations?.readOnlyHint ?? false, price === null);
      }
      // A long answer is shown in parts, with the length of each that it leaves out.
      const { left_out, body } = (await call('meta')).content as Record<string, Record<string, unknown>>;
      const whole = (await (await fetch(`${server.url}/api/meta`)).json()) as Record<string, unknown>;
      assert.deepEqual(Object.keys({ ...left_out, ...body }).sort(), Object.keys(whole).sort());
      assert.equal(left_out?.['record_schema_notes'], JSON.stringify(whole['record_schema_notes']).length);
      const { part } = (await call('meta', { part: 'filters.params' })).content as { part: { value: unknown } };
      assert.deepEqual(part.value, (whole['filters'] as { params: unknown }).params);
    }));

  it('repeats the paid answer of the same call in the same snapshot, with a hint, and of no other call', () =>
    withAgent({}, async ({ call }) => {
      const paid = await amountPaid(async () => {
        const first = (await call('signals', { limit: 2 })).content;
        const again = (await call('signals', { limit: 2 })).content;
        assert.deepEqual(again['body'], first['body']);
        assert.equal(again['hint'], 'You bought this call in this snapshot: the same answer, free.');
        const [bought, repeated] = [first['paid'], again['paid']] as Record<string, string>[];
        assert.equal(repeated?.['receipt_id'], bought?.['receipt_id']);
        assert.deepEqual([bought?.['amount_usd'], repeated?.['amount_usd']], ['0.03', '0.00']);
        assert.equal(first['hint'], undefined);
      });
      assert.equal(paid, 30_000n);
    }));

  it('buys another exclusive lead with the same call, and a file', () =>
    withAgent({ MAX_PER_CALL: '2', MAX_TOTAL: '20' }, async ({ call }) => {
      const paid = await amountPaid(async () => {
        const [first, second] = [await call('exclusive_lead'), await call('exclusive_lead')].map(
          ({ content }) => content['body'] as { lead: { id: string } },
        );
        assert.notEqual(first?.lead.id, second?.lead.id);
        const { content } = await call('weekly_filings');
        assert.match(String(content['body']), /^id,document_number,.*\r\n/);
        assert.match((content['paid'] as { kept_in: string }).kept_in, /\.csv$/);
      });
      assert.equal(paid, 4_000_000n);
    }));

  it('pays exactly the price, and saves what it paid for', () =>
    withAgent({}, async ({ call }) => {
      const bought = await amountPaid(async () => {
        const { content, isError } = await call('deals', { state: 'OH', min_score: 15, min_price: 100.5 });
        assert.equal(isError, false);
        const { paid: receipt, body } = content as {
          paid: Record<string, string>;
          body: { count: number; total_matches: number; filters: unknown; records: { id: string }[] };
        };
        assert.deepEqual(
          [body.count, body.total_matches, body.filters],
          [16, 16, { state: 'OH', min_price: '100.5', min_score: 15 }],
        );
        assert.equal(receipt['amount_usd'], '0.05');
        assert.match(receipt['transaction'] ?? '', /^0x[0-9a-f]{64}$/);
        const saved = JSON.parse(await readFile(receipt['kept_in'] ?? '', 'utf8')) as typeof body;
        const [all, shown] = [saved, body].map(({ records }) => records.map(({ id }) => id));
        assert.deepEqual([all?.length, all?.slice(0, 5)], [16, shown]);
        assert.equal((await stat(receipt['kept_in'] ?? '')).mode & 0o077, 0);
      });
      assert.equal(bought, 50_000n);
    }));

  it('shows the first records of what it bought, and all others by collect without a second payment', () =>
    withAgent({}, async ({ call }) => {
      interface Shown {
        readonly shown: string;
        readonly left_out?: Record<string, number>;
        readonly part?: { name: string; value: Record<string, unknown> };
        readonly body: { records: { id: string; evidence?: unknown }[] };
        readonly paid: { receipt_id: string };
      }
      const bought = (await call('deals', { limit: 7, fields: 'all', show: 2 })).content as unknown as Shown;
      assert.equal(bought.shown, 'records 1 to 2 of 7. collect shows more of it, free, by its receipt_id.');
      const paid = await amountPaid(async () => {
        const collect = async (view: Record<string, unknown>): Promise<Shown> =>
          (await call('collect', { id: bought.paid.receipt_id, ...view })).content as unknown as Shown;
        const rest = await collect({ from: 2, show: 500 });
        assert.deepEqual(
          [...bought.body.records, ...rest.body.records].map((r) => r.id),
          Array.from({ length: 7 }, (_, i) => uuid(40 - i)),
        );
        const { name, value } = (await collect({ part: 'records.6' })).part ?? { name: '', value: {} };
        assert.deepEqual([name, value['id']], ['records.6', uuid(34)]);
        assert.match((await collect({ part: 'nothing' })).shown, /^There is no field nothing\. Fields: note, count,/);
        const unknown = await call('collect', { id: uuid(12) });
        assert.deepEqual([unknown.isError, unknown.content['reason']], [true, 'purchase_not_found']);
        assert.equal(
          (await call('deals', { limit: 7, from: 2 })).content['detail'],
          'from would buy the answer again. Call collect with the receipt_id instead.',
        );
      });
      assert.equal(paid, 0n);
    }));

  it('is not billed without a match, and returns the reason of the server', () =>
    withAgent({}, async ({ call }) => {
      const earlier = (await call('spending')).content;
      const paid = await amountPaid(async () => {
        for (const [tool, args, reason] of [
          ['deals', { state: 'ZZ' }, 'no_matches'],
          ['deals', { state: 'Ohio' }, 'invalid_parameter'],
          ['lookup', {}, 'missing_parameter'],
          ['deal_report', { id: 'x' }, 'invalid_parameter'],
          ['deals', { stat: 'OH' }, 'invalid_arguments'],
          ['deals', { state: ['OH'] }, 'invalid_arguments'],
          ['deal_report', {}, 'invalid_arguments'],
        ] as const) {
          const { content, isError } = await call(tool, args);
          // No match is a result like any other.
          assert.deepEqual(
            [isError, content['reason'], content['billed']],
            [reason !== 'no_matches', reason, false],
            JSON.stringify(args),
          );
        }
      });
      assert.equal(paid, 0n);
      // One of them was signed: it counts until the chain shows it unused.
      const held = ({ held_usd: usd }: Record<string, unknown>): number => Math.round(Number(usd) * 100);
      assert.equal(held((await call('spending')).content) - held(earlier), 5);
    }));

  it('signs nothing above the cap per call, nor above the total, which holds across restarts', async () => {
    let spent = 0;
    await withAgent({}, async ({ call }) => {
      spent = Number((await call('spending')).content['spent_usd']);
    });
    const capped = { MAX_TOTAL: (spent + 0.06).toFixed(2) };
    const paid = await amountPaid(async () => {
      await withAgent(capped, async ({ call }) => {
        const report = await call('deal_report', { id: uuid(1) });
        assert.deepEqual(
          [report.isError, report.content['reason'], report.content['price_usd'], report.content['billed']],
          [true, 'price_above_call_cap', '1.50', false],
        );
        assert.equal((await call('deal_cards')).isError, false);
        // Two clients of one wallet with concurrent calls, one a later process: the cap holds for both together.
        await withAgentProcess(capped, async (later) => {
          const refused = await Promise.all(
            [call, later.call].map(async (callOf) => {
              const results = await Promise.all([
                ...Array.from({ length: 3 }, () => callOf('deal_cards', { limit: 1 })),
                callOf('deals'),
              ]);
              assert.ok(Number((await callOf('spending')).content['spent_usd']) <= spent + 0.0600001);
              return results.filter((a) => a.isError).map((a) => a.content['reason']);
            }),
          );
          assert.ok(
            refused.flat().length >= 1 && refused.flat().every((r) => r === 'price_above_total_cap'),
            JSON.stringify(refused),
          );
        });
      });
    });
    assert.ok(paid <= 60_000n, String(paid));
    assert.ok(paid > 10_000n);
  });

  it("pays with the buyer's own key from a file, and never prints it", async () => {
    const own = await mkdtemp(join(tmpdir(), 'dealfeed-buyer-'));
    try {
      const file = join(own, 'key');
      await writeFile(file, `${key}\n`, { mode: 0o600 });
      await withAgentProcess({ DATA_DIR: own, SERVER_URL: server.url, BUYER_KEY_FILE: file }, async (agent) => {
        const { call, client } = agent;
        assert.equal(
          await amountPaid(async () => {
            assert.equal((await call('signals')).isError, false);
          }),
          30_000n,
        );
        const everything = JSON.stringify([
          client.getInstructions(),
          await client.listTools(),
          await call('spending'),
          agent.stderr,
        ]);
        assert.ok(!everything.toLowerCase().includes(key.slice(2, 20).toLowerCase()));
      });
      for (const name of await readdir(own, { recursive: true })) {
        if (name === 'key' || !(await stat(join(own, name))).isFile()) continue;
        assert.ok(
          !(await readFile(join(own, name))).toString('latin1').toLowerCase().includes(key.slice(2, 20).toLowerCase()),
          name,
        );
      }
      await withAgent({ DATA_DIR: own, SERVER_URL: server.url }, async ({ call }) => {
        const { content } = await call('signals');
        assert.deepEqual([content['reason'], content['price_usd']], ['no_wallet', '0.03']);
        assert.equal((await call('deal_ids')).isError, false);
      });
    } finally {
      await rm(own, { recursive: true, force: true });
    }
  });

  it('stops with one line that names the invalid setting, without the key', async () => {
    const cases: readonly (readonly [Record<string, string>, RegExp])[] = [
      [{ BUYER_KEY: `${key}0` }, /^BUYER_KEY does not hold a private key, expected 0x and 64 hex digits\n$/],
      [{ DATA_DIR: '/nowhere' }, /^no sandbox server is running on DATA_DIR .*\n$/],
      [{ SERVER_URL: 'http://127.0.0.1:9' }, /^SERVER_URL is .*expected the URL of a running Dealfeed server\n$/],
      [{ MAX_PER_CALL: 'lots' }, /^MAX_PER_CALL is "lots", expected dollars/],
    ];
    for (const [env, line] of cases) {
      const { code, out, err } = await runHere(MCP_PROGRAM, { env });
      assert.deepEqual([code, out], [1, ''], err);
      assert.match(err, line);
      assert.ok(!err.includes(key.slice(2, 20)));
    }
  });
});
