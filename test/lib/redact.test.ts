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

test('a secret that a library truncated is replaced too', () => {
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
