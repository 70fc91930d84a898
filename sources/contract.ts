/**
 * The only file an adapter author must read.
 *
 * An adapter is a file `sources/<family>/<name>.ts` whose default export is `defineSource({...})`, or a list of several
 * of one publisher or platform, with example pages in `sources/<family>/recorded/<name>/`. It is found by its path; no
 * list needs an entry. It has two parts:
 *
 *   fetch(ctx)   side effects. Knows addresses, order, paging and sessions. Requests pages from `ctx` and yields those
 *                with rows. Each response is archived before fetch sees it.
 *   parse(page)  pure. Bytes in, candidates out. No clock, network, file system or environment; the same page always
 *                gives the same candidates.
 *
 * The pipeline does the rest: politeness, archive, schema checks, duplicates, rejects, expectations, accounting, and
 * carrying the last good rows if a page breaks. Files that an operator drops are declared as in dropped_files.ts.
 */
import type { RecordDefinition } from '../lib/record.ts';
import type { DropFolders, DropFormat } from './dropped_files.ts';
import { COVERED_KINDS, type CoveredKind, type Family, type RESALE } from './kinds.ts';
import type { Season } from './days.ts';

/** Why a source's new rows are not trusted: thrown by parse, by fetch, or by the checks after them. */
export const QUARANTINE_REASONS = [
  'malformed_page',
  'empty_body',
  'truncated_download',
  'unknown_column',
  'missing_column',
  'template_changed',
  'count_mismatch',
  'too_few_rows',
  'too_many_rejects',
  'row_count_dropped',
  'body_too_large',
  'parser_error',
] as const;
export type QuarantineReason = (typeof QUARANTINE_REASONS)[number];

/** The page is not as the adapter expects: its new rows are set aside, the last good rows stay. */
export class Quarantine extends Error {
  override readonly name = 'Quarantine';
  readonly reason: QuarantineReason;
  readonly pageUrl: string | undefined;
  constructor(reason: QuarantineReason, detail: string, pageUrl?: string) {
    super(detail);
    this.reason = reason;
    this.pageUrl = pageUrl;
  }
}

export const UNAVAILABLE_REASONS = [
  'refused',
  'robots',
  'rate_limited',
  'challenge',
  'not_found',
  'server_error',
  'unreachable',
  'host_not_found',
  'no_network',
  'host_not_allowed',
  'worker_lost',
] as const;

/** The site refuses or does not respond. A refusal is respected. */
export class SourceUnavailable extends Error {
  override readonly name = 'SourceUnavailable';
  readonly reason: (typeof UNAVAILABLE_REASONS)[number];
  readonly status: number | undefined;
  readonly pageUrl: string;
  constructor(reason: SourceUnavailable['reason'], detail: string, pageUrl: string, status?: number) {
    super(detail);
    this.reason = reason;
    this.pageUrl = pageUrl;
    this.status = status;
  }
}

const TERMS_BASES = ['us_government_work', 'open_data', 'public_record', 'permission', 'sandbox_only'] as const;

/** The law on works of the US government, for `quote`. */
export const US_GOVERNMENT_WORK =
  'Copyright protection under this title is not available for any work of the United States Government (17 U.S.C. 105)';

/** Terms under which a source may be read. A source without them cannot be defined. */
interface Terms {
  readonly basis: (typeof TERMS_BASES)[number];
  /** One sentence for the operator, including any unknown terms. */
  readonly note: string;
  readonly url?: string;
  /** The terms, or the law, word for word. Without it nobody has read them: PERMITTED must name the source. */
  readonly quote?: string;
  /** Default: unknown. */
  readonly resale?: (typeof RESALE)[number];
  /** Asked although robots.txt disallows its path, because its publisher documents it for programs. */
  readonly api?: DocumentedApi;
  /** Why its terms let a reader see an archived page. Default: not shown. Never set it if pages name individuals. */
  readonly showPages?: string;
}

/** An interface for programs that its publisher documents and links from the page of the data set. */
interface DocumentedApi {
  /** Its path on the source's hosts. */
  readonly path: string;
  /** What the page of the data set says of it, word for word. */
  readonly quote: string;
}

