/** Requests that nobody should send: paths, queries, headers and payments that are nearly right, and ones that are nothing. */
import * as fc from 'fast-check';
import { paramFacts } from '../../api/routes/params.ts';
import type { Route } from '../../api/routes/define.ts';

export interface WildRequest {
  readonly method: string;
  /** Path and query as they go over the wire. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** What filters, paths and parsers have been known to choke on, as it stands in an address. */
const NASTY = [
  '',
  '%00',
  '%0a',
  '%0d%0aSet-Cookie:%20x=1',
  '%',
  '%zz',
  '%ff',
  '%E0%A4%A',
  '%F0%9F%98%80',
  '%C0%AF',
  '..',
  '%2e%2e%2f',
  '%252e',
  '/',
  '//',
  '\\',
  '%5c',
  '.',
  '~',
  ';',
  ':',
  '*',
  '{id}',
  '%7Bid%7D',
  '{',
  '$1',
  '?1',
  "'",
  '%27%20OR%201=1--',
  '%22',
  '%60',
  '%25',
  '_',
  '%25%25',
  '%5B%5D',
  '[$ne]=1',
  '<script>',
  '${7*7}',
  '{{7*7}}',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  'NaN',
  'Infinity',
  '-Infinity',
  '1e309',
  '-1',
  '0',
  '00',
  '0x10',
  '1_000',
  '99999999999999999999',
  '1.7976931348623157e308',
  '.5',
  '5.',
  '+5',
  '%205',
  '2026-02-30',
  '2026-11-20',
  '9999-12-31',
  '0000-00-00',
  '2026-W54',
  '2026-W46',
  'OH',
  'oh',
  'ZZ',
  'true',
  'TRUE',
  'Hot',
  'tax_delinquent',
  'Cuyahoga',
  'a'.repeat(300),
  '%41'.repeat(200),
  '00000000-0000-5000-8000-000000000001',
  '00000000-0000-0000-0000-000000000000',
  `0x${'a'.repeat(64)}`,
  '1%20Main%20St,%20Cleveland,%20OH%2044113',
  '%D9%A1%D9%A2',
  'I%CC%87',
  '%EF%BC%9C',
  'AAAA',
  'eyJ4NDAyVmVyc2lvbiI6Mn0=',
] as const;

/** Bytes that may stand in a request line, made to mean nothing. */
const noise = fc.string({ unit: fc.constantFrom(...'abzAZ019%&=?/.;:,+-_~!$\'()*@[]{}|^`"<>\\#'), maxLength: 24 });
const piece = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...NASTY) }, { weight: 1, arbitrary: noise });

const METHODS = [
  'GET',
  'GET',
  'GET',
  'GET',
  'GET',
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'BREW',
];

const OTHER_PATHS = [
  '/',
  '/health',
  '/openapi.json',
  '/llms.txt',
  '/.well-known/x402',
  '/metrics',
  '/favicon.ico',
  '/robots.txt',
  '/api',
  '/api/',
  '/api/purchases/:id',
  '/index.html',
  '/.env',
  '/data/ledger.sqlite',
];

/** A path: one that is served, with something in place of its parameters, now and then with something put into it. */
const pathOf = (routes: readonly Route[]): fc.Arbitrary<string> =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .tuple(fc.constantFrom(...routes.map((r) => r.path), ...OTHER_PATHS), piece)
        .map(([path, value]) => path.replaceAll(/:\w+/g, () => value)),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(
          fc.constantFrom(...routes.map((r) => r.path), ...OTHER_PATHS),
          piece,
          fc.double({ min: 0, max: 1, noNaN: true }),
        )
        .map(
          ([path, value, at]) =>
            path.slice(0, Math.floor(path.length * at)) + value + path.slice(Math.floor(path.length * at)),
        ),
    },
    { weight: 1, arbitrary: piece.map((p) => `/${p}`) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '*',
        'http://other.example/api/deals',
        '//other.example/api/deals',
        `/${'a'.repeat(3_000)}`,
        '/api/deals#x',
      ),
    },
  );

/** Names of every parameter there is, and some there are not. */
const queryOf = (routes: readonly Route[]): fc.Arbitrary<string> => {
  const names = [...new Set(routes.flatMap((r) => Object.keys(r.params)))];
  const values = [
    ...new Set(routes.flatMap((r) => Object.values(r.params).flatMap((p) => paramFacts(p).values ?? []))),
  ];
  const pair = fc
    .tuple(
      fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...names) }, { weight: 1, arbitrary: piece }),
      fc.oneof({ weight: 3, arbitrary: piece }, { weight: 1, arbitrary: fc.constantFrom(...values) }),
    )
    .map(([name, value]) => `${name}=${value}`);
  return fc.oneof(
    { weight: 1, arbitrary: fc.constant('') },
    {
      weight: 4,
      arbitrary: fc
        .array(fc.oneof({ weight: 8, arbitrary: pair }, { weight: 1, arbitrary: piece }), {
          minLength: 1,
          maxLength: 4,
        })
        .map((pairs) => `?${pairs.join('&')}`),
    },
  );
};

/** Values for a field of a payment that is otherwise in order. */
const wrong = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    -1,
    0,
    1e308,
    '',
    '0',
    '-1',
    '0x',
    '0xzz',
    'eip155:1',
    [],
    {},
    [[]],
    { toString: 'x' },
    'a'.repeat(2_000),
    '1e3',
    '٣',
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

