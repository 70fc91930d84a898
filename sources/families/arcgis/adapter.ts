/**
 * Layers and tables of ArcGIS servers: tax lists, parcel rolls, cases and tickets, announced sales.
 *
 * A source is a declaration (layer.ts): its layer, the condition of the features to read, and how a feature's
 * attributes become a row. read.ts requests the pages, response.ts reads them, rows.ts makes the rows.
 */
import {
  defineSource,
  Quarantine,
  SourceUnavailable,
  type Candidate,
  type Page,
  type SourceSpec,
} from '../../contract.ts';
import { DistressRecord } from '../../rows/distress_record.ts';
import { Parcel } from '../../rows/parcel.ts';
import { SheriffSale } from '../../rows/sheriff_sale.ts';
import { TaxParcel } from '../../rows/tax_parcel.ts';
import {
  fieldsOf,
  type DistressLayer,
  type LayerFields,
  type RollLayer,
  type SaleLayer,
  type TaxLayer,
} from './layer.ts';
import { readLayer } from './read.ts';
import { readFeatures, type Features } from './response.ts';
import { toCandidate, OUT_OF_SCOPE, recordField, type AnyLayer, type Kind } from './rows.ts';

export type { Attributes } from './layer.ts';

/** An adapter for one county's delinquent parcels. */
export const arcgisParcels = (source: TaxLayer): SourceSpec =>
  adapter(source, { family: 'tax', row: TaxParcel, fixed: {} });

/** An adapter for the addresses, values and last sales of a county's or city's parcels. */
export const arcgisAddresses = (source: RollLayer): SourceSpec =>
  adapter(source, { family: 'parcels', row: Parcel, fixed: {} });

/** An adapter for cases, tickets or notices of one kind of distress. */
export const arcgisDistress = (source: DistressLayer): SourceSpec =>
  adapter(source, {
    family: 'distress',
    row: DistressRecord,
    record: 'record_number',
    fixed: { signal_type: source.signalType },
  });

/** An adapter for announced sales. */
export const arcgisSales = (source: SaleLayer): SourceSpec =>
  adapter(source, {
    family: 'auctions',
    row: SheriffSale,
    record: 'case_number',
    fixed: { auction_type: source.auctionType, state: source.county.state },
  });

function adapter(source: AnyLayer, kind: Kind): SourceSpec {
  const fields: LayerFields = {
    ...source,
    oneOf: [
      ...[recordField(source), source.parcel].map(fieldsOf).filter((group) => group.length > 0),
      ...(source.oneOf ?? []),
    ],
  };
  return defineSource({
    name: source.name,
    family: kind.family,
    title: source.title,
    home: source.layer,
    county: source.county,
    ...(source.covers === undefined ? {} : { covers: source.covers }),
    terms: source.terms,
    everyDays: source.everyDays,
    hosts: [new URL(source.layer).host],
    politeness: source.politeness,
    row: kind.row,
    // Two rows of one case are two states of it: the row with the later object id counts.
    ...(kind.record === undefined ? { contradictions: 'refused' } : {}),
    expect: source.outOfScope ? { ...source.expect, uncountedRejects: [OUT_OF_SCOPE] } : source.expect,
    fetch: (ctx) => readLayer(ctx, { ...source, ...fields }),
    parse: (page) => parseFeatures(page, fields, source, kind),
  });
}

function parseFeatures(page: Page, fields: LayerFields, source: AnyLayer, kind: Kind): Candidate[] {
  let found: Features;
  try {
    found = readFeatures(page, fields);
  } catch (error) {
    // An archived page cannot be unavailable, so the page itself is not the expected one.
    if (error instanceof SourceUnavailable) throw new Quarantine('malformed_page', error.message, page.url);
    throw error;
  }
  return found.attributes.map((published) => toCandidate(published, found.names, { page, source, kind }));
}
