/** One read's view of the archive: earlier responses to reuse, and the records of its own requests. */
import type { CookieJar } from 'tough-cookie';
import { type GetOptions, type Page, Quarantine } from '../contract.ts';
import { ArchiveDamage } from '../../lib/archive.ts';
import type { RequestRecord } from '../../lib/request_record.ts';
import { bodyError, type BodyExpectations, type Classification } from './http/classify.ts';
import {
  adapterHeaders,
  archivedHeaders,
  conditionHeaders,
  confirmedHeaders,
  redacted,
  withoutConditions,
} from './http/headers.ts';
import type { FetchLimits } from './limits.ts';
import { type HttpResponse, postedBody } from './http/transport.ts';
import { assemblePage, openPage } from './page.ts';
import type { ReadScope } from './scope.ts';

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
export const maxDecodedBytes = (limits: FetchLimits, { maxBytes }: GetOptions): number =>
  Math.max(limits.maxDecodedBytes, maxBytes ?? 0);

export const expectationsOf = ({ minBytes, magic }: GetOptions): BodyExpectations => ({
  minBytes: minBytes ?? 1,
  magic,
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
    const headers = JSON.stringify(redacted(adapterHeaders(options)));
    const isSameRequest = (record: RequestRecord): boolean =>
      record.method !== 'POST' && JSON.stringify(withoutConditions(record.requestHeaders)) === headers;
    const record = await run.archive.latest(spec.name, pageUrl, (row) => accepts(row) && isSameRequest(row));
    if (!record || record.sha256 === null) return undefined;
    try {
      const { bytes } = await openPage(run.archive, record, maxDecodedBytes(run.limits, options));
      return bodyError(bytes, expectationsOf(options), pageUrl) ? undefined : { record, sha256: record.sha256, bytes };
    } catch (error) {
      if (error instanceof ArchiveDamage || error instanceof Quarantine) return undefined;
      throw error;
    }
  }

  /** Archive a response: its body, then its record. A 304 is recorded with the object it confirms. */
  async add(request: OutgoingRequest, response: HttpResponse, classification: Classification): Promise<RequestRecord> {
    const { archive } = this.#scope.run;
    const confirmed = classification.is === 'not_modified' ? request.archived?.record : undefined;
    const { finalUrl, ...blank } = this.blank(request);
    const sha256 = confirmed ? confirmed.sha256 : await this.#put(response, classification);
    const record: RequestRecord = {
      ...blank,
      // A redirect is recorded under its own address; its target under the requested one.
      ...(classification.is === 'redirect'
        ? { url: request.url.href, kind: 'redirect' }
        : finalUrl === undefined
          ? {}
          : { finalUrl }),
      status: response.status,
      responseHeaders: confirmed
        ? confirmedHeaders(confirmed.responseHeaders, response.headers)
        : archivedHeaders(response.headers, request),
      observedAt: await this.#observedAt(request, sha256, blank.observedAt),
      sha256,
      bytes: response.body.length,
      fromCache: confirmed !== undefined,
      error: 'error' in classification ? classification.error.reason : null,
    };
    await archive.append(record);
    return record;
  }

  async #put({ body }: HttpResponse, { is }: Classification): Promise<string | null> {
    return body.length > 0 || is === 'page' ? this.#scope.run.archive.put(body) : null;
  }

  /** With `observed: 'content'`: the instant of the first read of the same bytes at the same address. */
  async #observedAt({ options, pageUrl }: OutgoingRequest, sha256: string | null, now: string): Promise<string> {
    if (options.observed !== 'content' || sha256 === null) return now;
    const { run, spec } = this.#scope;
    const first = await run.archive.latest(
      spec.name,
      pageUrl,
      (request) => request.sha256 === sha256 && request.observedAt <= now,
    );
    return first?.observedAt ?? now;
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
  async addResumed(archived: ArchivedPage, options: GetOptions): Promise<RequestRecord> {
    const { attempt: _other, ...answered } = archived.record;
    const record = {
      ...answered,
      runId: this.#scope.options.runId,
      kind: options.kind,
      context: { ...options.context },
      fromCache: true,
      ...this.#attempt(),
    };
    await this.#scope.run.archive.append(record);
    return record;
  }

  /** Distinguishes the records of a later attempt from those of the first. */
  #attempt(): Pick<RequestRecord, 'attempt'> {
    const { attempt = 0 } = this.#scope.options;
    return attempt === 0 ? {} : { attempt };
  }

  /** The record of a request without a response. */
  blank({ options, url, pageUrl, archived }: OutgoingRequest): RequestRecord {
    const { run, spec, options: read } = this.#scope;
    return {
      source: spec.name,
      runId: read.runId,
      method: postedBody(options) ? 'POST' : 'GET',
      url: pageUrl,
      ...(url.href === pageUrl ? {} : { finalUrl: url.href }),
      status: null,
      kind: options.kind,
      context: { ...options.context },
      requestHeaders: { ...redacted(adapterHeaders(options)), ...conditionHeaders(archived?.record) },
      responseHeaders: {},
      sha256: null,
      bytes: 0,
      observedAt: run.clock.observedAt(),
      fromCache: false,
      error: null,
      ...this.#attempt(),
    };
  }
}