/** Refuse a source that does not state its terms, before any request to its site. */
export function requireTerms(source: { readonly name: string; readonly terms?: Partial<Terms> | undefined }): void {
  const { name, terms } = source;
  const isQuoted = terms?.resale !== 'allowed' || terms.quote !== undefined;
  if (TERMS_BASES.some((basis) => basis === terms?.basis) && terms?.note?.trim() && isQuoted) return;
  throw new Error(
    `source ${name}: terms is ${JSON.stringify(terms ?? null)}, expected a basis (${TERMS_BASES.join(', ')}), a note ` +
      'on the terms under which it may be read, and a quote of them where resale is allowed',
  );
}

export type { DropFolders, DropFormat, Family };

/** Kinds of records for which a source's list of a place is complete, so that a missing property has none. */
interface Covers {
  readonly kinds: readonly CoveredKind[];
  /** The only city that it covers, if it is not the whole county. */
  readonly city?: string;
}

/** A page as fetched and archived. */
export interface Page {
  /** The adapter's name for this kind of page, such as "calendar", "items" or "workbook". */
  readonly kind: string;
  /** Public address of the page, as requested. */
  readonly url: string;
  /** Facts that the page itself does not state, such as the sale date of the session. */
  readonly context: Readonly<Record<string, string>>;
  /** Body after content decoding; the archive stores the bytes as received. */
  readonly bytes: Uint8Array;
  /** SHA-256 of the archived bytes, hex. */
  readonly sha256: string;
  readonly contentType: string | null;
  /** When it was fetched, by the run's clock: YYYY-MM-DDTHH:MM:SSZ. */
  readonly observedAt: string;
  /** Body as text: UTF-8, or the fallback if the bytes are not valid UTF-8. Without a byte order mark. */
  text(fallback?: 'windows-1252'): string;
}

/** The result for one row of a page: values in the JSON form of lib/record.ts, or a reject. Both count as rows in. */
export type Candidate =
  | {
      readonly values: Readonly<Record<string, unknown>>;
      /** Public page that shows this row. Default: the page it was read from. */
      readonly sourceUrl?: string;
      /** The row as published, for the rejects table. */
      readonly raw: string;
    }
  | {
      readonly reject: {
        /** In snake_case, such as "blank_name" or "wrong_field_count". */
        readonly reason: string;
        /** Names the field, its value and the expected form. */
        readonly detail: string;
      };
      /** Natural key of the row, if it can still be read: the row's last good version is then carried. */
      readonly key?: Readonly<Record<string, string>>;
      readonly raw: string;
    };

/** What an adapter expects of a read. A breach quarantines the source's new rows; the run continues. */
interface Expectations {
  /** Minimum number of rows. 0 if the source may be empty. */
  readonly minRows: number;
  /** Maximum share of rejected candidates, 0..1. */
  readonly maxRejectShare: number;
  /** Reasons of rejects that do not count in this share, such as that of other property types in a portal's list. */
  readonly uncountedRejects?: readonly string[];
  /** Maximum drop in rows against the last good read, 0..1. */
  readonly maxDropShare: number;
  /** Minimum shares of rows that join others, 0..1. A breach does not stop the rows: the source is "degraded". */
  readonly joins?: JoinRates;
  /** Age of the newest row. An older one does not stop the rows: the source is "degraded". */
  readonly newest?: NewestRow;
}

/** The newest row that a read must have: a page may still be served after its publisher stopped updating it. */
interface NewestRow {
  /** Column of type date. */
  readonly column: string;
  /** Only rows with a value in this column count. */
  readonly given?: string;
  /** Most days from that row to the day of the read. */
  readonly maxAgeDays: number;
}

/** Shares of a county's rows, 0..1. */
export interface JoinRates {
  /** With a street address, after the lookup in other sources of the county. */
  readonly address?: number;
  readonly zip?: number;
  /** Of debts: in the county's parcel layer. Of a parcel layer's rows: on the delinquency list. */
  readonly parcel?: number;
}

