/**
 * /sandbox/buy: buys one call with test money and shows each request and response. It exists only on sandbox servers,
 * which have a sandbox buyer.
 */
import type { Router } from '@koa/router';
import type { Context } from 'koa';
import { Problem } from '../http/problem.ts';
import { templateOf } from '../docs/openapi.ts';
import type { Route } from '../routes/define.ts';
import type { Snapshots } from '../serving/follow.ts';
import type { Exchange, Purchase, SandboxBuyer } from './buyer.ts';
import { html, type Html } from './html.ts';
import { code } from './layout.ts';
import { SITE_HEADERS, type Site } from './site.ts';

const PURCHASE_PATH = '/sandbox/buy';
const DEFAULT_CALL = '/api/deals?state=OH&limit=1';
/** Example calls for the form. */
const EXAMPLES: readonly (readonly [call: string, about: string])[] = [
  [DEFAULT_CALL, 'A deal in Ohio'],
  ['/api/leads?limit=1', 'A lead'],
  ['/api/deals?city=Nowhere', 'No match: 404, free'],
  ['/api/deals?min_score=101', 'A wrong value: 400, free'],
];
/** Largest form accepted. */
const MAX_FORM_BYTES = 4_096;

const PAGE = {
  path: PURCHASE_PATH,
  title: 'Test purchase',
  about: 'One paid call, step by step, with test money on a local chain.',
};

/** The priced route of a path and query, if there is one. */
function pricedRoute(routes: readonly Route[], call: string): Route | undefined {
  if (!/^\/(?!\/)[\x21-\x7e]*$/.test(call)) return undefined;
  const [path = ''] = call.split('?');
  return routes.find(
    (route) =>
      route.price !== null &&
      new RegExp(`^${route.path.replaceAll(/:\w+/g, '[^/]+').replaceAll('.', String.raw`\.`)}$`).test(path),
  );
}

