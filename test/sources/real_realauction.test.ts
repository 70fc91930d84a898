/** Recorded responses of real RealAuction sites, where the folder that holds them is present. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { load } from 'cheerio/slim';
import type { Page } from '../../sources/contract.ts';
import { readCalendar, readPreview, readSaleDayPage } from '../../sources/families/realauction/calendar.ts';
import { realAuctionSource } from '../../sources/families/realauction/counties.ts';
import { itemsIn, readItems, readStatuses, valueOf } from '../../sources/families/realauction/items.ts';
import { parsed } from './parsed.ts';
import { pageOf } from './recorded.ts';

const cuyahoga = realAuctionSource('oh_cuyahoga_sheriff');

const REAL = new URL('../../../shared/real/', import.meta.url);
const skip = existsSync(REAL) ? false : 'the folder of real files is not here';

const real = (path: string, kind = 'items', context: Readonly<Record<string, string>> = {}): Page =>
  pageOf(readFileSync(new URL(`live/${path}`, REAL)), {
    kind,
    url: 'https://cuyahoga.sheriffsaleauction.ohio.gov/index.cfm',
    context,
  });

test('the calendar of July 2026 gives its sale days with their counts, none of them active', { skip }, () => {
  assert.deepEqual(readCalendar(real('realauction_oh/calendar.html'), '2026-07'), [
    { day: '2026-07-22', active: 0, scheduled: 2 },
    { day: '2026-07-29', active: 0, scheduled: 3 },
  ]);
});

test('the responses to UPDATE give the page counts and the statuses', { skip }, () => {
  const [first, second] = [1, 2].map((page) => readStatuses(real(`realauction_oh/update_page_${page}.json`)));
  assert.deepEqual(first?.pages, { W: 2, C: 0 });
  assert.deepEqual(
    Object.values({ ...first?.slots, ...second?.slots }).map(({ label, amount }) => [label, amount]),
    [
      ['Auction Starts', null],
      ['Auction Status', null],
      ['Auction Sold', '$244,500.00'],
    ],
  );
});

test('the items of LOAD with the statuses of UPDATE: 2 rows in, 2 out, none refused', { skip }, async () => {
  const { slots } = readStatuses(real('realauction_oh/update_page_1.json'));
  const context = { saleDate: '2026-07-29', area: 'W', slots: JSON.stringify(slots) };
  const { rowsIn, rows, rejects } = await parsed(cuyahoga, [
    real('realauction_oh/listing_waiting_page_1.json', 'items', context),
  ]);
  assert.deepEqual([rowsIn, rows.length, rejects.length], [2, 2, 0]);
  assert.deepEqual(
    rows.map((row) => [row['status'], row['zip'], row['appraised_value'], row['opening_bid'], row['deposit']]),
    [
      ['scheduled', '43035', '534000.00', '356000.00', '10000.00'],
      ['cancelled', '43015', '210000.00', '140000.00', '5000.00'],
    ],
  );
  assert.ok(rows.every((row) => /^\d{2}-CVE-\d{2}-\d{4}$/u.test(String(row['case_number']))));
  assert.ok(rows.every((row) => row['city'] !== null && row['case_status_raw'] === 'ACTIVE'));
});

test("a day's page has empty page counts, and lists the ids of its items", { skip }, () => {
  const page = real('realauction_fl/duval_preview_excerpt_2026-06-04.html');
  const $ = load(page.text());
  assert.deepEqual([$('#maxWA').text(), $('#maxCA').text(), $('#curPWA').attr('curpg')], ['', '', '']);
  assert.deepEqual(readSaleDayPage(page).shown, '2026-06-04');
  const listed = readPreview(page, '2026-06-04');
  const [item] = readItems(real('realauction_fl/duval_area_w_2026-06-04_raw.json'));
  assert.ok(listed.length === 3 && item && listed.includes(item.aid));
});

test('the items of three Florida counties are read with their labels; their status boxes are blank', { skip }, () => {
  const counts = new Map<string, number>();
  for (const file of [
    'duval_area_w_2026-06-04_raw',
    'pasco_area_w_2026-06-05_items_1_2',
    'pasco_area_c_2026-06-05',
    'hillsborough_area_c_2026-06-05',
    'hillsborough_area_r_empty_2026-06-05',
  ]) {
    const items = readItems(real(`realauction_fl/${file}.json`));
    counts.set(file.replace(/_20.*$/u, ''), items.length);
    for (const { slot, labelled } of items) {
      assert.deepEqual(slot, { label: null, text: null, amount: null });
      for (const label of ['Case #', 'Parcel ID', 'Property Address', '', 'Final Judgment Amount'])
        assert.ok(label === '' ? labelled.some(([name]) => name === '') : valueOf(labelled, label), label);
    }
  }
  assert.deepEqual(
    [...counts],
    [
      ['duval_area_w', 1],
      ['pasco_area_w', 2],
      ['pasco_area_c', 1],
      ['hillsborough_area_c', 2],
      ['hillsborough_area_r_empty', 0],
    ],
  );
});

test('an item of a Pennsylvania county is read by its labels, without classes', { skip }, () => {
  const page = real('realauction_oh/butler_pa_item.html');
  const $ = load(page.text());
  const [item, ...more] = itemsIn($, $.root(), page.url);
  assert.deepEqual(more, []);
  assert.deepEqual(
    item?.labelled.map(([label]) => label),
    ['Case Status', 'Case #', 'Final Judgment Amount', 'Parcel ID', 'Property Address', '', 'Opening Bid'],
  );
});
