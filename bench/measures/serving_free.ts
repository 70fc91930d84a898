/** What is free, asked over and over by many callers, and answers that were bought, collected again; against Koa sending the same bytes. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buyerWith } from '../../test/api/support/buyers.ts';
import { answerTo, compareWithKoa } from '../compared.ts';
import { defineBench, type Bench, type Size } from '../contract.ts';
import { questionsTo } from '../questions.ts';
import { startServed } from '../served.ts';
import type { KnownAnswer } from '../servers/same_bytes.ts';
import { publishWorld } from '../worlds.ts';

const SECONDS: Readonly<Record<Size, number>> = { full: 8, quick: 1 };
/** Answers that are bought, to be collected again. */
const BOUGHT = 20;

/** Discovery, the free index and report, documents for machines, pages and files of the site. */
const PATHS = [
  '/api/meta',
  '/api/deals/ids',
  '/api/example_report',
  '/ohio/api/meta',
  '/colorado/api/meta',
  '/openapi.json',
  '/llms.txt',
  '/.well-known/x402',
  '/',
  '/coverage',
  '/prices',
  '/reference',
  '/site/style.css',
  '/favicon.svg',
];
const ENCODINGS = ['identity', 'gzip', 'br'];

/** Each path in each encoding, and again by one who has it already. */
async function freeAnswers(url: string): Promise<KnownAnswer[]> {
  const answers: KnownAnswer[] = [];
  for (const path of PATHS) {
    for (const accept_encoding of ENCODINGS) {
      const question = { path, accept_encoding, if_none_match: '', payment_signature: '' };
      const whole = await answerTo(url, question);
      if (whole.status !== 200) throw new Error(`${path} is answered ${whole.status}`);
      const unchanged = await answerTo(url, { ...question, if_none_match: whole.headers['etag'] ?? '' });
      if (unchanged.status !== 304) throw new Error(`${path} does not say that it is as it was`);
      answers.push(whole, unchanged);
    }
  }
  return answers;
}

/** Lists and lookups bought under an identifier of the buyer's own, and collected by it. */
async function boughtAnswers(url: string, folder: string): Promise<KnownAnswer[]> {
  const ask = await questionsTo(folder, 5);
  const buyer = buyerWith();
  const answers: KnownAnswer[] = [];
  for (let i = 0; i < BOUGHT; i += 1) {
    const path = ask(i % 2 === 0 ? 'deals' : 'lookup');
    const question = {
      path,
      accept_encoding: 'gzip',
      if_none_match: '',
      payment_signature: await buyer.signAs(url + path, `bench-purchase-${String(i).padStart(4, '0')}`),
    };
    const first = await answerTo(url, question);
    const again = await answerTo(url, question);
    if (first.status !== 200 || again.body !== first.body || again.headers['delivery'] === first.headers['delivery'])
      throw new Error(`${path} was not bought and collected: ${first.status}, ${again.status}`);
    answers.push(again);
  }
  return answers;
}

const bench = (
  name: string,
  what: string,
  answersOf: (url: string, folder: string) => Promise<KnownAnswer[]>,
  fullOnly = false,
): Bench =>
  defineBench({
    name,
    what,
    fullOnly,
    baseline: 'a bare Koa server that sends the same bytes',
    unit: 'requests/s',
    target: { atLeast: 0.6 },
    repetitions: { full: 5, quick: 1 },
    async open(size) {
      const world = await publishWorld(size);
      const folder = await mkdtemp(join(tmpdir(), 'dealfeed-bench-free-'));
      const ours = await startServed(world.layout.root);
      const comparing = await compareWithKoa(
        ours,
        await answersOf(ours.url, world.layout.snapshot(world.runId)),
        folder,
      );
      await comparing.measure(SECONDS[size] / 2);
      return {
        measure: () => comparing.measure(SECONDS[size]),
        async close() {
          await ours.stop();
          await comparing.stop();
          await rm(folder, { recursive: true });
          await world.remove();
        },
      };
    },
  });

export default [
  bench(
    'serving_free',
    'free answers of the whole server to many callers: plain, gzip and Brotli, whole and unchanged',
    freeAnswers,
  ),
  bench('serving_repeated', 'bought answers collected again by the identifier of their buyer', boughtAnswers, true),
];
