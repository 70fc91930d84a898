/** The sandbox's pages: the same bytes for the same world and day, marked as made up, in the real sites' formats. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { unzipSync } from 'fflate';
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
  jsonLdOf,
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

describe('listing sites', () => {
  test('A leads through its cards to every listing, one structured record each', async () => {
    const links = new Set<string>();
    let next: string | undefined = '/listings';
    while (next !== undefined) {
      const index = await get(sandbox, HEARTLAND + next);
      const cards = [...index.text.matchAll(/<a class="listing-card" href="([^"]+)">/gu)].map(([, href]) => href ?? '');
      assert.ok(cards.length > 0 && cards.length <= 25);
      for (const href of cards) links.add(href);
      next = /<link rel="next" href="([^"]+)">/u.exec(index.text)?.[1];
    }
    const listings = sandbox.day.listings.filter(({ site }) => site === 'heartland_multifamily');
    assert.deepEqual([...links].sort(), listings.map(({ path }) => path).sort());
    const listing = listings.find(({ price, capRate, units }) => price !== null && capRate !== null && units !== null);
    const record = jsonLdOf(await get(sandbox, HEARTLAND + listing?.path)) as Record<string, Record<string, unknown>>;
    assert.equal(record['@type'], 'RealEstateListing');
    assert.equal(record.identifier, listing?.listingId);
    assert.equal(Number(record.offers?.price), Number(listing?.price));
  });

  test('A responds with 410 for former listings, and redirects a bare number to the whole address', async () => {
    const { goneListings, listings } = sandbox.day;
    const gone = [...goneListings].find((id) => id.startsWith('HM-'));
    assert.equal((await get(sandbox, `${HEARTLAND}/listing/${gone}/anything`)).status, 410);
    const { listingId, path } = listings.find(({ site }) => site === 'heartland_multifamily') ?? {};
    const moved = await get(sandbox, `${HEARTLAND}/listing/${listingId}`);
    assert.deepEqual([moved.status, moved.headers.location], [301, path]);
  });

  test('B has every listing on its pages of cards', async () => {
    const seen: string[] = [];
    let next: string | undefined = '/properties?page=1';
    while (next !== undefined) {
      const { text } = await get(sandbox, BUCKEYE + next);
      seen.push(...[...text.matchAll(/data-property="([^"]+)"/gu)].map(([, id]) => id ?? ''));
      next = /<a rel="next" href="([^"]+)">/u.exec(text)?.[1];
    }
    const listings = sandbox.day.listings.filter(({ site }) => site === 'buckeye_income_property');
    assert.deepEqual(seen.sort(), listings.map(({ listingId }) => listingId).sort());
  });
});

test('HUD: nothing but the FY2026 original is posted, a workbook with the codes as text', async () => {
  for (const name of ['fmr2027/FY27_FMRs_revised', 'fmr2027/FY27_FMRs', 'fmr2026/FY26_FMRs_revised']) {
    assert.equal((await get(sandbox, `${HUD}/portal/datasets/fmr/${name}.xlsx`)).status, 404, name);
  }
  const parts = unzipSync((await get(sandbox, `${HUD}/portal/datasets/fmr/fmr2026/FY26_FMRs.xlsx`)).body);
  const text = (name: string): string => Buffer.from(parts[name] ?? []).toString();
  assert.match(text('xl/sharedStrings.xml'), /<t>3903599999<\/t>/u);
  assert.match(text('xl/sharedStrings.xml'), /<t>04<\/t>/u);
  assert.match(text('xl/workbook.xml'), /name="FY26_FMRs".*name="Field_Descriptions"/u);
  assert.equal(text('xl/worksheets/sheet1.xml').match(/<row /gu)?.length, 142);
});

describe('map servers', () => {
  const rowsOf = async (
    address: string,
  ): Promise<{
    features: { attributes: Record<string, unknown> }[];
    exceededTransferLimit?: boolean;
    count?: number;
    error?: { code: number };
  }> => JSON.parse((await get(sandbox, address)).text) as never;

  test('page by page they give every delinquent parcel, some on two rows, and as many rows as they count', async () => {
    const where = 'total_net_delq_balance > 0';
    const parcels: unknown[] = [];
    for (let more = true; more;) {
      const page = await rowsOf(
        query(
          CUYAHOGA_LAYER,
          where,
          `&outFields=parcel_id&orderByFields=OBJECTID&resultOffset=${parcels.length}&resultRecordCount=2000`,
        ),
      );
      assert.ok(page.features.length <= 1000);
      parcels.push(...page.features.map(({ attributes }) => attributes.parcel_id));
      more = page.exceededTransferLimit === true;
    }
    assert.ok(parcels.length > 1000);
    assert.equal((await rowsOf(query(CUYAHOGA_LAYER, where, '&returnCountOnly=true'))).count, parcels.length);
    const distinct = new Set(parcels);
    assert.ok(distinct.size < parcels.length);
    assert.deepEqual(
      [...distinct].sort(),
      sandbox.day.delinquent
        .filter(({ countyFips }) => countyFips === '39035')
        .map(({ parcel }) => parcel)
        .sort(),
    );
  });

  test('most of a layer is not delinquent, and the debt is the amount owed less the amount paid', async () => {
    const all = (await rowsOf(query(HAMILTON_LAYER, '1=1', '&returnCountOnly=true'))).count ?? 0;
    const owing = await rowsOf(query(HAMILTON_LAYER, 'DELQ_TAXES > 0', '&outFields=*'));
    assert.ok(owing.features.length < all);
    const lots = new Map(sandbox.day.delinquent.map(({ parcel, amount }) => [parcel.slice(0, 11), Number(amount)]));
    for (const { attributes: a } of owing.features) {
      if (a.PAR_DELETED === 'Y') continue;
      assert.equal(
        Math.round((Number(a.DELQ_TAXES) - Number(a.DELQ_TAXES_PD)) * 100),
        Math.round((lots.get(String(a.AUDPCLID)) ?? 0) * 100),
      );
    }
  });

  test("Hamilton's answers more than 200 features in an order with HTTP 400", async () => {
    const page = (count: number): Promise<{ status: number }> =>
      get(sandbox, query(HAMILTON_LAYER, '1=1', `&orderByFields=OBJECTID&resultRecordCount=${count}`));
    assert.deepEqual([(await page(200)).status, (await page(1000)).status], [200, 400]);
  });

  test('errors come as HTTP 200', async () => {
    assert.equal((await rowsOf(query(STARK_LAYER, 'NO_SUCH_FIELD > 0'))).error?.code, 400);
    assert.equal((await rowsOf(query(STARK_LAYER, 'FINAL_BALANCE >'))).error?.code, 400);
    assert.equal((await rowsOf(query(STARK_LAYER, 'FINAL_BALANCE > 0', '&outFields=PIN,NOPE'))).error?.code, 400);
  });
});

test('Montgomery: unquoted links with backslashes to an archive of padded columns and broken lines', async () => {
  const popup = await get(sandbox, `${MONTGOMERY}/search/fdpopup.cfm?dtype=DQ`);
  const [, href = ''] = /href=(\S+Delq_\d{8}\.zip)/u.exec(popup.text) ?? [];
  assert.equal(href, '\\applications\\treasurer\\downloads\\Delq_20261119.zip');
  const files = unzipSync((await get(sandbox, `https://go.mcohio.org${href.replaceAll('\\', '/')}`)).body);
  const [[name, csv] = []] = Object.entries(files);
  assert.equal(name, 'DELQ\\Delq_20261119.csv');
  const [header = '', ...lines] = Buffer.from(csv ?? [])
    .toString('latin1')
    .trimEnd()
    .split('\r\n');
  assert.equal(header.split(',').length, 62);
  assert.match(header, /^PARCELID +,HLF1CHG +,/u);
  const whole = lines.filter((line) => /^[A-Z]\d\d(?: \d{5}|\d{6})[ A]\d{4},/u.test(line));
  for (const form of [/^[A-Z]\d\d \d{5} \d{4},/u, /^[A-Z]\d\d \d{5}A\d{4},/u, /^[A-Z]\d\d\d{6} \d{4},/u])
    assert.ok(
      whole.some((line) => form.test(line)),
      form.source,
    );
  assert.equal(whole.length, sandbox.day.delinquent.filter(({ countyFips }) => countyFips === '39113').length);
  assert.ok(lines.length > whole.length, 'some lines continue a record');
  assert.match(csv ? Buffer.from(csv).toString('latin1') : '', /\xbd/u);
  assert.equal((await get(sandbox, `${MONTGOMERY}/downloads/Delq_20261126.zip`)).status, 404, 'not posted yet');
});
