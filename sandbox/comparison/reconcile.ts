/** Compares a snapshot with the truth of its world: rows, fields, history, figures and joins. */
import type { World } from '../world/types.ts';
import { compareAuctions } from './auctions.ts';
import { compareClerkLeads, compareClerkSales } from './clerk_sales.ts';
import type { Comparison } from './compare.ts';
import { compareCoverage } from './coverage.ts';
import { compareDeals, type CountyRecord } from './deals.ts';
import { compareDistress } from './distress.ts';
import { debtKey, debtsOfCounties, type CountyDebts, type TrueDebt } from './truth/debts.ts';
import { pairComparisons, pairCounts } from './identity.ts';
import { compareLeads } from './leads.ts';
import { compareLevies } from './levies.ts';
import { compareLevyLeads } from './levy_leads.ts';
import { siteHistories } from './truth/listing_versions.ts';
import { compareListings } from './listings.ts';
import { compareOwners } from './owners.ts';
import { compareNoticeLeads, comparePostedSales } from './posted_sales.ts';
import type { AssumptionValue } from './recompute/record.ts';
import { compareRegisters } from './registers.ts';
import { compareRolls } from './rolls.ts';
import { compareSignals, signalKey } from './signals.ts';
import { compareStacked } from './stacked.ts';
import { withSnapshot, type ReadTable } from './snapshot.ts';
import { trueSales, trueSignals, type TrueRecord } from './truth/records.ts';
import { deriveTruth, type Truth } from './truth/truth.ts';

/** Declared assumptions by key, as the snapshot publishes them. */
async function readAssumptions(read: ReadTable): Promise<AssumptionValue> {
  const values = new Map((await read('assumptions')).map((row) => [row['key'], String(row['value'])]));
  return (key) => {
    const value = values.get(key);
    if (value === undefined) throw new Error(`the snapshot has no assumption ${key}`);
    return value;
  };
}

/** True debts by the id of the published signal. */
async function debtsById(read: ReadTable, counties: readonly CountyDebts[]): Promise<Map<unknown, TrueDebt>> {
  const byKey = new Map(counties.flatMap(({ listed }) => listed.map((debt) => [debtKey(debt), debt] as const)));
  const signals = await read('signals', "signal_type = 'tax_delinquent'");
  return new Map(
    signals.flatMap((row) => {
      const debt = byKey.get(signalKey(row));
      return debt ? [[row['id'], debt] as const] : [];
    }),
  );
}

/** Published records and sales by id, as the world knows them. */
async function recordsById(
  read: ReadTable,
  truth: Truth,
  counties: readonly CountyDebts[],
): Promise<Map<unknown, TrueRecord>> {
  const signals = trueSignals(await read('signals'), truth, counties);
  return new Map([...signals, ...trueSales(await read('auctions'), truth)]);
}

/** Compare all tables that `read` reads with the truth. */
export async function compareTables(read: ReadTable, truth: Truth): Promise<Comparison[]> {
  const assumptions = await readAssumptions(read);
  const counties = debtsOfCounties(truth);
  const debts = await debtsById(read, counties);
  const known = await recordsById(read, truth, counties);
  // Amounts are from the world, the days of sales from the key of the row.
  const records = new Map<unknown, CountyRecord>(
    [...known].map(([id, { amount, saleDate }]) => [id, { amount, sale_date: saleDate }]),
  );
  const histories = siteHistories(truth, Number(assumptions('relisting_days')));
  return [
    ...(await compareListings(read, truth, histories)),
    ...(await compareDeals(read, histories, { truth, assumptions, records })),
    ...(await compareSignals(read, truth, counties)),
    ...(await compareLevies(read, truth)),
    ...(await compareDistress(read, truth)),
    ...(await compareAuctions(read, truth)),
    ...(await compareClerkSales(read, truth)),
    ...(await comparePostedSales(read, truth)),
    ...(await compareLeads(read, { truth, assumptions, counties }, debts)),
    ...(await compareClerkLeads(read, truth, assumptions)),
    ...(await compareNoticeLeads(read, truth, assumptions)),
    ...(await compareLevyLeads(read, truth, assumptions)),
    ...(await compareRolls(read, truth)),
    ...(await compareOwners(read, truth, known)),
    ...(await compareCoverage(read, truth, known)),
    await compareStacked(read, truth, known),
    ...pairComparisons(await pairCounts(read, truth, counties)),
    ...(await compareRegisters(read, truth)),
  ];
}

export interface Reconciled {
  readonly truth: Truth;
  readonly comparisons: readonly Comparison[];
}

/** Compare the snapshot in `folder`, which has the folders of earlier snapshots next to it, with the world. */
export async function reconcile(folder: string, world: World): Promise<Reconciled> {
  const truth = await deriveTruth(folder, world);
  return { truth, comparisons: await withSnapshot(folder, (read) => compareTables(read, truth)) };
}
