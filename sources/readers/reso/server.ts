/** Declaration of a feed's RESO Web API server: what to request, and how. Presets by vendor: vendors.ts. */
import type { SourceSpec } from '../../contract.ts';

/** Version of the RESO Data Dictionary that the server follows. ListingURL exists from 2.0 on. */
export type Dictionary = '1.7' | '2.0' | '2.1';

/** A property type to read, in the server's spelling. */
export interface PropertyType {
  readonly type: string;
  /**
   * Subtypes to read, compared without case, spaces and punctuation. Rows of other subtypes are left out after reading,
   * because some servers cannot filter by subtype, and many use words of their own. Default: all subtypes.
   */
  readonly subtypes?: readonly string[];
}

/** OAuth 2.0 client credentials. */
export interface ClientCredentials {
  readonly tokenUrl: string;
  readonly scope?: string;
}

export interface ResoServer {
  /** Root of the OData service, without a slash at its end. */
  readonly service: string;
  readonly dictionary: Dictionary;
  /** "token": a bearer token that the vendor issues once. */
  readonly auth: 'token' | ClientCredentials;
  /** Value of OriginatingSystemName to request, if the service holds several MLSs. */
  readonly systemName?: string;
  readonly types: readonly PropertyType[];
  /** StandardStatus values of listings on the market, in the server's spelling. */
  readonly onMarket: readonly string[];
  /** Dictionary fields that the server does not have; `$select` omits them. */
  readonly lacks: readonly string[];
  /** Whether the server marks deleted listings by MlgCanView. */
  readonly hasCanView: boolean;
  /** Whether the server sends a listing's UnitTypes, its unit mix, by `$expand`. */
  readonly expandsUnitTypes: boolean;
  /**
   * Order of the rows: "asked" requests it by ModificationTimestamp, "by_modification" if the server always has that
   * order, "unknown" if it has its own. A read can only continue from a timestamp in the first two.
   */
  readonly order: 'asked' | 'by_modification' | 'unknown';
  /** Whether to request the total number of rows, to check the read against it. */
  readonly count: boolean;
  readonly pageSize: number;
  /** Maximum number of rows that one query can page through. The read then continues from the last timestamp. */
  readonly maxRows?: number;
  /** Maximum number of "or" in a filter. With more, `in` is used. */
  readonly maxOr?: number;
  readonly politeness: SourceSpec['politeness'];
}

/** A word without case, spaces and punctuation: "Multi Family", "Multi-Family" and "MultiFamily" are equal. */
export const plainWord = (word: string): string => word.toLowerCase().replace(/[^a-z0-9]+/gu, '');
