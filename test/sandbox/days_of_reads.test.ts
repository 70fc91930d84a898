/** The truth of a snapshot whose sources were read on earlier days: what they showed then, and which leads are left. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { currentAssumptions } from '../../models/assumptions.ts';
import { compareClerkLeads } from '../../sandbox/comparison/clerk_sales.ts';
import type { Row } from '../../sandbox/comparison/compare.ts';
import { compareLevyLeads } from '../../sandbox/comparison/levy_leads.ts';
import { compareNoticeLeads } from '../../sandbox/comparison/posted_sales.ts';
import { trueSignals } from '../../sandbox/comparison/truth/records.ts';
import type { SourceReads, Truth } from '../../sandbox/comparison/truth/truth.ts';
import { makeWorld, worldOn } from '../../sandbox/world/world.ts';
import { addDays } from '../../sources/days.ts';

const READ_ON = '2026-11-21';
const world = makeWorld({ seed: 7, listings: 0, parcels: 50, auctions: 20, filings: 0 });
const values = new Map(currentAssumptions().rows.map(({ key, value }) => [key, value]));
const assumptions = (key: string): string => values.get(key) ?? '';

/** The truth of a snapshot with one source, this many days after its read. */
function truthAfter(days: number, source: Partial<SourceReads>): Truth {
  const reads: SourceReads = {
    source: 'one',
    family: 'auctions',
    countyFips: null,
    kinds: [],
    everyDays: 1,
    status: 'not_due',
    days: [READ_ON],
    lastGood: READ_ON,
    ...source,
  };
  return {
    world,
    asOf: addDays(READ_ON, days),
    on: (day) => worldOn(world, day),
    unread: [],
    sources: new Map([[reads.source, reads]]),
    isComplete: true,
    soldLeads: 0,
  };
}

const LEADS = [
  {
    of: "a clerk's sales",
    compareLeads: compareClerkLeads,
    source: { source: 'fl_duval_foreclosure', countyFips: '12031' },
  },
  {
    of: 'notices of sales',
    compareLeads: compareNoticeLeads,
    source: { source: 'tx_bexar_foreclosures', countyFips: '48029', kinds: ['foreclosure_sale'] },
  },
  {
    of: 'debts by year',
    compareLeads: compareLevyLeads,
    source: { source: 'wi_milwaukee_tax', family: 'tax', countyFips: '55079' },
  },
] as const;

for (const { of, compareLeads, source } of LEADS)
  test(`leads of ${of} are expected for a week after their read`, async () => {
    const expectedAfter = async (days: number): Promise<number | undefined> => {
      const [rows] = await compareLeads(() => Promise.resolve([]), truthAfter(days, source), assumptions);
      return rows?.compared;
    };
    assert.ok(Number(await expectedAfter(7)) > 0);
    assert.equal(await expectedAfter(8), 0);
  });

test('a debt that was paid after the read of its list is known as the list had it', () => {
  const [debt] = worldOn(world, READ_ON).delinquent.filter(({ countyFips }) => countyFips === '55079');
  assert.ok(debt);
  const truth = truthAfter(3, { family: 'tax', countyFips: '55079' });
  const paid: Truth = {
    ...truth,
    on: (day) => ({ ...worldOn(world, day), delinquent: day === READ_ON ? [debt] : [] }),
  };
  const row: Row = { id: 'S', signal_type: 'tax_delinquent', county_fips: '55079', parcel_id: debt.parcel };
  const { propertyId, amount } = trueSignals([row], paid, []).get('S') ?? {};
  assert.deepEqual([propertyId, amount], [debt.propertyId, debt.amount]);
});
