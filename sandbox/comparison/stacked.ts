/** The other records in force that leads cite, against the records of the same property in the world. */
import type { Comparison, Difference, Row } from './compare.ts';
import type { ReadTable } from './snapshot.ts';
import type { TrueRecord } from './truth/records.ts';
import type { Truth } from './truth/truth.ts';

interface Cited {
  readonly id: string;
  readonly kind: string;
}

const difference = (key: string, field: string, isExpected: boolean): Difference => ({
  key,
  field,
  expected: isExpected ? 1 : 0,
  found: isExpected ? 0 : 1,
  page: null,
});

/** A published record in force. */
interface Placed {
  readonly kind: string;
  readonly building: string;
  readonly parcelKey: unknown;
  readonly address: string | null;
}

function placedRecords(
  rows: readonly Row[],
  kindOf: (row: Row) => string,
  records: ReadonlyMap<unknown, TrueRecord>,
  truth: Truth,
): Map<unknown, Placed> {
  return new Map(
    rows.flatMap((row): [unknown, Placed][] => {
      const property = truth.world.properties.get(records.get(row['id'])?.propertyId ?? '');
      if (property === undefined) return [];
      const isComplete = row['address_key'] !== null && row['zip'] !== null;
      const address = isComplete ? `${String(row['address_key'])} ${String(row['zip'])}` : null;
      return [[row['id'], { kind: kindOf(row), building: property.building, parcelKey: row['parcel_key'], address }]];
    }),
  );
}

/** Whether pages print what joins two records of one property: the parcel number, or the address and ZIP. */
const areJoinable = (a: Placed, b: Placed): boolean =>
  (a.parcelKey !== null && a.parcelKey === b.parcelKey) || (a.address !== null && a.address === b.address);

export async function compareStacked(
  read: ReadTable,
  truth: Truth,
  records: ReadonlyMap<unknown, TrueRecord>,
): Promise<Comparison> {
  const placed = new Map([
    ...placedRecords(
      await read('signals', "signal_state = 'listed'"),
      (row) => String(row['signal_type']),
      records,
      truth,
    ),
    ...placedRecords(
      await read('auctions', `sale_status = 'scheduled' AND sale_date >= DATE '${truth.asOf}'`),
      (row) => String(row['auction_type']),
      records,
      truth,
    ),
  ]);
  const byBuilding = Map.groupBy(placed.values(), ({ building }) => building);
  const missing: Difference[] = [];
  const extra: Difference[] = [];
  let compared = 0;
  for (const lead of await read('leads')) {
    const own = placed.get(lead['signal_id'] ?? lead['auction_id']);
    if (own === undefined) continue;
    compared += 1;
    const key = `lead ${String(lead['id'])}`;
    const cited = (JSON.parse(String(lead['corroboration'])) as readonly Cited[]).filter(
      ({ kind }) => kind !== 'listing',
    );
    for (const { id, kind } of cited)
      if (placed.get(id)?.building !== own.building) extra.push(difference(key, `${kind} ${id}`, false));
    const kinds = new Set(cited.map(({ kind }) => kind));
    const others = (byBuilding.get(own.building) ?? []).filter((one) => one !== own && one.kind !== own.kind);
    const joinable = new Set(others.filter((one) => areJoinable(own, one)).map(({ kind }) => kind));
    for (const kind of joinable) if (!kinds.has(kind)) missing.push(difference(key, kind, true));
    const inForce = JSON.parse(String(lead['signal_kinds'])) as readonly string[];
    if (inForce.length !== new Set([...kinds, own.kind]).size)
      extra.push(difference(key, `signal_kinds ${inForce.join(', ')}`, false));
  }
  return { what: 'joins', group: 'records of one property (leads)', compared, differing: [], missing, extra };
}
