/** Sheriff sales and registers read from the sandbox world through the real fetcher, row by row against its truth. */
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sandboxClock } from '../../pipelines/clock.ts';
import { startSandbox, type Sandbox } from '../../sandbox/server.ts';
import { Quarantine, SourceUnavailable, type Page, type SourceSpec } from '../../sources/contract.ts';
import { realAuctionSource } from '../../sources/families/realauction/counties.ts';
import { openArchive } from '../../sources/fetch/archive.ts';
import { createFetcher } from '../../sources/fetch/fetcher.ts';
import { isGlued } from '../../sandbox/pages/realauction_florida.ts';
import { spellStreet } from '../../sandbox/world/streets.ts';
import duvalCertificates from '../../sources/distress/fl_duval_certificates/source.ts';
import shelbyTaxSale from '../../sources/tax/tn_shelby_tax_sale/source.ts';
import colorado from '../../sources/register/colorado_sos/source.ts';
import ohio from '../../sources/register/ohio_sos/source.ts';
import starkPage from '../../sources/sheriff/oh_stark_sheriff_page/source.ts';
import { parsed, type Parsed } from './parsed.ts';

const hillsboroughTaxDeeds = realAuctionSource('fl_hillsborough_tax_deed');
const pascoForeclosures = realAuctionSource('fl_pasco_foreclosure');
const pinellasForeclosures = realAuctionSource('fl_pinellas_foreclosure');
const cuyahoga = realAuctionSource('oh_cuyahoga_sheriff');
const stark = realAuctionSource('oh_stark_sheriff');

const DAY = '2026-11-20';
const FIRST_SALE_DAY = '2026-11-13';
const SIZES = { listings: 20, parcels: 60, auctions: 120, filings: 1_200 };
const clock = sandboxClock(DAY);

let sandbox: Sandbox;
let data: string;
before(async () => {
  sandbox = await startSandbox({ day: DAY, ...SIZES });
  data = await mkdtemp(join(tmpdir(), 'dealfeed-'));
});
after(async () => {
  await sandbox.close();
  await rm(data, { recursive: true, force: true });
});

type OnUnreadable = (key: Readonly<Record<string, string>>) => void;
const noneUnreadable: OnUnreadable = (key) => assert.fail(JSON.stringify(key));

async function read(
  spec: SourceSpec,
  from: Sandbox = sandbox,
  onUnreadable: OnUnreadable = noneUnreadable,
): Promise<Parsed> {
  const fetcher = createFetcher({ archive: await openArchive(data), clock, sandboxUrl: from.url });
  try {
    const ctx = fetcher.contextFor(spec, {
      asOf: DAY,
      runId: `${DAY}.1`,
      lastGoodOn: null,
      onUnreadable,
    });
    const pages: Page[] = [];
    for await (const page of spec.fetch?.(ctx) ?? []) pages.push(page);
    return await parsed(spec, pages);
  } finally {
    await fetcher.close();
  }
}

// Cuyahoga pages by number, Stark forward.
for (const spec of [cuyahoga, stark]) {
  test(`${spec.title}: every item posted, with its true status, kind and figures`, async () => {
    const { rows, rejects } = await read(spec);
    const shown = sandbox.day.auctions.filter(
      (item) => item.countyFips === spec.county?.fips && item.saleDate >= FIRST_SALE_DAY,
    );
    assert.ok(shown.length > 0);
    assert.deepEqual(rejects, []);
    const byId = (a: { item_id: unknown }, b: { item_id: unknown }): number =>
      String(a.item_id) < String(b.item_id) ? -1 : 1;
    assert.deepEqual(
      rows
        .map((row) => ({
          item_id: row['item_id'],
          case_number: row['case_number'],
          parcel: row['parcel_raw'],
          sale_date: row['sale_date'],
          status: row['status'],
          kind: row['sale_kind'],
          round: row['sale_round'],
          appraised: row['appraised_value'],
          opening_bid: row['opening_bid'],
          sold_for: row['sold_amount'],
          zip: row['zip'],
        }))
        .sort(byId),
      shown
        .map((item) => ({
          item_id: item.aid,
          case_number: item.caseNumber,
          parcel: item.parcel,
          sale_date: item.saleDate,
          status: item.status,
          kind: item.kind,
          // The site does not say of a tax sale which round it is.
          round: item.kind === 'tax_foreclosure' ? null : item.round,
          appraised: item.appraised,
          opening_bid: item.openingBid,
          sold_for: item.soldFor,
          zip: sandbox.day.property(item.propertyId).zip,
        }))
        .sort(byId),
    );
  });
}

