/** Published sales of lists without results against the world: Bexar's notices, and Shelby's parcels of tax sales. */
import type { AuctionOnDay } from '../world/types.ts';
import { anyOf, compare, type Comparison, type Row, type TrueRow } from './compare.ts';
import { isFresh, recomputeLead } from './recompute/lead.ts';
import type { AssumptionValue } from './recompute/record.ts';
import { withDays, withJson, type ReadTable } from './snapshot.ts';
import { placeFromOthers, printedPlace, propertiesByParcel } from './truth/printed_places.ts';
import { sourceOf, type SourceReads, type Truth } from './truth/truth.ts';

const BEXAR = '48029';
const SHELBY = '47157';

/** Items that a list shows: an item that is called off, or past, leaves it. */
const postedOn = (truth: Truth, { lastGood }: SourceReads, isOf: (sale: AuctionOnDay) => boolean): AuctionOnDay[] =>
  truth.on(lastGood).auctions.filter((sale) => isOf(sale) && sale.status === 'scheduled' && sale.saleDate >= lastGood);

function trueNotice(sale: AuctionOnDay, truth: Truth): TrueRow {
  const property = truth.on(truth.asOf).property(sale.propertyId);
  const { address, city, zip } = sale.showsAddress ? printedPlace(property) : placeFromOthers(property);
  return {
    key: `${sale.caseNumber} ${sale.saleDate}`,
    fields: {
      sale: {
        auction_type: sale.auctionType,
        // The map has no results.
        sale_status: sale.saleDate < truth.asOf ? 'result_unknown' : 'scheduled',
        opening_bid: null,
        opening_bid_derived: false,
      },
      place: { property_address: address, city, zip },
    },
  };
}

/** The notices on the map, each with the day of its read. */
function noticesShown(truth: Truth): { readonly sale: AuctionOnDay; readonly reads: SourceReads }[] {
  return [...truth.sources.values()]
    .filter(({ family, countyFips }) => family === 'auctions' && countyFips === BEXAR)
    .flatMap((reads) =>
      postedOn(truth, reads, (sale) => sale.countyFips === BEXAR && reads.kinds.includes(sale.auctionType)).map(
        (sale) => ({ sale, reads }),
      ),
    );
}

async function compareNotices(read: ReadTable, truth: Truth): Promise<Comparison[]> {
  const shown = noticesShown(truth).map(({ sale }) => sale);
  const keys = new Set(shown.map(({ caseNumber, saleDate }) => `${caseNumber} ${saleDate}`));
  const keyOf = (row: Row): string => `${String(row['case_number'])} ${String(row['sale_date'])}`;
  const published = await read('auctions', `county_fips = '${BEXAR}'`);
  return compare({
    what: 'auctions of Bexar County',
    // Notices that left the map are known from earlier reads only.
    published: published.filter((row) => keys.has(keyOf(row)) || row['sale_status'] === 'scheduled'),
    keyOf,
    truth: shown.map((sale) => trueNotice(sale, truth)),
  });
}

async function compareTaxSales(read: ReadTable, truth: Truth): Promise<Comparison[]> {
  const reads = sourceOf(truth, 'tax', SHELBY);
  const propertyOf = propertiesByParcel(truth.world);
  const published = await read('signals', `county_fips = '${SHELBY}' AND signal_state = 'listed'`);
  const shown = reads === undefined ? [] : postedOn(truth, reads, ({ countyFips }) => countyFips === SHELBY);
  return compare({
    what: 'parcels of tax sales',
    published,
    keyOf: (row) => propertyOf(row['county_fips'], row['parcel_id']) ?? `unknown parcel ${String(row['parcel_id'])}`,
    truth: shown.map(({ propertyId }): TrueRow => {
      const { address } = truth.on(truth.asOf).property(propertyId);
      const street = [String(address.low), address.pre, address.name].filter((part) => part !== null).join(' ');
      // The file has no suffix of a street.
      return { key: propertyId, fields: { row: { amount: null, address: anyOf(null, street), zip: null } } };
    }),
  });
}

export const comparePostedSales = async (read: ReadTable, truth: Truth): Promise<Comparison[]> => [
  ...(await compareNotices(read, truth)),
  ...(await compareTaxSales(read, truth)),
];

/** Leads of the notices. The corroborating record is taken as published. */
export async function compareNoticeLeads(
  read: ReadTable,
  truth: Truth,
  assumptions: AssumptionValue,
): Promise<Comparison[]> {
  const leads = (await read('leads', `lead_type = 'sheriff_sale_auction' AND county_fips = '${BEXAR}'`)).map((lead) =>
    withDays(withJson(lead, 'corroboration', 'score_parts')),
  );
  const keyOf = (lead: Row): string => `${String(lead['case_number'])} ${String(lead['sale_date'])}`;
  const byKey = new Map(leads.map((lead) => [keyOf(lead), lead]));
  const upcoming = noticesShown(truth).filter(
    ({ sale, reads }) =>
      sale.showsAddress && sale.saleDate >= truth.asOf && isFresh(reads.lastGood, assumptions, truth.asOf),
  );
  return compare({
    what: 'leads of Bexar County',
    published: leads,
    keyOf,
    truth: upcoming.map(({ sale, reads }): TrueRow => {
      const key = `${sale.caseNumber} ${sale.saleDate}`;
      const { address, city, zip } = printedPlace(truth.on(truth.asOf).property(sale.propertyId));
      const published = byKey.get(key) ?? {};
      const inputs = {
        lead_type: 'sheriff_sale_auction',
        auction_type: sale.auctionType,
        sale_kind: sale.kind,
        sale_date: sale.saleDate,
        opening_bid_basis: 'unknown',
        owner_location: published['owner_location'] ?? 'unknown',
        property_kind: published['property_kind'] ?? 'unknown',
        corroboration: published['corroboration'] ?? [],
        last_verified: reads.lastGood,
      };
      return {
        key,
        fields: { place: { address, city, zip }, score: recomputeLead(inputs, assumptions, truth.asOf) },
        isOptional: truth.soldLeads > 0,
      };
    }),
  });
}
