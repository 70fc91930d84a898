/** What is free, asked over and over by many callers, against Koa sending the same bytes. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { processorMs } from '../calls.ts';
import { defineBench, type Size } from '../contract.ts';
import { startProgram } from '../programs.ts';
import { startServed } from '../served.ts';
import type { KnownAnswer } from '../servers/same_bytes.ts';
import { publishWorld } from '../worlds.ts';

const CONNECTIONS = 8;
const SECONDS: Readonly<Record<Size, number>> = { full: 8, quick: 1 };
/** Addresses that callers have, told by the proxy in front of the server. */
const CALLERS = 50;

/** Discovery, the free index and report, documents for machines, pages and files of the site. */
const PATHS = [
  '/api/meta', '/api/deals/ids', '/api/example_report', '/ohio/api/meta', '/colorado/api/meta', '/openapi.json', '/llms.txt', '/.well-known/x402',
  '/', '/coverage', '/prices', '/reference', '/site/style.css', '/favicon.svg',
];
const ENCODINGS = ['identity', 'gzip', 'br'];

type Question = Pick<KnownAnswer, 'path' | 'accept_encoding' | 'if_none_match'>;
const ACCEPT = 'text/html, application/json';
const headersOf = ({ accept_encoding, if_none_match }: Question): Record<string, string> =>
  ({ Accept: ACCEPT, 'Accept-Encoding': accept_encoding, ...(if_none_match === '' ? {} : { 'If-None-Match': if_none_match }) });

/** An answer as it is on the wire: fetch would unpack it. */
function answerTo(url: string, question: Question): Promise<KnownAnswer> {
  return new Promise((resolve, reject) => {
    request(url + question.path, { headers: headersOf(question) }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => { chunks.push(chunk); }).on('end', () => {
        const headers = Object.fromEntries(Object.entries(response.headers).filter(([name]) => !['connection', 'keep-alive', 'date', 'content-length', 'transfer-encoding'].includes(name)));
        resolve({ ...question, payment_signature: '', status: response.statusCode ?? 0, headers: headers as Record<string, string>, body: Buffer.concat(chunks).toString('base64') });
      });
    }).on('error', reject).end();
  });
}

/** What is asked, and what comes: each path in each encoding, and again by one who has it already. */
async function answersOf(url: string): Promise<KnownAnswer[]> {
  const answers: KnownAnswer[] = [];
  for (const path of PATHS) {
    for (const accept_encoding of ENCODINGS) {
      const whole = await answerTo(url, { path, accept_encoding, if_none_match: '' });
      if (whole.status !== 200) throw new Error(`${path} is answered ${whole.status}`);
      answers.push(whole, await answerTo(url, { path, accept_encoding, if_none_match: whole.headers['etag'] ?? '' }));
      if (answers.at(-1)?.status !== 304) throw new Error(`${path} does not say that it is as it was`);
    }
  }
  return answers;
}

interface Rate {
  /** Answers a second. */
  readonly rate: number;
  /** Milliseconds of the server's processor time an answer. */
  readonly costMs: number;
}

/** Ask everything in turn on each connection, each time as another caller. @throws where an answer is neither 200 nor 304 */
async function drive(url: string, pid: number, answers: readonly KnownAnswer[], seconds: number): Promise<Rate> {
  const questions = answers.flatMap((answer, i) => ({ path: answer.path, headers: { ...headersOf(answer), 'X-Forwarded-For': `10.0.0.${i % CALLERS}` } }));
  const before = processorMs(pid);
  const result = await autocannon({ url, connections: CONNECTIONS, duration: seconds, requests: questions });
  const used = (processorMs(pid) ?? Number.NaN) - (before ?? Number.NaN);
  const answered = result['2xx'] + result['3xx'];
  if (result['4xx'] + result['5xx'] + result.errors > 0) throw new Error(`${url}: ${result['4xx'] + result['5xx']} refused, ${result.errors} failed`);
  return { rate: answered / result.duration, costMs: used / answered };
}

export default defineBench({
  name: 'serving_free',
  what: 'free answers of the whole server to many callers: plain, gzip and Brotli, whole and unchanged',
  baseline: 'a bare Koa server that sends the same bytes',
  unit: 'requests/s',
  target: { atLeast: 0.6 },
  repetitions: { full: 5, quick: 2 },
  async open(size) {
    const world = await publishWorld(size);
    const folder = await mkdtemp(join(tmpdir(), 'dealfeed-bench-free-'));
    const ours = await startServed(world.layout.root);
    const answers = await answersOf(ours.url);
    const file = join(folder, 'answers.json');
    await writeFile(file, JSON.stringify(answers));
    const theirs = await startProgram('same_bytes.ts', [file]);
    for (const answer of answers) {
      const { status, body } = await answerTo(theirs.url, answer);
      if (status !== answer.status || body !== answer.body) throw new Error(`${answer.path} in ${answer.accept_encoding} is not the same of both`);
    }
    const both = async (seconds: number): Promise<readonly [Rate, Rate]> => [await drive(ours.url, ours.pid, answers, seconds), await drive(theirs.url, theirs.pid, answers, seconds)];
    await both(SECONDS[size] / 2);
    return {
      async measure() {
        const [o, t] = await both(SECONDS[size]);
        return { ours: o.rate, baseline: t.rate, also: { ours_processor_ms: o.costMs, baseline_processor_ms: t.costMs, processor_rate_ratio: t.costMs / o.costMs } };
      },
      async close() {
        await ours.stop();
        await theirs.stop();
        await rm(folder, { recursive: true });
        await world.remove();
      },
    };
  },
});
