/** Failures: those that the fetcher retries, and bodies that it quarantines. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Quarantine, SourceUnavailable } from '../../sources/contract.ts';
import { answer, type Handler, inTurn, quarantined, readerOf, serve, specOf, unavailable } from './site.ts';

test('a missing page (404, 410) is null from getIfExists and an error from get', async (t) => {
  const site = await serve(t, { '/gone': answer('gone', {}, 410) });
  const { ctx } = await readerOf(t, specOf({ hosts: [site.host] }));
  assert.equal(await ctx.getIfExists(`${site.origin}/gone`, { kind: 'x' }), null);
  assert.equal(await ctx.getIfExists(`${site.origin}/missing`, { kind: 'x' }), null);
  await assert.rejects(ctx.get(`${site.origin}/missing`, { kind: 'x' }), unavailable('not_found'));
});

test('a truncated, empty or wrong body is quarantined, and a later 304 does not confirm it', async (t) => {
  const cut: Handler = (_, response) => {
    response.writeHead(200, { 'content-length': '1000', etag: '"cut"' }).write('only this');
    setTimeout(() => response.destroy(), 10);
  };
  const half = gzipSync('row\n'.repeat(5000));
  const site = await serve(t, {
    '/cut': cut,
    '/recovers': inTurn(cut, answer('complete')),
    '/cutGzip': answer(half.subarray(0, half.length - 10), { 'content-encoding': 'gzip', etag: '"g"' }),
    '/notGzip': answer('plain', { 'content-encoding': 'gzip' }),
    '/empty': answer('', { etag: '"e"' }),
    '/html': answer('<html>moved</html>'),
    '/small': answer('PK small'),
  });
  const { ctx, again } = await readerOf(t, specOf({ hosts: [site.host] }));
  const rejects = (path: string, check: ReturnType<typeof quarantined>, options = {}): Promise<void> =>
    assert.rejects(ctx.get(`${site.origin}${path}`, { kind: 'x', ...options }), check);
  await rejects('/cut', quarantined('truncated_download', /before 1000 bytes were received/));
  await rejects('/cutGzip', quarantined('truncated_download', /gzip body is truncated/));
  await rejects('/notGzip', quarantined('malformed_page', /not gzip/));
  await rejects('/empty', quarantined('empty_body'));
  await rejects('/html', quarantined('malformed_page', /starts with "<html>moved<\/htm/), { magic: 'PK' });
  await rejects('/small', quarantined('truncated_download', /8 bytes, expected at least 100/), {
    magic: 'PK',
    minBytes: 100,
  });
  assert.equal((await ctx.get(`${site.origin}/recovers`, { kind: 'x' })).text(), 'complete');
  assert.equal((await ctx.get(`${site.origin}/empty`, { kind: 'x', minBytes: 0 })).text(), '');
  const before = site.seen.length;
  for (const path of ['/cut', '/cutGzip'])
    await assert.rejects(again().get(`${site.origin}${path}`, { kind: 'x' }), Quarantine);
  assert.ok(site.seen.slice(before).every((s) => s.headers['if-none-match'] === undefined));
});

test('a full disk or a defect of the program ends the read; a broken page or a refusal costs one row', async (t) => {
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
