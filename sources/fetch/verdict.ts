/** What an answer means: a page, a refusal, or a reason to ask again. Pure. */
import { Quarantine, SourceUnavailable } from '../contract.ts';
import type { Answer } from './transport.ts';

/** What the adapter expects of a body. */
export interface Expected {
  readonly minBytes: number;
  readonly magic: string | undefined;
}

export type Verdict =
  | { readonly is: 'page' | 'redirect' | 'not_modified' }
  | { readonly is: 'refused'; readonly error: SourceUnavailable | Quarantine }
  /** Worth another try; `error` holds if none helps. `afterMs` is what the site asked for. */
  | { readonly is: 'again'; readonly error: SourceUnavailable | Quarantine; readonly afterMs?: number };

/** Pages that bot walls put before the real one. Their titles are theirs alone, so they count on any answer. */
const WALL_TITLE =
  /<title[^>]*>\s*(just a moment|attention required! \| cloudflare|pardon our interruption|are you (a )?(robot|human)|(verify|verifying) (that )?you are (a )?human|human verification|ddos-guard|robot or human)/i;
/** Words that also stand on honest pages (a contact form has a captcha); on a refusal they name its kind. */
const WALL_WORDS =
  /captcha|cf-chl|challenge-platform|challenge-form|_incapsula_resource|px-block|datadome|verify you are human/i;
/** A wall is a small page. */
const WALL_LIMIT = 256 * 1024;

function isChallenge({ status, headers }: Answer, text: string): boolean {
  if (headers['cf-mitigated'] === 'challenge') return true;
  if (/^(challenge|captcha)$/i.test(headers['x-amzn-waf-action'] ?? '')) return true;
  if (WALL_TITLE.test(text)) return true;
  return [401, 403, 405, 429, 503].includes(status) && WALL_WORDS.test(text);
}

/** Start of a body as text where it is markup, else empty. */
function markup(answer: Answer, decoded: Uint8Array): string {
  if (decoded.length > WALL_LIMIT) return '';
  const text = new TextDecoder('latin1').decode(decoded);
  return /html/i.test(answer.headers['content-type'] ?? '') || /^\s*</.test(text) ? text : '';
}

/** Milliseconds that Retry-After asks for (seconds or a date), or undefined. */
export function retryAfterMs(headers: Answer['headers'], nowMs: number): number | undefined {
  const asked = headers['retry-after']?.trim();
  if (asked === undefined || asked === '') return undefined;
  if (/^\d+$/.test(asked)) return Number(asked) * 1000;
  // The answer's own date is the clock that its Retry-After was counted from.
  const from = Date.parse(headers['date'] ?? '');
  const until = Date.parse(asked);
  return Number.isNaN(until) ? undefined : Math.max(0, until - (Number.isNaN(from) ? nowMs : from));
}

/**
 * @param decoded body after content decoding, or what went wrong in decoding it
 * @param pageUrl address as the adapter asked for it
 */
export function judge(
  answer: Answer,
  decoded: Uint8Array | Quarantine,
  expected: Expected,
  pageUrl: string,
  nowMs: number,
): Verdict {
  const { status, headers } = answer;
  const said = (reason: SourceUnavailable['reason'], detail: string): SourceUnavailable =>
    new SourceUnavailable(reason, detail, pageUrl, status);
  const again = (error: SourceUnavailable | Quarantine): Verdict => {
    const afterMs = retryAfterMs(headers, nowMs);
    return { is: 'again', error, ...(afterMs === undefined ? {} : { afterMs }) };
  };
  if (isChallenge(answer, decoded instanceof Quarantine ? '' : markup(answer, decoded))) {
    return {
      is: 'refused',
      error: said('challenge', `the site answered ${status} with a challenge for people, which is left unanswered`),
    };
  }
  if (status === 304) return { is: 'not_modified' };
  if (status >= 300 && status < 400) return { is: 'redirect' };
  if (status === 404 || status === 410)
    return { is: 'refused', error: said('not_found', `the site answered ${status}`) };
  if (status === 429) return again(said('rate_limited', 'the site answered 429: too many requests'));
  if (status === 408 || status === 425 || status >= 500)
    return again(said('server_error', `the site answered ${status}`));
  if (status >= 400) return { is: 'refused', error: said('refused', `the site answered ${status}`) };
  if (status === 202 && answer.body.length === 0)
    return again(
      said('server_error', 'the site answered 202 with an empty body: it has accepted the request and not answered it'),
    );
  if (decoded instanceof Quarantine)
    return decoded.reason === 'truncated_download' ? again(decoded) : { is: 'refused', error: decoded };
  const wrong = refusalOf(decoded, expected, pageUrl);
  return wrong ? { is: 'refused', error: wrong } : { is: 'page' };
}

/** What is wrong with a body, if anything, against what the adapter expects of it. */
export function refusalOf(body: Uint8Array, { minBytes, magic }: Expected, pageUrl: string): Quarantine | undefined {
  if (body.length === 0 && minBytes > 0)
    return new Quarantine('empty_body', 'the site answered with an empty body', pageUrl);
  if (magic !== undefined && !Buffer.from(body.subarray(0, Buffer.byteLength(magic))).equals(Buffer.from(magic))) {
    const start = Buffer.from(body.subarray(0, Math.max(16, magic.length))).toString('latin1');
    return new Quarantine(
      'malformed_page',
      `the body starts with ${JSON.stringify(start)}, expected ${JSON.stringify(magic)}`,
      pageUrl,
    );
  }
  if (body.length < minBytes)
    return new Quarantine(
      'truncated_download',
      `the body has ${body.length} bytes, expected at least ${minBytes}`,
      pageUrl,
    );
  return undefined;
}
