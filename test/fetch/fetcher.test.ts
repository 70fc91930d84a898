import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { Quarantine, SourceUnavailable } from '../../sources/contract.ts';
import { answer, inTurn, NOW, readerOf, serve, specOf, type Handler } from './site.ts';

const unavailable =
  (reason: SourceUnavailable['reason'], says = /./) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof SourceUnavailable, String(error));
    assert.equal(error.reason, reason, error.message);
    assert.match(error.message, says);
    return true;
  };
const quarantined =
  (reason: Quarantine['reason'], says = /./) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof Quarantine, String(error));
    assert.equal(error.reason, reason, error.message);
    assert.match(error.message, says);
    return true;
  };

test('a page arrives decoded, says where and when it is from, and is asked for by an honest name', async (t) => {
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
    { requests: 2, notModified: 0, resumed: 0, bytes: 'no such page'.length + 14, retries: 0, sleptMs: 0 },
  );
});

test('the archive keeps what came over the wire in every content encoding, and gives the same page back', async (t) => {
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
  for (const record of records) assert.deepEqual(Buffer.from((await archive.page(record)).bytes), plain, record.url);
});

test('the next run asks whether a page has changed, and reuses the archived bytes on 304', async (t) => {
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
  await again({ trusts: (runId) => runId > '2026-11-20.03' }).get(`${site.origin}/file`, { kind: 'file' });
  assert.equal(site.seen.at(-1)?.headers['if-none-match'], '"v1"', 'run 04 fetched it whole and is trusted');
  await again({ trusts: () => false }).get(`${site.origin}/file`, { kind: 'file' });
  assert.equal(site.seen.at(-1)?.headers['if-none-match'], undefined, 'a run that was quarantined confirms nothing');
});

