/** Compares a snapshot with the truth of its world: rows, columns, history, figures and joins. */
import type { World } from '../world/types.ts';
import { compare, type Comparison } from './compare.ts';
import { comparePairs, pairCounts } from './identity.ts';
import { DEALS } from './records/deals.ts';
import { DEBTS } from './records/debts.ts';
import { DISTRESS } from './records/distress.ts';
import { FILINGS } from './records/filings.ts';
import { LEADS } from './records/leads.ts';
import { LISTINGS, listingKey } from './records/listings.ts';
import { SALES } from './records/sales.ts';
import { withDays, withSnapshot, type Facts, type ReadTable, type RecordTable } from './snapshot.ts';
import { debtsOfCounties } from './truth/debts.ts';
import { propertiesByParcel } from './truth/printed_places.ts';
import { deriveTruth, type Truth } from './truth/truth.ts';

/** The kinds of records in a snapshot. */
const RECORDS: readonly RecordTable[] = [...LISTINGS, ...DEALS, ...DEBTS, ...DISTRESS, ...SALES, LEADS, ...FILINGS];

const factsOf = (read: ReadTable, truth: Truth): Facts => ({
  read,
  truth,
  counties: debtsOfCounties(truth),
  propertyOf: propertiesByParcel(truth.world),
  forSale: new Map(
    truth
      .on(truth.asOf)
      .listings.map(({ site, listingId, propertyId }) => [listingKey(site, listingId), propertyId] as const),
  ),
});

async function compareRecord(
  { record, table, where, prepare, keyOf, truth }: RecordTable,
  facts: Facts,
): Promise<Comparison> {
  const rows = (await facts.read(table, where)).map(withDays);
  const published = prepare ? rows.map((row) => prepare(row, facts)).filter((row) => row !== null) : rows;
  return compare({
    record,
    published,
    keyOf: (row) => keyOf(row, facts),
    truth: await truth(facts, published),
  });
}

/** Compare the records that `read` reads with the truth. */
export async function compareRecords(
  read: ReadTable,
  truth: Truth,
  isCompared: (table: RecordTable) => boolean = () => true,
): Promise<Comparison[]> {
  const facts = factsOf(read, truth);
  const comparisons: Comparison[] = [];
  for (const record of RECORDS)
    if (isCompared(record) && (truth.isComplete || record.needsAllReads !== true))
      comparisons.push(await compareRecord(record, facts));
  return comparisons;
}

export interface Reconciled {
  readonly truth: Truth;
  readonly comparisons: readonly Comparison[];
}

/** Compare the snapshot in `folder`, which has the folders of earlier snapshots next to it, with the world. */
export async function reconcile(folder: string, world: World): Promise<Reconciled> {
  const truth = await deriveTruth(folder, world);
  const comparisons = await withSnapshot(folder, async (read) => [
    ...(await compareRecords(read, truth)),
    ...comparePairs(await pairCounts(read, truth)),
  ]);
  return { truth, comparisons };
}
