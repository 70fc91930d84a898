/** Faults of a site, over a real socket: each ends in the state of docs/runbook.md, and the last good rows stay. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { test } from 'node:test';
import { defineRecord, money, text } from '../../../lib/record.ts';
import { ingest } from '../../../pipelines/ingest/ingest.ts';
import { layoutOf } from '../../../pipelines/layout.ts';
import { standingRead, type ReadRecord } from '../../../pipelines/ingest/reads.ts';
import { sandboxClock } from '../../../pipelines/clock.ts';
import { defineSource, type SourceSpec } from '../../../sources/contract.ts';
import { openArchive } from '../../../lib/archive.ts';
import { createFetcher } from '../../../sources/fetch/fetcher.ts';
import { answer, inTurn, serve, type Handler } from '../../fetch/site.ts';
import { startTestServer } from '../../support/server.ts';
import { memoryFolder } from '../../ledger/memory_folder.ts';

/** Small enough that a site which does not answer is given up soon. */
const LIMITS = {
  connectMs: 300,
  headersMs: 300,
  bodyMs: 300,
  totalMs: 1_500,
  maxBytes: 100_000,
  maxDecodedBytes: 1_000_000,
  retries: 1,
  backoffMs: 1,
  maxBackoffMs: 2,
  maxRetryAfterMs: 1_500,
};
const GOOD = 'parcel=10.00\n';
const good = answer(GOOD, { 'content-type': 'text/plain' });

const Debt = defineRecord('debt', 'One row per parcel.', ['parcel'], {
  parcel: text('Parcel.'),
  amount: money('Amount.'),
});

const specAt = (origin: string): SourceSpec =>
  defineSource({
    name: 'test_debts',
    family: 'tax',
    title: 'Debts',
    home: `${origin}/list`,
    everyDays: 1,
    hosts: [new URL(origin).host],
    terms: { basis: 'sandbox_only', note: 'Made up for this test.' },
    minIntervalMs: 0,
    row: Debt,
    expect: { minRows: 1, maxRejectShare: 0, maxDropShare: 0.5 },
    async *fetch(ctx) {
      yield await ctx.get(`${origin}/list`, { kind: 'list' });
    },
    parse: (page) =>
      page
        .text()
        .split('\n')
        .filter(Boolean)
        .map((line) => {
          const [parcel, amount] = line.split('=');
          return { values: { parcel, amount }, raw: line };
        }),
  });

const head = (response: ServerResponse, headers: Record<string, string | number> = {}): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/plain', ...headers });
const gzipped = (body: string, keep = 1): Handler => {
  const whole = gzipSync(body);
  return answer(whole.subarray(0, Math.floor(whole.length * keep)), {
    'content-type': 'text/plain',
    'content-encoding': 'gzip',
  });
};

/** What the page's address does. `null` is a port at which nothing listens. */
const FAULTS: Readonly<Record<string, Handler | null>> = {
  refused: null,
  reset: (request) => {
    request.socket.destroy();
  },
  slow: () => {
    /* the connection stays open and nothing is said */
  },
  stalls: (_, response) => {
    head(response, { 'content-length': 1000 }).write(GOOD);
  },
  '403': answer('no', {}, 403),
  challenge: answer('<html><head><title>Just a moment...</title></head></html>'),
  '429': answer('slower', {}, 429),
  '429 for a moment': inTurn(answer('slower', { 'retry-after': '1' }, 429), good),
  '429 for an hour': answer('slower', { 'retry-after': '3600' }, 429),
  '500': answer('sorry', {}, 500),
  '500 once': inTurn(answer('sorry', {}, 500), good),
  '404': answer('gone', {}, 404),
  'truncated gzip': gzipped(GOOD.repeat(50), 0.6),
  'cut body': (request, response) => {
    head(response, { 'content-length': 1000 }).write(GOOD, () => {
      request.socket.destroy();
    });
  },
  'endless body': (_, response) => {
    head(response);
    const more = (): void => {
      while (!response.destroyed && response.write(GOOD.repeat(1000)));
    };
    response.on('drain', more);
    more();
  },
  'gzip bomb': gzipped('0'.repeat(5_000_000)),
  'empty body': answer(''),
  'redirect loop': (_, response) => {
    response.writeHead(302, { location: '/list' }).end();
  },
  'redirect elsewhere': (_, response) => {
    response.writeHead(302, { location: 'http://elsewhere.example/list' }).end();
  },
};

/** State and reason of each row of the table "Site faults" in docs/runbook.md. */
async function documented(): Promise<Map<string, { state: string; reason: string }>> {
  const content = await readFile(new URL('../../../docs/runbook.md', import.meta.url), 'utf8');
  const rows = [...content.matchAll(/^\| `([^`]+)` \|[^|]*\| (\w+) \|(?: \[(\w+)\]\(#\3\))? \|$/gmu)];
  return new Map(rows.map(([, fault = '', state = '', reason = '']) => [fault, { state, reason }]));
}

/** An address at which nothing listens. */
async function closedPort(): Promise<string> {
  const server = await startTestServer(() => undefined);
  await server.close();
  return server.url;
}

const table = await documented();

test('the documented faults are the tested ones', () => {
  assert.deepEqual([...table.keys()].sort(), Object.keys(FAULTS).sort());
});

for (const [fault, handler] of Object.entries(FAULTS)) {
  test(`${fault} ends as documented`, async (t) => {
    const { state, reason } = table.get(fault) ?? assert.fail('it is not documented');
    const folder = memoryFolder('dealfeed-faults-');
    const layout = layoutOf(folder);
    const archive = await openArchive(layout.root);
    const read = async (origin: string, day: string): Promise<ReadRecord> => {
      const clock = sandboxClock(day);
      const fetcher = createFetcher({ archive, clock, limits: LIMITS });
      t.after(() => fetcher.close());
      return (
        (await ingest({ layout, archive, fetcher, clock, runId: `${day}.01` }, specAt(origin), { lastGoodOn: null })) ??
        assert.fail('nothing was read')
      );
    };
    const first = await read((await serve(t, { '/list': good })).origin, '2026-11-20');
    assert.equal(first.status, 'good');

    const second = await read(
      handler === null ? await closedPort() : (await serve(t, { '/list': handler })).origin,
      '2026-11-21',
    );
    assert.deepEqual([second.status, second.reason ?? ''], [state, reason], second.detail ?? '');
    const standing = await standingRead(layout, 'test_debts', '2026-11-21');
    if (state === 'good') assert.equal(standing?.run_id, second.run_id);
    else {
      assert.ok(second.detail && second.page_url, 'the record names the page and what was wrong');
      assert.deepEqual(standing, first, 'the last good rows stand');
    }
  });
}
