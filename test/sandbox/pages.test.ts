/** The sandbox's pages: the same bytes for the same world and day, marked as made up, in the real sites' formats. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startSandbox, type Sandbox } from '../../sandbox/server.ts';
import {
  BUCKEYE,
  COLORADO,
  CUYAHOGA_LAYER,
  CUYAHOGA_SALES,
  get,
  HAMILTON_LAYER,
  HEARTLAND,
  HUD,
  MONTGOMERY,
  OHIO,
  STARK_LAYER,
} from './browse.ts';

const sizes = { seed: 3, listings: 90, parcels: 3000, auctions: 120, filings: 1500, day: '2026-11-20' };
let sandbox: Sandbox;
let twin: Sandbox;
before(async () => {
  [sandbox, twin] = await Promise.all([startSandbox(sizes), startSandbox(sizes)]);
  for (const one of [sandbox, twin]) await get(one, `${HUD}/portal/datasets/fmr.html`);
});
after(() => Promise.all([sandbox.close(), twin.close()]));

const monday = '11/23/2026';
const query = (layer: string, where: string, more = ''): string =>
  `${layer}/query?where=${encodeURIComponent(where)}${more}&returnGeometry=false&f=json`;

test('the same world and day give the same bytes, and everything says that it is made up', async () => {
  const detail = sandbox.day.listings.find(({ site }) => site === 'heartland_multifamily')?.path ?? '';
  const deal = sandbox.day.listings.find(({ site }) => site === 'buckeye_income_property')?.path ?? '';
  const aid = sandbox.day.auctions.find(({ county }) => county === 'Cuyahoga')?.aid ?? '';
  const pages = [
    `${HEARTLAND}/robots.txt`,
    `${HEARTLAND}/listings?page=2`,
    HEARTLAND + detail,
    `${BUCKEYE}/properties?page=1`,
    BUCKEYE + deal,
    `${HUD}/portal/datasets/fmr/fmr2026/FY26_FMRs.xlsx`,
    `${CUYAHOGA_LAYER}?f=json`,
    query(CUYAHOGA_LAYER, 'total_net_delq_balance > 0', '&outFields=*'),
    query(HAMILTON_LAYER, 'DELQ_TAXES > 0', '&outFields=*'),
    'https://www.hcauditor.org/download/Delinquent/unpaid.xlsx',
    'https://www.akronlegalnews.com/notices/delinquent_taxes_detail/411',
    query(STARK_LAYER, 'FINAL_BALANCE > 0', '&outFields=*'),
    `${MONTGOMERY}/search/fdpopup.cfm?dtype=DQ`,
    `${MONTGOMERY}/downloads/Delq_20261119.zip`,
    `${CUYAHOGA_SALES}?zaction=USER&zmethod=CALENDAR`,
    `${CUYAHOGA_SALES}?zaction=AUCTION&Zmethod=PREVIEW&AUCTIONDATE=${monday}`,
    `${CUYAHOGA_SALES}?zaction=auction&zmethod=details&AID=${aid}`,
    `${OHIO}/WI0100R.TXT`,
    'https://www.ohiosos.gov/businesses/business-reports/download-business-report/',
    `${COLORADO}/resource/4ykn-tg5h.json?$order=entityid&$limit=50`,
    `${COLORADO}/api/views/4ykn-tg5h.json`,
    `${COLORADO}/api/views/4ykn-tg5h/rows.csv?accessType=DOWNLOAD`,
    `${HEARTLAND}/nowhere`,
  ];
  for (const address of pages) {
    const [one, other] = await Promise.all([get(sandbox, address), get(twin, address)]);
    assert.equal(one.status, address.endsWith('/nowhere') ? 404 : 200, address);
    assert.ok(one.body.equals(other.body), `${address} differs between two servers`);
    assert.deepEqual(one.headers, other.headers, address);
    assert.equal(one.headers['x-dealfeed-sandbox'], 'made-up data', address);
    if (String(one.headers['content-type']).startsWith('text/html'))
      assert.match(one.text, /class="sandbox-banner"[^>]*>SANDBOX: [^<]*made up/u, address);
  }
});
