/** Purchases on two networks of one server: each is paid, found, audited and collected on its own. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { decodePaymentResponseHeader } from '@x402/core/http';
import { createSIWxMessage, encodeSIWxHeader, type CompleteSIWxInfo } from '@x402/extensions/sign-in-with-x';
import { createTestClient, http } from 'viem';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { auditPass } from '../../../api/payments/audit/audit.ts';
import type { Purchase } from '../../../ledger/ledger.ts';
import { createBuyer } from '../../../clients/purchase.ts';
import { openSpending } from '../../../clients/spending.ts';
import { BASE, KNOWN_NETWORKS, type Network } from '../../../lib/network.ts';
import type { ReceiptClaims } from '../../../lib/receipt.ts';
import { runHere } from '../../process/here.ts';
import { bodyOf, fetchPaymentRequired, fetchWithPayment } from '../support/buyers.ts';
import { openTwoNetworks, POLYGON, signedOn, type Place, type TwoNetworks } from '../support/two_networks.ts';

const PRICE = 50_000n;

describe('a second network', () => {
  let shop: TwoNetworks;
  let buyer: PrivateKeyAccount;
  before(async () => {
    shop = await openTwoNetworks();
    buyer = await shop.buyer();
  });
  after(() => shop.close());

  /** What an action moves to the server on Base and on Polygon. */
  const moved = async (action: () => Promise<void>): Promise<readonly bigint[]> => {
    const [base, polygon] = await shop.takings();
    await action();
    const [baseNow, polygonNow] = await shop.takings();
    return [baseNow - base, polygonNow - polygon];
  };
  const pay = async (payment: string): Promise<Response> => fetchWithPayment(shop.url, payment);
  const sign = (network: Network, changes?: Parameters<typeof signedOn>[3]): Promise<string> =>
    signedOn(network, buyer, shop.url, changes);
  const purchaseOf = async (response: Response): Promise<Purchase> =>
    (await shop.server.running.ledger.find({ id: response.headers.get('Receipt-Id') ?? '' })) ?? assert.fail('no sale');
  /** Collect by nonce or receipt id, signing in for this network. */
  const collect = async (idOrNonce: string, network: Network): Promise<Response> => {
    const url = `${shop.server.url}/api/purchases/${idOrNonce}`;
    const { sign_in: challenge } = (await bodyOf(await fetch(url))) as { sign_in: { info: CompleteSIWxInfo } };
    const info: CompleteSIWxInfo = { ...challenge.info, chainId: network.name, type: 'eip191' };
    const signature = await buyer.signMessage({ message: createSIWxMessage(info, buyer.address) });
    return fetch(url, {
      headers: { 'SIGN-IN-WITH-X': encodeSIWxHeader({ ...info, address: buyer.address, signature }) },
    });
  };
  const mine = ({ chain }: Place): Promise<void> =>
    createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) }).mine({ blocks: 4 });

  it('is offered next to the first, is paid there alone, and its receipt names it', async () => {
    const { accepts } = await fetchPaymentRequired(shop.url);
    assert.deepEqual(
      accepts.map(({ network, asset }) => [network, asset]),
      [BASE, POLYGON].map(({ name, usdc }) => [name, usdc.address]),
    );
    const changed = await moved(async () => {
      const response = await pay(await sign(POLYGON));
      assert.equal(response.status, 200);
      const { payment, chain } = await purchaseOf(response);
      assert.equal(payment.network, POLYGON.name);
      assert.match(chain ?? '', /^eip155:137 0x[0-9a-f]{64}$/);
      assert.equal(decodePaymentResponseHeader(response.headers.get('PAYMENT-RESPONSE') ?? '').network, POLYGON.name);
      const [, claims = ''] = (response.headers.get('Signed-Receipt') ?? '').split('.');
      const { payment: stated } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as ReceiptClaims;
      assert.deepEqual([stated.network, stated.asset], [POLYGON.name, POLYGON.usdc.address.toLowerCase()]);
    });
    assert.deepEqual(changed, [0n, PRICE]);
  });

  it('refuses a signature for one network that is presented as one for the other', async () => {
    const { accepts } = await fetchPaymentRequired(shop.url);
    const changed = await moved(async () => {
      for (const [signedFor, presentedAs] of [
        [BASE, POLYGON],
        [POLYGON, BASE],
      ] as const) {
        const terms = accepts.find(({ network }) => network === presentedAs.name) ?? assert.fail();
        const response = await pay(await sign(signedFor, { accepted: () => terms }));
        assert.equal(response.status, 402);
        assert.equal((await bodyOf(response))['payment_error'], 'invalid_exact_evm_signature');
      }
    });
    assert.deepEqual(changed, [0n, 0n]);
  });

  it('refuses the token of the other network', async () => {
    const changed = await moved(async () => {
      const accepted = await sign(POLYGON, { accepted: (terms) => ({ ...terms, asset: BASE.usdc.address }) });
      assert.equal((await pay(accepted)).status, 402);
    });
    assert.deepEqual(changed, [0n, 0n]);
  });

  it('sells one nonce that is signed on both networks once on each, and each copy is refused', async () => {
    const nonce = generatePrivateKey();
    const payments = [await sign(BASE, { nonce }), await sign(POLYGON, { nonce })];
    const changed = await moved(async () => {
      const responses = await Promise.all([...payments, ...payments].map(pay));
      assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 200, 409, 409]);
    });
    assert.deepEqual(changed, [PRICE, PRICE]);
    const ids = await Promise.all(
      [BASE, POLYGON].map(async (network) => {
        const collected = await collect(nonce, network);
        assert.equal(collected.status, 200);
        assert.equal(
          decodePaymentResponseHeader(collected.headers.get('PAYMENT-RESPONSE') ?? '').network,
          network.name,
          'the purchase of the network that the wallet signs in for',
        );
        return collected.headers.get('Receipt-Id');
      }),
    );
    assert.equal(new Set(ids).size, 2);
  });

  it('resolves a settlement there whose outcome was unknown, and lets its buyer collect the answer', async () => {
    shop.polygon.node.hold();
    const changed = await moved(async () => {
      const response = await pay(await sign(POLYGON));
      assert.equal(response.status, 502);
      const { id } = await purchaseOf(response);
      const { watch } = shop.server.running;
      assert.equal((await watch.pass()).waiting, 1);
      await shop.polygon.node.release();
      await mine(shop.polygon);
      assert.equal((await watch.pass()).sold, 1);
      assert.equal((await collect(id, POLYGON)).status, 200);
    });
    assert.deepEqual(changed, [0n, PRICE]);
  });

  it('sells on while the node of one network is down, and the 402 and /health name that network', async () => {
    const onPolygon = await sign(POLYGON);
    shop.polygon.node.fail(503);
    const changed = await moved(async () => {
      assert.equal((await pay(onPolygon)).status, 503);
      const unpaid = await bodyOf(await fetch(shop.url));
      assert.equal(unpaid['network'], BASE.name);
      assert.deepEqual(unpaid['unavailable_networks'], [POLYGON.name]);
      assert.equal(unpaid['more_networks'], undefined);
      const { accepts } = await fetchPaymentRequired(shop.url);
      assert.deepEqual(
        accepts.map(({ network }) => network),
        [BASE.name],
      );
      assert.equal((await pay(await sign(BASE))).status, 200);
    });
    // The balance on Polygon is read from its chain, not from the node that is down.
    assert.deepEqual(changed, [PRICE, 0n]);
    const { payments } = (await bodyOf(await fetch(`${shop.server.url}/health`))) as {
      payments: { ready: boolean; warnings: string[] };
    };
    assert.equal(payments.ready, true);
    assert.ok(payments.warnings.includes('Polygon: the chain node does not respond'), payments.warnings.join('; '));
    shop.polygon.node.recover();
    const paid = await moved(async () => assert.equal((await pay(onPolygon)).status, 200));
    assert.deepEqual(paid, [0n, PRICE]);
    assert.equal((await fetchPaymentRequired(shop.url)).accepts.length, 2);
  });

  it('is paid by each client of this project that holds money there', async () => {
    const { sandbox } = shop.server.payments;
    assert.ok(sandbox);
    const spending = openSpending(':memory:', { perCall: 250_000n, total: 250_000n });
    const account = async () => privateKeyToAccount(sandbox.buyer.privateKey);
    const run = async (file: string, argument: string[], env: Record<string, string>): Promise<string> => {
      const { out, err } = await runHere(fileURLToPath(new URL(`../../../${file}`, import.meta.url)), {
        args: argument,
        env: { DATA_DIR: shop.folder.path, SERVER: shop.server.url, ...env },
      });
      return out + err;
    };
    const changed = await moved(async () => {
      const wallet = createBuyer({ account, spending, networks: [POLYGON, BASE] });
      const quoted = await wallet.quote(new URL(shop.url));
      assert.equal(quoted.kind === 'quoted' && quoted.network, POLYGON.name);
      assert.equal((await wallet.call(new URL(shop.url))).kind, 'response');
      const bought = await run('clients/buy.ts', [], { URL: '/api/deals', BUYER_NETWORKS: POLYGON.name });
      assert.match(bought, /price 0\.05 USDC to 0x\w{40} on eip155:137\n.*\nsettled {4}transaction 0x/);
      assert.match(bought, /\(-0\.05 USDC\)\nseller .* \(0\.05 USDC\)/, 'balances of that network');
      const env = { BUYER_KEY: sandbox.buyer.privateKey, BUYER_NETWORK: POLYGON.name };
      assert.match(await run('examples/buy.ts', ['/api/deals'], env), /200, paid in 0x/);
    });
    spending.close();
    assert.deepEqual(changed, [0n, 3n * PRICE]);
    assert.match(
      await run('clients/buy.ts', [], { URL: '/api/deals', BUYER_NETWORKS: 'eip155:42161' }),
      /^BUYER_NETWORKS is "eip155:42161", expected a network in NETWORKS of the server$/m,
    );
    const elsewhere = createBuyer({ account, spending, networks: KNOWN_NETWORKS.slice(2, 3) });
    const refused = await elsewhere.quote(new URL(shop.url));
    assert.equal(refused.kind === 'refused' && refused.reason, 'terms_not_accepted');
  });

  it('has an audit of its own: every transfer on each network pays one purchase there', async () => {
    for (const place of [shop.base, shop.polygon]) await mine(place);
    const { ledger, networks } = shop.server.running;
    const payTo = shop.server.payments.payTo.toLowerCase();
    for (const { chain, network } of networks) {
      await auditPass({ ledger, chain, payTo, holder: 'this test', nowMs: () => Date.now() + 600_000 });
      const transfers = await Array.fromAsync(ledger.transfers({ chain: await chain.id(), payTo }));
      const purchases = (await Array.fromAsync(ledger.purchases())).filter((p) => p.payment.network === network.name);
      assert.ok(purchases.length > 1);
      assert.deepEqual(
        transfers.map(({ kind, purchaseId }) => `${kind} ${purchaseId}`).sort(),
        purchases.map(({ id }) => `matched ${id}`).sort(),
        network.title,
      );
    }
  });
});
