/** Sale days of a RealAuction site that cannot be read: each is reported, and the other days are read. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { Quarantine } from '../../sources/contract.ts';
import type { DoubleDay, DoubleSite } from './realauction_double.ts';
import { DAY, items, onDay, SITE, read, quarantined } from './realauction_reads.ts';

/** The site of three sale days, of which the second has a fault. */
const threeDays = (fault: Partial<DoubleDay>): DoubleSite => ({
  ...SITE,
  more: [
    { day: '2026-12-09', items: items(12, 'W', 60_000).map(onDay('12/09/2026')), ...fault },
    { day: '2026-12-14', items: items(11, 'W', 70_000).map(onDay('12/14/2026')) },
  ],
});

const FAULTS: readonly (readonly [what: string, fault: Partial<DoubleDay>, reason: string, detail: RegExp])[] = [
  [
    'UPDATE answers COUNT 0 for its second page',
    { withoutStatuses: 2 },
    'count_mismatch',
    /^the sale of 2026-12-09 is unreadable: UPDATE answered 0 of 2 statuses of page 2 of the waiting sales/u,
  ],
  [
    'its list is shorter than the calendar counts',
    { scheduled: 14 },
    'count_mismatch',
    /^the sale of 2026-12-09 is unreadable: 12 items read for 2026-12-09, the calendar counts 14 scheduled/u,
  ],
  [
    'its list changes between two requests',
    { losesOneAfter: 1 },
    'count_mismatch',
    /^the sale of 2026-12-09 is unreadable: 11 items read for 2026-12-09, the calendar counts 12 scheduled/u,
  ],
  ['it has a new label', { newLabel: 'Judge:' }, 'unknown_column', /^the sale of 2026-12-09 is unreadable: .*Judge/u],
];

for (const [what, fault, reason, detail] of FAULTS) {
  test(`one bad sale day does not affect the others: ${what}`, async () => {
    const { rows, unreadable } = await read(threeDays(fault));
    assert.deepEqual([...new Set(rows.map(({ sale_date }) => sale_date))], [DAY, '2026-12-14']);
    assert.equal(rows.length, 23 + 11);
    assert.deepEqual(
      unreadable.map(({ key }) => key),
      [{ county_fips: '39035', sale_date: '2026-12-09' }],
    );
    const error = unreadable[0]?.error;
    assert.ok(error instanceof Quarantine && error.reason === reason, String(error));
    assert.match(error.message, detail);
  });
}

test('a site on which every sale day is bad is quarantined', async () => {
  const bad = threeDays({ withoutStatuses: 1 });
  const more = (bad.more ?? []).map((day) => ({ ...day, withoutStatuses: 1 }));
  await assert.rejects(read({ ...bad, withoutStatuses: 1, more }), quarantined('count_mismatch'));
});

test('a missing item is named', async () => {
  const site = { ...SITE, paging: 'by number' as const, items: [...items(10), ...items(1, 'C', 60_000)] };
  const stuck = {
    ...site,
    items: site.items.map((item) => (item.area === 'C' ? { ...item, area: 'X' as 'C' } : item)),
  };
  await assert.rejects(read(stuck), /10 items read for 2026-12-07, the calendar counts 11 .*; not read: 60000$/u);
});

test('if details are for members only, the site is asked once', async () => {
  const { rows, asked } = await read({ ...SITE, membersOnly: true });
  assert.equal(rows.length, 23);
  assert.equal(asked.filter((query) => query.includes('zmethod=details')).length, 1);
  assert.ok(rows.every(({ sale_kind, sale_type_raw }) => sale_kind === 'unknown' && sale_type_raw === null));
});

test('a session that lost its day looks like an empty day, and the calendar reveals it', async () => {
  await assert.rejects(read({ ...SITE, forgetful: true }), quarantined('count_mismatch'));
});

test('a page that shows another day than requested is refused', async () => {
  await assert.rejects(read({ ...SITE, head: 'Tuesday December 8, 2026' }), quarantined('template_changed'));
  assert.equal((await read({ ...SITE, head: 'Monday December 7, 2026' })).rows.length, 23);
});

test('a list shorter than the calendar counts is not published', async () => {
  await assert.rejects(read({ ...SITE, scheduled: 25 }), quarantined('count_mismatch'));
});
