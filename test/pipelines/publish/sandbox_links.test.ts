/** Made-up rows link to the sandbox's hosts, which no one can own, on every path: first load, increment and failure. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { loadMarts } from '../../../models/index.ts';
import type { Layout } from '../../../pipelines/layout.ts';
import { published } from '../runs.ts';
import { afterBadDay, afterFirstDay, BAD_RUN, FIRST_RUN, publishedRun } from '../starting_points.ts';

/** Every text of a row that is an address of the web, at any depth of its JSON columns. */
function linksOf(value: unknown): string[] {
  if (typeof value === 'string') {
    if (/^https?:\/\/\S+$/u.test(value)) return [value];
    return /^[[{]/u.test(value) ? linksOf(JSON.parse(value)) : [];
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(linksOf) : [];
}

describe('the links of a sandbox snapshot', () => {
  const runs: Awaited<ReturnType<typeof publishedRun>>[] = [];
  let layout: Layout;
  /** Every source and every table. */
  let whole: Layout;
  before(async () => {
    ({ layout: whole } = await afterFirstDay());
    // On the bad day one site is down, so that its source row names the failed page.
    const start = await afterBadDay();
    layout = start.layout;
    for (const runId of [FIRST_RUN, BAD_RUN]) runs.push(await publishedRun(start, runId));
  });

  test('no row of any table cites a real host', async () => {
    const failed = runs[1]?.manifest.sources.find(({ source }) => source === 'oh_cuyahoga_tax');
    assert.equal(failed?.status, 'unavailable');
    let links = 0;
    for (const [folder, runId] of [
      [whole, FIRST_RUN],
      [layout, BAD_RUN],
    ] as const) {
      for (const { name } of await loadMarts()) {
        for (const row of await published(folder, runId, name)) {
          for (const link of linksOf(row)) {
            links += 1;
            assert.match(new URL(link).hostname, /\.example$/u, `${runId} ${name}: ${link}`);
          }
        }
      }
    }
    assert.ok(links > 1000);
  });
});