// Hillsborough has ZIPs in addresses, Pinellas a label with a line break, Pasco another word for the value.
for (const spec of [hillsboroughTaxDeeds, pinellasForeclosures, pascoForeclosures]) {
  test(`${spec.title}: every item posted, with the facts that the clerk shows so far`, async () => {
    const { rows, rejects } = await read(spec);
    const shown = sandbox.day.auctions.filter(
      (item) =>
        item.countyFips === spec.county?.fips &&
        item.auctionType === spec.covers?.kinds[0] &&
        item.saleDate >= FIRST_SALE_DAY,
    );
    assert.ok(shown.some(({ showsParcel }) => showsParcel) && shown.some(({ showsParcel }) => !showsParcel));
    assert.deepEqual(rejects, []);
    const sorted = <T extends { readonly item: unknown }>(items: readonly T[]): T[] =>
      items.toSorted((a, b) => (String(a.item) < String(b.item) ? -1 : 1));
    assert.deepEqual(
      sorted(
        rows.map((row) => ({
          item: row['item_id'],
          type: row['auction_type'],
          case_number: row['case_number'],
          status: row['status'],
          parcel: row['parcel_raw'],
          address: [row['street'], row['city'], row['zip']],
          amounts: [row['judgment_amount'], row['assessed_value'], row['plaintiff_max_bid'], row['opening_bid']],
          certificate: row['certificate_number'],
        })),
      ),
      sorted(
        shown.map((item) => {
          const { address, city, zip } = sandbox.day.property(item.propertyId);
          const line = [spellStreet(address, 'upper_words'), isGlued(item) ? null : city.toUpperCase(), zip];
          return {
            item: item.aid,
            type: item.auctionType,
            case_number: item.caseNumber,
            status: item.status,
            parcel: item.showsParcel ? item.parcel : null,
            address: item.showsAddress ? line : [null, null, null],
            amounts: [item.judgment, item.assessed, item.maxBid, item.openingBid],
            certificate: item.certificate,
          };
        }),
      ),
    );
  });
}

test('lists that offices post as files: certificates on LienHub, and parcels of tax sales in Memphis', async () => {
  const sorted = (rows: readonly (readonly unknown[])[]): string[] => rows.map((row) => row.join(' | ')).sort();
  const certificates = await read(duvalCertificates);
  const advertised = sandbox.day.distress.filter(
    ({ kind, countyFips }) => kind === 'tax_lien' && countyFips === '12031',
  );
  assert.ok(advertised.length > 0);
  assert.deepEqual(
    sorted(certificates.rows.map((row) => [row['record_number'], row['amount'], row['record_state']])),
    sorted(advertised.map(({ number, amount }) => [number, amount, 'open'])),
  );
  const sales = await read(shelbyTaxSale);
  const coming = sandbox.day.auctions.filter(
    ({ countyFips, status, saleDate }) => countyFips === '47157' && status === 'scheduled' && saleDate >= DAY,
  );
  assert.ok(coming.length > 0);
  assert.deepEqual(
    sorted(sales.rows.map((row) => [row['parcel_raw'], row['amount'] ?? 'no amount'])),
    sorted(coming.map(({ parcel }) => [parcel, 'no amount'])),
  );
  assert.deepEqual([certificates.rejects, sales.rejects], [[], []]);
});

