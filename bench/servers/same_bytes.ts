/**
 * The least that Koa can do: answers that are known beforehand, each found by its path and the two headers it depends
 * on, and sent with the same headers and bytes. Prints its address.
 *   node bench/servers/same_bytes.ts <file of answers>
 */
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { endWithParent } from './parent.ts';

/** An answer and the request it belongs to. */
export interface KnownAnswer {
  readonly path: string;
  readonly accept_encoding: string;
  readonly if_none_match: string;
  /** Whose answer it is, where it is somebody's alone. */
  readonly payment_signature: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Base64. */
  readonly body: string;
}

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('give the file of answers');
const known = new Map(
  (JSON.parse(await readFile(file, 'utf8')) as KnownAnswer[]).map(
    ({ path, accept_encoding, if_none_match, payment_signature, status, headers, body }) => [
      `${path} ${accept_encoding} ${if_none_match} ${payment_signature}`,
      { status, headers, body: Buffer.from(body, 'base64') },
    ],
  ),
);

const app = new Koa();
app.use((ctx) => {
  const answer = known.get(
    `${ctx.originalUrl} ${ctx.get('Accept-Encoding')} ${ctx.get('If-None-Match')} ${ctx.get('PAYMENT-SIGNATURE')}`,
  );
  if (!answer) return;
  ctx.status = answer.status;
  ctx.set(answer.headers);
  if (answer.status !== 304) ctx.body = answer.body;
});
endWithParent();
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })}\n`);
});