test('an interrupted run is resumed from the archive without asking again', async (t) => {
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

test('robots.txt: a disallowed path is not asked for, others are; the file is archived and read once', async (t) => {
  const site = await serve(t, {
    '/robots.txt': answer('User-agent: *\nDisallow: /\n\nUser-agent: dealfeed\nDisallow: /admin\nCrawl-delay: 0.2\n', {
      'content-type': 'text/plain',
    }),
    '/list': answer('rows'),
    '/admin': answer('secret'),
  });
  const { ctx, archive } = await readerOf(t, specOf({ hosts: [site.host] }));
  await assert.rejects(
    ctx.get(`${site.origin}/admin?x=1`, { kind: 'list' }),
    unavailable('robots', /robots\.txt disallows/),
  );
  const started = performance.now();
  for (let i = 0; i < 4; i += 1) await ctx.get(`${site.origin}/list?page=${i}`, { kind: 'list' });
  assert.ok(performance.now() - started >= 600, 'Crawl-delay keeps four requests three delays apart');
  assert.ok(ctx.stats.sleptMs >= 100);
  assert.deepEqual(site.pages().length, 4);
  assert.deepEqual(
    (await archive.records('test_source', '2026-11-20.01')).filter((r) => r.kind === 'robots').length,
    1,
  );
});

test('robots.txt: no file means no rules; one that does not answer means no', async (t) => {
  for (const [status, allowed] of [
    [404, true],
    [403, true],
    [500, false],
    [429, false],
  ] as const) {
    const site = await serve(t, { '/robots.txt': answer('?', {}, status), '/list': answer('rows') });
    const { ctx } = await readerOf(t, specOf({ hosts: [site.host] }));
    if (allowed) assert.equal((await ctx.get(`${site.origin}/list`, { kind: 'list' })).text(), 'rows', String(status));
    else
      await assert.rejects(
        ctx.get(`${site.origin}/list`, { kind: 'list' }),
        unavailable('robots', /could not be read/),
      );
    assert.equal(site.pages().length, allowed ? 1 : 0);
  }
});

test('Retry-After is waited for; one longer than the limit ends the read', async (t) => {
  const site = await serve(t, {
    '/soon': inTurn(answer('later', { 'retry-after': '1' }, 429), answer('now')),
    '/never': answer('later', { 'retry-after': '3600' }, 429),
    '/dated': answer(
      'later',
      { date: 'Fri, 20 Nov 2026 12:00:00 GMT', 'retry-after': 'Fri, 20 Nov 2026 13:00:00 GMT' },
      503,
    ),
  });
  const { ctx } = await readerOf(t, specOf({ hosts: [site.host] }));
  const started = performance.now();
  assert.equal((await ctx.get(`${site.origin}/soon`, { kind: 'list' })).text(), 'now');
  assert.ok(performance.now() - started >= 990);
  await assert.rejects(
    ctx.get(`${site.origin}/dated`, { kind: 'list' }),
    unavailable('server_error', /left alone for 3600 seconds/),
  );
  await assert.rejects(
    ctx.get(`${site.origin}/never`, { kind: 'list' }),
    unavailable('rate_limited', /left alone for 3600 seconds/),
  );
  assert.deepEqual(site.pages(), ['/soon', '/soon', '/dated', '/never']);
  assert.equal(ctx.stats.retries, 1);
});

test('what may pass is tried again: a server error, an empty 202 and a reset connection', async (t) => {
  const reset: Handler = (request) => {
    request.socket.resetAndDestroy();
  };
  const site = await serve(t, {
    '/503': inTurn(answer('x', {}, 503), answer('ok')),
    '/202': inTurn(answer('', {}, 202), answer('ok')),
    '/reset': inTurn(reset, answer('ok')),
    '/always503': answer('x', {}, 503),
    '/always202': answer('', {}, 202),
    '/alwaysReset': reset,
    '/silent': () => {},
  });
  const { ctx } = await readerOf(t, specOf({ hosts: [site.host] }));
  for (const path of ['/503', '/202', '/reset'])
    assert.equal((await ctx.get(`${site.origin}${path}`, { kind: 'x' })).text(), 'ok');
  assert.equal(ctx.stats.retries, 3);
  await assert.rejects(ctx.get(`${site.origin}/always503`, { kind: 'x' }), unavailable('server_error', /503/));
  await assert.rejects(
    ctx.get(`${site.origin}/always202`, { kind: 'x' }),
    unavailable('server_error', /202 with an empty body/),
  );
  await assert.rejects(ctx.get(`${site.origin}/alwaysReset`, { kind: 'x' }), unavailable('unreachable', /ECONNRESET/));
  await assert.rejects(
    ctx.get(`${site.origin}/silent`, { kind: 'x' }),
    unavailable('unreachable', /UND_ERR_HEADERS_TIMEOUT/),
  );
  assert.equal(site.pages().filter((p) => p === '/always503').length, 3, 'the first try and two more');
});

test('a refusal is taken at its word: asked once, named, its answer archived', async (t) => {
  const wall = '<html><head><title>Just a moment...</title></head></html>';
  const site = await serve(t, {
    '/401': answer('no', {}, 401),
    '/403': answer('Forbidden', {}, 403),
    '/400': answer('{"message":"bad query"}', {}, 400),
    '/wall200': answer(wall),
    '/wall503': answer(wall, { 'retry-after': '1' }, 503),
    '/captcha403': answer('<p>Solve this CAPTCHA</p>', {}, 403),
    '/waf': answer('', { 'x-amzn-waf-action': 'challenge' }, 202),
    '/mitigated': answer('x', { 'cf-mitigated': 'challenge' }, 403),
    '/contact': answer('<title>Homes</title><form class="g-recaptcha"></form>'),
  });
  const { ctx, archive, again } = await readerOf(t, specOf({ hosts: [site.host] }));
  for (const path of ['/400', '/401', '/403'])
    await assert.rejects(
      again().get(`${site.origin}${path}`, { kind: 'x' }),
      unavailable('refused', new RegExp(path.slice(1))),
    );
  for (const path of ['/wall200', '/wall503', '/captcha403', '/waf', '/mitigated'])
    await assert.rejects(again().get(`${site.origin}${path}`, { kind: 'x' }), unavailable('challenge'));
  assert.equal(site.pages().length, 8);
  assert.match(
    (await ctx.get(`${site.origin}/contact`, { kind: 'x' })).text(),
    /recaptcha/,
    'a form with a captcha on a good page is no wall',
  );
  const refused = (await archive.records('test_source', '2026-11-20.04')).find((r) => r.url.endsWith('/403'));
  assert.deepEqual(
    [refused?.error, Buffer.from(await archive.read(refused?.sha256 ?? '')).toString()],
    ['refused', 'Forbidden'],
  );
});

test('a host that refuses us is left alone for the rest of the read; one that dislikes a single request is not', async (t) => {
  const site = await serve(t, {
    '/query': answer('bad query', {}, 400),
    '/1': answer('ok'),
    '/2': answer('no', {}, 403),
    '/3': answer('ok'),
  });
  const { ctx, again } = await readerOf(t, specOf({ hosts: [site.host] }));
  await assert.rejects(ctx.get(`${site.origin}/query`, { kind: 'x' }), unavailable('refused'));
  assert.equal((await ctx.get(`${site.origin}/1`, { kind: 'x' })).text(), 'ok');
  await assert.rejects(ctx.get(`${site.origin}/2`, { kind: 'x' }), unavailable('refused', /answered 403$/));
  await assert.rejects(ctx.get(`${site.origin}/3`, { kind: 'x' }), unavailable('refused', /left alone/));
  assert.deepEqual(site.pages(), ['/query', '/1', '/2']);
  assert.equal((await again().get(`${site.origin}/3`, { kind: 'x' })).text(), 'ok', 'the next run asks again');
});

test('a page that may be missing is null on 404 and 410, and an error where it must be there', async (t) => {
  const site = await serve(t, { '/gone': answer('gone', {}, 410) });
  const { ctx } = await readerOf(t, specOf({ hosts: [site.host] }));
  assert.equal(await ctx.getIfExists(`${site.origin}/gone`, { kind: 'x' }), null);
  assert.equal(await ctx.getIfExists(`${site.origin}/missing`, { kind: 'x' }), null);
  await assert.rejects(ctx.get(`${site.origin}/missing`, { kind: 'x' }), unavailable('not_found'));
});

test('a body that is cut, empty, of the wrong kind or too small is quarantined, and a later 304 cannot bring it back', async (t) => {
  const cut: Handler = (_, response) => {
    response.writeHead(200, { 'content-length': '1000', etag: '"cut"' }).write('only this');
    setTimeout(() => response.destroy(), 10);
  };
  const stalls: Handler = (_, response) => {
    response.writeHead(200).write('and then nothing');
  };
  const half = gzipSync('row\n'.repeat(5000));
  const site = await serve(t, {
    '/cut': cut,
    '/mended': inTurn(cut, answer('whole')),
    '/stalls': stalls,
    '/cutGzip': answer(half.subarray(0, half.length - 10), { 'content-encoding': 'gzip', etag: '"g"' }),
    '/notGzip': answer('plain', { 'content-encoding': 'gzip' }),
    '/empty': answer('', { etag: '"e"' }),
    '/html': answer('<html>moved</html>'),
    '/small': answer('PK small'),
  });
  const { ctx, again } = await readerOf(t, specOf({ hosts: [site.host] }));
  const refuses = (path: string, check: ReturnType<typeof quarantined>, options = {}): Promise<void> =>
    assert.rejects(ctx.get(`${site.origin}${path}`, { kind: 'x', ...options }), check);
  await refuses('/cut', quarantined('truncated_download', /before 1000 bytes had come/));
  await refuses('/stalls', quarantined('truncated_download', /UND_ERR_BODY_TIMEOUT/));
  await refuses('/cutGzip', quarantined('truncated_download', /gzip body stops/));
  await refuses('/notGzip', quarantined('malformed_page', /not gzip/));
  await refuses('/empty', quarantined('empty_body'));
  await refuses('/html', quarantined('malformed_page', /starts with "<html>moved<\/htm/), { magic: 'PK' });
  await refuses('/small', quarantined('truncated_download', /8 bytes, expected at least 100/), {
    magic: 'PK',
    minBytes: 100,
  });
  assert.equal((await ctx.get(`${site.origin}/mended`, { kind: 'x' })).text(), 'whole');
  assert.equal((await ctx.get(`${site.origin}/empty`, { kind: 'x', minBytes: 0 })).text(), '');
  const before = site.seen.length;
  for (const path of ['/cut', '/cutGzip'])
    await assert.rejects(again().get(`${site.origin}${path}`, { kind: 'x' }), Quarantine);
  assert.ok(site.seen.slice(before).every((s) => s.headers['if-none-match'] === undefined));
});

test('a body beyond its limit is given up at once, declared, endless or packed', async (t) => {
  let sent = 0;
  const endless: Handler = (_, response) => {
    const more = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(16_384))) sent += 16_384;
      if (!response.destroyed) response.once('drain', more);
    };
    response.writeHead(200);
    more();
  };
  const site = await serve(t, {
    '/declared': answer(Buffer.alloc(70_000)),
    '/endless': endless,
    '/bomb': answer(gzipSync(Buffer.alloc(3_000_000)), { 'content-encoding': 'gzip' }),
  });
  const { ctx } = await readerOf(t, specOf({ hosts: [site.host] }), {
    limits: { maxBytes: 60_000, maxDecodedBytes: 1_000_000 },
  });
  for (const path of ['/declared', '/endless', '/bomb']) {
    await assert.rejects(ctx.get(`${site.origin}${path}`, { kind: 'x' }), quarantined('body_too_large'), path);
  }
  assert.equal(site.pages().length, 3, 'none is tried again');
  assert.ok(sent < 20_000_000, 'the endless body was cut off');
  assert.equal((await ctx.get(`${site.origin}/declared`, { kind: 'x', maxBytes: 80_000 })).bytes.length, 70_000);
});

test('redirects are followed inside the allow-list, at most five, and never out of it', async (t) => {
  const to = (location: string): Handler => answer('', { location }, 302);
  const site = await serve(t, {
    '/old': to('/newer'),
    '/newer': to('new?x=1'),
    '/new': answer('here'),
    '/loop': to('/loop'),
    '/out': to('https://www.elsewhere.com/list'),
    '/nowhere': answer('', {}, 301),
    '/robots.txt': answer('User-agent: *\nDisallow: /closed'),
    '/sneaky': to('/closed'),
  });
  const { ctx, archive } = await readerOf(t, specOf({ hosts: [site.host] }));
  const page = await ctx.get(`${site.origin}/old`, { kind: 'list' });
  assert.deepEqual([page.text(), page.url], ['here', `${site.origin}/old`]);
  const records = (await archive.records('test_source', '2026-11-20.01')).filter((r) => r.kind !== 'robots');
  assert.deepEqual(
    records.map((r) => [r.kind, r.status, r.url.slice(site.origin.length), r.finalUrl?.slice(site.origin.length)]),
    [
      ['redirect', 302, '/old', undefined],
      ['redirect', 302, '/newer', undefined],
      ['list', 200, '/old', '/new?x=1'],
    ],
  );
  await assert.rejects(
    ctx.get(`${site.origin}/out`, { kind: 'x' }),
    unavailable('host_not_allowed', /www\.elsewhere\.com is not among/),
  );
  await assert.rejects(ctx.get(`${site.origin}/sneaky`, { kind: 'x' }), unavailable('robots'));
  await assert.rejects(ctx.get(`${site.origin}/loop`, { kind: 'x' }), unavailable('server_error', /more than 5 times/));
  await assert.rejects(ctx.get(`${site.origin}/nowhere`, { kind: 'x' }), unavailable('server_error', /no address/));
  await assert.rejects(ctx.get('https://www.elsewhere.com/', { kind: 'x' }), unavailable('host_not_allowed'));
});

test('cookies belong to one session and to no other', async (t) => {
  const site = await serve(t, {
    '/start': (request, response) => {
      response
        .writeHead(200, {
          'set-cookie': [
            `cfid=${new URL(request.url ?? '', 'http://x').searchParams.get('n')}; Path=/`,
            'AWSALB=z; Path=/',
          ],
        })
        .end('ok');
    },
    '/items': (request, response) => {
      response.end(`[${request.headers.cookie ?? ''}]`);
    },
  });
  const { ctx } = await readerOf(t, specOf({ hosts: [site.host] }));
  const [one, two] = [ctx.session(), ctx.session()];
  await ctx.get(`${site.origin}/start?n=1`, { kind: 'start', session: one });
  await ctx.get(`${site.origin}/start?n=2`, { kind: 'start', session: two });
  await ctx.get(`${site.origin}/start?n=3`, { kind: 'start' });
  const items = async (session?: typeof one): Promise<string> =>
    (await ctx.get(`${site.origin}/items`, { kind: 'items', ...(session ? { session } : {}) })).text();
  assert.deepEqual(
    [await items(one), await items(two), await items()],
    ['[cfid=1; AWSALB=z]', '[cfid=2; AWSALB=z]', '[]'],
  );
});

test('secrets in headers reach the site and not the archive', async (t) => {
  const site = await serve(t, { '/api': answer('{}') });
  const { ctx, archive } = await readerOf(t, specOf({ hosts: [site.host] }));
  await ctx.get(`${site.origin}/api`, {
    kind: 'api',
    accept: 'application/json',
    headers: { Authorization: 'Bearer s3cret', 'X-App-Token': 's3cret' },
  });
  assert.equal(site.seen.at(-1)?.headers.authorization, 'Bearer s3cret');
  const [record] = (await archive.records('test_source', '2026-11-20.01')).filter((r) => r.kind === 'api');
  assert.deepEqual(record?.requestHeaders, {
    accept: 'application/json',
    authorization: '(left out)',
    'x-app-token': '(left out)',
  });
});

test('requests to one host keep their distance and their number', async (t) => {
  let [open, most] = [0, 0];
  const slow: Handler = (_, response) => {
    open += 1;
    most = Math.max(most, open);
    setTimeout(() => {
      open -= 1;
      response.end('ok');
    }, 40);
  };
  const site = await serve(t, { '/': slow });
  const { ctx } = await readerOf(t, specOf({ hosts: [site.host], concurrency: 2, minIntervalMs: 10 }));
  const started = performance.now();
  await Promise.all(Array.from({ length: 6 }, (_, i) => ctx.get(`${site.origin}/?${i}`, { kind: 'x' })));
  assert.equal(most, 2);
  assert.ok(performance.now() - started >= 110, 'six requests of 40 ms, two at a time');
});

test('in the sandbox world hosts are renamed, reached at its address, and nothing is waited for', async (t) => {
  const site = await serve(t, {
    '/robots.txt': answer('User-agent: *\nCrawl-delay: 30\nDisallow: /admin'),
    '/list': answer('<a href="/listing/1">', { 'retry-after': '600' }),
    '/moved': answer('', { location: 'https://gis.example.gov.sandbox.example/list' }, 301),
    '/busy': inTurn(answer('x', { 'retry-after': '1' }, 503), answer('ok')),
  });
  const { ctx } = await readerOf(
    t,
    specOf({ hosts: ['gis.example.gov', 'www.made-up.example'], minIntervalMs: 60_000 }),
    { sandboxUrl: site.origin },
  );
  const started = performance.now();
  const real = await ctx.get('https://gis.example.gov/list', { kind: 'x' });
  assert.equal(real.url, 'https://gis.example.gov.sandbox.example/list');
  assert.equal((await ctx.get(real.url, { kind: 'x' })).url, real.url);
  assert.equal(
    (await ctx.get('https://www.made-up.example/list', { kind: 'x' })).url,
    'https://www.made-up.example/list',
  );
  assert.equal((await ctx.get('https://gis.example.gov/moved', { kind: 'x' })).text(), '<a href="/listing/1">');
  assert.equal((await ctx.get('https://gis.example.gov/busy', { kind: 'x' })).text(), 'ok');
  await assert.rejects(ctx.get('https://gis.example.gov/admin', { kind: 'x' }), unavailable('robots'));
  await assert.rejects(
    ctx.get('https://gis.example.gov.evil.example/list', { kind: 'x' }),
    unavailable('host_not_allowed'),
  );
  assert.ok(performance.now() - started < 900);
  assert.equal(ctx.stats.sleptMs, 0);
  assert.deepEqual(
    [...new Set(site.seen.map((s) => s.address))],
    [
      'gis.example.gov.sandbox.example/robots.txt',
      'gis.example.gov.sandbox.example/list',
      'www.made-up.example/robots.txt',
      'www.made-up.example/list',
      'gis.example.gov.sandbox.example/moved',
      'gis.example.gov.sandbox.example/busy',
    ],
  );
});

test('progress is told after every request', async (t) => {
  const site = await serve(t, { '/1': answer('1234'), '/2': answer('56') });
  const told: string[] = [];
  const { ctx } = await readerOf(t, specOf({ hosts: [site.host] }), {
    onProgress: (p) => told.push(`${p.source} ${p.requests} ${p.bytes}`),
  });
  await ctx.get(`${site.origin}/1`, { kind: 'x' });
  await ctx.get(`${site.origin}/2`, { kind: 'x' });
  assert.deepEqual(told, ['test_source 1 12', 'test_source 2 16', 'test_source 3 18']);
});
