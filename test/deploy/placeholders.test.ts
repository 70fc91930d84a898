/** What the shipped examples show for an operator's own values is never taken for them where money is real. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { mnemonicToAccount } from 'viem/accounts';
import { readServerSettings, serverSettings } from '../../api/settings.ts';
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
const SHIPPED = ['deploy/**/*', 'compose.yaml', 'Dockerfile', 'README.md', 'docs/deploying.md', 'docs/going-live.md'];
const shipped = globSync(SHIPPED, { cwd: PROJECT, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
  .join('\n');
const found = (pattern: RegExp): string[] => [
  ...new Set([...shipped.matchAll(pattern)].map(([, value]) => value ?? '')),
];

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

  test('every host, address, mailbox and password that the shipped files show', () => {
    const hosts = found(
      /\b((?:[a-z0-9-]+\.)+example(?:\.(?:org|com|net))?|(?:[a-z0-9-]+\.)*example\.(?:org|com|net))\b/giu,
    );
    assert.ok(
      ['deals.example.org', 'base.example.org', 'facilitator.example.org'].every((host) => hosts.includes(host)),
    );
    for (const host of [...hosts, 'YOUR.DOMAIN', 'api.dealfeed.example'])
      for (const name of ['PUBLIC_BASE_URL', 'FACILITATOR_URL', 'RPC_URL']) {
        for (const url of [`https://${host}`, `https://${host.toUpperCase()}:8443/`, `https://${host}.`])
          refused({ ...OWN, [name]: url }, name);
      }
    refused({ ...OWN, FACILITATOR_URL: 'https://pay.test, https://facilitator.example.org' }, 'FACILITATOR_URL');
    for (const url of found(/(https:\/\/[^\s']*your-key)/gu)) refused({ ...OWN, RPC_URL: url }, 'RPC_URL');
    for (const url of found(/`(postgres:\/\/[^\s`]+)`/gu)) refused({ ...OWN, LEDGER: url }, 'LEDGER');
    for (const address of found(/\b([a-z]+@example\.org)/gu))
      refused({ ...OWN, CONTACT_EMAIL: address }, 'CONTACT_EMAIL');
    for (const address of [...found(/\b(0x[0-9a-fA-F]{40})\b/gu), `0x${'0'.repeat(36)}dEaD`])
      refused({ ...OWN, PAY_TO: address }, 'PAY_TO');
    refused({ ...OWN, PAY_TO: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' }, 'PAY_TO');
    const names = Object.keys(serverSettings.shape);
    const texts = found(/^ *(?:#|Environment=|echo ')?([A-Z_]+=\S*example\S*)/gmu).map(
      (text) => text.split('=')[0] ?? '',
    );
    assert.deepEqual(
      texts.filter((name) => !names.includes(name)).sort(),
      ['AWS_ENDPOINT_URL', 'CONTACT'],
      'no others',
    );
    for (const near of [
      'https://example.io',
      'https://my-example.us',
      'https://examples.com',
      'https://example.com.au',
    ])
      readServerSettings({ ...OWN, PUBLIC_BASE_URL: near });
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
