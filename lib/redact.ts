/** Removes secrets from text before it is logged or sent to a client. */

export type Redact = (text: string) => string;

export const HIDDEN = '[hidden]';

/** Shorter secrets would match ordinary words. */
const MIN_LENGTH = 4;

const USERINFO = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/?#"'<>\\]*@/gi;
const NETWORK_CODES = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
];
/** Node.js prints the address after the code; it may be the address of one of our hosts. */
const ADDRESS = new RegExp(String.raw`\b(${NETWORK_CODES.join('|')}) [^\s"'\\;,)]+`, 'g');

const tryOr = (make: () => string, otherwise: string): string => {
  try {
    return make();
  } catch {
    return otherwise;
  }
};

/** The encodings in which a text may contain this secret. */
const encodingsOf = (secret: string): string[] => [
  secret,
  secret.toLowerCase(),
  JSON.stringify(secret).slice(1, -1),
  encodeURIComponent(secret),
  tryOr(() => decodeURIComponent(secret), secret),
  tryOr(() => new URL(secret).href, secret),
];

/** Hide the start of a secret that a library truncated with an ellipsis. */
const hideTruncated = (text: string, forms: readonly string[]): string =>
  text
    .split(/(\.\.\.|…)/)
    .map((part, i, parts) => {
      if (parts[i + 1] !== '...' && parts[i + 1] !== '…') return part;
      for (const form of forms) {
        for (let length = Math.min(form.length, part.length); length >= MIN_LENGTH; length -= 1) {
          if (part.endsWith(form.slice(0, length))) return part.slice(0, -length) + HIDDEN;
        }
      }
      return part;
    })
    .join('');

/** A function that replaces every secret, and any URL's user and password, with `[hidden]`. */
export function redactor(secrets: readonly string[]): Redact {
  const forms = [...new Set(secrets.filter((secret) => secret.length >= MIN_LENGTH).flatMap(encodingsOf))].sort(
    (a, b) => b.length - a.length,
  );
  // Longest first: the regular expression takes the first alternative that matches.
  const known = forms.length === 0 ? null : new RegExp(forms.map((form) => RegExp.escape(form)).join('|'), 'g');
  return (text) => {
    let shown = known === null ? text : text.replace(known, HIDDEN);
    if (shown.includes('...') || shown.includes('…')) shown = hideTruncated(shown, forms);
    if (shown.includes('@')) shown = shown.replace(USERINFO, `$1${HIDDEN}@`);
    return shown.replace(ADDRESS, `$1 ${HIDDEN}`);
  };
}

/** The parts of a service's URL, each host with its port and without. The URL of a database may name several hosts. */
export function piecesOf(url: string) {
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
    path: path.split('/').filter((segment) => segment !== ''),
    query: [...new URLSearchParams(query).values()],
  };
}
