/**
 * Random requests get typed errors: never a 500, internal details, or a charge. `make prove ONLY=api/http/fuzz N=20000
 * SEED=1` sends many more.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import * as fc from 'fast-check';
import type { Route } from '../../../api/routes/define.ts';
import { paramFacts } from '../../../api/routes/params.ts';
import { casesOf, seedFrom, thorough } from '../../thorough.ts';
import { buyerWith } from '../support/buyers.ts';
import { exchangeBytes } from '../support/raw_exchange.ts';
import { neededQuery, rowsOfTable } from '../support/snapshot_fixtures.ts';
import { ORDINARY_PAYER, sharedApp } from '../support/test_app.ts';

const SEED = seedFrom(20_261_120);
const REQUESTS = casesOf(thorough(250, 600));
const TIMEOUT_MS = 10_000;
const CONCURRENCY = 8;
/** Internals that no response may show: positions in the code, stack frames, folders, queries. */
const INTERNALS =
  /\.(ts|js|mjs):\d+|\n\s+at |node:internal|node_modules|\/home\/|\/tmp\/|SELECT |SQLITE|TypeError|ReferenceError/u;

/** Values that have broken filters, paths and parsers, as written in an address. */
const HOSTILE =
  String.raw`%00 %0a %0d%0aSet-Cookie:%20x=1 % %zz %ff %E0%A4%A %F0%9F%98%80 %C0%AF .. %2e%2e%2f %252e / // \ %5c . ~
  ; : * {id} %7Bid%7D { $1 ?1 ' %27%20OR%201=1-- %22 %60 %25 _ %25%25 %5B%5D [$ne]=1 <script> {{7*7}}
  __proto__ constructor toString null undefined NaN Infinity -Infinity 1e309 -1 0 00 0x10 1_000
  99999999999999999999 .5 5. +5 %205 2026-02-30 2026-11-20 9999-12-31 0000-00-00 2026-W54 2026-W46 OH oh
  ZZ true TRUE Hot tax_delinquent Cuyahoga 00000000-0000-5000-8000-000000000001
  1%20Main%20St,%20Cleveland,%20OH%2044113 %D9%A1%D9%A2 I%CC%87 %EF%BC%9C AAAA eyJ4NDAyVmVyc2lvbiI6Mn0=`.split(/\s+/u);
const hostile = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('', 'a'.repeat(300), `0x${'a'.repeat(64)}`, ...HOSTILE) },
  fc.string({ unit: fc.constantFrom(...'abzAZ019%&=?/.;:,+-_~!$\'()*@[]{}|^`"<>\\#'), maxLength: 24 }),
);

const OTHER_PATHS =
  '/ /health /openapi.json /.well-known/x402 /metrics /api /api/ /api/purchases/:id /.env /data/ledger.sqlite'.split(
    ' ',
  );
const METHODS = 'GET GET GET GET GET GET HEAD POST PUT DELETE PATCH OPTIONS TRACE BREW'.split(' ');
const HEADERS = 'Accept If-None-Match Range Origin X-Forwarded-For Authorization Cookie Content-Type User-Agent'.split(
  ' ',
);

interface Sent {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** A path of the API with hostile values in it, or another one. */
const pathOf = (paths: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.tuple(fc.constantFrom(...paths), hostile).map(([p, v]) => p.replaceAll(/:\w+/g, () => v)),
    },
    { weight: 2, arbitrary: fc.tuple(fc.constantFrom(...paths), hostile).map(([p, v]) => p + v) },
    hostile.map((value) => `/${value}`),
    fc.constantFrom('*', 'http://other.example/api/deals', '//other.example/api/deals', `/${'a'.repeat(3_000)}`),
  );

/** A query with names and values of existing parameters, and hostile ones. */
function queryOf(routes: readonly Route[]): fc.Arbitrary<string> {
  const params = routes.flatMap((route) => Object.entries(route.params));
  const names = params.map(([name]) => name);
  const values = params.flatMap(([, schema]) => paramFacts(schema).values ?? []);
  const pair = fc
    .tuple(
      fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...names) }, hostile),
      fc.oneof({ weight: 3, arbitrary: hostile }, fc.constantFrom(...values)),
    )
    .map((both) => both.join('='));
  return fc.array(pair, { maxLength: 4 }).map((pairs) => (pairs.length === 0 ? '' : `?${pairs.join('&')}`));
}

