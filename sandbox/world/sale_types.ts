/** The true facts of sheriff sales, and of foreclosure and tax sales of other states, in the form of types.ts. */
import type { AuctionType } from '../../sources/kinds.ts';
import type { Day, Money } from './types.ts';

export type SaleKind = 'mortgage_foreclosure' | 'tax_foreclosure';
export type SaleStatus = 'scheduled' | 'cancelled' | 'withdrawn' | 'postponed' | 'sold' | 'unsold';

/** An item of a sale day, as of a day. */
export interface AuctionOnDay {
  readonly aid: string;
  readonly countyFips: string;
  readonly county: string;
  readonly propertyId: string;
  /** Case number without the site's internal id. */
  readonly caseNumber: string;
  readonly internalId: string;
  readonly auctionType: AuctionType;
  /** Parcel number as the auction site prints it, or the words that it prints instead, such as MULTIPLE PARCEL. */
  readonly parcel: string;
  /** False while the site has no parcel number or no street address of the item. */
  readonly showsParcel: boolean;
  readonly showsAddress: boolean;
  readonly saleDate: Day;
  readonly startsAt: string;
  readonly postedOn: Day;
  readonly kind: SaleKind;
  /** First or second offer of the case. Sites print it for mortgage sales only. */
  readonly round: 1 | 2;
  readonly status: SaleStatus;
  /** Words that replaced the time in the status box. */
  readonly slotWords: string | null;
  /** Case status as printed; it stays ACTIVE for canceled items. */
  readonly caseStatus: string;
  /** Null if the item was never appraised, which is printed as $0.00. */
  readonly appraised: Money | null;
  /** Null if no opening bid is published. */
  readonly openingBid: Money | null;
  /** Null outside Ohio. */
  readonly deposit: Money | null;
  /** Debt that the sale is for. Null if none is published, which is printed as $0.00. */
  readonly judgment: Money | null;
  /** Value on the county's roll. Null if the item has none. */
  readonly assessed: Money | null;
  /** Highest bid of the plaintiff. Null while it is hidden. */
  readonly maxBid: Money | null;
  /** Number of the tax certificate behind a tax deed sale. */
  readonly certificate: string | null;
  readonly soldFor: Money | null;
  /** On no page. */
  readonly plaintiff: string;
  /** Only on Stark County's own page. */
  readonly defendant: string;
}
