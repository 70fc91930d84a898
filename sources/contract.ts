/**
 * The only file an adapter author must read.
 *
 * An adapter is one small folder `sources/<family>/<name>/` with a `source.ts` whose default export is
 * `defineSource({...})`, and a `recorded/` folder of pages beside it. Folders are found by name; nothing
 * else has to be edited. It splits in two:
 *
 *   fetch(ctx)   effects. Knows URLs, order, paging and sessions. Asks `ctx` for pages and yields those
 *                that hold rows. Every byte it is given has been archived before it sees it.
 *   parse(page)  pure. Bytes in, candidates out. It may not touch the clock, the network, the file system
 *                or the environment; the same page always gives the same candidates.
 *
 * Everything else (politeness, archive, zod checks, duplicates, rejects, expectations, accounting, carrying
 * the last good rows when a page breaks) belongs to the pipeline.
 */
import type { RecordDefinition } from '../lib/record.ts';

export type Family = 'listings' | 'fmr' | 'tax' | 'parcels' | 'sheriff' | 'register';

/** Under which terms a source may be read. A source without them cannot be defined. */
export interface Terms {
  readonly basis: 'us_government_work' | 'open_data' | 'public_record' | 'permission' | 'sandbox_only';
  /** One sentence for the operator, with what is not known about the terms said plainly. */
  readonly note: string;
  readonly url?: string;
}

/** A page as fetched and archived. */
export interface Page {
  /** The adapter's own word for what this page is, such as "calendar", "items" or "workbook". */
  readonly kind: string;
  /** Public address of the page, as requested. */
  readonly url: string;
  /** What the page itself does not say, such as the sale date a session was bound to. */
  readonly context: Readonly<Record<string, string>>;
  /** Decoded body (after any content encoding); the archive keeps what came over the wire. */
  readonly bytes: Uint8Array;
  /** SHA-256 of the archived bytes, hex. */
  readonly sha256: string;
  readonly contentType: string | null;
  /** When it was fetched, by the run's clock: YYYY-MM-DDTHH:MM:SSZ. */
  readonly observedAt: string;
  /** Body as text: UTF-8, or the fallback where the bytes are not valid UTF-8. Byte order mark removed. */
  text(fallback?: 'windows-1252'): string;
}

/** What parse makes of one row of a page: values in the JSON form of lib/record.ts, or a refusal. Both count as rows in. */
export type Candidate =
  | {
      readonly values: Readonly<Record<string, unknown>>;
      /** Public page that shows this row, where it is not the page it was read from. */
      readonly sourceUrl?: string;
      /** The row as published, for the rejects table. */
      readonly raw: string;
    }
  | {
      readonly reject: {
        /** Short word in snake_case, such as "blank_name" or "wrong_field_count". */
        readonly reason: string;
        /** A sentence that names the field, the value and what was expected. */
        readonly detail: string;
      };
      /** Natural key of the row where it can still be read: its last good version is then carried. */
      readonly key?: Readonly<Record<string, string>>;
      readonly raw: string;
    };

/** What an adapter expects of a read; a breach quarantines its new rows and never the run. */
export interface Expectations {
  /** Fewest rows that make sense. 0 states that the source may be empty. */
  readonly minRows: number;
  /** Largest share of candidates that may be rejected, 0..1. */
  readonly maxRejectShare: number;
  /** Largest fall in rows against the last good read, 0..1. */
  readonly maxDropShare: number;
}

export interface GetOptions {
  readonly kind: string;
  readonly context?: Readonly<Record<string, string>>;
  /** Ask as the client of a grant. The fetcher gets the token and renews it; neither it nor the secret is ever archived. */
  readonly grant?: Grant;
  /** Read the page in a browser, as it stands once its script has made an element of this selector. The archive keeps that document. */
  readonly rendered?: string;
  /** Requests that share cookies. Without one, no cookie is kept. */
  readonly session?: Session;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A body smaller than this is refused as empty or truncated. Default 1. */
  readonly minBytes?: number;
  /** First bytes the body must have, such as the ZIP magic "PK". */
  readonly magic?: string;
  /** Largest body as sent, in bytes. Default 64 MiB. */
  readonly maxBytes?: number;
  /** Send If-None-Match / If-Modified-Since from the archive and reuse its bytes on 304. Default true; false where a session is involved. */
  readonly conditional?: boolean;
  /**
   * Which instant the page's observedAt states: that of the request (default), or that of the first read of these
   * bytes under this address, for a file that stands unchanged from one publication to the next.
   */
  readonly observed?: 'request' | 'content';
  /**
   * Fields of a search form to send by POST. Only for forms that change nothing on the site: the request may be
   * repeated. It is archived like any other; what tells one search from another belongs into `context`.
   */
  readonly form?: Readonly<Record<string, string>>;
}

/** A client's right to a service by OAuth 2.0 client credentials (RFC 6749, section 4.4). */
export interface Grant {
  /** Where the token is asked for, on one of the source's hosts. */
  readonly tokenUrl: string;
  readonly id: string;
  readonly secret: string;
  readonly scope?: string;
}

/** Cookies of one conversation with a site. */
export interface Session {
  readonly id: string;
}

