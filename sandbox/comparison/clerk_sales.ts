/** Published sales of Florida's clerks, and their leads, against the world. */
import type { AuctionOnDay } from '../world/types.ts';
import { spellStreet } from '../world/streets.ts';
import { isGlued } from '../pages/realauction_florida.ts';
import { compare, type Comparison, type Row, type TrueRow } from './compare.ts';
import { isFresh, recomputeLead } from './recompute/lead.ts';
import type { AssumptionValue } from './recompute/record.ts';
import { withDays, withJson, type ReadTable } from './snapshot.ts';
import { firstSaleDay, salesShown } from './truth/sales.ts';
import type { SourceReads, Truth } from './truth/truth.ts';

const STATE = 'FL';

/** Sales of a site by its kind, as of its last good read. */
interface ClerkSite {
  readonly reads: SourceReads;
  readonly shown: readonly AuctionOnDay[];
}

function clerkSites(truth: Truth): ClerkSite[] {
  const reads = [...truth.sources.values()].filter(({ source }) => source.startsWith('fl_'));
  return reads.flatMap((site): ClerkSite[] => {
    const type = site.source.endsWith('_foreclosure') ? 'foreclosure_sale' : 'tax_deed_sale';
    if (site.family !== 'auctions' || site.countyFips === null) return [];
    const ofCounty = salesShown(truth, site.countyFips, site.lastGood);
    return [{ reads: site, shown: ofCounty.filter(({ auctionType }) => auctionType === type) }];
  });
}

/** Place of the property as a clerk shows it. A site that has shown it shows it until the sale. */
function placeFields(truth: Truth, sale: AuctionOnDay): Row {
  const { address, city, zip } = truth.on(truth.asOf).property(sale.propertyId);
  return sale.showsAddress
    ? { property_address: spellStreet(address, 'upper_words'), city: isGlued(sale) ? null : city.toUpperCase(), zip }
    : { property_address: null, city: null, zip: null };
}

const bidFields = ({ openingBid }: AuctionOnDay): Row => ({
  appraised_value: null,
  opening_bid: openingBid,
  opening_bid_basis: openingBid === null ? 'unknown' : 'published_minimum',
  opening_bid_derived: false,
  appraisal_discount_pct: null,
});

const trueSale = (truth: Truth, sale: AuctionOnDay): TrueRow => ({
  key: sale.aid,
  fields: {
    status: {
      sale_status: sale.status === 'scheduled' && sale.saleDate < truth.asOf ? 'result_unknown' : sale.status,
      sold_amount: sale.soldFor,
    },
    place: { ...placeFields(truth, sale), parcel_id: sale.showsParcel ? sale.parcel : null },
    amounts: {
      ...bidFields(sale),
      judgment_amount: sale.judgment,
      assessed_value: sale.assessed,
      plaintiff_max_bid: sale.maxBid,
    },
    sale: { auction_type: sale.auctionType, certificate_number: sale.certificate, case_number: sale.caseNumber },
  },
});

const isOfClerk = (row: Row): boolean => row['state'] === STATE;
const itemOf = (row: Row): string => String(row['item_id']);

/** Sales on the clerks' sites. Those that they no longer show are left out. */
export async function compareClerkSales(read: ReadTable, truth: Truth): Promise<Comparison[]> {
  const sites = clerkSites(truth);
  const firstDay = new Map(sites.map(({ reads }) => [reads.source, firstSaleDay(reads.lastGood)]));
  const published = (await read('auctions')).filter(
    (row) => isOfClerk(row) && String(row['sale_date']) >= (firstDay.get(String(row['source'])) ?? ''),
  );
  return compare({
    what: "auctions of Florida's clerks",
    published,
    keyOf: itemOf,
    truth: sites.flatMap(({ shown }) => shown.map((sale) => trueSale(truth, sale))),
  });
}

/** The next upcoming sale with an address of each parcel, or of each case while no parcel is shown. */
function nextSales(
  truth: Truth,
  assumptions: AssumptionValue,
): { readonly sale: AuctionOnDay; readonly lastSeen: string }[] {
  const fresh = clerkSites(truth).filter(({ reads }) => isFresh(reads.lastGood, assumptions, truth.asOf));
  const upcoming = fresh.flatMap(({ reads, shown }) =>
    shown
      .filter((sale) => sale.status === 'scheduled' && sale.saleDate >= truth.asOf && sale.showsAddress)
      .map((sale) => ({ sale, lastSeen: reads.lastGood })),
  );
  const order = ({ sale }: (typeof upcoming)[number]): string => `${sale.saleDate} ${sale.caseNumber}`;
  const identity = ({ sale }: (typeof upcoming)[number]): string =>
    `${sale.countyFips} ${(sale.showsParcel ? sale.parcel : sale.caseNumber).replace(/[^A-Z0-9]/gu, '')}`;
  return [...Map.groupBy(upcoming, identity).values()].flatMap((sales) =>
    sales.toSorted((a, b) => (order(a) < order(b) ? -1 : 1)).slice(0, 1),
  );
}

/** Leads of the clerks' sales. The corroborating record is taken as published. */
export async function compareClerkLeads(
  read: ReadTable,
  truth: Truth,
  assumptions: AssumptionValue,
): Promise<Comparison[]> {
  const itemOfSale = new Map((await read('auctions')).map((row) => [row['id'], itemOf(row)]));
  const leads = (await read('leads'))
    .filter((row) => row['lead_type'] === 'sheriff_sale_auction' && isOfClerk(row))
    .map((lead) => withDays(withJson(lead, 'corroboration', 'score_parts')));
  const keyOf = (lead: Row): string => itemOfSale.get(lead['auction_id']) ?? 'no sale';
  const byItem = new Map(leads.map((lead) => [keyOf(lead), lead]));
  const trueLead = ({ sale, lastSeen }: ReturnType<typeof nextSales>[number]): TrueRow => {
    const published = byItem.get(sale.aid) ?? {};
    const { corroboration = [], owner_location: location = 'unknown', property_kind: kind = 'unknown' } = published;
    const inputs = {
      lead_type: 'sheriff_sale_auction',
      auction_type: sale.auctionType,
      sale_kind: sale.kind,
      ...bidFields(sale),
      sale_date: sale.saleDate,
      sale_round: null,
      owner_location: location,
      property_kind: kind,
      corroboration,
      last_verified: lastSeen,
    };
    return {
      key: sale.aid,
      fields: {
        sale: { auction_type: sale.auctionType, sale_date: sale.saleDate, case_number: sale.caseNumber },
        address: placeFields(truth, sale),
        score: recomputeLead(inputs, assumptions, truth.asOf),
      },
      isOptional: truth.soldLeads > 0,
    };
  };
  return compare({
    what: "leads of Florida's clerks",
    published: leads,
    keyOf,
    truth: nextSales(truth, assumptions).map(trueLead),
  });
}
