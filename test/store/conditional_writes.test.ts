/** A store needs conditional writes: without them, two hosts could publish over each other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore } from '../../lib/store/open.ts';
import { createRunStore } from '../../pipelines/store/run_store.ts';
import { makeWorld } from '../../sandbox/world/world.ts';
import { newLayout, runDay } from '../pipelines/runs.ts';
import { startS3, withS3 } from './s3_server.ts';

test('a service that ignores conditional writes is refused before anything is read', async (t) => {
  const careless = await startS3({ conditional: false });
  t.after(careless.close);
  t.after(withS3(careless));
  const layout = await newLayout();
  const store = createRunStore({ store: await openStore(careless.address, 0), layout, print: () => {} });
  t.after(store.close);
  const world = makeWorld({ seed: 7, listings: 1, parcels: 1, auctions: 0, filings: 0 });
  const read: string[] = [];
  const run = runDay({
    layout,
    world,
    day: '2026-11-20',
    tables: [],
    store,
    alter: ({ path }) => {
      read.push(path);
      return undefined;
    },
  });
  await assert.rejects(run, {
    name: 'SettingError',
    message: /^STORE is s3:\/\/deals\/feed, which ignores conditional writes \(If-None-Match\)/u,
  });
  assert.deepEqual(read, []);
});
