/** A server with an invalid setting does not start, and names the setting in one line. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readServerSettings } from '../../../api/settings.ts';
import { BASE, BASE_SEPOLIA } from '../../../lib/network.ts';
import { receiptKeyPath } from '../support/receipt_key.ts';

const PAY_TO = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
const real = {
  PAYMENTS: 'facilitator',
  PAY_TO,
  PUBLIC_BASE_URL: 'https://api.dealfeed.test',
  FACILITATOR_URL: 'https://facilitator.dealfeed.test',
  RPC_URL: 'https://base.dealfeed.test',
  RECEIPT_KEY_FILE: receiptKeyPath(),
};

const KEY = `0x${'1'.repeat(64)}`;
const self = { ...real, PAYMENTS: 'self' };

describe('settings of the server', () => {
  it('are optional: the default is a sandbox on port 4021', () => {
    const { settings, payments } = readServerSettings({});
    assert.equal(settings.PORT, 4021);
    assert.equal(payments.mode, 'sandbox');
  });

  it('are accepted if complete for real money', () => {
    const { payments } = readServerSettings({ ...real, NODE_ENV: 'production', FACILITATOR_AUTHORIZATION: 'Bearer t' });
    assert.deepEqual(payments, {
      mode: 'facilitator',
      payTo: PAY_TO,
      network: BASE,
      rpcUrl: 'https://base.dealfeed.test',
      facilitators: [{ url: 'https://facilitator.dealfeed.test', authorization: 'Bearer t' }],
    });
  });

  it('name another network, and several facilitators, each with its authorization', () => {
    const { payments } = readServerSettings({
      ...real,
      NETWORK: 'eip155:84532',
      FACILITATOR_URL: 'https://one.dealfeed.test, https://two.dealfeed.test',
      FACILITATOR_AUTHORIZATION: '| Bearer t',
    });
    assert.ok(payments.mode === 'facilitator');
    assert.equal(payments.network, BASE_SEPOLIA);
    assert.deepEqual(payments.facilitators, [
      { url: 'https://one.dealfeed.test' },
      { url: 'https://two.dealfeed.test', authorization: 'Bearer t' },
    ]);
  });

  const wrong: [string, Record<string, string>, RegExp][] = [
    ['an invalid port', { PORT: '70000' }, /^PORT is "70000", expected a port$/],
    ['test money in production', { NODE_ENV: 'production' }, /^PAYMENTS is "sandbox", expected facilitator/],
    [
      'two facilitators and one authorization',
      {
        ...real,
        FACILITATOR_URL: 'https://a.dealfeed.test,https://b.dealfeed.test',
        FACILITATOR_AUTHORIZATION: 'Bearer t',
      },
      /^FACILITATOR_AUTHORIZATION is not shown, expected 2 authorizations, one for each URL of FACILITATOR_URL$/,
    ],
    ['no receiver', { ...real, PAY_TO: '' }, /^PAY_TO is not set, expected the address that receives the payments/],
    [
      'a public address without TLS',
      { ...real, PUBLIC_BASE_URL: 'http://api.dealfeed.test' },
      /^PUBLIC_BASE_URL is "http:\/\/api.dealfeed.test", expected an https URL/,
    ],
    ['no key', self, /^SETTLE_KEY is not set, expected a key/],
    [
      'a key that is none',
      { ...self, SETTLE_KEY: 'hunter2' },
      /^(?!.*hunter2)SETTLE_KEY is not shown, expected a key of 0x/,
    ],
    [
      'two keys',
      { ...self, SETTLE_KEY: KEY, SETTLE_KEY_FILE: 'x' },
      /^(?!.*1{9})SETTLE_KEY and SETTLE_KEY_FILE are both set/,
    ],
  ];
  for (const [name, env, message] of wrong) {
    it(`are refused with ${name}`, () => {
      assert.throws(() => readServerSettings(env), { name: 'SettingError', message });
    });
  }
});
