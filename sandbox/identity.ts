/**
 * How well a snapshot tells which rows are of one property, counted in pairs against what the world knows: listings of
 * one property, county records of a property for sale, and debts and sales of one parcel.
 */
import { join } from 'node:path';
import { openDuck, rowsOf } from '../lib/duck.ts';
import { literal } from '../lib/sql.ts';
import { parcelKey } from './reconcile.ts';
import type { WorldDay } from './world/types.ts';

export interface Measured {
  readonly what: string;
  /** Pairs that are one property. */
  readonly same: number;
  /** Pairs that the snapshot puts together. */
  readonly found: number;
  /** Those of them that are one property. */
  readonly right: number;
  readonly wrong: readonly string[];
  /** Pairs that it does not put together, each with what keeps them apart. */
  readonly missed: readonly string[];
}

/** Share of what was put together that is one property; 1 where nothing was. */
export const precisionOf = ({ found, right }: Measured): number => (found === 0 ? 1 : right / found);
/** Share of what is one property that was put together. */
export const recallOf = ({ same, right }: Measured): number => (same === 0 ? 1 : right / same);

type Row = Readonly<Record<string, unknown>>;

function measure(
  what: string,
  truth: ReadonlySet<string>,
  found: ReadonlySet<string>,
  why: (pair: string) => string,
): Measured {
  return {
    what,
    same: truth.size,
    found: found.size,
    right: [...found].filter((p) => truth.has(p)).length,
    wrong: [...found].filter((p) => !truth.has(p)),
    missed: [...truth].filter((p) => !found.has(p)).map((p) => `${p}: ${why(p)}`),
  };
}

/** All pairs within each group. */
const pairsOf = (groups: Iterable<readonly string[]>): Set<string> =>
  new Set(
    [...groups].flatMap((members) =>
      members.toSorted().flatMap((a, i, all) => all.slice(i + 1).map((b) => `${a} + ${b}`)),
    ),
  );