test("Stark's own search, by its form: every upcoming sale, page after page, with its defendant", async () => {
  const { rows, rejects } = await read(starkPage);
  const shown = sandbox.day.auctions.filter((item) => item.countyFips === '39151' && item.saleDate >= DAY);
  assert.ok(shown.length > 5, 'more than one page');
  assert.deepEqual(rejects, []);
  const byCase = (a: readonly unknown[], b: readonly unknown[]): number => (a.join(' ') < b.join(' ') ? -1 : 1);
  assert.deepEqual(
    rows
      .map((row) => [
        row['case_number'],
        row['sale_date'],
        row['parcel_raw'],
        row['defendant'],
        row['sale_kind'],
        row['status'],
      ])
      .sort(byCase),
    shown
      .map((item) => [
        item.caseNumber,
        item.saleDate,
        sandbox.day.property(item.propertyId).parcel,
        item.defendant,
        item.kind === 'tax_foreclosure' ? item.kind : 'unknown',
        'unknown',
      ])
      .sort(byCase),
  );
  const archive = await openArchive(data);
  const asked = (await archive.records('oh_stark_sheriff_page', `${DAY}.1`)).filter(({ kind }) => kind !== 'robots');
  assert.equal(asked[0]?.method, 'GET');
  assert.ok(
    asked.some(({ context }) => context['page'] === '2') &&
      asked.slice(1).every(({ method, sha256, status }) => method === 'POST' && sha256 !== null && status === 200),
    'what a form brings is archived like any page',
  );
  assert.deepEqual(
    [...new Set(asked.slice(1).map(({ context }) => context['saleType']))],
    ['Foreclosure', 'Delinquent Tax', 'Tax Certificate'],
  );
});

test('Ohio: every filing of the month that has a name, under the name the state published', async () => {
  const { rows, rejects } = await read(ohio);
  const { filings } = sandbox.day.ohio;
  assert.deepEqual(
    new Map(
      rows.map((row) => [
        row['document_number'],
        [row['business_name_raw'], row['filing_date'], row['entity_type_file'], row['agent_name']],
      ]),
    ),
    new Map(
      filings
        .filter(({ businessName }) => businessName !== null)
        .map((f) => [f.documentNumber, [f.businessName, f.effectiveDate, f.report, f.agent?.name ?? null]]),
    ),
  );
  assert.equal(rejects.length, filings.filter(({ businessName }) => businessName === null).length);
});

test('Colorado: every entity of the register from its export, none twice', async () => {
  const { rows, rejects, merged } = await read(colorado);
  assert.deepEqual(
    new Map(
      rows.map((row) => [
        row['document_number'],
        [row['business_name_raw'], row['filing_date'], row['entity_status_raw']],
      ]),
    ),
    new Map(sandbox.day.colorado.map((e) => [e.entityId, [e.row['entityname'], e.formedOn, e.row['entitystatus']]])),
  );
  assert.deepEqual({ rejects, merged }, { rejects: [], merged: 0 });
});

test('a county site that drops its cookies is quarantined, as its list would look empty', async () => {
  const { world } = sandbox;
  const forgetful = await startSandbox({
    day: DAY,
    world,
    alter: (_request, response) => ({
      ...response,
      headers: Object.fromEntries(Object.entries(response.headers).filter(([name]) => name !== 'set-cookie')),
    }),
  });
  try {
    await assert.rejects(
      read(cuyahoga, forgetful, () => undefined),
      (error) => error instanceof Quarantine && error.reason === 'count_mismatch',
    );
  } finally {
    await forgetful.close();
  }
});

test('if Ohio refuses programs, the source is unavailable and says what the operator can do', async () => {
  const refusing = await startSandbox({
    day: DAY,
    world: sandbox.world,
    alter: (request, response) => (request.path.endsWith('.TXT') ? { ...response, status: 403 } : undefined),
  });
  try {
    await assert.rejects(
      read(ohio, refusing),
      (error) =>
        error instanceof SourceUnavailable && error.status === 403 && error.message.includes('needs operator download'),
    );
  } finally {
    await refusing.close();
  }
});
