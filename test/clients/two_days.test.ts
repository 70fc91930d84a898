/** The transcript of docs/agents.md, run again: stock clients over two days of the made-up world. */
import assert from 'node:assert/strict';
import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { PaymentRequired } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { x402Client } from '@x402/fetch';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { serve, type Serving } from '../../api/http/serve.ts';
import { readServerSettings } from '../../api/settings.ts';
import type { Layout } from '../../pipelines/layout.ts';
import { makeWorld } from '../../sandbox/world/world.ts';
import { buyerWith } from '../api/support/buyers.ts';
import { collect } from '../api/support/collecting.ts';
import { newLayout, runDay } from '../pipelines/runs.ts';

type Json = Record<string, unknown>;

const TRANSCRIPT = /```transcript\n(?<lines>[^]*?)```/;
const SOURCES = ['pa_allegheny_tax', 'pa_allegheny_parcels', 'corrections'];

describe('over two days', () => {
  const world = makeWorld();
  let layout: Layout;
  let shop: Serving | undefined;
  /** Of the first purchase. */
  let receipt = '';

  before(async () => {
    layout = await newLayout();
  });
  after(() => shop?.close());

  const started = async (): Promise<Serving> => {
    const { settings, payments } = readServerSettings({ DATA_DIR: layout.root, PORT: '0', UNBILLED_PER_MINUTE: '0' });
    return (shop ??= await serve({ settings, payments, checkResponses: true }));
  };

  /** A day of the world, as `make run DAY=` reads and publishes it; an open server follows. */
  async function runOn(day: string): Promise<void> {
    const { blocked } = await runDay({ layout, world, day, only: ({ name }) => SOURCES.includes(name) });
    assert.deepEqual(blocked, []);
    await (await started()).snapshots.refresh();
  }

  /** Call a tool with the official client, pay the terms with the stock wallet. */
  async function callTool(mode: 'auto' | 'legacy', name: string, args: Json): Promise<Json> {
    const { url, payments } = await started();
    const account = privateKeyToAccount((payments.sandbox?.buyer.privateKey ?? '0x') as Hex);
    const wallet = new x402Client().register('eip155:8453', new ExactEvmScheme(account));
    const client = new Client({ name: 'an-agent', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url)));
    const asked = await client.callTool({ name, arguments: args });
    const required = asked.structuredContent as unknown as PaymentRequired;
    if (!('accepts' in required)) return required as Json;
    const payment = await wallet.createPaymentPayload(required);
    const bought = await client.callTool({ name, arguments: args, _meta: { 'x402/payment': payment } });
    await client.close();
    const answer = bought.structuredContent as Json & { paid?: { receipt_id: string } };
    receipt ||= answer.paid?.receipt_id ?? '';
    return answer;
  }

  /** Read a free page, or what the first purchase is owed. */
  async function get(path: string): Promise<Json> {
    const { url, payments } = await started();
    if (!path.includes('{receipt}')) return (await (await fetch(url + path)).json()) as Json;
    const address = url + path.replace('{receipt}', receipt);
    const buyer = buyerWith((payments.sandbox?.buyer.privateKey ?? '0x') as Hex);
    for (let tries = 0; ; tries += 1) {
      const { headers } = await collect(address, await buyer.signIn(address));
      const refund = headers.get('Refund');
      if (refund !== null || tries === 60) return { refund: JSON.parse(refund ?? 'null') as unknown };
      await pause(500);
    }
  }

  async function perform(line: string): Promise<Json> {
    const [, mark = '', rest = ''] = /^(\S+) (.*)$/.exec(line) ?? assert.fail(line);
    const [, day] = /^make run DAY=(\S+)$/.exec(rest) ?? [];
    if (day !== undefined) return runOn(day).then(() => ({}));
    const [, row, file = ''] = /^echo '(.*)' >> (\S+)$/.exec(rest) ?? [];
    if (row !== undefined) {
      await mkdir(join(layout.drop, 'corrections'), { recursive: true });
      await appendFile(join(layout.root, file), `${row}\n`);
      return {};
    }
    if (mark === 'GET') return get(rest);
    const [, name = '', args = ''] = /^(\w+) (\{.*\})$/.exec(rest) ?? assert.fail(line);
    return callTool(mark === '2025>' ? 'legacy' : 'auto', name, JSON.parse(args) as Json);
  }

  test('an agent finds a lead, buys it, follows the next day, sees a correction and is owed a refund', async () => {
    const page = await readFile(new URL('../../docs/agents.md', import.meta.url), 'utf8');
    const lines = (TRANSCRIPT.exec(page)?.groups?.['lines'] ?? assert.fail('no transcript')).trim().split('\n');
    let answer: Json = {};
    let compared = 0;
    for (const line of lines.filter((one) => one !== '')) {
      if (line.startsWith('{')) {
        assert.partialDeepStrictEqual(answer, JSON.parse(line) as Json, line);
        compared += 1;
      } else {
        answer = await perform(line);
      }
    }
    assert.ok(compared >= 7, String(compared));
  });
});
