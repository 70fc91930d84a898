/** Hostile headers for the API: damaged payments, and headers with random values. */
import * as fc from 'fast-check';

/** Wrong values for a field of an otherwise valid payment. */
const wrongValue = fc.oneof(
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

/** A payment with one field replaced or removed, or with damaged bytes. */
function damagedPayment(payment: string): fc.Arbitrary<string> {
  const json = Buffer.from(payment, 'base64').toString('utf8');
  const paths: string[][] = [];
  const walk = (value: unknown, path: string[]): void => {
    if (path.length > 0) paths.push(path);
    if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) walk(inner, [...path, key]);
  };
  walk(JSON.parse(json), []);
  const replaced = fc
    .tuple(fc.constantFrom(...paths), fc.option(wrongValue, { nil: undefined }))
    .map(([path, value]) => {
      const copy = JSON.parse(json) as Record<string, unknown>;
      let parent = copy;
      for (const key of path.slice(0, -1)) parent = parent[key] as Record<string, unknown>;
      const last = path.at(-1) ?? '';
      if (value === undefined) delete parent[last];
      else parent[last] = value;
      return Buffer.from(JSON.stringify(copy)).toString('base64');
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

const USUAL = (
  'Accept Accept-Language If-None-Match If-Modified-Since Range Origin Access-Control-Request-Method ' +
  'Access-Control-Request-Headers X-Forwarded-For X-Forwarded-Proto Forwarded X-Request-Id ' +
  'Authorization Cookie Content-Type Referer Cache-Control Upgrade-Insecure-Requests ' +
  'X-HTTP-Method-Override User-Agent'
).split(' ');

/** Headers of a request. @param payments valid payments, to be damaged */
export const hostileHeaders = (payments: readonly string[]): fc.Arbitrary<readonly [string, string][]> => {
  const payment = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...payments).chain(damagedPayment) },
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
      arbitrary: fc.tuple(fc.constantFrom(...USUAL), visible),
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