export interface GetOptions {
  readonly kind: string;
  readonly context?: Readonly<Record<string, string>>;
  /** Send a bearer token of this grant. The fetcher gets and renews it; the archive stores neither token nor secret. */
  readonly grant?: Grant;
  /** Render the page in a browser and archive the document once an element of this selector exists. */
  readonly rendered?: string;
  /** Requests that share cookies. Default: cookies are discarded. */
  readonly session?: Session;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Query parameters that hold a secret, such as an API key. They are sent to the requested host only, and no address
   * in a page, the archive or a message contains them.
   */
  readonly secretQuery?: Readonly<Record<string, string>>;
  /** A smaller body is quarantined as empty or truncated. Default 1. */
  readonly minBytes?: number;
  /** Required first bytes, such as the ZIP signature "PK". */
  readonly magic?: string;
  /** Maximum size of the body as sent, in bytes. Default 64 MiB. */
  readonly maxBytes?: number;
  /** Request and read at most this many bytes from the start of the body, for a probe of a large file. */
  readonly firstBytes?: number;
  /**
   * Send If-None-Match and If-Modified-Since from the archive, and reuse its bytes on 304. Default: true without a
   * session, false with one.
   */
  readonly conditional?: boolean;
  /**
   * Instant of the page's observedAt: of the request (default), or of the first read of the same bytes at this address,
   * for a file that stays unchanged between publications.
   */
  readonly observed?: 'request' | 'content';
  /**
   * Form fields to send by POST. Only for searches, because the request may be repeated. `context` must tell one search
   * from another.
   */
  readonly form?: Readonly<Record<string, string>>;
  /** The same as JSON, for an interface that takes its parameters so. */
  readonly json?: Readonly<Record<string, unknown>>;
}

/** OAuth 2.0 client credentials (RFC 6749, section 4.4). */
export interface Grant {
  /** Token endpoint, on one of the source's hosts. */
  readonly tokenUrl: string;
  readonly id: string;
  readonly secret: string;
  readonly scope?: string;
}

/** Cookies of one session with a site. */
export interface Session {
  readonly id: string;
}

export interface FetchContext {
  /** Day of the run, YYYY-MM-DD. */
  readonly asOf: string;
  /** The run's clock in milliseconds (fixed in the sandbox), for sites that need a timestamp in the address. */
  readonly nowMs: number;
  /** Day of the last good read before this run's day, or null on a first load. */
  readonly lastGoodOn: string | null;
  /**
   * Number of rows that a probe asks for; null in a run. An adapter that states a number of rows to the site states at
   * most this one, and one that reads many pages before the first with rows reads one of each kind.
   */
  readonly sampleRows: number | null;
  /**
   * Value of a secret that the source declares, if the operator has set it. Send it only in the Authorization header,
   * in one whose name contains "token", "secret" or "key", or in `secretQuery`: the archive omits those.
   */
  secret(name: string): string | undefined;
  session(): Session;
  /**
   * Fetch one page politely and archive it.
   * @throws SourceUnavailable if the site refuses (401, 403, 429, challenge, robots.txt) or does not respond
   * @throws Quarantine if the body breaks what `options` expect
   */
  get(url: string, options: GetOptions): Promise<Page>;
  /** The same, but null on 404 or 410. */
  getIfExists(url: string, options: GetOptions): Promise<Page | null>;
  /**
   * A page of this read with further context, such as the statuses that another page states. The archive records both,
   * so that the page can be parsed again from its own record.
   */
  withContext(page: Page, context: Readonly<Record<string, string>>): Promise<Page>;
  /**
   * State the publisher's own number of rows of this read, as far as the site has one: it is shown beside the number
   * that was read. Numbers of several lists add up.
   */
  states(rows: number): void;
  /** Name the columns of the publisher's table, read or not, so that new ones can be listed for the operator. */
  describes(columns: readonly string[]): void;
  /**
   * Report known rows whose page could not be read: they keep their last good version. The page counts as one row in
   * and one reject.
   * @param key natural key of a row, or the part of it that all rows of the page share, such as the sale date
   */
  unreadable(key: Readonly<Record<string, string>>, error: unknown): void;
}

/** Candidates of a page: a list, or one at a time where a page holds millions. */
type Candidates = readonly Candidate[] | Iterable<Candidate> | AsyncIterable<Candidate>;

