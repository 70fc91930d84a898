/** A row counts as unreadable only if its site or page is at fault. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Quarantine, SourceUnavailable } from '../../sources/contract.ts';
import { readerOf, specOf } from './site.ts';

test('a full disk or a defect of the program ends the read; a broken page or a refusal concerns one row', async (t) => {
  const unreadable: unknown[] = [];
  const { again } = await readerOf(t, specOf({ hosts: ['broker.example'] }));
  const ctx = again({
    onUnreadable: (key) => {
      unreadable.push(key);
    },
  });
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  assert.throws(() => {
    ctx.unreadable({ listing_id: '1' }, full);
  }, full);
  assert.throws(() => {
    ctx.unreadable({ listing_id: '2' }, new TypeError('x is not a function'));
  }, TypeError);
  ctx.unreadable({ listing_id: '3' }, new Quarantine('template_changed', 'the page has no price'));
  ctx.unreadable(
    { listing_id: '4' },
    new SourceUnavailable('server_error', 'the site answered 500', 'https://broker.example/4', 500),
  );
  assert.deepEqual(unreadable, [{ listing_id: '3' }, { listing_id: '4' }]);
});
