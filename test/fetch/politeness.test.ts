/** The fetcher's politeness: robots.txt, rate limits, Retry-After, refusals and the source's hosts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer, fakeTimer, type Handler, inTurn, readerOf, serve, specOf, unavailable } from './site.ts';

test('robots.txt: a disallowed path is not requested, others are; the file is archived and read once', async (t) => {
  const site = await serve(t, {
    '/robots.txt': answer('User-agent: *\nDisallow: /\n\nUser-agent: dealfeed\nDisallow: /admin\nCrawl-delay: 0.2\n', {
      'content-type': 'text/plain',
    }),
    '/list': answer('rows'),
    '/admin': answer('secret'),
  });
  const timer = fakeTimer();
  const { ctx, archive } = await readerOf(t, specOf({ hosts: [site.host] }), { timer });
  await assert.rejects(
    ctx.get(`${site.origin}/admin?x=1`, { kind: 'list' }),
    unavailable('robots', /robots\.txt disallows/),
  );
  for (let i = 0; i < 4; i += 1) await ctx.get(`${site.origin}/list?page=${i}`, { kind: 'list' });
  assert.deepEqual(timer.slept, [200, 200, 200], 'Crawl-delay before each request but the first');
  assert.equal(ctx.stats.sleptMs, 600);
  assert.deepEqual(site.pages().length, 4);
  assert.deepEqual(
    (await archive.records('test_source', '2026-11-20.01')).filter((r) => r.kind === 'robots').length,
    1,
  );
});

test('robots.txt: without a file everything is allowed; without a response nothing is', async (t) => {
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

test('the fetcher waits for Retry-After; a longer one than the limit ends the read', async (t) => {
  const site = await serve(t, {
    '/soon': inTurn(answer('later', { 'retry-after': '1' }, 429), answer('now')),
    '/never': answer('later', { 'retry-after': '3600' }, 429),
    '/dated': answer(
      'later',
      { date: 'Fri, 20 Nov 2026 12:00:00 GMT', 'retry-after': 'Fri, 20 Nov 2026 13:00:00 GMT' },
      503,
    ),
  });
  const timer = fakeTimer();
  const { ctx } = await readerOf(t, specOf({ hosts: [site.host] }), { timer });
  assert.equal((await ctx.get(`${site.origin}/soon`, { kind: 'list' })).text(), 'now');
  assert.deepEqual(timer.slept, [1000]);
  await assert.rejects(
    ctx.get(`${site.origin}/dated`, { kind: 'list' }),
    unavailable('server_error', /no request within 3600 seconds/),
  );
  await assert.rejects(
    ctx.get(`${site.origin}/never`, { kind: 'list' }),
    unavailable('rate_limited', /no request within 3600 seconds/),
  );
  assert.deepEqual(site.pages(), ['/soon', '/soon', '/dated', '/never']);
  assert.equal(ctx.stats.retries, 1);
});

test('a refusal is respected: requested once, named, its response archived', async (t) => {
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
    'a form with a captcha on a good page is not a bot wall',
  );
  const refused = (await archive.records('test_source', '2026-11-20.04')).find((r) => r.url.endsWith('/403'));
  assert.deepEqual(
    [refused?.error, Buffer.from(await archive.read(refused?.sha256 ?? '')).toString()],
    ['refused', 'Forbidden'],
  );
});

test('after a refusal a host gets no further request in this read; after a bad request it does', async (t) => {
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
  await assert.rejects(ctx.get(`${site.origin}/3`, { kind: 'x' }), unavailable('refused', /no further request/));
  assert.deepEqual(site.pages(), ['/query', '/1', '/2']);
  assert.equal((await again().get(`${site.origin}/3`, { kind: 'x' })).text(), 'ok', 'the next run requests it again');
});

test('redirects are followed within the hosts of the source, at most five times', async (t) => {
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
    unavailable('host_not_allowed', /www\.elsewhere\.com is not one of/),
  );
  await assert.rejects(ctx.get(`${site.origin}/sneaky`, { kind: 'x' }), unavailable('robots'));
  await assert.rejects(ctx.get(`${site.origin}/loop`, { kind: 'x' }), unavailable('server_error', /more than 5 times/));
  await assert.rejects(
    ctx.get(`${site.origin}/nowhere`, { kind: 'x' }),
    unavailable('server_error', /expected an address/),
  );
  await assert.rejects(ctx.get('https://www.elsewhere.com/', { kind: 'x' }), unavailable('host_not_allowed'));
});

test('a host gets one request at a time', async (t) => {
  let [open, most] = [0, 0];
  // Another request may come meanwhile.
  const slow: Handler = (_, response) => {
    most = Math.max(most, (open += 1));
    setTimeout(() => {
      open -= 1;
      response.end('ok');
    }, 30);
  };
  const site = await serve(t, { '/': slow });
  const { ctx } = await readerOf(t, specOf({ hosts: [site.host] }));
  await Promise.all(Array.from({ length: 4 }, (_, i) => ctx.get(`${site.origin}/?${i}`, { kind: 'x' })));
  assert.equal(most, 1);
});
