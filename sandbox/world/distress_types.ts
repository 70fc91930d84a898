/** The true facts of distress records and assessment rolls, in the form of types.ts. */
import type { DISTRESS_TYPES } from '../../sources/kinds.ts';
import type { Day, Money } from './types.ts';

/**
 * How a publisher's row differs from the facts: no street address (or the publisher's placeholder for one), no parcel
 * number (or its placeholder), an impossible year of filing, the same row twice, or a ZIP with four more digits.
 */
export type Flaw = 'no_address' | 'no_parcel' | 'corrupt_year' | 'repeated' | 'zip_plus_4';

/** A record of distress other than a tax debt or a sale, as of a day. */
export interface DistressOnDay {
  readonly kind: (typeof DISTRESS_TYPES)[number];
  readonly countyFips: string;
  readonly propertyId: string;
  /**
   * Case, ticket or permit number as its publisher prints it, or the parcel number if it has no other; unique within
   * county and kind.
   */
  readonly number: string;
  readonly filedOn: Day;
  readonly lastActivityOn: Day;
  readonly isOpen: boolean;
  /** Amount claimed, of the lien, or still owed of the fine; null where the publisher has none. */
  readonly amount: Money | null;
  /** The subject in the words of a publisher: "High grass and weeds". */
  readonly about: string;
  /** Who filed the case or holds the lien; a company. */
  readonly plaintiff: string | null;
  readonly taxYear: number | null;
  /** Rows of the record in a file with a row for each event or plaintiff. */
  readonly rows: number;
  readonly flaw: Flaw | null;
}

/** The last transfer of a property and its value, as the assessor's roll has them. */
export interface RollEntry {
  readonly propertyId: string;
  readonly countyFips: string;
  readonly parcel: string;
  readonly lastSaleDate: Day | null;
  /** Null where the roll has a token amount of a transfer that was no sale. */
  readonly lastSalePrice: Money | null;
  readonly isMarketSale: boolean;
  readonly assessedValue: number;
}
