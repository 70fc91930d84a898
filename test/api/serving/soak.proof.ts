/**
 * A server under steady traffic whose snapshot is replaced again and again. Beyond switching.test.ts: two days of all
 * tables in a server process, free, paid and refused requests of 16 callers, and the memory of 40 replaced snapshots.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import PQueue from 'p-queue';
import { startChain } from '../../../api/payments/local_chain/chain.ts';
import { pointAt } from '../../../lib/files.ts';
import { afterSecondDay, FIRST_RUN, SECOND_RUN } from '../../pipelines/starting_points.ts';
import { buyerWith } from '../support/buyers.ts';
import { serverProcess } from '../../process/program.ts';

const CALLERS = 16;
/** A snapshot is replaced in each part. */
const [PARTS, REQUESTS_PER_PART] = [40, 60];
/** The first requests of a part, which are paid. */
const PAID = ['/api/deals?limit=20', '/api/signals?limit=20', '/api/filings?limit=20&state=CO'];
const UNPAID: readonly (readonly [path: string, status: number])[] = [
  ...['/', '/api/meta', '/api/deals/ids', '/api/example_report', '/coverage', '/openapi.json', '/health'].map(
    (path) => [path, 200] as const,
  ),
  ...PAID.map((path) => [path, 402] as const),
  ['/api/nothing', 404],
];

test(
  'no request fails and memory stays flat while snapshots are replaced',
  { skip: process.platform !== 'linux' && 'memory is read from /proc' },
  async () => {
    const [{ layout }, chain, buyer] = [await afterSecondDay(), await startChain(), buyerWith()];
    await chain.mint(buyer.address, 1_000_000_000n);
    const server = await serverProcess({
      DATA_DIR: layout.root,
      SANDBOX_RPC: chain.rpcUrl,
      UNBILLED_PER_MINUTE: '0',
      LOG_LEVEL: 'silent',
    });
    const request = async (path: string, status: number, send: typeof buyer.fetch = fetch): Promise<void> => {
      const response = await send(server.url + path);
      const body = await response.text();
      assert.equal(response.status, status, `${path}: ${body.slice(0, 300)}`);
    };
    const requests = Array.from({ length: REQUESTS_PER_PART }, (_, i) => async () => {
      const paid = PAID[i];
      const [path, status] = UNPAID[i % UNPAID.length] ?? ['/', 200];
      await (paid === undefined ? request(path, status) : request(paid, 200, buyer.fetch));
    });
    const serving = async (): Promise<string | null> =>
      (await fetch(`${server.url}/api/meta`)).headers.get('X-Snapshot-Id');
    const memoryMb = async (): Promise<number> =>
      Number(/^VmRSS:\s+(\d+) kB/mu.exec(await readFile(`/proc/${server.child.pid}/status`, 'utf8'))?.[1]) / 1024;

    const memory: number[] = [];
    try {
      for (let part = 0; part < PARTS; part += 1) {
        const traffic = new PQueue({ concurrency: CALLERS }).addAll(requests);
        const next = part % 2 === 0 ? FIRST_RUN : SECOND_RUN;
        await pointAt(layout.current, join('snapshots', next));
        while ((await serving()) !== next) await Promise.race([sleep(50), traffic]);
        await traffic;
        memory.push(await memoryMb());
      }
    } finally {
      await server.end('SIGTERM');
      await chain.close();
    }
    // Memory rises until objects of closed snapshots are collected, and falls: peaks are compared.
    const [before, after] = [Math.max(...memory.slice(0, PARTS / 2)), Math.max(...memory.slice(PARTS / 2))];
    assert.ok(after <= 1.15 * before, `${memory.map(Math.round).join(' ')} MB`);
  },
);
