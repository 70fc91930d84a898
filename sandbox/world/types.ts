/**
 * The true facts of the made-up world. Pages are rendered from these records, and tests compare the published rows with
 * them. Values have the JSON form of lib/record.ts: money and percent are decimal strings with two decimals, days are
 * YYYY-MM-DD. An absent value is null.
 */
import type { AuctionType, DISTRESS_TYPES } from '../../sources/kinds.ts';

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

export type Day = string;
export type Money = string;
export type Percent = string;

export interface WorldOptions {
  readonly seed: number;
  /** Distinct properties listed for sale on the default day. */
  readonly listings: number;
  /** Tax-delinquent parcels of Ohio on the default day. */
  readonly parcels: number;
  /** Sheriff-sale items of Ohio for the default day or later, posted by then. Other states' are in proportion. */
  readonly auctions: number;
  /** Filings per register: Ohio's of one release, Colorado's of the year before the default day. */
  readonly filings: number;
  /**
   * Records of distress per kind in a county of usual size on the default day, outside Ohio's tax lists and sales.
   * Default: a fortieth of `parcels`.
   */
  readonly distress: number;
}

/** Parts of a street address by USPS Publication 28, in upper case, suffix and directions abbreviated. */
export interface StreetAddress {
  readonly low: number;
  /** Last number of a range such as 912-914. */
  readonly high: number | null;
  readonly pre: Direction | null;
  readonly name: string;
  /** Null for streets without one, such as BROADWAY. */
  readonly suffix: string | null;
  readonly post: Direction | null;
  /** A unit that is part of the address, such as UNIT B. */
  readonly unit: string | null;
}

export type Direction = 'N' | 'S' | 'E' | 'W' | 'NE' | 'NW' | 'SE' | 'SW';

export interface Owner {
  readonly kind: 'person' | 'company' | 'estate';
  /** In upper case, surname first for persons, as county rolls print it. */
  readonly name: string;
  readonly second: string | null;
  readonly mailing: {
    readonly street: string;
    readonly city: string;
    readonly state: string;
    readonly zip: string;
  };
  /** The owner's mailing address is the property. */
  readonly occupies: boolean;
}

export type UnitMix = readonly [studios: number, one: number, two: number, three: number, four: number];

/** One parcel of real estate, which several sources may show. */
export interface Property {
  readonly id: string;
  /** The building that it is part of: usually itself. A condominium does not count as part of a building. */
  readonly building: string;
  readonly metro: string;
  readonly address: StreetAddress;
  /** The address line in Publication 28 form: "912-914 8TH ST NW". */
  readonly street: string;
  readonly city: string;
  readonly state: string;
  readonly zip: string;
  readonly countyFips: string;
  readonly countyName: string;
  /** Parcel number as the county prints it. Null in counties whose format is not documented. */
  readonly parcel: string | null;
  readonly owner: Owner;
  readonly yearBuilt: number;
  readonly units: number;
  /** Units by bedrooms: none, one, two, three, four. */
  readonly unitMix: UnitMix;
  /** Property tax of a year, whole dollars. */
  readonly annualTaxes: number;
  /** HUD FY2026 two-bedroom rent of its county, whole dollars. The rent of its ZIP differs (rents.ts). */
  readonly rent2br: number;
  /** Market value, whole dollars. */
  readonly value: number;
  /** False if the county has no street address for the parcel. */
  readonly hasAddress: boolean;
}

/** The two main sites, and those that repeat their listings. */
export type Site = 'heartland_multifamily' | 'buckeye_income_property' | 'reso_sandbox_mls' | 'crescent_brokerage';
export const mainSites = ['heartland_multifamily', 'buckeye_income_property'] as const satisfies readonly Site[];

/** How a broker's claimed income relates to the true one. */
export type ClaimKind = 'fair' | 'inflated' | 'modest' | 'none';
/** Peculiarity of a listing's price. */
export type PriceKind = 'plain' | 'call_for_price' | 'above_proxy' | 'typo_low' | 'below_minimum_loan';

/** One listing as a site shows it on a day: the row that an adapter should stage. */
export interface ListingOnDay {
  readonly site: Site;
  readonly listingId: string;
  readonly propertyId: string;
  /** Path of its page on the site. */
  readonly path: string;
  /** Street line in this site's spelling. */
  readonly street: string;
  readonly city: string;
  readonly state: string;
  readonly zip: string;
  readonly price: Money | null;
  readonly units: number | null;
  readonly unitMix: UnitMix | null;
  readonly capRate: Percent | null;
  readonly noi: Money | null;
  readonly annualTaxes: Money | null;
  readonly yearBuilt: number | null;
  readonly postedOn: Day;
  readonly availability: 'for_sale' | 'under_contract' | 'sold';
  /** Day of the contract or sale, which sites show later; null while it is for sale. */
  readonly offMarketOn: Day | null;
}

/** A parcel on a county's list on a day. */
export interface DelinquentParcel {
  readonly propertyId: string;
  readonly countyFips: string;
  /** As the county's page prints it. */
  readonly parcel: string;
  readonly amount: Money;
  /** Paid part of the debt: gross = amount + paid. Only Hamilton shows it. */
  readonly paid: Money;
  readonly certifiedYear: number;
  readonly propertyClass: string;
  readonly foreclosureFiled: boolean;
  readonly paymentPlan: boolean;
  /** Whether the county's map has the debt. False for a few parcels of Hamilton, whose map lags behind its list. */
  readonly isMapped: boolean;
  /** Unpaid tax by year, oldest first. Their sum is the amount. Empty in Ohio, where no list has it. */
  readonly levies: readonly { readonly year: number; readonly amount: Money }[];
}

export interface World {
  readonly options: WorldOptions;
  readonly properties: ReadonlyMap<string, Property>;
}

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