export interface FetchContext {
  /** Day of the run, YYYY-MM-DD: the data clock. */
  readonly asOf: string;
  /** The run's clock in milliseconds (fixed in the sandbox), for sites that want a timestamp in the address. */
  readonly nowMs: number;
  /** Day of the last good read before this run's day, or null when this is a first load. */
  readonly lastGoodOn: string | null;
  /**
   * Value of a secret that the source declares, where the operator has set it. It belongs into a request header whose
   * name says what it is (Authorization, ..token, ..secret, ..key), which the archive leaves out, and nowhere else.
   */
  secret(name: string): string | undefined;
  session(): Session;
  /**
   * Fetch one page politely and archive it. Throws SourceUnavailable when the site refuses (401, 403, 429,
   * challenge, robots) or does not answer, Quarantine when the body breaks what `options` expect.
   */
  get(url: string, options: GetOptions): Promise<Page>;
  /** The same, but null on 404 or 410. */
  getIfExists(url: string, options: GetOptions): Promise<Page | null>;
  /** Report a row that is known to exist but whose page could not be read; it counts as a row in and as a reject. */
  unreadable(key: Readonly<Record<string, string>>, error: unknown): void;
}

/** A file format that the operator may put into the drop folder `<DROP_DIR>/<source name>/`. */
export interface DropFormat {
  /** File name, lower case, that this format claims. */
  readonly pattern: RegExp;
  /** `kind` of the page that parse receives. */
  readonly kind: string;
  readonly about: string;
  /** Name of a file beside it that says how to read it, such as a map of columns: its text is in the page's context under this name. */
  readonly beside?: string;
}

/** Candidates of a page: a list, or one at a time where a page holds millions. */
export type Candidates = readonly Candidate[] | AsyncIterable<Candidate>;

export interface SourceSpec<C extends Candidates = Candidates> {
  /** Folder name, lower snake case, unique: `oh_cuyahoga_tax`. */
  readonly name: string;
  readonly family: Family;
  readonly title: string;
  /** A public page that a person can open to see where the rows come from. */
  readonly home: string;
  /** County of the rows, where all rows are of one county. */
  readonly county?: { readonly fips: string; readonly name: string; readonly state: string };
  readonly terms: Terms;
  /** Days between two reads that the source deserves. */
  readonly everyDays: number;
  /** Days after which it is asked whether there is something new, where that is sooner than its rows are old. Default everyDays. */
  readonly readEveryDays?: number;
  /** Hosts it may talk to, redirects included. Empty for a source that only reads its drop folder. */
  readonly hosts: readonly string[];
  /** Settings that hold a secret for this source, such as HUD_TOKEN. */
  readonly secrets?: readonly string[];
  readonly politeness: { readonly minIntervalMs: number; readonly concurrency: number };
  readonly row: RecordDefinition;
  /** Where a row's last good version is kept when the source itself shows only changes (registers). Default "replace". */
  readonly reads?: 'replace' | 'increments';
  readonly expect: Expectations;
  readonly drop?: readonly DropFormat[];
  fetch?(ctx: FetchContext): AsyncIterable<Page>;
  parse(page: Page): C;
}

const BASES: ReadonlySet<unknown> = new Set<Terms['basis']>([
  'us_government_work',
  'open_data',
  'public_record',
  'permission',
  'sandbox_only',
]);

/** Refuse a source that does not state under which terms it may be read, before anything is asked of its site. */
export function requireTerms({
  name,
  terms,
}: {
  readonly name: string;
  readonly terms?: Partial<Terms> | undefined;
}): void {
  if (BASES.has(terms?.basis) && terms?.note?.trim()) return;
  throw new Error(
    `source ${name}: terms is ${JSON.stringify(terms ?? null)}, expected a basis (${[...BASES].join(', ')}) and a note that says under which terms it may be read`,
  );
}

/** Check a declaration's form at load time, so that a wrong one names its field rather than failing in a run. */
export function defineSource<C extends Candidates>(spec: SourceSpec<C>): SourceSpec<C> {
  const wrong = (field: string, value: unknown, expected: string): never => {
    throw new Error(`source ${spec.name}: ${field} is ${JSON.stringify(value)}, expected ${expected}`);
  };
  if (!/^[a-z][a-z0-9_]*$/.test(spec.name)) wrong('name', spec.name, 'lower snake case');
  requireTerms(spec);
  if (!(spec.everyDays >= 1)) wrong('everyDays', spec.everyDays, 'a number of days, at least 1');
  if (!spec.fetch && !spec.drop?.length) wrong('fetch', undefined, 'a fetch function or a drop format');
  if (spec.fetch && !spec.hosts.length) wrong('hosts', spec.hosts, 'the hosts it may talk to');
  const { maxRejectShare, maxDropShare, minRows } = spec.expect;
  if (!(minRows >= 0)) wrong('expect.minRows', minRows, '0 or more');
  for (const [field, value] of Object.entries({ maxRejectShare, maxDropShare })) {
    if (!(value >= 0 && value <= 1)) wrong(`expect.${field}`, value, 'a share between 0 and 1');
  }
  return spec;
}

/** Why a source's new rows are not trusted. Thrown by parse, fetch or the checks after them. */
export type QuarantineReason =
  | 'malformed_page'
  | 'empty_body'
  | 'truncated_download'
  | 'unknown_column'
  | 'missing_column'
  | 'template_changed'
  | 'count_mismatch'
  | 'too_few_rows'
  | 'too_many_rejects'
  | 'row_count_dropped'
  | 'body_too_large'
  | 'parser_error';

/** The page is not what the adapter knows: its new rows are set aside, the last good rows stay. */
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

/** The site refuses or does not answer; nothing is evaded. */
export class SourceUnavailable extends Error {
  override readonly name = 'SourceUnavailable';
  readonly reason:
    | 'refused'
    | 'robots'
    | 'rate_limited'
    | 'challenge'
    | 'not_found'
    | 'server_error'
    | 'unreachable'
    | 'host_not_allowed';
  readonly status: number | undefined;
  readonly pageUrl: string;
  constructor(reason: SourceUnavailable['reason'], detail: string, pageUrl: string, status?: number) {
    super(detail);
    this.reason = reason;
    this.pageUrl = pageUrl;
    this.status = status;
  }
}
