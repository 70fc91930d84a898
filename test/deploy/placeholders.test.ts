/** What the shipped examples show for an operator's own values is never taken for them where money is real. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { mnemonicToAccount } from 'viem/accounts';
import { readServerSettings } from '../../api/settings.ts';
import { isPlaceholder } from '../../lib/placeholders.ts';
import { pipelineSettings, readSettings } from '../../lib/settings.ts';
import { PAY_TO, receiptKeyPath } from '../api/support/receipt_key.ts';
import { PROJECT } from './dockerfile.ts';

type Env = Readonly<Record<string, string>>;

const OWN: Env = {
  PAYMENTS: 'facilitator',
  PAY_TO,
  PUBLIC_BASE_URL: 'https://deals.test',
  FACILITATOR_URL: 'https://facilitator.test',
  RPC_URL: 'https://base.test',
  RECEIPT_KEY_FILE: receiptKeyPath(),
};

const refused = (env: Env, name: string): void => {
  const why = `${name}=${env[name]}`;
  assert.throws(
    () => readServerSettings(env),
    { name: 'SettingError', message: new RegExp(`^${name} is [^\\n]*$`) },
    why,
  );
};

describe('on Base, the server refuses', () => {
  test('the example of settings until each of its placeholders is replaced', () => {
    const example = readFileSync(join(PROJECT, 'deploy/env.example'), 'utf8');
    const all = Object.fromEntries(
      [...example.matchAll(/^#?([A-Z_]+)=(.*)$/gmu)].map(([, name, value]) => [name, value]),
    );
    const { CONTACT = '', ALERT_COMMAND, AWS_REGION, ...ofServer } = all as Record<string, string>;
    const left = new Set<string>();
    for (const [name, value] of Object.entries(ofServer)) {
      const env = { ...OWN, [name]: value };
      if (['PAYMENTS', 'PROXY_HOPS'].includes(name)) readServerSettings(env);
      else {
        refused(env, name);
        left.add(name);
        // Where money is test money, it is for the operator to decide.
        readServerSettings({ ...env, NETWORK: 'eip155:84532' });
      }
    }
    assert.deepEqual([...left].sort(), ['AWS_ENDPOINT_URL', 'FACILITATOR_URL', 'PAY_TO', 'PUBLIC_BASE_URL', 'STORE']);
    assert.equal(AWS_REGION, 'us-east-1', 'a region that may be meant');
    assert.ok(isPlaceholder(ALERT_COMMAND ?? ''), 'the scheduler refuses it');
    assert.throws(() => readSettings(pipelineSettings, { CONTACT }), { message: /^CONTACT is "you@example\.org", / });
    readServerSettings(OWN);
  });

  test('the keys and addresses of Anvil, and a key of zeros', () => {
    for (let addressIndex = 0; addressIndex < 10; addressIndex += 1) {
      const words = `${'test '.repeat(11)}junk`;
      const account = mnemonicToAccount(words, { addressIndex });
      refused({ ...OWN, PAY_TO: account.address }, 'PAY_TO');
      const key = `0x${Buffer.from(account.getHdKey().privateKey ?? []).toString('hex')}`;
      refused({ ...OWN, PAYMENTS: 'self', SETTLE_KEY: key }, 'SETTLE_KEY');
      readServerSettings({ ...OWN, PAYMENTS: 'self', SETTLE_KEY: key, NETWORK: 'eip155:84532' });
    }
    refused({ ...OWN, PAYMENTS: 'self', SETTLE_KEY: `0x${'0'.repeat(64)}` }, 'SETTLE_KEY');
  });
});
