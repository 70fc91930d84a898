/** `make probe`: probes the sites of the sandbox for a few rows, and names differences. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { sandboxClock } from '../../../pipelines/clock.ts';
import { probeSources } from '../../../pipelines/commands/probe.ts';
import { SANDBOX_SECRETS } from '../../../sandbox/pages/reso_mls.ts';
import { startSandbox, type Alter } from '../../../sandbox/server.ts';
import { makeWorld } from '../../../sandbox/world/world.ts';
import type { SourceSpec } from '../../../sources/contract.ts';
import { openArchive } from '../../../lib/archive.ts';
import { createFetcher } from '../../../sources/fetch/fetcher.ts';
import { loadSources } from '../../../sources/index.ts';
import { IN_A_BROWSER, newLayout, TINY } from '../runs.ts';

const DAY = '2026-11-20';
const all = await loadSources();
const world = makeWorld(TINY);
const named = (...names: readonly string[]): readonly SourceSpec[] => all.filter(({ name }) => names.includes(name));

async function ask(
  wanted: readonly SourceSpec[],
  alter?: Alter,
): Promise<{ readonly isWell: boolean; readonly lines: readonly string[] }> {
  const [lines, layout, clock] = [[] as string[], await newLayout(), sandboxClock(DAY)];
  const sandbox = await startSandbox({ world, day: DAY, ...(alter ? { alter } : {}) });
  const fetcher = createFetcher({
    archive: await openArchive(layout.root),
    clock,
    sandboxUrl: sandbox.url,
    secrets: SANDBOX_SECRETS,
    limits: { retries: 1, backoffMs: 5 },
  });
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => sandbox.close());
  cleanup.defer(() => fetcher.close());
  const print = (line: string): number => lines.push(line.trim());
  const isWell = await probeSources({ fetcher, clock, layout, wanted, mayFetch: () => true, print });
  return { isWell, lines };
}

const text = (body: Uint8Array): string => Buffer.from(body).toString('latin1');
const bytes = (body: string): Uint8Array => Buffer.from(body, 'latin1');

/** Replace a text in the answers of a host. */
const replaced =
  (host: string, from: string | RegExp, to: string): Alter =>
  (request, response) =>
    request.host.startsWith(host) && !request.path.endsWith('robots.txt')
      ? { ...response, body: bytes(text(response.body).replaceAll(from, to)) }
      : undefined;

test('an unchanged site is reported as expected after few requests', async () => {
  const { isWell, lines } = await ask(all.filter(({ name }) => name !== IN_A_BROWSER));
  assert.ok(isWell, lines.join('\n'));
  assert.equal(lines.length, all.length - 1);
  for (const line of lines.filter((each) => !/ not probed /u.test(each))) {
    const requests = Number(/\((\d+) requests/u.exec(line)?.[1]);
    assert.ok(requests >= 2 && requests <= 20, line);
  }
  const [cuyahoga] = lines.filter((line) => line.startsWith('oh_cuyahoga_tax'));
  assert.match(cuyahoga ?? '', /as expected +3 rows, 3 with an address, 3 with a ZIP \(4 requests, /u);
});

const DIFFERENCES: readonly { what: string; source: string; alter: Alter; line: RegExp }[] = [
  {
    what: 'a renamed field of a layer',
    source: 'oh_cuyahoga_tax',
    alter: replaced('gis.cuyahogacounty', 'parcel_owner', 'owner_of_parcel'),
    line: /DIFFERS +missing_column: the layer has no field parcel_owner; it has .*\[https:/u,
  },
  {
    what: 'parcel numbers of another form',
    source: 'oh_montgomery_tax',
    alter: (request, response) =>
      request.path.toLowerCase().endsWith('.zip') ? { ...response, body: bytes('PK, but not a ZIP file') } : undefined,
    line: /DIFFERS +(malformed_page|truncated_download)/u,
  },
  {
    what: 'a refusal',
    source: 'oh_stark_tax',
    alter: (request, response) =>
      request.path.endsWith('robots.txt') ? undefined : { ...response, status: 403, body: bytes('no') },
    line: /NO ANSWER +refused: /u,
  },
  {
    what: 'a list without cards',
    source: 'heartland_multifamily',
    alter: (request, response) =>
      request.path.endsWith('robots.txt') ? undefined : { ...response, body: bytes('<html>hello</html>') },
    line: /DIFFERS +template_changed: /u,
  },
];

for (const { what, source, alter, line } of DIFFERENCES)
  test(`a difference is reported in one line: ${what}`, async () => {
    const { isWell, lines } = await ask(named(source), alter);
    assert.equal(isWell, false);
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', line);
  });

test("only the start of Montgomery's large archives is requested", async () => {
  // Bytes that do not compress, after the archive's own: its directory is not at the end of the part that is read.
  const noise = randomBytes(400_000);
  const alter: Alter = (request, response) =>
    request.path.toLowerCase().endsWith('.zip')
      ? { ...response, body: Buffer.concat([response.body, noise]) }
      : undefined;
  const { isWell, lines } = await ask(named('oh_montgomery_tax', 'oh_montgomery_parcels'), alter);
  assert.ok(isWell, lines.join('\n'));
  for (const line of lines)
    assert.match(line, /as expected .* \d+ rows, .*\(\d requests, 26\d kB\); go.mcohio.org: robots.txt allows \/$/u);
});
