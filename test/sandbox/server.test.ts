/** How the sandbox's server behaves as a web server, and how a test breaks it on purpose. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startSandbox, type Sandbox } from '../../sandbox/server.ts';
import { get } from './browse.ts';

const HEARTLAND = 'https://www.heartland-multifamily.example';
const COLORADO = 'https://data.colorado.gov';

const sizes = { listings: 30, parcels: 20, auctions: 10, filings: 30 };
let sandbox: Sandbox;
before(async () => {
  sandbox = await startSandbox(sizes);
});
after(() => sandbox.close());

test("the host selects the site, with or without the sandbox's suffix; an unknown one is refused", async () => {
  for (const host of ['data.colorado.gov', 'data.colorado.gov.sandbox.example'])
    assert.equal((await get(sandbox, COLORADO + '/robots.txt', { host })).status, 200);
  assert.equal((await get(sandbox, 'https://www.example.com/')).status, 421);
  assert.equal((await get(sandbox, `${HEARTLAND}/listings`, {}, 'POST')).status, 405);
});

test('every response says that it is made up', async () => {
  const list = await get(sandbox, `${HEARTLAND}/listings`);
  assert.equal(list.headers['x-dealfeed-sandbox'], 'made-up data');
  assert.match(list.text, /class="sandbox-banner"[^>]*>SANDBOX: [^<]*made up/u);
});
