/** What the settings hold that no answer and no log line may say. */
import { readFileSync } from 'node:fs';
import { piecesOf, redactor, HIDDEN, type Redact } from '../lib/redact.ts';
import { PROBLEMS } from './http/problem.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Settings that hold the address of a service of ours, which may carry a key. */
const ADDRESSES = ['RPC_URL', 'FACILITATOR_URL', 'LEDGER', 'QUEUE'] as const;
/** Settings that are secret as a whole. */
const WHOLE = [
  'SETTLE_KEY',
  'BUYER_KEY',
  'FACILITATOR_AUTHORIZATION',
  'CURSOR_SECRET',
  'HUD_TOKEN',
  'ALERT_COMMAND',
] as const;
const KEY_FILES = ['SETTLE_KEY_FILE', 'BUYER_KEY_FILE'] as const;

/** A shorter path segment is a word such as "v2". */
const SHORTEST_SEGMENT = 8;
const SHORTEST_NAME = 4;

/** Words of every answer and log line. A setting that has one of them for a name would garble all answers and hide nothing. */
const OUR_WORDS = [
  'urn:dealfeed:problem',
  'sandbox facilitator self payments ledger snapshot request settlement unresolved warnings ready degraded unavailable settling reserved released sold',
  'PAYMENT-SIGNATURE PAYMENT-REQUIRED PAYMENT-RESPONSE SIGN-IN-WITH-X',
  ...Object.entries(PROBLEMS).map(([reason, { title }]) => `${reason} ${title}`),
]
  .join(' ')
  .toLowerCase();

const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/i.test(host);

function contentOf(file: string | undefined): string {
  if (!file) return '';
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}

const withoutPrefix = (key: string): string[] => [key, key.replace(/^0x/i, '')];

/** The address as a whole, and the pieces of it that say where a service of ours is or open it. */
function addressSecrets(url: string, isSandbox: boolean): string[] {
  const pieces = piecesOf(url);
  // The path of a file is no secret.
  if (!pieces) return [];
  const hosts = pieces.hosts.filter((host) => !(isSandbox && isLoopback(host)));
  const names = /^postgres/i.test(url)
    ? [...pieces.path, pieces.user].filter((name) => name.length >= SHORTEST_NAME)
    : pieces.path.filter((s) => s.length >= SHORTEST_SEGMENT);
  return [url, url.replace(/\/$/, ''), ...hosts, pieces.user, pieces.password, ...names, ...pieces.query];
}

/** Every secret of an environment, as `redactor` takes them. */
export function secretsOf(env: Env): string[] {
  const isSandbox = (env['PAYMENTS'] || 'sandbox') === 'sandbox';
  const publicUrl = (env['PUBLIC_BASE_URL'] ?? '').toLowerCase();
  const bearer = /^\S+\s+(\S+)$/.exec(env['FACILITATOR_AUTHORIZATION']?.trim() ?? '')?.[1] ?? '';
  const keys = [
    ...WHOLE.map((name) => env[name]?.trim() ?? ''),
    ...KEY_FILES.map((name) => contentOf(env[name])),
    bearer,
  ];
  const urlsOfCommand = (env['ALERT_COMMAND'] ?? '').match(/https?:\/\/[^\s"']+/g) ?? [];
  const all = [
    ...keys.flatMap(withoutPrefix),
    ...ADDRESSES.flatMap((name) => addressSecrets(env[name] ?? '', isSandbox)),
    ...urlsOfCommand.flatMap((url) => addressSecrets(url, false)),
  ];
  return all.filter(
    (secret) => secret !== '' && !publicUrl.includes(secret.toLowerCase()) && !OUR_WORDS.includes(secret.toLowerCase()),
  );
}

/** Names of users and databases that are words of ours, hidden where a database speaks of them. */
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
  const spoken = new RegExp(`\\b(user|role|database)(\\s*\\\\*["'])(?:${names.join('|')})(?=\\\\*["'])`, 'gi');
  return (text) => redact(text).replace(spoken, `$1$2${HIDDEN}`);
}
