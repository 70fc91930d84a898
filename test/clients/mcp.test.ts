/** An agent buys over MCP: the SDK's own client on standard input and output, a real server, a real local chain, and caps that hold. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execFile } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { page, purchaseOverMcp } from '../../examples/mcp_purchase.ts';
import { serve, type Serving } from '../../api/http/serve.ts';
import { readServerSettings } from '../../api/settings.ts';
import { dataFolder, rowsOfTable, uuid, type DataFolder } from '../api/support/snapshot_fixtures.ts';
import { BARE } from '../environment.ts';

const program = fileURLToPath(new URL('../../clients/mcp.ts', import.meta.url));

interface Answer {
  readonly isError: boolean;
  readonly content: Record<string, unknown>;
}
interface Agent {
  readonly client: Client;
  /** Everything the MCP server wrote to standard error. */
  readonly said: () => string;
  call(name: string, args?: Record<string, unknown>): Promise<Answer>;
}

describe('the MCP server', () => {
  let folder: DataFolder;
  let server: Serving;
  let key: string;
  let usual: Agent | undefined;

  before(async () => {
    folder = await dataFolder();
    await folder.publish('2026-11-20.01', {
      deals: rowsOfTable('deals', 40, (i) => ({ deal_score: i, state: i > 30 ? 'MI' : 'OH' })),
      reports: rowsOfTable('reports', 40),
      signals: rowsOfTable('signals', 2),
      filings: rowsOfTable('filings', 4, () => ({ first_seen: '2026-11-12T12:00:00Z' })),
    });
    const { settings, payments } = readServerSettings({ DATA_DIR: folder.path, PORT: '0' });
    server = await serve({ settings, payments, checkResponses: true });
    key = server.payments.sandbox?.buyer.privateKey ?? '';
  });
  after(async () => {
    await usual?.client.close();
    await server.close();
    await folder.remove();
  });

  const open = async (env: Record<string, string>): Promise<Agent> => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [program],
      env: { ...BARE, DATA_DIR: folder.path, ...env },
      stderr: 'pipe',
    });
    let said = '';
    transport.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
    });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport);
    return {
      client,
      said: () => said,
      async call(name, args = {}) {
        const { isError, structuredContent, content } = await client.callTool({ name, arguments: args });
        assert.equal((content as { text: string }[])[0]?.text, JSON.stringify(structuredContent));
        return { isError: isError === true, content: structuredContent as Record<string, unknown> };
      },
    };
  };
  /** With an agent of these settings; all that need none of their own share one. */
  const agent = async (env: Record<string, string>, use: (agent: Agent) => Promise<void>): Promise<void> => {
    if (Object.keys(env).length === 0) {
      await use((usual ??= await open({})));
      return;
    }
    const own = await open(env);
    try {
      await use(own);
    } finally {
      await own.client.close();
    }
  };
  const seller = async (): Promise<bigint> =>
    (await server.payments.sandbox?.chain.balanceOf(server.payments.payTo)) ?? 0n;
  const moved = async (action: () => Promise<void>): Promise<bigint> => {
    const start = await seller();
    await action();
    return (await seller()) - start;
  };

  it('has a tool for every endpoint, with its parameters as the interface types them, and three of its own', () =>
    agent({}, async ({ client }) => {
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.slice(0, 3).map((t) => t.name),
        ['quote', 'collect', 'spending'],
      );
      assert.deepEqual(
        tools.slice(3).map((t) => t.title),
        server.app.routes.map((r) => `GET ${r.path.replace(':id', '{id}')}`),
      );
      for (const route of server.app.routes) {
        const tool = tools.find((t) => t.title === `GET ${route.path.replace(':id', '{id}')}`);
        assert.deepEqual(
          Object.keys(tool?.inputSchema.properties ?? {}),
          [
            ...Object.keys(route.pathParams ?? {}),
            ...Object.keys(route.params),
            ...('limit' in route.params || route.path === '/api/deals/ids' ? ['fields'] : []),
          ],
          route.path,
        );
        assert.match(
          tool?.description ?? '',
          route.price === null ? /Free\.$/ : new RegExp(`Costs \\$${route.price} `),
        );
        assert.equal(tool?.annotations?.readOnlyHint, route.price === null);
      }
      const deals = tools.find((t) => t.name === 'deals')?.inputSchema.properties as Record<
        string,
        { type: string; enum?: string[]; maximum?: number }
      >;
      assert.deepEqual(
        [deals['min_score']?.type, deals['min_score']?.maximum, deals['status']?.enum, deals['min_price']?.type],
        ['integer', 100, ['Hot', 'Warm', 'Pass'], 'number'],
      );
      assert.deepEqual(tools.find((t) => t.name === 'deals_id_report')?.inputSchema.required, ['id']);
    }));

  it('quotes without paying, pays exactly the price, and keeps what it paid for', () =>
    agent({}, async ({ call, said }) => {
      const paid = await moved(async () => {
        const quoted = await call('quote', { tool: 'deals', arguments: { state: 'OH' } });
        assert.deepEqual(
          [
            quoted.content['price_usd'],
            quoted.content['within_call_cap'],
            quoted.content['within_total_cap'],
            quoted.content['network'],
          ],
          ['0.05', true, true, 'eip155:8453'],
        );
        assert.equal((await call('quote', { tool: 'meta' })).content['price_usd'], '0.00');
      });
      assert.equal(paid, 0n);
      const bought = await moved(async () => {
        const { content, isError } = await call('deals', { state: 'OH', min_score: 15, min_price: 100.5 });
        assert.equal(isError, false);
        const { paid: receipt, body } = content as {
          paid: Record<string, string>;
          body: { count: number; total_matches: number; filters: unknown; records: { id: string }[] };
        };
        assert.deepEqual(
          [body.count, body.total_matches, body.filters],
          [10, 16, { state: 'OH', min_price: '100.5', min_score: 15 }],
        );
        assert.equal(receipt['amount_usd'], '0.05');
        assert.match(receipt['transaction'] ?? '', /^0x[0-9a-f]{64}$/);
        const kept = JSON.parse(await readFile(receipt['kept_in'] ?? '', 'utf8')) as typeof body;
        assert.deepEqual(
          kept.records.map((r) => r.id),
          body.records.map((r) => r.id),
        );
        assert.equal((await stat(receipt['kept_in'] ?? '')).mode & 0o077, 0);
      });
      assert.equal(bought, 50_000n);
      assert.equal(said(), '');
    }));

  it('shows the fields that are asked for, keeps all of them, and refuses one there is not before it pays', () =>
    agent({}, async ({ call }) => {
      const paid = await moved(async () => {
        const { content } = await call('deals', { limit: 2, fields: ['id', 'deal_score'] });
        const { paid: receipt, body } = content as { paid: Record<string, string>; body: { records: object[] } };
        assert.deepEqual(body.records, [
          { id: uuid(40), deal_score: 40 },
          { id: uuid(39), deal_score: 39 },
        ]);
        const kept = JSON.parse(await readFile(receipt['kept_in'] ?? '', 'utf8')) as typeof body;
        assert.ok(Object.keys(kept.records[0] ?? {}).length > 60);
        const index = (await call('deals_ids', { fields: ['id'] })).content['body'] as typeof body;
        assert.deepEqual(Object.keys(index.records[0] ?? {}), ['id']);
      });
      assert.equal(paid, 50_000n);
      assert.equal(
        await moved(async () => {
          for (const fields of [['id', 'score'], 'id', []])
            assert.equal((await call('deals', { fields })).content['reason'], 'invalid_arguments');
          assert.equal(
            (await call('quote', { tool: 'deals', arguments: { fields: ['id'] } })).content['price_usd'],
            '0.05',
          );
        }),
        0n,
      );
    }));

  it('collects again what it paid for, and nothing that it did not pay for', () =>
    agent({}, async ({ call }) => {
      const bought = await call('signals', { limit: 1 });
      const { body, paid } = bought.content as { body: unknown; paid: { receipt_id: string } };
      const settled = await moved(async () => {
        const again = await call('collect', { id: paid.receipt_id });
        assert.equal(again.isError, false, JSON.stringify(again));
        assert.deepEqual(again.content['body'], body);
        assert.equal((again.content['paid'] as { amount_usd: string }).amount_usd, '0.00');
        const nothing = await call('collect', { id: uuid(12) });
        assert.deepEqual([nothing.isError, nothing.content['reason']], [true, 'purchase_not_found']);
      });
      assert.equal(settled, 0n);
    }));

  it('is not billed for nothing, and passes on why the server refused', () =>
    agent({}, async ({ call }) => {
      const spentBefore = (await call('spending')).content['spent_usd'];
      const paid = await moved(async () => {
        for (const [tool, args, reason] of [
          ['deals', { state: 'ZZ' }, 'no_matches'],
          ['deals', { state: 'Ohio' }, 'invalid_parameter'],
          ['lookup', {}, 'missing_parameter'],
          ['deals_id_report', { id: 'x' }, 'invalid_parameter'],
          ['deals', { stat: 'OH' }, 'invalid_arguments'],
          ['deals', { state: ['OH'] }, 'invalid_arguments'],
          ['deals_id_report', {}, 'invalid_arguments'],
          ['nothing', {}, 'unknown_tool'],
          ['quote', { tool: 'nothing' }, 'invalid_arguments'],
        ] as const) {
          const { content, isError } = await call(tool, args);
          assert.deepEqual(
            [isError, content['reason'], content['billed']],
            [true, reason, false],
            JSON.stringify(args),
          );
        }
      });
      assert.equal(paid, 0n);
      assert.equal((await call('spending')).content['spent_usd'], spentBefore);
    }));

  it('signs nothing above the cap of a call, nor above the total, which holds over restarts', async () => {
    let spent = 0;
    await agent({}, async ({ call }) => {
      spent = Number((await call('spending')).content['spent_usd']);
    });
    const paid = await moved(async () => {
      await agent({ MAX_TOTAL: (spent + 0.06).toFixed(2) }, async ({ call }) => {
        const report = await call('deals_id_report', { id: uuid(1) });
        assert.deepEqual(
          [report.isError, report.content['reason'], report.content['price_usd'], report.content['billed']],
          [true, 'price_above_call_cap', '1.50', false],
        );
        const { content } = await call('quote', { tool: 'deals_id_report', arguments: { id: uuid(1) } });
        assert.deepEqual([content['price_usd'], content['within_call_cap']], ['1.50', false]);
        assert.equal((await call('deals_basic')).isError, false);
      });
      // Two clients of one wallet, and calls sent at once: the cap holds for all of them together.
      const refused = await Promise.all(
        [1, 2].map(async () => {
          const reasons: unknown[] = [];
          await agent({ MAX_TOTAL: (spent + 0.06).toFixed(2) }, async ({ call }) => {
            const answers = await Promise.all([
              ...Array.from({ length: 3 }, () => call('deals_basic', { limit: 1 })),
              call('deals'),
            ]);
            reasons.push(...answers.filter((a) => a.isError).map((a) => a.content['reason']));
            assert.ok(Number((await call('spending')).content['spent_usd']) <= spent + 0.0600001);
          });
          return reasons;
        }),
      );
      assert.ok(
        refused.flat().length >= 1 && refused.flat().every((r) => r === 'price_above_total_cap'),
        JSON.stringify(refused),
      );
    });
    assert.ok(paid <= 60_000n, String(paid));
    assert.ok(paid > 10_000n);
  });

  it('pays what a call costs where the caps are raised, a file too', () =>
    agent({ MAX_PER_CALL: '2', MAX_TOTAL: '20' }, async ({ call }) => {
      const paid = await moved(async () => {
        assert.equal((await call('deals_id_report', { id: uuid(1) })).isError, false);
        const { content } = await call('batch_weekly_csv');
        assert.match(String(content['body']), /^id,document_number,.*\r\n/);
        assert.match((content['paid'] as { kept_in: string }).kept_in, /\.csv$/);
      });
      assert.equal(paid, 3_500_000n);
    }));

  it("pays with a key of the buyer's, from a file, and never shows it", async () => {
    const own = await mkdtemp(join(tmpdir(), 'dealfeed-buyer-'));
    try {
      const file = join(own, 'key');
      await writeFile(file, `${key}\n`, { mode: 0o600 });
      await agent({ DATA_DIR: own, SERVER_URL: server.url, BUYER_KEY_FILE: file }, async ({ call, client, said }) => {
        assert.equal(
          await moved(async () => {
            assert.equal((await call('signals')).isError, false);
          }),
          30_000n,
        );
        const everything = JSON.stringify([
          client.getInstructions(),
          await client.listTools(),
          await call('spending'),
          said(),
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
      await agent({ DATA_DIR: own, SERVER_URL: server.url }, async ({ call }) => {
        const { content } = await call('signals');
        assert.deepEqual([content['reason'], content['price_usd']], ['no_wallet', '0.03']);
        assert.equal((await call('deals_ids')).isError, false);
      });
    } finally {
      await rm(own, { recursive: true, force: true });
    }
  });

  it('stops with one line that names the setting, and not the key', async () => {
    const cases = [
      [{ DATA_DIR: '/nowhere' }, /^no sandbox server is running on DATA_DIR .*\n$/],
      [{ SERVER_URL: 'http://127.0.0.1:9' }, /^SERVER_URL is .*expected the URL of a running Dealfeed server\n$/],
      [{ MAX_PER_CALL: 'lots' }, /^MAX_PER_CALL is "lots", expected dollars/],
      [{ BUYER_KEY: `${key}0` }, /^BUYER_KEY does not hold a private key, expected 0x and 64 hex digits\n$/],
    ] as const;
    await Promise.all(
      cases.map(async ([env, line]) => {
        const { code, out, err } = await new Promise<{ code: unknown; out: string; err: string }>((resolve) => {
          execFile(process.execPath, [program], { env: { ...BARE, ...env } }, (error, stdout, stderr) => {
            resolve({ code: error?.code, out: stdout, err: stderr });
          });
        });
        assert.deepEqual([code, out], [1, ''], err);
        assert.match(err, line);
        assert.ok(!err.includes(key.slice(2, 20)));
      }),
    );
  });

  it('says what docs/mcp-purchase.md shows', async () => {
    /** Who says what, and the fields of what they say, without the values. */
    const skeleton = (text: string, tools: Set<string>): unknown[] =>
      [...text.matchAll(/^(client|server):\n\n```json\n(.*?)\n```/gms)].map(([, from, json]) => {
        const { method, params, result } = JSON.parse(json ?? '') as {
          method?: string;
          params?: { name?: string };
          result?: { structuredContent?: Record<string, unknown>; tools?: { name: string }[]; isError?: boolean };
        };
        const { structuredContent } = result ?? {};
        for (const { name } of result?.tools ?? []) tools.add(name);
        return [
          from,
          method,
          params?.name,
          Object.keys(result ?? {}),
          result?.isError,
          structuredContent && Object.keys(structuredContent),
          Object.keys((structuredContent?.['body'] ?? {}) as object),
        ];
      });
    const [now, then] = [new Set<string>(), new Set<string>()];
    const today = skeleton(page(await purchaseOverMcp({ DATA_DIR: folder.path }), folder.path), now);
    const written = await readFile(new URL('../../docs/mcp-purchase.md', import.meta.url), 'utf8');
    assert.equal(today.length, 17);
    assert.deepEqual(skeleton(written, then), today, 'run: make serve, and node examples/mcp_purchase.ts');
    assert.deepEqual(
      [...then].filter((name) => !now.has(name)),
      [],
      'tools that are gone',
    );
  });
});
