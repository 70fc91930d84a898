/**
 * Listings, rents and parcels of the sandbox's sites, through the real fetcher, against what the world knows. The
 * pages are written by one hand and read by another, both from the sources' documentation.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import type { Unreadable } from '../../pipelines/ingest/stage/check_rows.ts';
import { SANDBOX_SECRETS } from '../../sandbox/pages/reso_mls.ts';
import { startSandbox, type Alter, type Sandbox } from '../../sandbox/server.ts';
import { SANDBOX_SOURCES } from '../../sandbox/settings.ts';
import { makeWorld } from '../../sandbox/world/world.ts';
import { type Page, Quarantine } from '../../sources/contract.ts';
import { openArchive } from '../../lib/archive.ts';
import { createFetcher } from '../../sources/fetch/fetcher.ts';
import { findSources } from '../../sources/index.ts';
import { parsed } from './parsed.ts';

const DAY = '2026-11-20';
const OBSERVED = `${DAY}T12:00:00Z`;
const world = makeWorld({ listings: 200, parcels: 1200, auctions: 20, filings: 50 });
const specs = new Map((await findSources(SANDBOX_SOURCES)).map(({ spec }) => [spec.name, spec]));
let folder = '';
let faults: Alter | undefined;
let sandbox: Sandbox;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sources-'));
  sandbox = await startSandbox({ world, day: DAY, alter: (request, response) => faults?.(request, response) });
});
after(async () => {
  await sandbox.close();
  await rm(folder, { recursive: true });
});

type Row = Readonly<Record<string, unknown>>;

const runOf = (name: string): string => `run-${name}`;

async function read(
  name: string,
  lastGoodOn: string | null = null,
): Promise<{ rows: readonly Row[]; reasons: readonly string[]; rowsIn: number; merged: number }> {
  const spec = specs.get(name);
  assert.ok(spec?.fetch, name);
  const archive = await openArchive(folder);
  const fetcher = createFetcher({
    archive,
    clock: { nowMs: () => Date.parse(OBSERVED), observedAt: () => OBSERVED },
    sandboxUrl: sandbox.url,
    secrets: SANDBOX_SECRETS,
  });
  const unreadable: Unreadable[] = [];
  const pages: Page[] = [];
  try {
    const ctx = fetcher.contextFor(spec, {
      asOf: DAY,
      runId: runOf(name),
      lastGoodOn,
      mayRevalidate: () => false,
      onUnreadable: (key, error) =>
        unreadable.push({ key, url: spec.home, reason: 'unreadable', detail: String(error) }),
    });
    for await (const page of spec.fetch(ctx)) pages.push(page);
  } finally {
    await fetcher.close();
    await archive.close();
  }
  const { rows, rejects, rowsIn, merged } = await parsed(spec, pages, unreadable);
  return { rows, reasons: rejects.map(({ reason }) => reason), rowsIn, merged };
}

for (const name of ['oh_columbus_code', 'mi_detroit_blight']) {
  test(`${name}: records closed since a month before the last good read are read as closed`, async () => {
    const { rows } = await read(name, '2026-08-01');
    const spec = specs.get(name);
    const closed = sandbox.day.distress.filter(
      ({ countyFips, kind, isOpen, lastActivityOn }) =>
        countyFips === spec?.county?.fips &&
        kind === spec.covers?.kinds[0] &&
        !isOpen &&
        lastActivityOn >= '2026-07-25',
    );
    const found = rows.filter((row) => row['record_state'] === 'closed');
    assert.ok(closed.length > 0);
    assert.deepEqual(found.map((row) => row['record_number']).sort(), closed.map(({ number }) => number).sort());
    assert.ok(found.every((row) => row['amount'] === null));
  });
}

test("each page that Stark's form brings is archived", async () => {
  await read('oh_stark_sheriff_page');
  const archive = await openArchive(folder);
  const records = await archive.records('oh_stark_sheriff_page', runOf('oh_stark_sheriff_page'));
  const [first, ...others] = records.filter(({ kind }) => kind !== 'robots');
  assert.equal(first?.method, 'GET');
  assert.ok(others.length > 0 && others.every(({ method, sha256 }) => method === 'POST' && sha256 !== null));
});

test('a county site that drops its cookies is quarantined, as its list would look empty', async (t) => {
  t.after(() => {
    faults = undefined;
  });
  faults = (_request, { headers, ...response }) => ({
    ...response,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'set-cookie')),
  });
  await assert.rejects(
    read('oh_cuyahoga_sheriff'),
    (error) => error instanceof Quarantine && error.reason === 'count_mismatch',
  );
});
