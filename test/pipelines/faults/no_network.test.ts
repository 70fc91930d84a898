/** A run without a network: one message, no request, and the rows of earlier reads stay in use. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sandboxClock } from '../../../pipelines/clock.ts';
import { run, type RunResult } from '../../../pipelines/run/run.ts';
import { collectWarnings } from '../../../pipelines/run/summary.ts';
import { openArchive } from '../../../lib/archive.ts';
import { createFetcher } from '../../../sources/fetch/fetcher.ts';
import type { Resolve } from '../../../sources/fetch/transport.ts';
import { hostsOf, loadSources } from '../../../sources/index.ts';
import { defineSource, type SourceSpec } from '../../../sources/contract.ts';
import { newLayout } from '../runs.ts';
import { JOIN_RATES, modelsOf } from '../some_tables.ts';
import { startTestServer } from '../../support/server.ts';

const noNetwork: Resolve = async (hostname) => {
  throw Object.assign(new Error(`getaddrinfo EAI_AGAIN ${hostname}`), { code: 'EAI_AGAIN' });
};

/** HUD's county rents, read from a site of the test. */
const sourceAt = (hud: SourceSpec, host: string): SourceSpec =>
  defineSource({
    ...hud,
    hosts: [host],
    minIntervalMs: 0,
    expect: { ...hud.expect, minRows: 1 },
    async *fetch(ctx) {
      yield await ctx.get(`http://${host}/FY27_FMRs.csv`, { kind: 'workbook' });
    },
  });

const FY27 =
  'stusps,state,hud_area_code,countyname,county_town_name,metro,hud_area_name,fips,pop2023,' +
  'fmr_0,fmr_1,fmr_2,fmr_3,fmr_4\n' +
  'OH,39,METRO17410N17460,Cuyahoga County,Cuyahoga County,1,"Cleveland, OH",3903599999,1,700,800,1000,1300,1400\n';

test('a run without a network reports it once, sends nothing and keeps the rows', async (t) => {
  const server = await startTestServer((request, response) => {
    if (request.url === '/FY27_FMRs.csv') response.end(FY27);
    else response.writeHead(404).end();
  });
  t.after(() => server.close());
  const host = `hud.test:${server.port}`;
  const all = await loadSources();
  const hud = all.find(({ name }) => name === 'hud_fmr') ?? assert.fail('hud_fmr');
  const others = all.filter((s) => s.fetch && s.name !== hud.name && !s.secrets);
  const sources = [sourceAt(hud, host), ...others];
  const layout = await newLayout();
  const archive = await openArchive(layout.root);
  const models = await modelsOf(['sources'], [JOIN_RATES]);

  const read = async (day: string, resolve: Resolve): Promise<{ result: RunResult; printed: string[] }> => {
    const printed: string[] = [];
    const fetcher = createFetcher({
      archive,
      clock: sandboxClock(day),
      hosts: hostsOf(sources),
      resolve,
      onNoNetwork: (message) => printed.push(message),
    });
    await using cleanup = new AsyncDisposableStack();
    cleanup.defer(() => fetcher.close());
    const result = await run({
      layout,
      clock: sandboxClock(day),
      dataClock: 'live',
      archive,
      fetcher,
      sources,
      due: ({ name }) => name === hud.name || day === '2026-11-21',
      models,
      progress: { line: (line) => printed.push(line) },
    });
    return { result, printed: [...printed, ...collectWarnings(result)] };
  };
  const first = await read('2026-11-20', async () => ({ address: '127.0.0.1', family: 4 }));
  assert.equal(first.result.sources.find((s) => s.row.source === hud.name)?.row.rows_out, 1);

  const { result, printed } = await read('2026-11-21', noNetwork);
  assert.ok(result.manifest, 'it is published');
  const said = printed.filter((line) => line.startsWith('no network: '));
  assert.equal(said.length, 1, printed.join('\n'));
  assert.equal(printed.filter((line) => /no[ _]network/u.test(line)).length, 2, 'the message and one warning');
  assert.ok(result.sources.length > 10);
  for (const { row, latest } of result.sources) {
    assert.deepEqual([row.source, row.status, row.reason], [row.source, 'unavailable', 'no_network']);
    assert.deepEqual([latest?.traffic.requests, latest?.traffic.retries], [0, 0]);
  }
  const kept = result.sources.find((s) => s.row.source === hud.name)?.row;
  assert.deepEqual([kept?.rows_out, kept?.last_good_at?.slice(0, 10)], [1, '2026-11-20']);
});
