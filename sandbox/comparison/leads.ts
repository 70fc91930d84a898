/** Published leads against the world: which leads exist, their fields, and their scores computed from the world. */
import type { AuctionOnDay, Day } from '../world/types.ts';
import { counties } from '../world/auction_cases.ts';
import { addressFields, bidFields } from './auctions.ts';
import { compare, type Comparison, type Row, type TrueRow } from './compare.ts';
import { debtKey, ownerLocation, type CountyDebts, type TrueDebt } from './truth/debts.ts';
import { parcelKey } from './truth/parcels.ts';
import { kindOfClass } from './truth/printed_debts.ts';
import { isFresh, recomputeLead } from './recompute/lead.ts';
import type { AssumptionValue } from './recompute/record.ts';
import { auctionSite, salesShown, statedRound } from './truth/sales.ts';
import { debtFields, mailingFields, owes, ownerFields, signalKey as keyOf } from './signals.ts';
import { withDays, withJson, type ReadTable } from './snapshot.ts';
import type { Truth } from './truth/truth.ts';

interface Corroboration {
  readonly kind: string;
  readonly id: string;
}

/** A true lead by its key, with the fields other than scores and the inputs of its score. */
interface LeadInputs {
  readonly key: string;
  readonly lastSeen: Day;
  readonly inputs: Row;
  readonly fields: Readonly<Record<string, Row>>;
}

interface Sources {
  readonly truth: Truth;
  readonly assumptions: AssumptionValue;
  readonly counties: readonly CountyDebts[];
}

/** The lead's row. Its corroborating record is taken as published: identity.ts compares it by property. */
function trueLead(lead: LeadInputs, published: Row, { truth, assumptions }: Sources): TrueRow {
  const corroboration = (published['corroboration'] ?? []) as readonly Corroboration[];
  const { auction_type, sale_kind } = published;
  const inputs = { ...lead.inputs, corroboration, auction_type, sale_kind, last_verified: lead.lastSeen };
  return {
    key: lead.key,
    fields: { ...lead.fields, score: recomputeLead(inputs, assumptions, truth.asOf) },
    // A sold lead is left out, and the snapshot does not tell which.
    isOptional: truth.soldLeads > 0,
  };
}

function taxLead(debt: TrueDebt): LeadInputs {
  const { address, city, zip } = debt.place;
  return {
    key: debtKey(debt),
    lastSeen: debt.lastSeen,
    inputs: { lead_type: 'tax_delinquent', ...debtFields(debt), owner_location: ownerLocation(debt) },
    fields: {
      debt: debtFields(debt),
      owner: ownerFields(debt),
      'mailing address': mailingFields(debt),
      address: { address, city, state: 'OH', zip },
    },
  };
}

/** The next upcoming sale of each parcel. */
function nextSales(truth: Truth): AuctionOnDay[] {
  const upcoming = counties.flatMap(({ fips }) => {
    const site = auctionSite(truth, fips);
    return site === undefined ? [] : salesShown(truth, fips, site.lastGood);
  });
  const scheduled = upcoming.filter(({ status, saleDate }) => status === 'scheduled' && saleDate >= truth.asOf);
  const order = ({ saleDate, caseNumber }: AuctionOnDay): string => `${saleDate} ${caseNumber}`;
  return [
    ...Map.groupBy(scheduled, ({ countyFips, parcel }) => `${countyFips} ${parcelKey(countyFips, parcel)}`),
  ].flatMap(([, sales]) => sales.toSorted((a, b) => (order(a) < order(b) ? -1 : 1)).slice(0, 1));
}

/** @param published the lead's row: whether a list or roll was read that has the parcel's class is taken from it */
function saleLead(sale: AuctionOnDay, location: string, published: Row, truth: Truth): LeadInputs {
  const isKnown = published['property_kind_basis'] === 'county_class';
  const { units } = truth.on(truth.asOf).property(sale.propertyId);
  const kind = { property_kind: isKnown ? kindOfClass(units) : 'unknown' };
  const sold = { sale_date: sale.saleDate, sale_round: statedRound(sale), owner_location: location };
  const site = auctionSite(truth, sale.countyFips);
  const bid = bidFields(sale);
  return {
    key: `${sale.countyFips} ${parcelKey(sale.countyFips, sale.parcel)}`,
    lastSeen: site?.lastGood ?? truth.asOf,
    inputs: { lead_type: 'sheriff_sale_auction', ...sold, ...bid, ...kind },
    fields: {
      'property kind': kind,
      sale: { sale_date: sale.saleDate, case_number: sale.caseNumber, sale_kind: sale.kind },
      'bid, deposit, appraisal': bid,
      address: addressFields(truth, sale),
    },
  };
}

const isInOhio = (lead: Row): boolean => lead['state'] === 'OH';

export async function compareLeads(
  read: ReadTable,
  sources: Sources,
  debtById: ReadonlyMap<unknown, TrueDebt>,
): Promise<Comparison[]> {
  const leads = (await read('leads')).map((lead) => withDays(withJson(lead, 'corroboration', 'score_parts')));
  const ofType = (type: string): Row[] => leads.filter((lead) => lead['lead_type'] === type);
  const compareType = (what: string, published: readonly Row[], truth: readonly LeadInputs[]): Comparison[] => {
    const byKey = new Map(published.map((lead) => [keyOf(lead), lead]));
    const rows = truth
      .filter(({ lastSeen }) => isFresh(lastSeen, sources.assumptions, sources.truth.asOf))
      .map((lead) => trueLead(lead, byKey.get(lead.key) ?? {}, sources));
    return compare({ what, published, keyOf, truth: rows });
  };
  const auctionLeads = ofType('sheriff_sale_auction').filter(isInOhio);
  const byParcel = new Map(auctionLeads.map((lead) => [keyOf(lead), lead]));
  const publishedOf = (sale: AuctionOnDay): Row =>
    byParcel.get(`${sale.countyFips} ${parcelKey(sale.countyFips, sale.parcel)}`) ?? {};
  /** The owner is known from the debt that the lead names. */
  const locationOf = (sale: AuctionOnDay): string => {
    const lead = publishedOf(sale);
    const [named] = (lead['corroboration'] ?? []) as readonly Corroboration[];
    const debt = debtById.get(named?.id);
    return debt ? ownerLocation(debt) : 'unknown';
  };
  const debts = sources.counties.flatMap(({ listed }) => listed).filter((debt) => owes(debt) && debt.place.address);
  return [
    ...compareType('leads of tax debts', ofType('tax_delinquent').filter(isInOhio), debts.map(taxLead)),
    ...compareType(
      'leads of sheriff sales',
      auctionLeads,
      nextSales(sources.truth).map((sale) => saleLead(sale, locationOf(sale), publishedOf(sale), sources.truth)),
    ),
  ];
}
