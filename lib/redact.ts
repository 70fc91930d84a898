/** Keeps secrets out of text: what is logged, and what is said to people we do not know. */

export type Redact = (text: string) => string;

export const HIDDEN = '[hidden]';

/** Shorter pieces occur in any text. */
const SHORTEST = 4;

const USERINFO = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/?#"'<>\\]*@/gi;
/** Node names the address after the code: it may be one that a host of ours resolved to. */
const ADDRESS =
  /\b(ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ENOTFOUND|EAI_AGAIN|EPIPE) [^\s"'\\;,)]+/g;

const attempt = (make: () => string, otherwise: string): string => {
  try {
    return make();
  } catch {
    return otherwise;
  }
};

/** The ways in which a text may hold this secret. */
const formsOf = (secret: string): string[] => [
  secret,
  secret.toLowerCase(),
  JSON.stringify(secret).slice(1, -1),
  encodeURIComponent(secret),
  attempt(() => decodeURIComponent(secret), secret),
  attempt(() => new URL(secret).href, secret),
];

/** Replace the beginning of a secret that a library has cut off with three dots. */
const withoutCut = (text: string, forms: readonly string[]): string =>
  text
    .split(/(\.\.\.|…)/)
    .map((part, i, parts) => {
      if (parts[i + 1] !== '...' && parts[i + 1] !== '…') return part;
      for (const form of forms) {
        for (let length = Math.min(form.length, part.length); length >= SHORTEST; length -= 1) {
          if (part.endsWith(form.slice(0, length))) return part.slice(0, -length) + HIDDEN;
        }
      }
      return part;
    })
    .join('');

/** A function that replaces every secret, and any URL's user and password, with `[hidden]`. */
export function redactor(secrets: readonly string[]): Redact {
  const forms = [...new Set(secrets.filter((s) => s.length >= SHORTEST).flatMap(formsOf))].sort(
    (a, b) => b.length - a.length,
  );
  // The longest stand first, and the first that fits is taken.
  const known = forms.length === 0 ? null : new RegExp(forms.map((form) => RegExp.escape(form)).join('|'), 'g');
  return (text) => {
    let shown = known === null ? text : text.replace(known, HIDDEN);
    if (shown.includes('...') || shown.includes('…')) shown = withoutCut(shown, forms);
    if (shown.includes('@')) shown = shown.replace(USERINFO, `$1${HIDDEN}@`);
    return shown.replace(ADDRESS, `$1 ${HIDDEN}`);
  };
}

/** What a URL tells of a service. Written for URLs of databases too, which may name several hosts. */
export interface UrlPieces {
  /** With their ports, and alone. */
  readonly hosts: readonly string[];
  readonly user: string;
  readonly password: string;
  readonly path: readonly string[];
  readonly query: readonly string[];
}

export function piecesOf(url: string): UrlPieces | null {
  const [, authority = '', path = '', query = ''] =
    /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?/i.exec(url) ?? [];
  if (authority === '') return null;
  const at = authority.lastIndexOf('@');
  const [user = '', ...password] = authority.slice(0, Math.max(at, 0)).split(':');
  const hosts = authority
    .slice(at + 1)
    .split(',')
    .flatMap((host) => [host, host.replace(/:\d+$/, '')]);
  return {
    hosts,
    user,
    password: password.join(':'),
    path: path.split('/').filter((s) => s !== ''),
    query: [...new URLSearchParams(query).values()],
  };
}
