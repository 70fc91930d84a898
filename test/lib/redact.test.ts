/** Secrets are replaced in text, the longest first, and other text is unchanged. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redactorOf, secretsOf } from '../../api/secrets.ts';
import { redactor } from '../../lib/redact.ts';

test('secrets are replaced wherever they are, the longest first, in every form', () => {
  const redact = redactor(['abcd', 'abcdefgh', 'xyz', 'a"b\\c', 'p@ss word']);
  assert.equal(redact('abcdefgh abcd xyz'), '[hidden] [hidden] xyz');
  assert.equal(redact(JSON.stringify({ said: 'a"b\\c' })), '{"said":"[hidden]"}');
  assert.equal(redact('p%40ss%20word'), '[hidden]');
});

test('a secret that a library has cut off is replaced too', () => {
  const redact = redactor(['/v2/', 'key-123456789', 'https://node.example/key-123456789']);
  assert.equal(redact('GET https://node.example/key-12... and key-1…'), 'GET [hidden]... and [hidden]…');
  assert.equal(redact('wait... and see'), 'wait... and see');
});

test('users and passwords of URLs, and addresses that errors name, are replaced without being known', () => {
  const redact = redactor([]);
  assert.equal(
    redact('see postgres://me:secret@db/x and https://example.org/a@b'),
    'see postgres://[hidden]@db/x and https://example.org/a@b',
  );
  assert.equal(redact('{"u":"http://a:b@c"}'), '{"u":"http://[hidden]@c"}');
  assert.equal(
    redact('connect ECONNREFUSED 10.0.0.5:5432; getaddrinfo ENOTFOUND db.internal'),
    'connect ECONNREFUSED [hidden]; getaddrinfo ENOTFOUND [hidden]',
  );
});

test('every piece of an address is a secret', () => {
  const redact = redactorOf({
    PAYMENTS: 'self',
    RPC_URL: 'https://base.node.example:8545/v2/a1b2c3d4e5?key=q9w8e7',
    FACILITATOR_URL: 'https://pay.example/facilitator',
    LEDGER: 'postgres://vendor:s%40fe@10.0.0.5:5432/sales_of_us',
    FACILITATOR_AUTHORIZATION: 'Bearer tok-123456',
    PUBLIC_BASE_URL: 'https://api.dealfeed.example',
  });
  for (const text of [
    'base.node.example:8545',
    'base.node.example',
    'a1b2c3d4e5',
    'q9w8e7',
    'pay.example',
    'vendor',
    's@fe',
    's%40fe',
    '10.0.0.5',
    '10.0.0.5:5432',
    'sales_of_us',
    'tok-123456',
  ]) {
    assert.equal(redact(`<${text}>`), '<[hidden]>', text);
  }
});

test('the public address and our own words stay, whatever the settings are', () => {
  const said =
    '{"type":"/problems/payments_unavailable","mode":"facilitator",' +
    '"see":"http://localhost:4021/api/meta","detail":"the ledger"}';
  const address = 'postgres://dealfeed:pw-87654@localhost:5432/ledger';
  const redact = redactorOf({
    PAYMENTS: 'facilitator',
    FACILITATOR_URL: 'https://x.example/facilitator',
    LEDGER: address,
    PUBLIC_BASE_URL: 'http://localhost:4021',
  });
  assert.equal(redact(said), said);
  assert.equal(
    redact('password authentication failed for user "dealfeed", database \\"ledger\\"'),
    'password authentication failed for user "[hidden]", database \\"[hidden]\\"',
  );
  // In the sandbox everything is on this machine.
  const sandbox = redactorOf({ LEDGER: address, RPC_URL: 'http://127.0.0.1:8545' });
  assert.equal(
    sandbox('listening http://127.0.0.1:4021 and http://localhost:4021'),
    'listening http://127.0.0.1:4021 and http://localhost:4021',
  );
  assert.equal(sandbox('127.0.0.1:8545 localhost:5432 pw-87654'), '[hidden] [hidden] [hidden]');
  assert.deepEqual(secretsOf({ LEDGER: 'data/ledger.sqlite' }), []);
});
