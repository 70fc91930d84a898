/** Secrets of the settings, which no response and no log line may contain. */
import { readFileSync } from 'node:fs';
import { piecesOf, redactor, HIDDEN, type Redact } from '../lib/redact.ts';
import { PROBLEMS } from './http/problem.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Settings with the URL of one of our services, which may contain a key. */
const URL_SETTINGS = ['RPC_URL', 'FACILITATOR_URL', 'LEDGER', 'QUEUE'] as const;
/** Settings whose whole value is secret. */
const SECRET_SETTINGS = [
  'SETTLE_KEY',
  'BUYER_KEY',
  'FACILITATOR_AUTHORIZATION',
  'CURSOR_SECRET',
  'CENSUS_API_KEY',
  'SOCRATA_APP_TOKEN',
  'ALERT_COMMAND',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
] as const;
const KEY_FILES = ['SETTLE_KEY_FILE', 'BUYER_KEY_FILE'] as const;
/** A private part in a file of receipt keys. */
const PRIVATE_PART = /"d"\s*:\s*"([^"]+)"/g;

/** A shorter path segment is no secret but a word such as "v2". */
const MIN_SEGMENT_LENGTH = 8;
const MIN_NAME_LENGTH = 4;

/** Words of responses and log lines. Redacting a setting that equals one of them would garble every response. */
const PUBLIC_WORDS = [
  '/problems/',
  'sandbox facilitator self payments ledger snapshot request settlement unresolved warnings ready degraded',
  'unavailable settling reserved released sold',
  'PAYMENT-SIGNATURE PAYMENT-REQUIRED PAYMENT-RESPONSE SIGN-IN-WITH-X',
  ...Object.entries(PROBLEMS).map(([reason, { title }]) => `${reason} ${title}`),
]
  .join(' ')
  .toLowerCase();

const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/i.test(host);

function readOptionalFile(file: string | undefined): string {
  if (!file) return '';
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}

const withoutPrefix = (key: string): string[] => [key, key.replace(/^0x/i, '')];

/** The URL, and its parts that locate or unlock one of our services. */
function urlSecrets(url: string, isSandbox: boolean): string[] {
  const pieces = piecesOf(url);
  // The path of a file is no secret.
  if (!pieces) return [];
  const hosts = pieces.hosts.filter((host) => !(isSandbox && isLoopback(host)));
  const names = /^postgres/i.test(url)
    ? [...pieces.path, pieces.user].filter((name) => name.length >= MIN_NAME_LENGTH)
    : pieces.path.filter((segment) => segment.length >= MIN_SEGMENT_LENGTH);
  return [url, url.replace(/\/$/, ''), ...hosts, pieces.user, pieces.password, ...names, ...pieces.query];
}

/** The URLs in a setting: FACILITATOR_URL may name several. */
const urlsOf = (env: Env, name: string): string[] => {
  const value = env[name] ?? '';
  return name === 'FACILITATOR_URL' ? value.split(',').map((url) => url.trim()) : [value];
};

/** Every secret of an environment, as `redactor` takes them. */
export function secretsOf(env: Env): string[] {
  const isSandbox = (env['PAYMENTS'] || 'sandbox') === 'sandbox';
  const publicUrl = (env['PUBLIC_BASE_URL'] ?? '').toLowerCase();
  const authorizations = (env['FACILITATOR_AUTHORIZATION'] ?? '').split('|').map((value) => value.trim());
  const credentials = authorizations.map((value) => /^\S+\s+(\S+)$/.exec(value)?.[1] ?? '');
  const keys = [
    ...SECRET_SETTINGS.map((name) => env[name]?.trim() ?? ''),
    ...KEY_FILES.map((name) => readOptionalFile(env[name])),
    ...[...readOptionalFile(env['RECEIPT_KEY_FILE']).matchAll(PRIVATE_PART)].map((match) => match[1] ?? ''),
    ...authorizations,
    ...credentials,
  ];
  const urlsOfCommand = (env['ALERT_COMMAND'] ?? '').match(/https?:\/\/[^\s"']+/g) ?? [];
  const all = [
    ...keys.flatMap(withoutPrefix),
    ...URL_SETTINGS.flatMap((name) => urlsOf(env, name)).flatMap((url) => urlSecrets(url, isSandbox)),
    ...urlsOfCommand.flatMap((url) => urlSecrets(url, false)),
  ];
  return all.filter(
    (secret) =>
      secret !== '' && !publicUrl.includes(secret.toLowerCase()) && !PUBLIC_WORDS.includes(secret.toLowerCase()),
  );
}

/** Names of users and databases that are public words, redacted only in database messages that quote them. */
function namesOf(env: Env): string[] {
  return [env['LEDGER'], env['QUEUE']].flatMap((url) => {
    const pieces = url === undefined || !/^postgres/i.test(url) ? null : piecesOf(url);
    return pieces ? [...pieces.path, pieces.user].filter((name) => /^\w+$/.test(name)) : [];
  });
}

/** The redactor of a server with this environment. */
export function redactorOf(env: Env): Redact {
  const redact = redactor(secretsOf(env));
  const names = namesOf(env);
  if (names.length === 0) return redact;
  const quoted = new RegExp(`\\b(user|role|database)(\\s*\\\\*["'])(?:${names.join('|')})(?=\\\\*["'])`, 'gi');
  return (text) => redact(text).replace(quoted, `$1$2${HIDDEN}`);
}
