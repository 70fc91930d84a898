/** A purchase on a second network: paid there, with nothing on the first. On two local chains. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { encodePaymentSignatureHeader } from '@x402/core/http';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { x402Client } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';
import { serve, type Serving } from '../../../api/http/serve.ts';
import { readServerSettings } from '../../../api/settings.ts';
import { BASE, knownNetwork } from '../../../lib/network.ts';
import { fetchPaymentRequired, fetchWithPayment } from '../support/buyers.ts';
import { dataFolder, rowsOfTable, type DataFolder } from '../support/snapshot_fixtures.ts';

const POLYGON = knownNetwork('eip155:137') ?? BASE;

describe('a second network', () => {
  let folder: DataFolder;
  let server: Serving;
  before(async () => {
    folder = await dataFolder();
    await folder.publish('2026-11-20.01', { deals: rowsOfTable('deals', 1) });
    const env = { DATA_DIR: folder.path, PORT: '0', NETWORKS: `${BASE.name},${POLYGON.name}` };
    server = await serve(readServerSettings(env));
  });
  after(async () => {
    await server.close();
    await folder.remove();
  });

  it('takes a payment signed for it, and refuses the same signature on the first network', async () => {
    const { sandbox, payTo } = server.payments;
    const [base, polygon] = sandbox?.chains ?? [];
    assert.ok(sandbox && base && polygon);
    const url = `${server.url}/api/deals`;
    const required = await fetchPaymentRequired(url);
    assert.deepEqual(
      required.accepts.map(({ network, asset }) => [network, asset]),
      [BASE, POLYGON].map(({ name, usdc }) => [name, usdc.address]),
    );
    const [onBase, onPolygon] = required.accepts;
    assert.ok(onBase && onPolygon);
    const scheme = new ExactEvmScheme(privateKeyToAccount(sandbox.buyer.privateKey));
    const client = new x402Client().register(POLYGON.name, scheme);
    const payload = await client.createPaymentPayload({ ...required, accepts: [onPolygon] });

    const moved = encodePaymentSignatureHeader({ ...payload, accepted: onBase });
    assert.equal((await fetchWithPayment(url, moved)).status, 402);

    const response = await fetchWithPayment(url, encodePaymentSignatureHeader(payload));
    assert.equal(response.status, 200);
    assert.equal(await polygon.balanceOf(payTo), 50_000n);
    assert.equal(await base.balanceOf(payTo), 0n);
    const purchase = await server.running.ledger.find({ id: response.headers.get('Receipt-Id') ?? '' });
    assert.equal(purchase?.payment.network, POLYGON.name);
    assert.match(purchase?.chain ?? '', /^eip155:137 0x[0-9a-f]{64}$/);
  });
});
