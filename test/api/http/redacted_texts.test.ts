/** Secrets in texts of the server: they leave neither in a log line nor in a response of any status and encoding. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import Koa from 'koa';
import { createLog } from '../../../api/http/log.ts';
import { redactResponses, redactValue } from '../../../api/http/middleware.ts';
import { redactorOf } from '../../../api/secrets.ts';

const HOST = 'node.provider.example';
const KEY = 'planted-key-7731';
const redact = redactorOf({ PAYMENTS: 'facilitator', RPC_URL: `https://${HOST}/v2/${KEY}` });
/** As services repeat a request in their errors. */
const ECHO = `POST https://${HOST}/v2/${KEY} failed`;

const assertHidden = (text: string): void => {
  assert.ok(!text.includes(KEY) && !text.includes(HOST), text);
  assert.match(text, /\[hidden\]/u);
};

describe('a secret that a service repeats', () => {
  it('is in no log line, whether in the message, a field or an error', () => {
    const lines: string[] = [];
    const log = createLog('debug', redact, { write: (line) => void lines.push(line), flush: () => undefined });
    log.info(ECHO);
    log.warn({ detail: ECHO }, 'request');
    log.error({ err: new Error(ECHO) }, 'request');
    assert.equal(lines.length, 3);
    for (const line of lines) {
      assertHidden(line);
      assert.doesNotThrow(() => void JSON.parse(line));
    }
  });

  it('is in no body and no header of an error, and in no payment header of any response', async (t) => {
    const app = new Koa();
    app.use(redactResponses(redact));
    const encoded = Buffer.from(JSON.stringify({ errorMessage: ECHO })).toString('base64');
    app.use((ctx) => {
      ctx.status = Number(ctx.path.slice(1));
      ctx.set('PAYMENT-RESPONSE', encoded);
      ctx.set('Link', `<https://${HOST}/v2/${KEY}>`);
      ctx.body = JSON.stringify({ detail: ECHO });
    });
    const server = app.listen(0, '127.0.0.1');
    t.after(() => server.close());
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const status of [402, 500, 502]) {
      const response = await fetch(`${url}/${status}`);
      assertHidden(await response.text());
      assertHidden(response.headers.get('Link') ?? '');
      assertHidden(Buffer.from(response.headers.get('PAYMENT-RESPONSE') ?? '', 'base64').toString());
    }
    const sold = await fetch(`${url}/200`);
    assert.equal(await sold.text(), JSON.stringify({ detail: ECHO }), 'records of a sold answer are left as they are');
    assertHidden(Buffer.from(sold.headers.get('PAYMENT-RESPONSE') ?? '', 'base64').toString());
  });

  it('is in no value of a status document', () => {
    const value = { payments: { warnings: [ECHO, 'a warning'] }, ready: true };
    const shown = redactValue(value, redact);
    assertHidden(shown.payments.warnings[0] ?? '');
    assert.deepEqual([shown.payments.warnings[1], shown.ready], ['a warning', true]);
  });
});
