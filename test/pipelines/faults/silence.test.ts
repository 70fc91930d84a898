/** No source answers for eight days: what the operator sees, what each list answers, and that nobody pays for it. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { EXIT, status } from '../../../pipelines/commands/status.ts';
import type { Layout } from '../../../pipelines/layout.ts';
import { alertChanges, type Alert } from '../../../pipelines/operate/alerts.ts';
import { checkHealth } from '../../../pipelines/operate/health.ts';
import { loadSources } from '../../../sources/index.ts';
import type { Alter } from '../../../sandbox/server.ts';
import { bodyOf, buyerWith } from '../../api/support/buyers.ts';
import { withStarted } from '../../api/support/test_app.ts';
import { published, runDay } from '../runs.ts';
import { afterFirstDay } from '../starting_points.ts';

/** Eight days after the first. */
const EIGHTH = '2026-11-28';

describe('after eight days on which no source answers', () => {
  let layout: Layout;
  let runId = '';
  before(async () => {
    const first = await afterFirstDay();
    layout = first.layout;
    const alter: Alter = (_, response) => ({ ...response, status: 503, body: Buffer.from('down') });
    const result = await runDay({ layout, world: first.world, day: EIGHTH, alter });
    assert.deepEqual([result.blocked, result.current], [[], true], 'the run publishes what it has');
    ({ runId } = result);
  });

  test('make status exits with a warning, and an alert names every source that is stale', async () => {
    const lines: string[] = [];
    assert.equal(await status(layout, {}, (all) => lines.push(...all)), EXIT.warning);
    const { troubles } = await checkHealth(layout, await loadSources());
    const file = join(layout.root, 'heard.json');
    await alertChanges(troubles, { layout, command: `cat > ${file}` });
    const alert = JSON.parse(await readFile(file, 'utf8')) as Alert;
    const told = alert.troubles.filter(({ kind }) => kind === 'source_stale').map(({ subject }) => subject);
    assert.equal(alert.event, 'new');
    for (const name of ['oh_stark_tax', 'oh_cuyahoga_tax', 'oh_cuyahoga_sheriff']) {
      assert.ok(told.includes(name), name);
      assert.ok(
        lines.some((line) => line.includes(name)),
        name,
      );
    }
    const rows = await published(layout, runId, 'sources', "WHERE source = 'oh_stark_tax'");
    assert.deepEqual(
      rows.map((row) => [row['status'], row['reason'], row['age_days'], Number(row['rows_out']) > 0]),
      [['unavailable', 'robots', 8, true]],
    );
  });

  test('the seven-day rule empties the leads, which bills nothing, and /health says which sources are old', () =>
    withStarted(layout.root, {}, async ({ url, facilitator }) => {
      const buyer = buyerWith();
      const answers = new Map<string, unknown>();
      for (const list of ['leads', 'signals', 'auctions', 'deals', 'filings']) {
        const settled = facilitator.settled;
        const response = await buyer.fetch(`${url}/api/${list}`);
        const body = await bodyOf(response);
        const isSold = response.status === 200;
        answers.set(list, isSold ? 200 : [response.status, body['reason'], body['billed']]);
        assert.equal(facilitator.settled - settled, isSold ? 1 : 0, list);
        assert.equal(isSold, isSold && Number(body['count']) > 0, `${list} is billed only for records`);
      }
      assert.deepEqual(answers.get('leads'), [404, 'no_matches', false]);
      assert.equal(answers.get('signals'), 200, 'what was read stays for sale, with its day');
      const response = await fetch(`${url}/health`);
      const health = await bodyOf(response);
      const stale = (health['stale_sources'] as { source: string; reason: string }[]).map(({ source }) => source);
      assert.deepEqual([response.status, health['status'], health['snapshot_id']], [200, 'degraded', runId]);
      assert.ok(
        ['oh_stark_tax', 'oh_cuyahoga_sheriff'].every((name) => stale.includes(name)),
        stale.join(' '),
      );
    }));
});
