/** The true facts of distress records and assessment rolls, in the form of types.ts. */
import type { DISTRESS_TYPES } from '../../sources/kinds.ts';
import type { Day, Money } from './types.ts';

/** A record of distress other than a tax debt or a sale, as of a day. */
export interface DistressOnDay {
  readonly kind: (typeof DISTRESS_TYPES)[number];
  readonly countyFips: string;
  readonly propertyId: string;
  /** Case, ticket or permit number as its publisher prints it; unique within county and kind. */
  readonly number: string;
  readonly filedOn: Day;
  readonly lastActivityOn: Day;
  readonly isOpen: boolean;
  /** Amount claimed, of the lien, or still owed of the fine; null where the publisher has none. */
  readonly amount: Money | null;
  /** What it is about, in the words of a publisher: "High grass and weeds". */
  readonly about: string;
  /** Who filed the case or holds the lien; a company. */
  readonly plaintiff: string | null;
  readonly taxYear: number | null;
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