async function formOf(ctx: Context): Promise<URLSearchParams> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of ctx.req as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_FORM_BYTES)
      throw new Problem('malformed_request', `The form is longer than ${MAX_FORM_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}

const json = (value: unknown): string =>
  JSON.stringify(value, (_, field: unknown) => (typeof field === 'bigint' ? field.toString() : field), 2);

const form = (call: string, refused = ''): Html =>
  html`<form class="panel" method="post" action="${PURCHASE_PATH}">
    <label for="call">Call to buy</label>
    <input
      id="call"
      name="call"
      value="${call}"
      required
      maxlength="1800"
      spellcheck="false"
      autocapitalize="off"
      autocomplete="off"
      ${refused === '' ? '' : html` aria-invalid="true" aria-describedby="call-refused"`}
    />
    ${refused !== '' && html`<p class="refused" id="call-refused">${refused}</p>`}
    <p class="try">
      ${EXAMPLES.map(
        ([example, about]) => html`<a href="${PURCHASE_PATH}?call=${encodeURIComponent(example)}">${about}</a> `,
      )}
    </p>
    <p class="actions"><button type="submit">Buy with test money</button></p>
  </form>`;

const headerTable = (label: string, headers: readonly (readonly [string, string])[]): Html =>
  html`<details>
    <summary>${label} (${headers.length})</summary>
    <dl class="headers">
      ${headers.map(
        ([name, value]) =>
          html`<div>
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div>`,
      )}
    </dl>
  </details>`;

const exchange = (id: string, { url, sent, status, received, body, omitted }: Exchange): Html =>
  html`<p class="wire"><span class="verb">GET</span> <span class="url">${url}</span></p>
    ${headerTable('Headers sent', sent)}
    <p class="wire"><span class="status status-${Math.floor(status / 100)}">${status}</span> <span>response</span></p>
    ${headerTable('Headers received', received)}
    <h4 id="${id}-body">Body</h4>
    ${code(`Body of the ${status} response`, omitted > 0 ? `${body}\n… ${omitted} more characters` : body)}`;

const step = (number: number, title: string, about: string, content: Html): Html =>
  html`<li class="step">
    <h3><span class="number" aria-hidden="true">${number}</span>${title}</h3>
    <p>${about}</p>
    ${content}
  </li>`;

function purchaseSteps({ unpaid, required, signed, paid, settled, before, after }: Purchase): Html {
  const sold = paid?.status === 200;
  return html`<h2 id="walk">What happened</h2>
    <p class="outcome ${sold ? 'good' : 'plain'}" role="status">
      ${
        sold
          ? `Bought. The buyer's balance went from $${before.buyer} to $${after.buyer}, ` +
            `the seller's from $${before.seller} to $${after.seller}.`
          : `Nothing was charged: the response was ${(paid ?? unpaid).status}. The buyer still has $${after.buyer}.`
      }
    </p>
    <ol class="steps">
      ${step(1, 'Request', 'The request is sent without a payment.', exchange('unpaid', unpaid))}
      ${
        required !== undefined &&
        step(
          2,
          'Read the payment terms',
          'The PAYMENT-REQUIRED header of the 402, decoded from base64.',
          code('PAYMENT-REQUIRED, decoded', json(required)),
        )
      }
      ${
        signed !== undefined &&
        step(
          3,
          'Sign',
          'The wallet signs a transfer of exactly that amount, valid for a few minutes (EIP-3009). The buyer sends ' +
            'no transaction and pays no gas.',
          code('PAYMENT-SIGNATURE, decoded', json(signed)),
        )
      }
      ${
        paid &&
        step(
          4,
          'Request with the signature',
          'The server verifies the payment, prepares the response, settles the payment on the chain, and only then ' +
            'sends the response.',
          exchange('paid', paid),
        )
      }
      ${
        settled !== undefined &&
        step(
          5,
          'Save the receipt',
          'The PAYMENT-RESPONSE header, decoded: the transaction that moved the money.',
          code('PAYMENT-RESPONSE, decoded', json(settled)),
        )
      }
    </ol>`;
}

/** The steps of a purchase, before one is made. */
const STEPS = html`<h2>Steps</h2>
  <ol class="plain-steps">
    <li>The request without a payment, and the <strong>402</strong> with the price.</li>
    <li>The payment terms, decoded, and what the wallet signs.</li>
    <li>The request with the signature, and the <strong>200</strong> with the records.</li>
    <li>The receipt, and both balances before and after.</li>
  </ol>
  <p>
    <a href="/build">Build a query</a> with filters first, or read <a href="/reference#paying">how to pay</a> from a
    program.
  </p>`;

const page = (call: string, rest: Html | '' = '', refused = ''): Html =>
  html`<h1>Test purchase</h1>
    <p class="lead">
      Buy one call with test money and see every step on the wire: the 402, the signed terms, the response and the
      receipt. The wallet and the chain exist only as long as this server; nothing here costs real money.
    </p>
    ${form(call, refused)} ${rest === '' ? STEPS : rest}`;

export interface PurchaseDeps {
  readonly routes: readonly Route[];
  readonly snapshots: Snapshots;
  readonly buyer: SandboxBuyer;
}

export function mountPurchase(router: Router, site: Site, { routes, snapshots, buyer }: PurchaseDeps): void {
  const send = (ctx: Context, content: Html, status = 200): void => {
    const lease = snapshots.acquire();
    try {
      ctx.status = status;
      ctx.set({ ...SITE_HEADERS, 'Cache-Control': 'no-store' });
      ctx.type = 'text/html; charset=utf-8';
      ctx.body = site.frame(PAGE, content, lease?.snapshot);
    } finally {
      lease?.release();
    }
  };
  router.get(PURCHASE_PATH, (ctx) => {
    send(ctx, page(new URLSearchParams(ctx.querystring).get('call') ?? DEFAULT_CALL));
  });
  router.post(PURCHASE_PATH, async (ctx) => {
    if (!['', 'same-origin', 'none'].includes(ctx.get('Sec-Fetch-Site')))
      throw new Problem('malformed_request', 'Start the test purchase from its own page.');
    const call = ((await formOf(ctx)).get('call') ?? '').trim();
    if (!pricedRoute(routes, call)) {
      const priced = [...new Set(routes.filter((route) => route.price !== null).map(templateOf))];
      send(
        ctx,
        page(call, '', `This is not the path of a priced endpoint. Priced endpoints: ${priced.join(', ')}.`),
        400,
      );
      return;
    }
    send(ctx, page(call, purchaseSteps(await buyer.purchase(call))));
  });
}
