/** The archived pages of a read: each with the request that its parser got, however often the same bytes came. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { archivedPages } from '../../../pipelines/ingest/reads.ts';
import { ArchiveDamage, openArchive } from '../../../lib/archive.ts';

test('each page has the context and the instant at which it was read', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'dealfeed-archived-'));
  t.after(() => rm(root, { recursive: true }));
  const archive = await openArchive(root);
  const bytes = Buffer.from('no sale on this day');
  const sha256 = await archive.put(bytes);
  const [source, run_id, url, kind] = ['oh_sheriff', '2026-11-20.01', 'https://a.example/search', 'sales'];
  const made = [
    ['foreclosure', '2026-11-20T12:00:00.000Z'],
    ['tax', '2026-11-20T12:00:05.000Z'],
    // Asked again later by a part of the read that gave no rows.
    ['foreclosure', '2026-11-20T12:00:09.000Z'],
  ] as const;
  for (const [saleType, observedAt] of made)
    await archive.append({
      source,
      runId: run_id,
      method: 'POST',
      url,
      status: 200,
      kind,
      context: { saleType },
      requestHeaders: {},
      responseHeaders: { 'content-type': 'text/plain' },
      sha256,
      bytes: bytes.length,
      observedAt,
      fromCache: false,
      error: null,
    });
  const pageOf = ([saleType, observed_at]: readonly [string, string]) => ({
    url,
    kind,
    sha256,
    observed_at,
    context: { saleType },
  });
  const pages = made.slice(0, 2).map(pageOf);
  const read = await archivedPages(archive, { source, run_id, pages });
  assert.deepEqual(
    read.map((page) => [page.context['saleType'], page.observedAt]),
    made.slice(0, 2),
  );
  assert.ok(read.every((page) => Buffer.from(page.bytes).equals(bytes)));
  const unknown = { source, run_id, pages: [pageOf(['probate', '2026-11-20T12:00:00.000Z'])] };
  await assert.rejects(archivedPages(archive, unknown), ArchiveDamage);
});
