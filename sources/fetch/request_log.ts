/** One read's view of the archive: earlier responses to reuse, and the records of its own requests. */
import type { CookieJar } from 'tough-cookie';
import { ArchiveDamage } from '../../lib/archive.ts';
import type { RequestRecord } from '../../lib/request_record.ts';
import { type GetOptions, type Page, Quarantine } from '../contract.ts';
import { withoutSecretQuery } from './addresses.ts';
import { bodyError, type Classification } from './classify.ts';
import { assemblePage, openPage } from './page.ts';
import type { ReadScope } from './scope.ts';
import { type FetchLimits, type HttpResponse, postedBody } from './transport.ts';

type Headers = Readonly<Record<string, string>>;

/** An archived response: its record and its decoded body. */
export interface ArchivedPage {
  readonly record: RequestRecord;
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

/** One request, which may be sent several times. */
export interface OutgoingRequest {
  readonly url: URL;
  /** Address as the adapter requested it, before redirects. */
  readonly pageUrl: string;
  readonly options: GetOptions;
  /** An archived response that a 304 would confirm. */
  readonly archived: ArchivedPage | undefined;
  readonly jar: CookieJar | undefined;
}

/** A body may be as large decoded as its limit when sent. */
export const maxDecodedBytes = (limits: FetchLimits, { maxBytes = 0 }: GetOptions): number =>
  Math.max(limits.maxDecodedBytes, maxBytes);

/** Response headers that describe the body, or its address. */
const ARCHIVED = 'etag last-modified content-type content-encoding content-length location retry-after'.split(' ');
const SECRET = /^(authorization|cookie)$|token|secret|key/i;

/** Headers that the adapter sets, sorted, names in lower case. */
export function adapterHeaders({ accept = '*/*', headers, firstBytes }: GetOptions): Record<string, string> {
  const range = firstBytes === undefined ? {} : { range: `bytes=0-${firstBytes - 1}` };
  const all = Object.entries({ accept, ...range, ...headers }).map(([name, value]) => [name.toLowerCase(), value]);
  return Object.fromEntries(all.sort(([a = ''], [b = '']) => (a < b ? -1 : 1)));
}

/** The same with secrets redacted, for the archive. */
const redacted = (options: GetOptions): Record<string, string> =>
  Object.fromEntries(
    Object.entries(adapterHeaders(options)).map(([name, value]) => [name, SECRET.test(name) ? '(left out)' : value]),
  );

/** Headers that make a request conditional on a change since a response. */
export function conditionHeaders({ record }: Partial<ArchivedPage> = {}): Record<string, string> {
  const { etag, 'last-modified': modified } = record?.responseHeaders ?? {};
  return { ...(etag && { 'if-none-match': etag }), ...(modified && { 'if-modified-since': modified }) };
}

/** Response headers that the archive stores. A location is stored without the secrets of the request. */
const archivedHeaders = (headers: Headers, { url, options }: OutgoingRequest): Record<string, string> =>
  Object.fromEntries(
    ARCHIVED.flatMap((name) => {
      const value = headers[name];
      if (value === undefined) return [];
      const isTarget = name === 'location' && options.secretQuery !== undefined && URL.canParse(value, url);
      return [[name, isTarget ? withoutSecretQuery(new URL(value, url), options).href : value]];
    }),
  );

/** Headers of a response that a 304 confirmed, with the 304's validators. Its other headers describe its empty body. */
const confirmedHeaders = (previous: Headers, { etag, 'last-modified': modified }: Headers): Record<string, string> => ({
  ...previous,
  ...(etag === undefined ? {} : { etag }),
  ...(modified === undefined ? {} : { 'last-modified': modified }),
});

export class RequestLog {
  readonly #scope: ReadScope;
  readonly #recordOf = new WeakMap<Page, RequestRecord>();

  constructor(scope: ReadScope) {
    this.#scope = scope;
  }

  /** The latest response to the same request, if the archive has it complete and it meets the expectations. */
  async latest(
    pageUrl: string,
    options: GetOptions,
    accepts: (record: RequestRecord) => boolean,
  ): Promise<ArchivedPage | undefined> {
    const { run, spec } = this.#scope;
    const headers = JSON.stringify(redacted(options));
    const isSameRequest = ({ method, requestHeaders }: RequestRecord): boolean => {
      const { 'if-none-match': _etag, 'if-modified-since': _date, ...sent } = requestHeaders;
      return method !== 'POST' && JSON.stringify(sent) === headers;
    };
    const record = await run.archive.latest(spec.name, pageUrl, (row) => accepts(row) && isSameRequest(row));
    if (!record || record.sha256 === null) return undefined;
    try {
      const { bytes, sha256 } = await openPage(run.archive, record, maxDecodedBytes(run.limits, options));
      return bodyError(bytes, options, pageUrl) ? undefined : { record, sha256, bytes };
    } catch (error) {
      if (error instanceof ArchiveDamage || error instanceof Quarantine) return undefined;
      throw error;
    }
  }

