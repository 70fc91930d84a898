/** Hostile requests to the API: nearly valid or random paths, queries, headers and payments. */
import * as fc from 'fast-check';
import { paramFacts } from '../../api/routes/params.ts';
import type { Route } from '../../api/routes/define.ts';
import { hostileHeaders } from './api_headers.ts';
import { hostileValue } from './api_values.ts';

export interface HostileRequest {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

const METHODS = 'GET GET GET GET GET GET HEAD POST PUT DELETE PATCH OPTIONS TRACE PROPFIND BREW'.split(' ');

const OTHER_PATHS = (
  '/ /health /openapi.json /llms.txt /.well-known/x402 /metrics /favicon.ico /robots.txt /api ' +
  '/api/ /api/purchases/:id /index.html /.env /data/ledger.sqlite'
).split(' ');

/** A path: one of the API with hostile values for its parameters or inserted into it, or another one. */
const pathOf = (routes: readonly Route[]): fc.Arbitrary<string> =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .tuple(fc.constantFrom(...routes.map((r) => r.path), ...OTHER_PATHS), hostileValue)
        .map(([path, value]) => path.replaceAll(/:\w+/g, () => value)),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(
          fc.constantFrom(...routes.map((r) => r.path), ...OTHER_PATHS),
          hostileValue,
          fc.double({ min: 0, max: 1, noNaN: true }),
        )
        .map(
          ([path, value, at]) =>
            path.slice(0, Math.floor(path.length * at)) + value + path.slice(Math.floor(path.length * at)),
        ),
    },
    { weight: 1, arbitrary: hostileValue.map((value) => `/${value}`) },
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

/** A query with names and values of existing parameters, and hostile ones. */
const queryOf = (routes: readonly Route[]): fc.Arbitrary<string> => {
  const names = [...new Set(routes.flatMap((r) => Object.keys(r.params)))];
  const values = [
    ...new Set(routes.flatMap((r) => Object.values(r.params).flatMap((p) => paramFacts(p).values ?? []))),
  ];
  const pair = fc
    .tuple(
      fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...names) }, { weight: 1, arbitrary: hostileValue }),
      fc.oneof({ weight: 3, arbitrary: hostileValue }, { weight: 1, arbitrary: fc.constantFrom(...values) }),
    )
    .map(([name, value]) => `${name}=${value}`);
  return fc.oneof(
    { weight: 1, arbitrary: fc.constant('') },
    {
      weight: 4,
      arbitrary: fc
        .array(fc.oneof({ weight: 8, arbitrary: pair }, { weight: 1, arbitrary: hostileValue }), {
          minLength: 1,
          maxLength: 4,
        })
        .map((pairs) => `?${pairs.join('&')}`),
    },
  );
};

/** Hostile requests. @param payments valid payments, to be damaged */
export const hostileRequests = (routes: readonly Route[], payments: readonly string[]): fc.Arbitrary<HostileRequest> =>
  fc.record({
    method: fc.constantFrom(...METHODS),
    target: fc.tuple(pathOf(routes), queryOf(routes)).map(([path, query]) => (path + query).replaceAll(' ', '%20')),
    headers: hostileHeaders(payments),
  });

/** Addresses of priced routes that may give a result, to be sent with valid payments. */
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
        .oneof({ weight: 5, arbitrary: usual }, { weight: 1, arbitrary: hostileValue })
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