/** A payment with one field replaced or removed, or with damaged bytes. */
function damaged(payment: string): fc.Arbitrary<string> {
  const json = Buffer.from(payment, 'base64').toString();
  const paths: string[][] = [];
  const walk = (value: unknown, path: string[]): void => {
    if (path.length > 0) paths.push(path);
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) walk(inner, [...path, key]);
  };
  walk(JSON.parse(json), []);
  const value = fc.oneof(fc.constantFrom(undefined, -1, 1e308, '0xzz', '1e3', [[]]), fc.jsonValue({ maxDepth: 2 }));
  const replaced = fc.tuple(fc.constantFrom(...paths), value).map(([path, other]) => {
    const copy = JSON.parse(json) as Record<string, unknown>;
    let parent = copy;
    for (const key of path.slice(0, -1)) parent = parent[key] as Record<string, unknown>;
    parent[path.at(-1) ?? ''] = other;
    return Buffer.from(JSON.stringify(copy)).toString('base64');
  });
  return fc.oneof(
    { weight: 4, arbitrary: replaced },
    fc.nat(payment.length).map((n) => payment.slice(0, n)),
  );
}

const visible = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((c) => String.fromCodePoint(c)),
  maxLength: 80,
});

function headersOf(payments: readonly string[]): fc.Arbitrary<Sent['headers']> {
  const named = (name: string, value: fc.Arbitrary<string>) => value.map((v): [string, string] => [name, v]);
  const payment = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...payments).chain(damaged) },
    visible,
    fc.constantFrom('', 'null', 'e30=', 'W10=', 'A'.repeat(9_000)),
  );
  const header = fc.oneof(
    { weight: 6, arbitrary: named('PAYMENT-SIGNATURE', payment) },
    { weight: 2, arbitrary: named('SIGN-IN-WITH-X', visible) },
    { weight: 3, arbitrary: fc.tuple(fc.constantFrom(...HEADERS), visible) },
    fc.constantFrom<[string, string]>(
      ['Host', ''],
      ['Expect', 'nothing'],
      ['X', 'y'.repeat(20_000)],
      ['bad name', 'x'],
    ),
  );
  return fc.array(header, { maxLength: 4 });
}

/** A path and query of a priced route that may give a result. */
const payable = (routes: readonly Route[]): fc.Arbitrary<string> =>
  fc.constantFrom(...routes.filter((route) => route.price !== null)).chain((route) => {
    const usual = { date: ['2026-11-20', '2026-12-31'], integer: ['1', '50'], number: ['0', '0.000001', '5.5'] };
    const pairs = Object.entries(route.params).map(([name, schema]) => {
      const { values, kind } = paramFacts(schema);
      const texts = ['OH', 'Cleveland', '100%25', '_', '%27', 'P-1', '1%20Main%20St', '2026-W46'];
      const some = values ?? usual[kind as keyof typeof usual] ?? texts;
      return fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...some) }, hostile).map((value) => `${name}=${value}`);
    });
    const id = fc.constantFrom('00000000-0000-5000-8000-000000000001', '00000000-0000-5000-8000-000000009999');
    const query = fc.subarray(pairs, { maxLength: Math.min(3, pairs.length) }).chain((some) => fc.tuple(...some));
    return fc
      .tuple(query, id)
      .map(([given, n]) => `${route.path.replace(':id', n)}${given.length === 0 ? '' : `?${given.join('&')}`}`);
  });

/** The fault of a response, or null. */
function faultOf(text: string): string | null {
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]);
  if (!(status >= 100)) return 'no response';
  if (status >= 500) return `status ${status}`;
  const internals = INTERNALS.exec(text);
  if (internals) return `shows internals: ${internals[0]}`;
  const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s);
  if (/^set-cookie:/im.test(head)) return 'a header injected by the request';
  if (status < 400 || body === '') return null;
  if (/^content-type: text\/html/im.test(head)) return null;
  return /^content-type: application\/problem\+json/im.test(head) && /"billed":false/.test(body)
    ? null
    : 'a refusal without a problem document that states "billed": false';
}

const TEXTS = ['100% City', "O'Fallon", 'a\\b', '=1+1', '"', 'São Paulo', '<script>', 'Straße, Nord', '日本', '_'];
const text = (i: number): string => TEXTS[i % TEXTS.length] ?? '';

