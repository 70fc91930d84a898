/** What pay.js asks the server for: the layout of what was bought, and in the sandbox the test wallet. */
import type { Router } from '@koa/router';
import type { Context } from 'koa';
import { isAddressEqual, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import { atomicOf } from '../../../lib/network.ts';
import { Problem } from '../../http/problem.ts';
import { authorizationTypes } from '../../payments/chain/signatures.ts';
import type { OpenPayments } from '../../payments/modes.ts';
import { Report } from '../../routes/report.ts';
import type { Snapshots } from '../../serving/follow.ts';
import { pointOf, shortPrice } from '../deal_cards.ts';
import { html, type Piece } from '../html.ts';
import { metroMap, metroOfZip } from '../map/metro_map.ts';
import { citedPages } from '../archive/cited_pages.ts';
import { reportContent } from '../pages/report/report.ts';
import { SITE_HEADERS } from '../site.ts';
import { TEST_WALLET_PATH } from './panel.ts';

/** Largest report that is laid out; the largest of the sandbox has 120 kB. */
const MAX_BYTES = 1_000_000;
/** Deals drawn at most. */
const MAX_DRAWN = 5_000;
/** Most that the test wallet signs for one call. */
const MAX_PAYMENT = atomicOf('2.00');

/** The JSON that a script of this site sends. @throws Problem if another site sends it, or it is no JSON */
async function jsonFromSite(ctx: Context): Promise<unknown> {
  if (!['', 'same-origin'].includes(ctx.get('Sec-Fetch-Site')) || ctx.is('json') === false)
    throw new Problem('malformed_request', 'Only pages of this site send JSON here.');
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of ctx.req as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Problem('malformed_request', `The body is longer than ${MAX_BYTES} bytes.`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new Problem('malformed_request', 'The body is not JSON.');
  }
}

/** What the map needs of a bought deal. */
const Deal = z.object({
  zip: z.string(),
  city: z.string().nullish(),
  address: z.string().nullish(),
  list_price: z.string().nullish(),
  deal_score: z.number().nullish(),
  listing_url: z.url({ protocol: /^https?$/ }),
  latitude: z.string().nullish(),
  longitude: z.string().nullish(),
  geo_basis: z.string().nullish(),
});
const Deals = z.object({ records: z.array(Deal).max(MAX_DRAWN) });

/** The maps of the metros with these deals, and their prices and scores. */
function mapsOf({ records }: z.infer<typeof Deals>): Piece {
  const maps = [...Map.groupBy(records, ({ zip }) => metroOfZip(zip))].flatMap(([metro = '', deals]) => {
    const zips = [...Map.groupBy(deals, ({ zip }) => zip)].map(([zip, own]) => ({
      zip,
      city: own[0]?.city ?? '',
      least: own.length,
      about: `${own.length} bought`,
    }));
    const drawn = deals.map((deal) => ({
      href: deal.listing_url,
      price: [shortPrice(deal.list_price ?? null), deal.deal_score ?? []].flat().join(' · '),
      title: `${deal.address ?? ''}, ${deal.city ?? ''}`,
      zip: deal.zip,
      point: pointOf(deal),
    }));
    const map = metroMap(metro, zips, drawn, () => '#answer');
    if (!map) return [];
    return html`<section>
      <h3>${metro}: ${deals.length} of the records, price and score</h3>
      ${map.svg}
    </section>`;
  });
  return maps.length > 0 && html`<div class="split maps">${maps}</div>`;
}

/** Lay out a report, or draw the deals, that the reader bought; its browser sends them, and nothing is stored. */
export function mountBought(router: Router, snapshots: Snapshots): void {
  router.post('/bought', async (ctx) => {
    const body = await jsonFromSite(ctx);
    const [report, deals] = [Report.safeParse(body), Deals.safeParse(body)];
    if (!report.success && !deals.success)
      throw new Problem(
        'malformed_request',
        'The body is neither a whole report nor a list of deals with ZIP and page.',
      );
    using lease = snapshots.acquire();
    if (!lease) throw new Problem('snapshot_unavailable', 'There is no snapshot to serve yet.');
    ctx.set({ ...SITE_HEADERS, 'Cache-Control': 'no-store' });
    ctx.type = 'text/html; charset=utf-8';
    const layout = deals.success && mapsOf(deals.data);
    const ofReport = report.success && reportContent(report.data, citedPages(report.data, lease.snapshot), 'bought');
    ctx.body = html`${ofReport}${layout}`.text;
  });
}

/** The wallet of the sandbox, which holds test money on the local chain. */
type TestWallet = NonNullable<OpenPayments['sandbox']> & Pick<OpenPayments, 'payTo'>;

const hexText = z.templateLiteral(['0x', z.string()]);

const Asked = z.discriminatedUnion('method', [
  z.object({ method: z.literal('eth_requestAccounts') }),
  z.object({ method: z.literal('eth_chainId') }),
  z.object({
    method: z.literal('eth_call'),
    params: z.tuple([z.object({ to: hexText, data: hexText })], z.unknown()),
  }),
  z.object({ method: z.literal('eth_signTypedData_v4'), params: z.tuple([z.string(), z.string()]) }),
  z.object({ method: z.literal('personal_sign'), params: z.tuple([hexText, z.string()]) }),
]);

/** A transfer of test money, as EIP-712 data. */
const Transfer = z.object({
  domain: z.object({ name: z.string(), version: z.string(), chainId: z.int(), verifyingContract: hexText }),
  message: z.object({
    from: hexText,
    to: hexText,
    value: z.coerce.bigint(),
    validAfter: z.coerce.bigint(),
    validBefore: z.coerce.bigint(),
    nonce: hexText,
  }),
});

/**
 * The test wallet, as pay.js asks any wallet (EIP-1193). It signs only payments to this server and its sign-ins: the
 * sandbox has Base's chain id and token.
 */
export function mountTestWallet(router: Router, { buyer, chain, payTo }: TestWallet, publicUrl: string): void {
  const account = privateKeyToAccount(buyer.privateKey);
  const { network, reader } = chain;
  const refuse = (): never => {
    throw new Problem('malformed_request', 'The test wallet signs payments to this server and its sign-ins only.');
  };
  const signTransfer = (text: string): Promise<Hex> => {
    const { domain, message } = Transfer.parse(JSON.parse(text));
    const isOwn = isAddressEqual(message.to, payTo) && isAddressEqual(domain.verifyingContract, network.usdc.address);
    if (!isOwn || domain.chainId !== network.chainId || message.value > MAX_PAYMENT) return refuse();
    return account.signTypedData({
      domain,
      message,
      types: authorizationTypes,
      primaryType: 'TransferWithAuthorization',
    });
  };
  const answer = (asked: z.infer<typeof Asked>): unknown => {
    switch (asked.method) {
      case 'eth_requestAccounts':
        return [account.address];
      case 'eth_chainId':
        return `0x${network.chainId.toString(16)}`;
      case 'eth_call':
        return reader.call(asked.params[0]).then(({ data }) => data);
      case 'eth_signTypedData_v4':
        return signTransfer(asked.params[1]);
      case 'personal_sign': {
        const message = Buffer.from(asked.params[0].slice(2), 'hex').toString('utf8');
        return message.startsWith(`${new URL(publicUrl).host} wants you to sign in`)
          ? account.signMessage({ message })
          : refuse();
      }
    }
  };
  router.post(TEST_WALLET_PATH, async (ctx) => {
    const asked = Asked.safeParse(await jsonFromSite(ctx));
    if (!asked.success) return refuse();
    ctx.set('Cache-Control', 'no-store');
    try {
      ctx.body = { result: await answer(asked.data) };
    } catch (error) {
      if (error instanceof Problem) throw error;
      refuse();
    }
  });
}