  /** Archive a response: its body, then its record. A 304 is recorded with the object it confirms. */
  async add(request: OutgoingRequest, response: HttpResponse, classification: Classification): Promise<RequestRecord> {
    const { archive } = this.#scope.run;
    const { status, headers, body } = response;
    const confirmed = classification.is === 'not_modified' ? request.archived?.record : undefined;
    const { finalUrl, ...blank } = this.#blank(request);
    const isStored = body.length > 0 || classification.is === 'page';
    const sha256 = confirmed?.sha256 ?? (isStored ? await archive.put(body) : null);
    const record: RequestRecord = {
      ...blank,
      // A redirect is recorded under its own address; its target under the requested one.
      ...(classification.is === 'redirect' ? { url: request.url.href, kind: 'redirect' } : finalUrl && { finalUrl }),
      status,
      responseHeaders: confirmed
        ? confirmedHeaders(confirmed.responseHeaders, headers)
        : archivedHeaders(headers, request),
      observedAt: await this.#observedAt(request, sha256, blank.observedAt),
      sha256,
      bytes: body.length,
      fromCache: confirmed !== undefined,
      error: 'error' in classification ? classification.error.reason : null,
    };
    await archive.append(record);
    return record;
  }

  /** Archive that a request got no complete response. */
  async addFailure(
    request: OutgoingRequest,
    failure: Pick<RequestRecord, 'status' | 'bytes' | 'error'>,
  ): Promise<void> {
    await this.#scope.run.archive.append({ ...this.#blank(request), ...failure });
  }

  /** With `observed: 'content'`: the instant of the first read of the same bytes at the same address. */
  async #observedAt({ options, pageUrl }: OutgoingRequest, sha256: string | null, now: string): Promise<string> {
    if (options.observed !== 'content' || sha256 === null) return now;
    const { run, spec } = this.#scope;
    const isEarlier = (row: RequestRecord): boolean => row.sha256 === sha256 && row.observedAt <= now;
    return (await run.archive.latest(spec.name, pageUrl, isEarlier))?.observedAt ?? now;
  }

  /** The page of a response. */
  page(record: RequestRecord, sha256: string, decoded: Uint8Array): Page {
    const page = assemblePage(record, sha256, decoded);
    this.#recordOf.set(page, record);
    return page;
  }

  /** Record a page of this read once more, with further context. */
  async addContext(page: Page, context: Readonly<Record<string, string>>): Promise<Page> {
    const answered = this.#recordOf.get(page);
    if (!answered) throw new Error(`${page.url} is no page of this read of ${this.#scope.spec.name}`);
    const record = { ...answered, context: { ...answered.context, ...context }, fromCache: true };
    await this.#scope.run.archive.append(record);
    return this.page(record, page.sha256, page.bytes);
  }

  /** Record that a page was taken from an interrupted run. */
  async addResumed({ record: archived }: ArchivedPage, { kind, context }: GetOptions): Promise<RequestRecord> {
    const { attempt: _other, ...answered } = archived;
    const record = { ...answered, ...this.#ofRun(), kind, context: { ...context }, fromCache: true };
    await this.#scope.run.archive.append(record);
    return record;
  }

  /** The run of a record. The number of earlier attempts tells the records of a later one from those of the first. */
  #ofRun(): Pick<RequestRecord, 'runId' | 'attempt'> {
    const { runId, attempt = 0 } = this.#scope.options;
    return { runId, ...(attempt === 0 ? {} : { attempt }) };
  }

  /** The record of a request without a response. */
  #blank({ options, url, pageUrl, archived }: OutgoingRequest): RequestRecord {
    const { run, spec } = this.#scope;
    return {
      source: spec.name,
      ...this.#ofRun(),
      method: postedBody(options) ? 'POST' : 'GET',
      url: pageUrl,
      ...(url.href === pageUrl ? {} : { finalUrl: url.href }),
      status: null,
      kind: options.kind,
      context: { ...options.context },
      requestHeaders: { ...redacted(options), ...conditionHeaders(archived) },
      responseHeaders: {},
      sha256: null,
      bytes: 0,
      observedAt: run.clock.observedAt(),
      fromCache: false,
      error: null,
    };
  }
}
