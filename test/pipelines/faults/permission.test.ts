/** A site whose terms ask for a permission is not read until the operator states it, and is refused by name. */
import assert from 'node:assert/strict';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { SettingError } from '../../../lib/settings.ts';
import { judgeSource } from '../../../pipelines/ingest/source_state.ts';
import { missingPermissions, permissionsOf } from '../../../pipelines/permission.ts';
import type { RunResult } from '../../../pipelines/run/run.ts';
import { collectWarnings, formatWaiting } from '../../../pipelines/run/summary.ts';
import { startSandbox } from '../../../sandbox/server.ts';
import { loadSources } from '../../../sources/index.ts';
import { DAY, runHere } from '../../jobs/here.ts';
import { newLayout, smallWorld } from '../runs.ts';

const all = await loadSources();
const summit = all.find(({ name }) => name === 'oh_summit_tax');
assert.ok(summit);
const rowOf = (result: RunResult) => result.sources.find(({ spec }) => spec.name === summit.name)?.row;

const live = (PERMITTED: string, keys = {}) => permissionsOf(all, { LIVE: true, PERMITTED }, keys);

test('a source whose terms are unread, or ask for permission, is off with LIVE=1 until PERMITTED names it', () => {
  const named = all.find(({ name }) => name === 'oh_stark_tax');
  assert.ok(named);
  for (const spec of [summit, named]) {
    assert.equal(permissionsOf(all, { LIVE: false }).mayFetch(spec), true);
    assert.equal(live('').mayFetch(spec), false);
    assert.equal(live(`oh_summit_tax, ${spec.name}`).mayFetch(spec), true);
    assert.equal(live('').resaleOf(spec), 'unknown');
    assert.equal(live(spec.name).resaleOf(spec), 'confirmed');
  }
  const [asks, unread] = missingPermissions([summit, named], live('').mayFetch);
  assert.match(asks ?? '', /oh_summit_tax: its terms ask for its owner's permission, and PERMITTED /u);
  assert.match(unread ?? '', /oh_stark_tax: its terms are unread, and PERMITTED /u);
  const read = all.filter(({ terms }) => terms.quote !== undefined);
  assert.deepEqual(
    read.map(({ name }) => name),
    ['census_acs', 'census_hvs', 'corrections', 'hud_fmr', 'hud_safmr', 'suppressions'],
  );
  for (const spec of read)
    assert.deepEqual([live('', { CENSUS_API_KEY: 'a' }).mayFetch(spec), live('').resaleOf(spec)], [true, 'allowed']);
});

test('a source that requires a key is read from the web once the key is set', () => {
  const census = all.find(({ name }) => name === 'census_acs');
  assert.ok(census);
  assert.equal(permissionsOf(all, { LIVE: false }, {}).mayFetch(census), true);
  assert.equal(live('', { CENSUS_API_KEY: 'a' }).mayFetch(census), true);
  const { mayFetch } = live('');
  assert.equal(mayFetch(census), false);
  assert.match(missingPermissions([census], mayFetch)[0] ?? '', /census_acs: .*CENSUS_API_KEY.*key_signup\.html/u);
  const { row } = judgeSource(census, {
    read: null,
    reads: [],
    isFetched: false,
    resale: 'allowed',
    asOf: '2026-11-20',
    inSandbox: false,
  });
  assert.deepEqual([row.status, row.reason], ['never_read', 'no_permission']);
  assert.match(row.detail ?? '', /CENSUS_API_KEY .*drop folder census_acs/u);
});

test('an unknown source name is a wrong setting', () => {
  for (const name of ['oh_atlantis_tax', 'census_acs']) {
    assert.throws(
      () => live(`oh_summit_tax,${name}`),
      (error: unknown) => error instanceof SettingError && error.message.includes(`${name} is none of `),
    );
  }
});

test('a source that is off sends no request and prints no warning, but reads a dropped page', async () => {
  const [layout, requests] = [await newLayout(), [] as string[]];
  const sandbox = await startSandbox({
    world: smallWorld(),
    day: DAY,
    alter: ({ path }) => {
      requests.push(path);
      return undefined;
    },
  });
  // The recorded page has as many bad entries as good ones.
  const lenient = { ...summit, expect: { ...summit.expect, maxRejectShare: 1, minRows: 1 } };
  const once = (): Promise<RunResult> =>
    runHere(layout, {
      sandboxUrl: sandbox.url,
      sources: all.map((spec) => (spec === summit ? lenient : spec)),
      due: ({ name }) => name === summit.name,
      mayFetch: ({ name }) => name !== summit.name,
    });
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => sandbox.close());
  const refused = await once();
  assert.deepEqual(requests, []);
  assert.deepEqual([rowOf(refused)?.status, rowOf(refused)?.reason], ['never_read', 'no_permission']);
  assert.match(rowOf(refused)?.detail ?? '', /PERMITTED/u);
  assert.ok(!collectWarnings(refused).some((line) => line.startsWith(summit.name)));
  assert.match(formatWaiting(refused.sources).join('\n'), /permission.*: oh_summit_tax$/mu);

  await mkdir(join(layout.drop, 'oh_summit_tax'), { recursive: true });
  await copyFile(
    new URL('../../../sources/tax/recorded/oh_summit_tax/section.html', import.meta.url),
    join(layout.drop, 'oh_summit_tax', 'akron.html'),
  );
  const dropped = await once();
  assert.deepEqual(requests, []);
  assert.deepEqual([rowOf(dropped)?.status, rowOf(dropped)?.rows_out], ['good', 4]);
});
