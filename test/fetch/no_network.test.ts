/** Host names that do not resolve: of one site, or of all. The resolver is the test's. */
import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { test } from 'node:test';
import type { Resolve } from '../../sources/fetch/transport.ts';
import { answer, readerOf, serve, specOf, unavailable } from './site.ts';

const LOCAL: LookupAddress = { address: '127.0.0.1', family: 4 };

/** A resolver that knows these names, and what it was asked. */
function resolverOf(known: readonly string[], code = 'ENOTFOUND'): { resolve: Resolve; asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    resolve: async (hostname) => {
      asked.push(hostname);
      if (known.includes(hostname)) return LOCAL;
      throw Object.assign(new Error(`getaddrinfo ${code} ${hostname}`), { code });
    },
  };
}

const HOSTS = ['one.test', 'two.test', 'three.test', 'four.test', 'five.test'];

test('one host that does not resolve while others do is a failure of its source, not of robots.txt', async (t) => {
  const site = await serve(t, { '/a': answer('ok') });
  const port = new URL(site.origin).port;
  const { resolve } = resolverOf(['two.test']);
  const messages: string[] = [];
  const hosts = [`gone.test:${port}`, `two.test:${port}`];
  const { ctx } = await readerOf(t, specOf({ hosts }), { hosts, resolve, onNoNetwork: (m) => messages.push(m) });
  const gone = unavailable('host_not_found', /^the host gone\.test does not resolve: ENOTFOUND$/u);
  await assert.rejects(ctx.get(`http://${hosts[0]}/a`, { kind: 'x' }), gone);
  await assert.rejects(ctx.get(`http://${hosts[0]}/b`, { kind: 'x' }), gone);
  assert.deepEqual([ctx.stats.requests, ctx.stats.retries], [1, 0], 'its robots.txt is requested once');
  assert.equal((await ctx.get(`http://${hosts[1]}/a`, { kind: 'x' })).text(), 'ok');
  assert.deepEqual(messages, []);
});

test('a temporary failure of a name server is retried', async (t) => {
  const site = await serve(t, { '/a': answer('ok') });
  const port = new URL(site.origin).port;
  let failures = 2;
  const resolve: Resolve = async (hostname) => {
    if (hostname === 'slow.test' && failures-- > 0)
      throw Object.assign(new Error('getaddrinfo EAI_AGAIN'), { code: 'EAI_AGAIN' });
    return LOCAL;
  };
  const hosts = [`slow.test:${port}`, `two.test:${port}`];
  const { ctx } = await readerOf(t, specOf({ hosts }), { hosts, resolve });
  assert.equal((await ctx.get(`http://${hosts[0]}/a`, { kind: 'x' })).text(), 'ok');
  assert.ok(ctx.stats.retries > 0);
});

test('a network lost during a run ends it like a missing one', async (t) => {
  const site = await serve(t, { '/a': answer('ok') });
  const port = new URL(site.origin).port;
  const known = ['one.test', 'two.test'];
  const { resolve } = resolverOf(known);
  const messages: string[] = [];
  const hosts = known.map((name) => `${name}:${port}`);
  const { ctx } = await readerOf(t, specOf({ hosts }), { hosts, resolve, onNoNetwork: (m) => messages.push(m) });
  await ctx.get(`http://${hosts[0]}/a`, { kind: 'x' });
  known.length = 0;
  await assert.rejects(ctx.get(`http://${hosts[1]}/a`, { kind: 'x' }), unavailable('no_network'));
  await assert.rejects(ctx.get(`http://${hosts[0]}/b`, { kind: 'x' }), unavailable('no_network'));
  assert.deepEqual([messages.length, ctx.stats.retries], [1, 0]);
});

test('a lookup that takes longer than the limit counts as unresolved', async (t) => {
  const messages: string[] = [];
  const { ctx } = await readerOf(t, specOf({ hosts: HOSTS }), {
    hosts: HOSTS,
    resolve: () => new Promise(() => {}),
    onNoNetwork: (message) => messages.push(message),
    limits: { lookupMs: 20 },
  });
  await assert.rejects(ctx.get('http://one.test/', { kind: 'x' }), unavailable('no_network'));
  assert.equal(messages.length, 1);
});
