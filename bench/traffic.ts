/** What comes to a server in a day: people and programs that look around, buyers, and requests that are refused. */
import type { Asked } from './load.ts';
import { KINDS, payingFor, questionsTo } from './questions.ts';

/** Of a hundred requests. The rest are paid for. */
export interface Mix {
  readonly free: number;
  /** Asked without a payment, and answered with a price. */
  readonly unpaid: number;
  /** Unknown paths, bad parameters, payments that are none. */
  readonly malformed: number;
}

const FREE = [
  '/',
  '/api/meta',
  '/api/deals/ids',
  '/api/example_report',
  '/coverage',
  '/openapi.json',
  '/health',
  '/site/style.css',
  '/ohio/api/meta',
  '/build?call=%2Fapi%2Fdeals',
];
const MALFORMED: readonly Asked[] = [
  { path: '/api/nothing' },
  { path: '/api/deals?state=XX' },
  { path: '/api/deals?min_price=cheap' },
  { path: '/api/deals/not-an-id/report' },
  { path: '/api/lookup' },
  { path: '/api/deals', headers: { 'payment-signature': 'bm9uc2Vuc2U=' } },
  { path: '/api/purchases/none' },
  { path: `/api/deals?city=${'x'.repeat(3_000)}` },
];
const ENCODINGS = ['gzip, deflate, br', 'identity', 'gzip'];
/** Addresses that callers have, told by the proxy in front of the server. */
const CALLERS = 5_000;

/** The next request to the server at `url`, in an order that is always the same. Questions are drawn from the snapshot in `folder`. */
export async function trafficTo(url: string, folder: string, { free, unpaid, malformed }: Mix): Promise<() => Asked> {
  const ask = await questionsTo(folder, 11);
  const paid = await payingFor(url, ask);
  let count = 0;
  const nth = <T>(of: readonly [T, ...T[]] | readonly T[], n: number): T => of[n % of.length] as T;
  const one = (): Asked => {
    // A step without a common divisor with a hundred, so that kinds are mixed and their parts exact.
    const place = (count * 37) % 100;
    const round = Math.floor(count / 100) + place;
    if (place < free)
      return {
        path: nth(FREE, round),
        headers: { accept: 'text/html, application/json', 'accept-encoding': nth(ENCODINGS, round) },
      };
    if (place < free + unpaid) return { path: ask(nth(KINDS, round)) };
    if (place < free + unpaid + malformed) return nth(MALFORMED, round);
    return paid(nth(KINDS, round));
  };
  return () => {
    count += 1;
    const asked = one();
    return {
      ...asked,
      headers: {
        ...asked.headers,
        'x-forwarded-for': `10.0.${Math.floor(((count * 7_919) % CALLERS) / 256)}.${((count * 7_919) % CALLERS) % 256}`,
      },
    };
  };
}
