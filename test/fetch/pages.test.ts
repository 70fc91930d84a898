/** Pages that the fetcher returns, and what it archives of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { Quarantine } from '../../sources/contract.ts';
import { openPage } from '../../sources/fetch/page.ts';
import { recordOf } from '../lib/archive_files.ts';
import { answer, NOW, readerOf, serve, specOf, type Handler } from './site.ts';

test('a page is decoded and states where and when it was fetched; the user agent names the operator', async (t) => {
  const site = await serve(t, { '/list': answer('<p>Grüße</p>', { 'content-type': 'text/html; charset=utf-8' }) });
  const { ctx } = await readerOf(t, specOf({ hosts: [site.host] }));
  const page = await ctx.get(`${site.origin}/list#top`, { kind: 'list', context: { saleDate: '2026-11-23' } });
  assert.equal(page.text(), '<p>Grüße</p>');
  assert.deepEqual(
    [page.kind, page.url, page.observedAt, page.contentType, page.context],
    ['list', `${site.origin}/list`, NOW, 'text/html; charset=utf-8', { saleDate: '2026-11-23' }],
  );
  assert.equal(site.seen.at(-1)?.headers['user-agent'], 'Dealfeed/0.1 (+ops@example.org)');
  assert.deepEqual(
    { ...ctx.stats, sleptMs: 0 },
    {
      requests: 2,
      notModified: 0,
      resumed: 0,
      bytes: 'no such page'.length + 14,
      retries: 0,
      sleptMs: 0,
      stated: null,
      columns: null,
    },
  );
});

test('the archive stores the bytes as received in every content encoding, and gives the same page back', async (t) => {
  const plain = Buffer.from('row,'.repeat(1000));
  const wires = {
    gzip: gzipSync(plain),
    deflate: deflateSync(plain),
    br: brotliCompressSync(plain),
    zstd: zstdCompressSync(plain),
    'gzip, br': brotliCompressSync(gzipSync(plain)),
  };
  const handlers: Record<string, Handler> = {
    '/raw-deflate': answer(deflateRawSync(plain), { 'content-encoding': 'deflate' }),
  };
  for (const [encoding, wire] of Object.entries(wires))
    handlers[`/${encoding.replace(', ', '-')}`] = answer(wire, { 'content-encoding': encoding });
  const site = await serve(t, handlers);
  const { ctx, archive } = await readerOf(t, specOf({ hosts: [site.host] }));
  for (const [path, wire] of [...Object.entries(wires), ['raw-deflate', deflateRawSync(plain)] as const]) {
    const page = await ctx.get(`${site.origin}/${path.replace(', ', '-')}`, { kind: 'rows' });
    assert.deepEqual(Buffer.from(page.bytes), plain, path);
    assert.deepEqual(Buffer.from(await archive.read(page.sha256)), wire, path);
  }
  const records = (await archive.records('test_source', '2026-11-20.01')).filter((r) => r.kind === 'rows');
  assert.equal(records.length, 6);
  for (const record of records)
    assert.deepEqual(Buffer.from((await openPage(archive, record)).bytes), plain, record.url);
});

test('the first bytes of a large body are a page, whether or not the site honors the range', async (t) => {
  const body = Buffer.alloc(5_000_000, 'row,');
  const seen: (string | undefined)[] = [];
  const whole: Handler = (request, response) => {
    seen.push(`${request.headers['range']} ${request.headers['accept-encoding']}`);
    response.writeHead(200, { 'content-length': String(body.length) }).end(body);
  };
  const partial: Handler = (_request, response) => {
    const headers = { 'content-range': `bytes 0-999/${body.length}`, 'content-length': '1000' };
    response.writeHead(206, headers).end(body.subarray(0, 1000));
  };
  const site = await serve(t, { '/whole': whole, '/partial': partial, '/short': answer('row,') });
  const { ctx } = await readerOf(t, specOf({ hosts: [site.host] }));
  const options = { kind: 'start', firstBytes: 1000, maxBytes: 2000 };
  for (const [path, length] of [
    ['whole', 1000],
    ['partial', 1000],
    ['short', 4],
  ] as const) {
    const page = await ctx.get(`${site.origin}/${path}`, options);
    assert.deepEqual(Buffer.from(page.bytes), body.subarray(0, length), path);
  }
  assert.deepEqual(seen, ['bytes=0-999 identity']);
});

test('the next run sends conditional requests and reuses the archived bytes on 304', async (t) => {
  const conditional: Handler = (request, response) => {
    if (request.headers['if-none-match'] === '"v1"' && request.headers['if-modified-since'])
      response.writeHead(304, { etag: '"v1"' }).end();
    else
      response
        .writeHead(200, {
          etag: '"v1"',
          'last-modified': 'Fri, 20 Nov 2026 08:00:00 GMT',
          'content-encoding': 'gzip',
          'content-type': 'text/csv',
        })
        .end(gzipSync('a,b'));
  };
  const site = await serve(t, { '/file': conditional });
  const { ctx, archive, again } = await readerOf(t, specOf({ hosts: [site.host] }));
  const first = await ctx.get(`${site.origin}/file`, { kind: 'file' });
  const second = again();
  for (const run of [second, again()]) {
    const page = await run.get(`${site.origin}/file`, { kind: 'file' });
    assert.deepEqual(
      [page.text(), page.sha256, page.contentType, run.stats.notModified],
      ['a,b', first.sha256, 'text/csv', 1],
    );
  }
  const [record] = (await archive.records('test_source', '2026-11-20.02')).filter((r) => r.kind === 'file');
  assert.deepEqual([record?.status, record?.fromCache, record?.sha256, record?.bytes], [304, true, first.sha256, 0]);

  await again().get(`${site.origin}/file`, { kind: 'file', conditional: false });
  assert.equal(site.seen.at(-1)?.headers['if-none-match'], undefined);
  await again({ mayRevalidate: (runId) => runId > '2026-11-20.03' }).get(`${site.origin}/file`, { kind: 'file' });
  assert.equal(site.seen.at(-1)?.headers['if-none-match'], '"v1"', 'run 04 fetched the page and may be revalidated');
  await again({ mayRevalidate: () => false }).get(`${site.origin}/file`, { kind: 'file' });
  assert.equal(site.seen.at(-1)?.headers['if-none-match'], undefined, 'a quarantined run is not revalidated');
});

test('an interrupted run is resumed from the archive without new requests', async (t) => {
  const site = await serve(t, { '/1': answer('one'), '/2': answer('two') });
  const { ctx, archive, again } = await readerOf(t, specOf({ hosts: [site.host] }));
  await ctx.get(`${site.origin}/1`, { kind: 'page' });
  const resumed = again({ resumes: ['2026-11-20.01'] });
  const texts = [
    (await resumed.get(`${site.origin}/1`, { kind: 'page' })).text(),
    (await resumed.get(`${site.origin}/2`, { kind: 'page' })).text(),
  ];
  assert.deepEqual([texts, site.pages(), resumed.stats.resumed], [['one', 'two'], ['/1', '/2'], 1]);
  assert.deepEqual(
    (await archive.records('test_source', '2026-11-20.02')).filter((r) => r.kind === 'page').map((r) => r.fromCache),
    [true, false],
  );
});

test('a secret in a query or a header is sent to the site, and is in no address, record or redirect', async (t) => {
  const other = await serve(t, { '/': answer('elsewhere') });
  const site = await serve(t, {
    '/api': (request, response) => response.writeHead(302, { location: `/api2${request.url?.slice(4)}` }).end(),
    '/api2': answer('{}', { 'content-type': 'application/json' }),
    '/away': (_, response) => response.writeHead(302, { location: `${other.origin}/?key=s3cret%26x` }).end(),
  });
  const { ctx, archive } = await readerOf(t, specOf({ hosts: [site.host, other.host] }));
  const options = { kind: 'api', secretQuery: { key: 's3cret&x' }, headers: { 'X-App-Token': 's3cret' } };
  const page = await ctx.get(`${site.origin}/api?for=county:*`, options);
  assert.deepEqual(site.pages(), ['/api?for=county:*&key=s3cret%26x', '/api2?for=county%3A*&key=s3cret%26x']);
  assert.equal(site.seen.at(-1)?.headers['x-app-token'], 's3cret');
  assert.equal(page.url, `${site.origin}/api?for=county:*`);
  await ctx.get(`${site.origin}/away`, options);
  assert.deepEqual(other.pages(), ['/'], 'another host does not get it');
  const records = await archive.records('test_source', '2026-11-20.01');
  assert.ok(records.length >= 4 && !JSON.stringify(records).includes('s3cret'));
});

test('text is UTF-8 without its byte order mark; another encoding only if the adapter expects it', async (t) => {
  const { archive } = await readerOf(t, specOf({ hosts: ['www.example.com'] }));
  const ofPage = recordOf({ source: 'test_source' });
  const page = async (bytes: Uint8Array) => openPage(archive, { ...ofPage, sha256: await archive.put(bytes) });
  assert.equal((await page(Buffer.from('\uFEFFHEADER,Ünïcode'))).text('windows-1252'), 'HEADER,Ünïcode');
  const cp1252 = await page(Buffer.from([0x50, 0x45, 0xd1, 0x41, 0x80]));
  assert.equal(cp1252.text('windows-1252'), 'PEÑA€');
  assert.throws(
    () => cp1252.text(),
    (e: unknown) =>
      e instanceof Quarantine && e.reason === 'malformed_page' && e.pageUrl === 'https://www.example.com/list',
  );
});