/** Compare the snapshot in `folder` with the world on the snapshot's day. */
export async function identity(folder: string, day: WorldDay): Promise<Measured[]> {
  const duck = await openDuck();
  const all = (table: string, where = 'true'): Promise<Row[]> =>
    rowsOf(duck.connection, `SELECT * FROM read_parquet(${literal(join(folder, `${table}.parquet`))}) WHERE ${where}`);
  try {
    const versions = await all('listing_history', 'is_latest AND gone_on IS NULL');
    const [deals, signals, auctions, leads] = [
      await all('deals'),
      await all('signals', "signal_state = 'listed'"),
      await all('auctions', "sale_status = 'scheduled'"),
      await all('leads'),
    ];

    const listingOf = (site: unknown, id: unknown): string => `${String(site)} ${String(id)}`;
    // Whether a row is there at all is for reconcile to say.
    const there = new Set(versions.map((v) => listingOf(v['source'], v['listing_id'])));
    const listings = measure(
      'listings of one property',
      pairsOf(
        [
          ...Map.groupBy(
            day.listings.filter((l) => there.has(listingOf(l.site, l.listingId))),
            (l) => l.propertyId,
          ).values(),
        ].map((g) => g.map((l) => listingOf(l.site, l.listingId))),
      ),
      pairsOf(
        [...Map.groupBy(versions, (v) => String(v['deal_id'])).values()].map((g) =>
          g.map((v) => listingOf(v['source'], v['listing_id'])),
        ),
      ),
      () => 'their addresses do not come out equal',
    );

    // County rows by what both the page and the world call them.
    const debtOf = new Map(
      [...day.delinquent, ...day.printedDebts].map((d) => [
        `${d.countyFips} ${parcelKey(d.countyFips, d.parcel)}`,
        d.propertyId,
      ]),
    );
    const saleOf = new Map(
      day.auctions
        .filter((a) => a.status === 'scheduled')
        .map((a) => [`${a.countyFips} ${a.caseNumber} ${a.saleDate}`, a.propertyId]),
    );
    const rows = new Map<
      unknown,
      {
        readonly name: string;
        readonly property: string | undefined;
        readonly hasStreet: boolean;
        readonly hasZip: boolean;
      }
    >();
    for (const s of signals) {
      const name = `${String(s['county_fips'])} ${String(s['parcel_key'])}`;
      rows.set(s['id'], {
        name: `debt ${name}`,
        property: debtOf.get(name),
        hasStreet: s['has_address'] === true,
        hasZip: s['zip'] !== null,
      });
    }
    for (const a of auctions) {
      const name = [a['county_fips'], a['case_number'], a['sale_date']].join(' ');
      rows.set(a['id'], {
        name: `sale ${name}`,
        property: saleOf.get(name),
        hasStreet: a['address_key'] !== null,
        hasZip: a['zip'] !== null,
      });
    }
    const byName = new Map([...rows.values()].map((r) => [r.name, r]));
    const apart = (pair: string): string => {
      const row = byName.get(pair.slice(pair.indexOf(' + ') + 3));
      return row?.hasStreet === false
        ? 'no page prints its street'
        : row?.hasZip === false
          ? 'no page prints its ZIP'
          : 'their addresses do not come out equal';
    };

    const propertyOfDeal = new Map<unknown, string>();
    const trueOf = new Map(day.listings.map((l) => [listingOf(l.site, l.listingId), l.propertyId]));
    for (const v of versions)
      propertyOfDeal.set(
        v['deal_id'],
        trueOf.get(listingOf(v['source'], v['listing_id'])) ?? 'no property of the world',
      );
    const forSale = new Set(propertyOfDeal.values());
    const pair = (property: string, row: { readonly name: string }): string => `${property} + ${row.name}`;
    const distress = measure(
      'debts and sales of a property for sale',
      new Set(
        [...rows.values()].flatMap((r) =>
          r.property !== undefined && forSale.has(r.property) ? [pair(r.property, r)] : [],
        ),
      ),
      new Set(
        deals.flatMap((d) => {
          const property = propertyOfDeal.get(d['id']);
          return property === undefined
            ? []
            : (JSON.parse(String(d['distress_matches'])) as { id: string }[]).map((m) =>
                pair(property, rows.get(m.id) ?? { name: `a record that is not published: ${m.id}` }),
              );
        }),
      ),
      apart,
    );

    const owing = new Map([...rows.values()].filter((r) => r.name.startsWith('debt')).map((r) => [r.property, r]));
    const auctionLeads = leads.filter((l) => l['lead_type'] === 'sheriff_sale_auction');
    const parcels = measure(
      'a debt and a sale of one parcel (leads of sales)',
      new Set(
        auctionLeads.flatMap((l) => {
          const sale = rows.get(l['auction_id']);
          const debt = owing.get(sale?.property);
          return sale && debt ? [`${sale.name} + ${debt.name}`] : [];
        }),
      ),
      new Set(
        auctionLeads.flatMap((l) =>
          (JSON.parse(String(l['corroboration'])) as { id: string }[]).map(
            (c) => `${rows.get(l['auction_id'])?.name ?? ''} + ${rows.get(c.id)?.name ?? c.id}`,
          ),
        ),
      ),
      () => 'their parcel numbers do not come out equal',
    );
    return [listings, distress, parcels];
  } finally {
    duck.close();
  }
}

/** The result as lines: figures of each kind of pair, what is wrong, and why pairs were missed. */
export function identityLines(measured: readonly Measured[]): string[] {
  const width = Math.max(...measured.map((m) => m.what.length));
  return measured.flatMap((m) => [
    `  ${m.what.padEnd(width)}  same ${String(m.same).padStart(5)}  found ${String(m.found).padStart(5)}  precision ${precisionOf(m).toFixed(4)}  recall ${recallOf(m).toFixed(4)}`,
    ...m.wrong.slice(0, 3).map((w) => `      wrong: ${w}`),
    ...[...Map.groupBy(m.missed, (x) => x.slice(x.lastIndexOf(': ') + 2))].map(
      ([why, pairs]) => `      missed ${pairs.length}: ${why}`,
    ),
  ]);
}
