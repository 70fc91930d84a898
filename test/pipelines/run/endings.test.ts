/** A lead whose debt is paid, and a listing under contract, before the day on which they are offered. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { serve } from '../../../api/http/serve.ts';
import { readServerSettings } from '../../../api/settings.ts';
import { closing } from '../../../lib/closing.ts';
import { DAY_MS, dayOf } from '../../../lib/time.ts';
import { makeWorld, worldOn } from '../../../sandbox/world/world.ts';
import { buyerWith } from '../../api/support/buyers.ts';
import { newLayout, published, runDay } from '../runs.ts';

const SOURCES = ['pa_allegheny_tax', 'pa_allegheny_parcels', 'reso_sandbox_mls'];
const world = makeWorld({ seed: 7, listings: 400, parcels: 8000, auctions: 20, filings: 20 });

const before = (day: string): string => dayOf(Date.parse(day) - DAY_MS);

/** The first day on which the county shows a payment of a parcel with an address, and the MLS a contract. */
function dayOfEnds(): string {
  for (let at = Date.parse('2026-11-21'); at < Date.parse('2027-01-20'); at += DAY_MS) {
    const [today, yesterday] = [worldOn(world, dayOf(at)), worldOn(world, dayOf(at - DAY_MS))];
    const hasPaid = today.paidDebts.some(
      ({ parcel, countyFips }) => countyFips === '42003' && !yesterday.paidDebts.some((paid) => paid.parcel === parcel),
    );
    const isContract = today.listings.some(
      ({ site, listingId, offMarketOn }) =>
        site === 'reso_sandbox_mls' &&
        offMarketOn !== null &&
        yesterday.listings.some((one) => one.listingId === listingId && one.offMarketOn === null),
    );
    if (hasPaid && isContract) return dayOf(at);
  }
  return assert.fail('no such day');
}

test('a record that ended before its sale is found the next day with both pages, and a refund is due', async () => {
  const layout = await newLayout();
  const day = dayOfEnds();
  const run = (on: string) => runDay({ layout, world, day: on, only: SOURCES });
  await run(before(day));
  const { settings, payments } = readServerSettings({ DATA_DIR: layout.root, PORT: '0' });
  await using server = closing(await serve({ settings, payments }));
  const { sandbox } = server.payments;
  const buyer = buyerWith(sandbox?.buyer.privateKey ?? assert.fail());
  const response = await buyer.fetch(`${server.url}/api/leads?limit=500`);
  const sold = (await response.json()) as { records: { id: string; page_sha256: string }[] };
  assert.equal(response.status, 200, server.snapshots.failure()?.reason ?? 'paid');
  await run(day);
  const endings = await published(layout, `${day}.01`, 'endings');
  const dated = endings.filter((ending) => ending['ended_basis'] === 'published');
  assert.deepEqual([...new Set(dated.map((ending) => ending['reason']))].sort(), ['debt_paid', 'off_market']);
  const paid = endings.find((ending) => ending['reason'] === 'debt_paid') ?? assert.fail();
  const lead = sold.records.find(({ id }) => id === paid['id']) ?? assert.fail('the lead was not offered');
  assert.equal(paid['open_sha256'], lead.page_sha256);
  assert.notEqual(paid['page_sha256'], lead.page_sha256);
  assert.equal(String(paid['ended_on']).slice(0, 10), before(before(day)));
  await server.snapshots.refresh();
  const id = response.headers.get('Receipt-Id') ?? '';
  let refund = null;
  for (let tries = 0; refund === null && tries < 200; tries += 1) {
    await pause(100);
    refund = (await server.running.ledger.find({ id }))?.refund ?? null;
  }
  const proof = JSON.parse(refund?.proof ?? '{}') as { of: number; records: { id: string }[] };
  assert.equal(proof.of, sold.records.length);
  assert.ok(proof.records.some((record) => record.id === lead.id));
});