export interface SourceSpec<C extends Candidates = Candidates> {
  /** Folder name, lower snake case, unique: `oh_cuyahoga_tax`. */
  readonly name: string;
  readonly family: Family;
  readonly title: string;
  /** A public page on which a person can see the source of the rows. */
  readonly home: string;
  /** County of the rows, if they are all in one county. */
  readonly county?: {
    readonly fips: string;
    readonly name: string;
    readonly state: string;
  };
  /** Default: tax_delinquent of a tax list. Families distress and auctions must state it. */
  readonly covers?: Covers;
  readonly terms: Terms;
  /** Days after which the rows are stale. */
  readonly everyDays: number;
  /** Days between two reads, if the source must be checked for news before its rows are stale. Default: everyDays. */
  readonly readEveryDays?: number;
  /** Set if its list is on the site in one part of the year only: it is read in that part only. */
  readonly season?: Season;
  /** Hosts it may contact, including redirects. Empty for a source that only reads its drop folder. */
  readonly hosts: readonly string[];
  /** Settings that hold a secret for this source, such as CENSUS_API_KEY. */
  readonly secrets?: readonly string[];
  /** Set if no request is sent without the secrets: one sentence on how the operator gets them. */
  readonly secretsRequired?: string;
  /** Least time between the starts of two requests to a host, which gets one at a time. Default: 1000 ms. */
  readonly minIntervalMs?: number;
  readonly row: RecordDefinition;
  /** "increments" if a read gives only new rows and older ones stay (registers). Default "replace". */
  readonly reads?: 'replace' | 'increments';
  /**
   * Rows of one key that differ. "refused": all of them, in the whole read. "refused_in_page": those of one page, where
   * each page is a list of its own. Default: the last row of a read counts. Identical rows are always merged.
   */
  readonly contradictions?: 'refused' | 'refused_in_page';
  /** Columns whose difference is a contradiction; rows that differ only in others are merged. Default: all. */
  readonly contradictory?: readonly string[];
  readonly expect: Expectations;
  readonly drop?: readonly DropFormat[];
  readonly dropFolders?: DropFolders;
  /**
   * For rows that have a column fiscal_year: the newest fiscal year that a page lists as published, or null if the page
   * is no list of years. Rows of a year that is over are reported as outdated (days.ts).
   */
  listedFiscalYear?(page: Page): number | null;
  /**
   * Refuse dropped files that are incomplete together, such as a list of which a page is missing.
   * @throws Quarantine naming what is missing
   */
  checkDrop?(pages: readonly Page[]): void;
  fetch?(ctx: FetchContext): AsyncIterable<Page>;
  parse(page: Page): C;
}

/** Kinds that a source covers of its county, by its declaration or else its family. */
export const coveredBy = ({ family, covers }: Pick<SourceSpec, 'family' | 'covers'>): Covers =>
  covers ?? { kinds: family === 'tax' ? ['tax_delinquent'] : [] };

/** Check a declaration at load time. @throws naming the field, its value and the expected form */
export function defineSource<C extends Candidates>(spec: SourceSpec<C>): SourceSpec<C> {
  const fail = (field: string, value: unknown, expected: string): never => {
    throw new Error(`source ${spec.name}: ${field} is ${JSON.stringify(value)}, expected ${expected}`);
  };
  if (!/^[a-z][a-z0-9_]*$/.test(spec.name)) fail('name', spec.name, 'lower snake case');
  requireTerms(spec);
  if ((spec.family === 'distress' || spec.family === 'auctions') && spec.covers === undefined)
    fail('covers', undefined, `the kinds of records that it covers: ${COVERED_KINDS.join(', ')}`);
  if (!(spec.everyDays >= 1)) fail('everyDays', spec.everyDays, 'a number of days, at least 1');
  if (spec.secretsRequired !== undefined && !spec.secrets?.length)
    fail('secrets', spec.secrets, 'the settings that secretsRequired is about');
  if (!spec.fetch && !spec.drop?.length) fail('fetch', undefined, 'a fetch function or a drop format');
  if (spec.fetch && !spec.hosts.length) fail('hosts', spec.hosts, 'the hosts it may contact');
  const { maxRejectShare, maxDropShare, minRows } = spec.expect;
  if (!(minRows >= 0)) fail('expect.minRows', minRows, '0 or more');
  for (const [field, value] of Object.entries({ maxRejectShare, maxDropShare, ...spec.expect.joins })) {
    if (!(value >= 0 && value <= 1)) fail(`expect.${field}`, value, 'a share between 0 and 1');
  }
  return spec;
}
