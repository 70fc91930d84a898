/** Token requests by OAuth 2.0 client credentials (RFC 6749, section 4.4). */
import { z } from 'zod';
import { SourceUnavailable, type Grant } from '../../contract.ts';
import { postedBody } from '../http/posted_body.ts';
import { TransportError, type HttpRequest, type HttpResponse } from '../http/transport.ts';

export interface Token {
  readonly value: string;
  /** On the monotonic clock, in milliseconds. */
  readonly expiresAt: number;
}

/** A token, or the error and whether a retry may fix it. `response` is set if there was one. */
export type TokenOutcome = { readonly response?: HttpResponse } & (
  { readonly token: Token } | { readonly error: SourceUnavailable; readonly isRetryable: boolean }
);

/** A token is renewed this long before it expires. */
const MARGIN_MS = 30_000;
const MAX_BYTES = 64 * 1024;

const TokenResponse = z.object({
  access_token: z.string().min(1),
  token_type: z.string().regex(/^bearer$/iu),
  expires_in: z.coerce.number().positive().optional(),
});

const ErrorResponse = z.object({ error: z.string().regex(/^[a-z_]{1,40}$/u) });

/** The code of an error response, such as invalid_client. Its text is omitted: it may repeat the secret. */
function codeOf(body: Uint8Array): string {
  try {
    return ErrorResponse.parse(JSON.parse(new TextDecoder().decode(body))).error;
  } catch {
    return 'without a reason';
  }
}

/** @param send sends one POST request to `url` */
export async function requestToken(
  grant: Grant,
  url: URL,
  pageUrl: string,
  send: (request: HttpRequest) => Promise<HttpResponse>,
): Promise<TokenOutcome> {
  const requestedAt = performance.now();
  let response: HttpResponse;
  try {
    response = await send({
      headers: { accept: 'application/json' },
      maxBytes: MAX_BYTES,
      posted: postedBody({
        form: {
          grant_type: 'client_credentials',
          client_id: grant.id,
          client_secret: grant.secret,
          ...(grant.scope === undefined ? {} : { scope: grant.scope }),
        },
      }),
    });
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    return {
      error: new SourceUnavailable('unreachable', `${url.host} sent no token: ${error.message}`, pageUrl),
      isRetryable: true,
    };
  }
  const { status, body } = response;
  const failed = (reason: SourceUnavailable['reason'], detail: string, isRetryable: boolean): TokenOutcome => ({
    response,
    isRetryable,
    error: new SourceUnavailable(reason, `${url.href} ${detail}`, pageUrl, status),
  });
  if (status === 429) return failed('rate_limited', 'answered 429 to the token request', true);
  if (status >= 500) return failed('server_error', `answered ${status} to the token request`, true);
  if (status !== 200) return failed('refused', `answered ${status} to the token request: ${codeOf(body)}`, false);
  let parsed: z.infer<typeof TokenResponse>;
  try {
    parsed = TokenResponse.parse(JSON.parse(new TextDecoder().decode(body)));
  } catch {
    return failed('server_error', 'answered the token request without a token', false);
  }
  const { access_token: value, expires_in: seconds } = parsed;
  const expiresAt = seconds === undefined ? Infinity : requestedAt + seconds * 1000 - MARGIN_MS;
  return { response, token: { value, expiresAt } };
}
