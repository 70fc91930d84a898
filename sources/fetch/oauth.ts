/** Tokens by OAuth 2.0 client credentials (RFC 6749, section 4.4): one request, and what its answer means. */
import { z } from 'zod';
import { SourceUnavailable, type Grant } from '../contract.ts';
import { NoAnswer, type Answer } from './transport.ts';

export interface Token {
  readonly value: string;
  /** On the monotonic clock, in milliseconds. */
  readonly holdsUntil: number;
}

/** A token, or why there is none and whether another try may bring one. `answer` is there where one came. */
export type TokenOutcome = { readonly answer?: Answer } & (
  { readonly token: Token } | { readonly error: SourceUnavailable; readonly passes: boolean }
);

/** A token is renewed so long before its end, in milliseconds. */
const MARGIN_MS = 30_000;
const MOST_BYTES = 64 * 1024;

const TokenAnswer = z.object({
  access_token: z.string().min(1),
  token_type: z.string().regex(/^bearer$/iu),
  expires_in: z.coerce.number().positive().optional(),
});

/** The short code of an error answer, such as invalid_client; never its text, which may repeat what was sent. */
function codeOf(body: Uint8Array): string {
  try {
    return z.object({ error: z.string().regex(/^[a-z_]{1,40}$/u) }).parse(JSON.parse(new TextDecoder().decode(body)))
      .error;
  } catch {
    return 'without a reason';
  }
}

/** Ask for a token by `send`, which posts a form. */
export async function requestToken(
  grant: Grant,
  url: URL,
  pageUrl: string,
  send: (
    headers: Readonly<Record<string, string>>,
    maxBytes: number,
    form: Readonly<Record<string, string>>,
  ) => Promise<Answer>,
): Promise<TokenOutcome> {
  const asked = performance.now();
  let answer: Answer;
  try {
    answer = await send({ accept: 'application/json' }, MOST_BYTES, {
      grant_type: 'client_credentials',
      client_id: grant.id,
      client_secret: grant.secret,
      ...(grant.scope === undefined ? {} : { scope: grant.scope }),
    });
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return {
      error: new SourceUnavailable('unreachable', `${url.host} gives no token: ${error.message}`, pageUrl),
      passes: true,
    };
  }
  const { status, body } = answer;
  const no = (reason: SourceUnavailable['reason'], detail: string, passes: boolean): TokenOutcome => ({
    answer,
    passes,
    error: new SourceUnavailable(reason, `${url.href} ${detail}`, pageUrl, status),
  });
  if (status === 429) return no('rate_limited', 'answered 429 to the request for a token', true);
  if (status >= 500) return no('server_error', `answered ${status} to the request for a token`, true);
  if (status !== 200) return no('refused', `answered ${status} to the request for a token: ${codeOf(body)}`, false);
  let parsed: z.infer<typeof TokenAnswer>;
  try {
    parsed = TokenAnswer.parse(JSON.parse(new TextDecoder().decode(body)));
  } catch {
    return no('server_error', 'answered the request for a token with something else', false);
  }
  return {
    answer,
    token: {
      value: parsed.access_token,
      holdsUntil: parsed.expires_in === undefined ? Infinity : asked + parsed.expires_in * 1000 - MARGIN_MS,
    },
  };
}