/** A payment with one field at some depth replaced or taken out, or with its bytes damaged. */
function damaged(payment: string): fc.Arbitrary<string> {
  const json = Buffer.from(payment, 'base64').toString('utf8');
  const paths: string[][] = [];
  const walk = (value: unknown, path: string[]): void => {
    if (path.length > 0) paths.push(path);
    if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) walk(inner, [...path, key]);
  };
  walk(JSON.parse(json), []);
  const replaced = fc.tuple(fc.constantFrom(...paths), fc.option(wrong, { nil: undefined })).map(([path, value]) => {
    const whole = JSON.parse(json) as Record<string, unknown>;
    let at = whole;
    for (const key of path.slice(0, -1)) at = at[key] as Record<string, unknown>;
    const last = path.at(-1) ?? '';
    if (value === undefined) delete at[last];
    else at[last] = value;
    return Buffer.from(JSON.stringify(whole)).toString('base64');
  });
  const cut = fc.nat(payment.length).map((n) => payment.slice(0, n));
  const flipped = fc
    .tuple(fc.nat(payment.length - 1), fc.constantFrom(...'Az0+/=-_!'))
    .map(([n, c]) => payment.slice(0, n) + c + payment.slice(n + 1));
  return fc.oneof({ weight: 4, arbitrary: replaced }, cut, flipped);
}

const base64Json = fc.jsonValue({ maxDepth: 3 }).map((value) => Buffer.from(JSON.stringify(value)).toString('base64'));
const visible = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((c) => String.fromCodePoint(c)),
  maxLength: 80,
});

/** Headers around a request. `payments` are some that are in order, to be damaged. */
const headersOf = (payments: readonly string[]): fc.Arbitrary<WildRequest['headers']> => {
  const payment = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...payments).chain(damaged) },
    base64Json,
    visible,
    fc.constantFrom('', 'null', '{}', 'e30=', 'W10=', 'bnVsbA==', 'A'.repeat(9_000)),
  );
  const header = fc.oneof(
    { weight: 6, arbitrary: payment.map((v): [string, string] => ['PAYMENT-SIGNATURE', v]) },
    { weight: 1, arbitrary: payment.map((v): [string, string] => ['X-PAYMENT', v]) },
    { weight: 2, arbitrary: fc.oneof(base64Json, visible).map((v): [string, string] => ['SIGN-IN-WITH-X', v]) },
    {
      weight: 3,
      arbitrary: fc.tuple(
        fc.constantFrom(
          'Accept',
          'Accept-Language',
          'If-None-Match',
          'If-Modified-Since',
          'Range',
          'Origin',
          'Access-Control-Request-Method',
          'Access-Control-Request-Headers',
          'X-Forwarded-For',
          'X-Forwarded-Proto',
          'Forwarded',
          'X-Request-Id',
          'Authorization',
          'Cookie',
          'Content-Type',
          'Referer',
          'Cache-Control',
          'Upgrade-Insecure-Requests',
          'X-HTTP-Method-Override',
          'User-Agent',
        ),
        visible,
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom<[string, string]>(
        ['Content-Length', '0'],
        ['Host', ''],
        ['Host', 'other.example'],
        ['Expect', 'nothing'],
        ['X', 'y'.repeat(20_000)],
        ['bad name', 'x'],
        ['Upgrade', 'h2c'],
        ['Te', 'trailers'],
      ),
    },
  );
  return fc.array(header, { maxLength: 4 });
};

/** Any request of these. */
export const wildRequests = (routes: readonly Route[], payments: readonly string[]): fc.Arbitrary<WildRequest> =>
  fc.record({
    method: fc.constantFrom(...METHODS),
    target: fc.tuple(pathOf(routes), queryOf(routes)).map(([path, query]) => (path + query).replaceAll(' ', '%20')),
    headers: headersOf(payments),
  });

/** Queries of priced routes that might well be answered, to be sent with payments in order. */
export const payableTargets = (routes: readonly Route[]): fc.Arbitrary<string> =>
  fc.constantFrom(...routes.filter((r) => r.price !== null)).chain((route) => {
    const pairs = Object.entries(route.params).map(([name, schema]) => {
      const { values, kind, range } = paramFacts(schema);
      const usual = values
        ? fc.constantFrom(...values)
        : kind === 'date'
          ? fc.constantFrom('2026-11-01', '2026-11-20', '2026-12-31')
          : kind === 'integer'
            ? fc.integer({ min: range?.[0] ?? 0, max: range?.[1] ?? 9 }).map(String)
            : kind === 'number'
              ? fc.constantFrom('0', '0.000001', '-1', '999999999999', '5.5')
              : fc.constantFrom('OH', 'Cleveland', '100%25', '_', '%27', '%5C', 'P-1', '1%20Main%20St', '2026-W46');
      return fc
        .oneof({ weight: 5, arbitrary: usual }, { weight: 1, arbitrary: piece })
        .map((value) => `${name}=${value}`);
    });
    return fc
      .tuple(
        fc.subarray(pairs, { maxLength: Math.min(3, pairs.length) }).chain((some) => fc.tuple(...some)),
        fc.constantFrom('00000000-0000-5000-8000-000000000001', '00000000-0000-5000-8000-000000009999'),
      )
      .map(
        ([query, id]) =>
          `${route.path.replace(':id', id)}${query.length === 0 ? '' : `?${(query as string[]).join('&')}`}`,
      );
  });
