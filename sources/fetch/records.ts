/**
 * What the archive holds of one source's requests: earlier answers found in it, and the lines that a read adds to it.
 */
import type { CookieJar } from 'tough-cookie';
import { Quarantine, type GetOptions, type SourceSpec } from '../contract.ts';
import { ArchiveDamage, type RequestRecord } from './archive.ts';
import type { FetchLimits, ReadOptions, Shared } from './fetcher.ts';
import { confirmedBy, keptOf, ownHeaders, validatorsOf, withoutSecrets, withoutValidators } from './headers.ts';
import type { Answer } from './transport.ts';
import { refusalOf, type Expected, type Verdict } from './verdict.ts';

/** An archived page that may stand for an answer: its record and its decoded body. */
export interface Held {
  readonly record: RequestRecord;
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

/** One request, ready to be sent as often as it takes. */
export interface Ask {
  readonly url: URL;
  readonly pageUrl: string;
  readonly options: GetOptions;
  /** An archived answer that a 304 would confirm. */
  readonly prior: Held | undefined;
  readonly jar: CookieJar | undefined;
}

/** A body that may be large as sent may be as large unpacked. */
export const mostDecoded = (limits: FetchLimits, { maxBytes }: GetOptions): number =>
  Math.max(limits.maxDecodedBytes, maxBytes ?? 0);

export const expectedOf = ({ minBytes, magic }: GetOptions): Expected => ({ minBytes: minBytes ?? 1, magic });

export class ReadRecords {
  readonly #shared: Pick<Shared, 'archive' | 'clock' | 'limits'>;
  readonly #spec: SourceSpec;
  readonly #read: ReadOptions;

  constructor(shared: Pick<Shared, 'archive' | 'clock' | 'limits'>, spec: SourceSpec, read: ReadOptions) {
    this.#shared = shared;
    this.#spec = spec;
    this.#read = read;
  }

  /** Latest answer to the same request, where the archive holds it whole and it is still what the adapter expects. */
  async latest(
    pageUrl: string,
    options: GetOptions,
    accepts: (r: RequestRecord) => boolean,
  ): Promise<Held | undefined> {
    const { archive, limits } = this.#shared;
    const same = JSON.stringify(withoutSecrets(ownHeaders(options)));
    const record = await archive.latest(
      this.#spec.name,
      pageUrl,
      (r) => accepts(r) && r.method !== 'POST' && JSON.stringify(withoutValidators(r.requestHeaders)) === same,
    );
    if (!record || record.sha256 === null) return undefined;
    try {
      const { bytes } = await archive.page(record, mostDecoded(limits, options));
      return refusalOf(bytes, expectedOf(options), pageUrl) ? undefined : { record, sha256: record.sha256, bytes };
    } catch (error) {
      if (error instanceof ArchiveDamage || error instanceof Quarantine) return undefined;
      throw error;
    }
  }

  /** What tells the requests of a later try from those of the first. */
  get attemptMark(): Pick<RequestRecord, 'attempt'> {
    const { attempt = 0 } = this.#read;
    return attempt === 0 ? {} : { attempt };
  }

  /** Keep the answer's bytes, then its line. A 304 is recorded with the object it confirms. */
  async answered(ask: Ask, answer: Answer, verdict: Verdict): Promise<RequestRecord> {
    const { archive } = this.#shared;
    const confirmed = verdict.is === 'not_modified' ? ask.prior?.record : undefined;
    const { finalUrl, ...blank } = this.blank(ask);
    const sha256 = confirmed
      ? confirmed.sha256
      : answer.body.length > 0 || verdict.is === 'page'
        ? await archive.put(answer.body)
        : null;
    const firstRead =
      ask.options.observed === 'content' && sha256 !== null
        ? await archive.latest(
            this.#spec.name,
            ask.pageUrl,
            (r) => r.sha256 === sha256 && r.observedAt <= blank.observedAt,
          )
        : undefined;
    const record: RequestRecord = {
      ...blank,
      // A redirect answers for its own address; what it leads to, for the address that was asked.
      ...(verdict.is === 'redirect'
        ? { url: ask.url.href, kind: 'redirect' }
        : finalUrl === undefined
          ? {}
          : { finalUrl }),
      status: answer.status,
      responseHeaders: confirmed ? confirmedBy(confirmed.responseHeaders, answer.headers) : keptOf(answer.headers),
      // Each read of the same bytes hands on the instant of the first.
      observedAt: firstRead?.observedAt ?? blank.observedAt,
      sha256,
      bytes: answer.body.length,
      fromCache: confirmed !== undefined,
      error: 'error' in verdict ? verdict.error.reason : null,
    };
    await archive.append(record);
    return record;
  }

  /** The record of a request that has no answer yet. */
  blank(ask: Ask): RequestRecord {
    const { options, url, pageUrl } = ask;
    return {
      source: this.#spec.name,
      runId: this.#read.runId,
      method: options.form ? 'POST' : 'GET',
      url: pageUrl,
      ...(url.href === pageUrl ? {} : { finalUrl: url.href }),
      status: null,
      kind: options.kind,
      context: { ...options.context },
      requestHeaders: { ...withoutSecrets(ownHeaders(options)), ...validatorsOf(ask.prior?.record) },
      responseHeaders: {},
      sha256: null,
      bytes: 0,
      observedAt: this.#shared.clock.observedAt(),
      fromCache: false,
      error: null,
      ...this.attemptMark,
    };
  }
}
