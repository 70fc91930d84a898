/** Classification of HTTP responses: a page, a refusal, or a reason to retry. Pure. */
import { type GetOptions, Quarantine, SourceUnavailable } from '../contract.ts';
import type { HttpResponse } from './transport.ts';

/** A failure that a retry may fix. `final` is thrown after the last retry. */
export class RetryableError extends Error {
  override readonly name = 'RetryableError';
  readonly final: SourceUnavailable | Quarantine;
  constructor(final: SourceUnavailable | Quarantine) {
    super(final.message);
    this.final = final;
  }
}

/** The adapter's expectations of a body. */
type BodyExpectations = Pick<GetOptions, 'minBytes' | 'magic'>;

export type Classification =
  | { readonly is: 'page' | 'redirect' | 'not_modified' }
  | { readonly is: 'refused'; readonly error: SourceUnavailable | Quarantine }
  /** `error` is thrown after the last retry. `afterMs` is the delay that the site requests. */
  | {
      readonly is: 'retry';
      readonly error: SourceUnavailable | Quarantine;
      readonly afterMs?: number;
    };

/** Titles of bot walls. They occur on no other pages, so they count with any status. */
const WALL_TITLE = new RegExp(
  '<title[^>]*>\\s*(just a moment|attention required! \\| cloudflare|pardon our interruption|' +
    'are you (a )?(robot|human)|(verify|verifying) (that )?you are (a )?human|human verification|' +
    'ddos-guard|robot or human)',
  'i',
);
/** Words of bot walls that also occur on other pages, such as a contact form. They count only on a refusal. */
const WALL_WORDS =
  /captcha|cf-chl|challenge-platform|challenge-form|_incapsula_resource|px-block|datadome|verify you are human/i;
/** Maximum size of a bot wall, in bytes. */
const MAX_WALL_BYTES = 256 * 1024;

function isChallenge({ status, headers }: HttpResponse, text: string): boolean {
  if (headers['cf-mitigated'] === 'challenge') return true;
  if (/^(challenge|captcha)$/i.test(headers['x-amzn-waf-action'] ?? '')) return true;
  if (WALL_TITLE.test(text)) return true;
  return [401, 403, 405, 429, 503].includes(status) && WALL_WORDS.test(text);
}

/** A small body as text if it is markup, else empty. */
function markupOf(response: HttpResponse, decoded: Uint8Array): string {
  if (decoded.length > MAX_WALL_BYTES) return '';
  const text = new TextDecoder('latin1').decode(decoded);
  return /html/i.test(response.headers['content-type'] ?? '') || /^\s*</.test(text) ? text : '';
}

/** Milliseconds of Retry-After, given in seconds or as a date; undefined without a valid one. */
export function retryAfterMs(headers: HttpResponse['headers'], nowMs: number): number | undefined {
  const value = headers['retry-after']?.trim();
  if (value === undefined || value === '') return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  // The date is relative to the server's clock, which its Date header states.
  const from = Date.parse(headers['date'] ?? '');
  const until = Date.parse(value);
  return Number.isNaN(until) ? undefined : Math.max(0, until - (Number.isNaN(from) ? nowMs : from));
}

export interface ReceivedResponse {
  readonly response: HttpResponse;
  /** Body after content decoding, or the error of decoding it. */
  readonly decoded: Uint8Array | Quarantine;
  readonly expected: BodyExpectations;
  /** Address as the adapter requested it. */
  readonly pageUrl: string;
  /** Whether the request was conditional. */
  readonly isConditional: boolean;
  readonly nowMs: number;
}

export function classify(received: ReceivedResponse): Classification {
  const { response, decoded, expected, pageUrl, isConditional, nowMs } = received;
  const { status, headers } = response;
  const unavailable = (reason: SourceUnavailable['reason'], detail: string): SourceUnavailable =>
    new SourceUnavailable(reason, detail, pageUrl, status);
  const refused = (error: SourceUnavailable | Quarantine): Classification => ({ is: 'refused', error });
  const retry = (error: SourceUnavailable | Quarantine): Classification => {
    const afterMs = retryAfterMs(headers, nowMs);
    return { is: 'retry', error, ...(afterMs === undefined ? {} : { afterMs }) };
  };
  if (isChallenge(response, decoded instanceof Quarantine ? '' : markupOf(response, decoded)))
    return refused(
      unavailable('challenge', `the site answered ${status} with a challenge for people, which is not solved`),
    );
  if (status === 304 && !isConditional)
    return refused(unavailable('server_error', 'the site answered 304 to a request without a condition'));
  if (status === 304) return { is: 'not_modified' };
  if (status >= 300 && status < 400) return { is: 'redirect' };
  if (status === 404 || status === 410) return refused(unavailable('not_found', `the site answered ${status}`));
  if (status === 429) return retry(unavailable('rate_limited', 'the site answered 429: too many requests'));
  if (status === 408 || status === 425 || status >= 500)
    return retry(unavailable('server_error', `the site answered ${status}`));
  if (status >= 400) return refused(unavailable('refused', `the site answered ${status}`));
  if (status === 202 && response.body.length === 0)
    return retry(
      unavailable('server_error', 'the site answered 202 with an empty body: the response is not ready yet'),
    );
  if (decoded instanceof Quarantine) return decoded.reason === 'truncated_download' ? retry(decoded) : refused(decoded);
  const error = bodyError(decoded, expected, pageUrl);
  return error ? refused(error) : { is: 'page' };
}

/** The error of a body that breaks the adapter's expectations, if it does. */
export function bodyError(
  body: Uint8Array,
  { minBytes = 1, magic }: BodyExpectations,
  pageUrl: string,
): Quarantine | undefined {
  if (body.length === 0 && minBytes > 0)
    return new Quarantine('empty_body', 'the site answered with an empty body', pageUrl);
  if (magic !== undefined && !Buffer.from(body.subarray(0, Buffer.byteLength(magic))).equals(Buffer.from(magic))) {
    const start = JSON.stringify(Buffer.from(body.subarray(0, Math.max(16, magic.length))).toString('latin1'));
    const detail = `the body starts with ${start}, expected ${JSON.stringify(magic)}`;
    return new Quarantine('malformed_page', detail, pageUrl);
  }
  if (body.length < minBytes) {
    const detail = `the body has ${body.length} bytes, expected at least ${minBytes}`;
    return new Quarantine('truncated_download', detail, pageUrl);
  }
  return undefined;
}
