/** The whole server against Koa that sends the same bytes: what is asked of both, and how fast each answers. */
import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { processorMs } from './calls.ts';
import type { Measured } from './contract.ts';
import { startProgram } from './programs.ts';
import type { Served } from './served.ts';
import type { KnownAnswer } from './servers/same_bytes.ts';

const CONNECTIONS = 8;
/** Addresses that callers have, told by the proxy in front of the server. */
const CALLERS = 50;
const ACCEPT = 'text/html, application/json';
/** Headers of a connection or of one request alone. */
const NOT_SENT_AGAIN: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'date',
  'content-length',
  'transfer-encoding',
  'x-request-id',
]);

export type Question = Pick<KnownAnswer, 'path' | 'accept_encoding' | 'if_none_match' | 'payment_signature'>;

const headersOf = ({ accept_encoding, if_none_match, payment_signature }: Question): Record<string, string> => ({
  Accept: ACCEPT,
  'Accept-Encoding': accept_encoding,
  ...(if_none_match === '' ? {} : { 'If-None-Match': if_none_match }),
  ...(payment_signature === '' ? {} : { 'PAYMENT-SIGNATURE': payment_signature }),
});

/** An answer as it is on the wire: fetch would unpack it. */
export function answerTo(url: string, question: Question): Promise<KnownAnswer> {
  return new Promise((resolve, reject) => {
    request(url + question.path, { headers: headersOf(question) }, (response) => {
      const chunks: Buffer[] = [];
      response
        .on('data', (chunk: Buffer) => {
          chunks.push(chunk);
        })
        .on('end', () => {
          const headers = Object.fromEntries(
            Object.entries(response.headers).filter(([name]) => !NOT_SENT_AGAIN.has(name)),
          );
          resolve({
            ...question,
            status: response.statusCode ?? 0,
            headers: headers as Record<string, string>,
            body: Buffer.concat(chunks).toString('base64'),
          });
        });
    })
      .on('error', reject)
      .end();
  });
}

interface Rate {
  /** Answers a second. */
  readonly rate: number;
  /** Milliseconds of the server's processor time an answer. */
  readonly costMs: number;
}

/** Ask everything in turn on each connection, each time as another caller. @throws where an answer is neither 200 nor 304 */
async function drive(url: string, pid: number, answers: readonly KnownAnswer[], seconds: number): Promise<Rate> {
  const requests = answers.map((answer, i) => ({
    path: answer.path,
    headers: { ...headersOf(answer), 'X-Forwarded-For': `10.0.0.${i % CALLERS}` },
  }));
  const before = processorMs(pid);
  const result = await autocannon({ url, connections: CONNECTIONS, duration: seconds, requests });
  const used = (processorMs(pid) ?? Number.NaN) - (before ?? Number.NaN);
  const answered = result['2xx'] + result['3xx'];
  if (result['4xx'] + result['5xx'] + result.errors > 0)
    throw new Error(`${url}: ${result['4xx'] + result['5xx']} refused, ${result.errors} failed`);
  return { rate: answered / result.duration, costMs: used / answered };
}

export interface Comparing {
  /** Ask both for so many seconds each. */
  measure(seconds: number): Promise<Measured>;
  stop(): Promise<void>;
}

/**
 * Start Koa with these answers of ours.
 * @param folder for the file of answers
 * @throws where it does not send the same
 */
export async function compareWithKoa(
  ours: Served,
  answers: readonly KnownAnswer[],
  folder: string,
): Promise<Comparing> {
  const file = join(folder, 'answers.json');
  await writeFile(file, JSON.stringify(answers));
  const theirs = await startProgram('same_bytes.ts', [file]);
  for (const answer of answers) {
    const { status, body } = await answerTo(theirs.url, answer);
    if (status !== answer.status || body !== answer.body)
      throw new Error(`${answer.path} in ${answer.accept_encoding} is not the same of both`);
  }
  return {
    async measure(seconds) {
      const [o, t] = [
        await drive(ours.url, ours.pid, answers, seconds),
        await drive(theirs.url, theirs.pid, answers, seconds),
      ];
      return {
        ours: o.rate,
        baseline: t.rate,
        also: {
          ours_processor_ms: o.costMs,
          baseline_processor_ms: t.costMs,
          processor_rate_ratio: t.costMs / o.costMs,
        },
      };
    },
    stop: () => theirs.stop(),
  };
}