describe('the server, with random requests', () => {
  const shared = sharedApp({
    deals: rowsOfTable('deals', 60, (i) => ({ city: text(i), cap_rate: '9.00', dscr: '1.20', deal_score: i % 50 })),
    reports: rowsOfTable('reports', 60),
    signals: rowsOfTable('signals', 60, (i) => ({ county: `${text(i)} County, OH` })),
    auctions: rowsOfTable('auctions', 60, (i) => ({ county: `${text(i)} County, OH` })),
    leads: rowsOfTable('leads', 60, (i) => ({ county: `${text(i)} County, OH`, lead_score: i })),
    filings: rowsOfTable('filings', 60, (i) => ({
      business_name: text(i),
      first_seen: `2026-11-${i % 2 ? '20' : '12'}T12:00:00Z`,
      ...(i % 3 ? {} : { source: 'colorado_sos', source_state: 'CO' }),
    })),
  });
  const buyer = buyerWith();

  /** Send a request each. @returns the number of responses by status */
  async function send<T>(
    items: readonly T[],
    requestOf: (item: T) => Sent | Promise<Sent>,
  ): Promise<Map<number, number>> {
    const statuses = new Map<number, number>();
    const faults: string[] = [];
    const waiting = items.values();
    const worker = async (): Promise<void> => {
      for (const item of waiting) {
        const { method, target, headers } = await requestOf(item);
        const lines = [['Host', 'localhost'], ['Connection', 'close'], ...headers].map((header) => header.join(': '));
        const bytes = [`${method} ${target} HTTP/1.1`, ...lines, '', ''].join('\r\n');
        const late = pause(TIMEOUT_MS, 'late', { ref: false });
        const answer = await Promise.race([exchangeBytes(shared.app.url, bytes).catch(String), late]);
        const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        const fault = faultOf(answer);
        // A server that refuses a request before reading all of it may reset the connection after its response.
        if (fault !== null && !/ECONNRESET|EPIPE/u.test(answer))
          faults.push(
            `${fault}: ${JSON.stringify([method, target, headers]).slice(0, 600)} -> ${answer.slice(0, 400)}`,
          );
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
    assert.deepEqual(faults, []);
    return statuses;
  }

  it('responds to unpaid requests with a typed error or a free response', async () => {
    const { facilitator, app, url } = shared.app;
    const signed = ['/api/deals', '/api/leads', '/api/lookup?apn=P-1'].map((path) => buyer.sign(url + path));
    const payments = await Promise.all(signed);
    const { onPayer } = facilitator.chain;
    facilitator.chain.onPayer = async () => ({ ...ORDINARY_PAYER, balance: 0n });
    const requests = fc.record({
      method: fc.constantFrom(...METHODS),
      target: fc
        .tuple(pathOf([...app.routes.map(({ path }) => path), ...OTHER_PATHS]), queryOf(app.routes))
        .map((parts) => parts.join('').replaceAll(' ', '%20')),
      headers: headersOf(payments),
    });
    const statuses = await send(fc.sample(requests, { numRuns: REQUESTS, seed: SEED }), (request) => request);
    facilitator.chain.onPayer = onPayer;
    assert.equal(facilitator.settled, 0, 'no payer has money');
    // Requests that all fail early would prove nothing.
    for (const status of [200, 400, 402, 404, 405, 414, 431])
      assert.ok((statuses.get(status) ?? 0) > 0, `no ${status}: ${JSON.stringify([...statuses])}`);
  });

  it('bills a payer exactly for the 200 responses', async () => {
    const { facilitator, app, url } = shared.app;
    const start = facilitator.settled;
    const targets = fc.sample(payable(app.routes), { numRuns: Math.ceil(REQUESTS / 8), seed: SEED });
    const statuses = await send(targets, async (target) => {
      // Signed for the path only: a refused query has no payment requirements.
      const path = target.split('?')[0] ?? '';
      const payment = await buyer.sign(`${url}${path}${neededQuery(path)}`);
      return { method: 'GET', target, headers: [['PAYMENT-SIGNATURE', payment]] };
    });
    assert.equal(facilitator.settled - start, statuses.get(200));
    for (const status of [200, 400, 404])
      assert.ok((statuses.get(status) ?? 0) > 2, `few ${status}: ${JSON.stringify([...statuses])}`);
  });
});
