/** The change feed: what is new, changed and gone between two snapshots, why, and for how long it is reported. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { lineOf, makeDays, type Days, type Snapshot } from './change_days.ts';

/** The changes of the records whose ids begin with this letter. */
const changesOf = ({ changes }: Snapshot, letter: string): Snapshot['changes'] =>
  changes.filter((change) => String(change['record_id']).startsWith(letter));
const linesOf = (snapshot: Snapshot, letter: string): string[] => changesOf(snapshot, letter).map(lineOf).sort();

let days: Days;
before(async () => {
  days = await makeDays();
});

describe('the changes between two days', () => {
  it('name the changed fields, without those that change daily', () => {
    assert.deepEqual(linesOf(days.second, 'f'), ['deals changed f1 ["address","city"]']);
  });

  it('state why a deal is gone', () => {
    assert.deepEqual(linesOf(days.second, 'd'), [
      'deals gone d1 sold',
      'deals gone d2 under_contract',
      'deals gone d3 withdrawn',
      'deals gone d4 other_id',
      'deals gone d5 left_the_list',
      'deals new d40',
    ]);
  });

  it('state why a signal is gone: only a tax debt is cured', () => {
    assert.deepEqual(linesOf(days.second, 's'), [
      'signals gone s1 cured',
      'signals gone s2 cured',
      'signals gone s3 closed_by_publisher',
      'signals gone s4 left_the_list',
    ]);
  });

  it('state why a sale is gone: a called-off sale does not vanish', () => {
    assert.deepEqual(linesOf(days.second, 'a'), [
      'auctions changed a6 ["sale_status"]',
      'auctions gone a1 called_off',
      'auctions gone a2 called_off',
      'auctions gone a3 postponed',
      'auctions gone a4 rescheduled',
      'auctions gone a5 left_the_list',
      'auctions gone a8 sold',
      'auctions gone a9 day_passed',
    ]);
  });

  it('state why a lead is gone', () => {
    assert.deepEqual(linesOf(days.second, 'l'), [
      'leads gone l1 cured',
      'leads gone l2 not_verified',
      'leads gone l3 no_longer_qualifies',
      'leads gone l4 called_off',
      'leads gone l5 held',
      'leads gone l6 no_longer_qualifies',
      'leads gone l7 other_id',
      'leads new l70',
    ]);
  });

  it("have the filings of today's reads", () => {
    assert.deepEqual(linesOf(days.second, 'r'), ['filings changed r1 ["business_name"]', 'filings new r3']);
  });
});

describe('the change feed', () => {
  const feedOfDeals = ({ feeds }: Snapshot): Snapshot['feeds'][number] | undefined =>
    feeds.find((feed) => feed['list'] === 'deals');

  it('begins with the first snapshot that has one, and reports none of its rows', () => {
    assert.deepEqual(days.first.changes, []);
    const feed = feedOfDeals(days.first);
    assert.deepEqual(
      [feed?.['begins'], feed?.['records'], feed?.['complete_since'], feed?.['changes_through']],
      [true, 8, '2026-11-20 12:00:00', '2026-11-20 12:00:00'],
    );
  });

  it('begins again after a snapshot of an older version', () => {
    const { changes, feeds } = days.afterOlder;
    assert.deepEqual(changes, []);
    assert.ok(feeds.every((f) => f['begins'] === true && f['complete_since'] === '2026-11-21 12:00:00'));
  });

  it('has new records and records that return', () => {
    const today = changesOf(days.third, 'c').filter((c) => c['as_of'] === '2026-11-22');
    assert.deepEqual(today.map(lineOf).sort(), ['signals new c1', 'signals new c2']);
  });

  it('reports a change for 90 days', () => {
    assert.deepEqual(linesOf(days.kept, 'r'), linesOf(days.third, 'r'));
    assert.ok(linesOf(days.kept, 'r').includes('filings new r3'));
    assert.deepEqual(
      days.dropped.changes.filter((c) => c['as_of'] === '2026-11-21'),
      [],
    );
    assert.equal(feedOfDeals(days.dropped)?.['complete_since'], '2026-11-21 12:00:00');
  });

  it('gives a repeated run of a day a later instant, and undoes the changes of the earlier run', () =>
    assert.deepEqual(
      changesOf(days.thirdAgain, 'e')
        .map((c) => [lineOf(c), c['changed_at']])
        .sort(),
      [
        ['deals gone e2 left_the_list', '2026-11-22 12:00:01'],
        ['deals new e2', '2026-11-22 12:00:00'],
      ],
    ));
});

describe('a sold lead', () => {
  it('leaves only its id, like other leads of its property, and is new if its payment never arrives', () => {
    const listed = changesOf(days.thirdAgain, 'p');
    assert.ok(listed.length > 0 && listed.every((c) => c['zip'] === '44102'));
    assert.deepEqual(linesOf(days.sold, 'p'), ['leads gone p1 sold', 'leads gone p2 sold']);
    for (const change of changesOf(days.sold, 'p'))
      for (const column of ['kind', 'state', 'county', 'county_fips', 'city', 'zip'])
        assert.equal(change[column], null);
    assert.deepEqual(days.stillSold.changes, days.sold.changes);
    assert.deepEqual(linesOf(days.kept, 'p'), ['leads gone p1 sold', 'leads gone p2 sold', 'leads new p1']);
  });

  it('that left earlier for another reason is gone because it is sold', () => {
    assert.deepEqual(linesOf(days.thirdAgain, 'q'), ['leads gone q2 left_the_list', 'leads new q1', 'leads new q2']);
    assert.deepEqual(linesOf(days.sold, 'q'), ['leads gone q1 sold', 'leads gone q2 sold']);
  });
});
