/** Declaration of a source that reads one layer or table of an ArcGIS server. */
import type { JsonObject } from '../../../lib/json.ts';
import type { GivenRow, RowOf } from '../../../lib/record.ts';
import type { FetchContext, SourceSpec } from '../../contract.ts';
import type { AuctionType } from '../../kinds.ts';
import type { DistressRecord } from '../../rows/distress_record.ts';
import type { Parcel } from '../../rows/parcel.ts';
import type { Auction } from '../../rows/auction.ts';
import type { TaxParcel } from '../../rows/tax_parcel.ts';

export type Attributes = JsonObject;

/** A field, or several: a blank one gives way to the next. */
export type FieldChoice = string | readonly [string, ...string[]];

/** Facts of the page that a feature's attributes do not state. */
export interface PageFacts {
  /** Day on which the page was read, UTC, YYYY-MM-DD. */
  readonly readOn: string;
}

/** Fields to read. Names are without the table's name that a joined layer prints before them. */
export interface LayerFields {
  /** Fields that the layer must have. Name the fields of `where` here. */
  readonly needed: readonly string[];
  /** Groups of fields, of each of which the layer must have at least one. */
  readonly oneOf?: readonly (readonly string[])[];
  /** Fields to read if the layer has them. */
  readonly optional?: readonly string[];
}

/** The request of a source. */
export interface LayerQuery extends LayerFields {
  /** Address of the layer, without a slash at its end. */
  readonly layer: string;
  /** The layer's SQL condition for the features to read. Write a date as `timestampLiteral` does. */
  readonly where: string | ((ctx: Pick<FetchContext, 'lastGoodOn'>) => string);
  /** Features per request, if the server answers fewer than its description states. */
  readonly pageSize?: number;
}

interface LayerSource<Values>
  extends LayerQuery, Pick<SourceSpec, 'name' | 'title' | 'terms' | 'covers' | 'everyDays' | 'politeness' | 'expect'> {
  readonly county: NonNullable<SourceSpec['county']>;
  /** A whole parcel number. Other text in the field is a placeholder, such as "MULTIPLE". Default: any text. */
  readonly parcelForm?: RegExp;
  /** Why a feature is no longer a parcel, or null. Such a row is rejected, and its last good version is not carried. */
  readonly gone?: (attributes: Attributes) => string | null;
  /** Why a feature is not of the source's kind, or null. Such a reject does not count in expectations. */
  readonly outOfScope?: (attributes: Attributes, page: PageFacts) => string | null;
  /** The other values of a row; may refuse it. */
  values(attributes: Attributes, page: PageFacts): Values;
}

/** Columns that the adapter fills by itself. */
type Filled = 'county_fips' | 'county' | 'parcel_raw';

/** A layer of which each feature is a parcel. */
interface ParcelSource<Row> extends LayerSource<Omit<GivenRow<Row>, Filled>> {
  /** The parcel number. A row without one is refused. */
  readonly parcel: FieldChoice;
}
export type TaxLayer = ParcelSource<RowOf<typeof TaxParcel>>;
export type RollLayer = ParcelSource<RowOf<typeof Parcel>>;

type Distress = RowOf<typeof DistressRecord>;
type Sale = RowOf<typeof Auction>;

/** A layer of which each feature is a case, ticket or notice. */
export interface DistressLayer extends LayerSource<Omit<GivenRow<Distress>, Filled | 'signal_type' | 'record_number'>> {
  readonly covers: NonNullable<SourceSpec['covers']>;
  readonly signalType: Distress['signal_type'];
  /** The record's own number, or the parcel number if the layer has no other. */
  readonly record: FieldChoice;
  /** The parcel number. A blank one, or a placeholder, is null. */
  readonly parcel?: FieldChoice;
}

/** A layer of which each feature is an announced sale. */
export interface SaleLayer extends LayerSource<
  Omit<GivenRow<Sale>, Filled | 'auction_type' | 'case_number' | 'state'>
> {
  readonly covers: NonNullable<SourceSpec['covers']>;
  readonly auctionType: AuctionType;
  /** Number of the case or of the notice of sale. */
  readonly record: FieldChoice;
  readonly parcel?: FieldChoice;
}

/** The fields of a choice, in order. */
export const fieldsOf = (choice: FieldChoice | undefined): readonly string[] =>
  choice === undefined ? [] : typeof choice === 'string' ? [choice] : choice;
