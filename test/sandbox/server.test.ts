/** How the sandbox's server behaves as a web server, and how a test breaks it on purpose. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startSandbox, type Sandbox } from '../../sandbox/server.ts';
import { get } from './browse.ts';

const HEARTLAND = 'https://www.heartland-multifamily.example';
const OHIO = 'https://publicfiles.ohiosos.gov/free/OnlineBusinessReports';
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

test('everything says that it is made up', async () => {
  const list = await get(sandbox, `${HEARTLAND}/listings`);
  assert.equal(list.headers['x-dealfeed-sandbox'], 'made-up data');
  assert.match(list.text, /class="sandbox-banner"[^>]*>SANDBOX: [^<]*made up/u);
});

test('an unchanged page is not sent again, by tag or by date', async () => {
  for (const address of [`${HEARTLAND}/listings?page=1`, `${OHIO}/WI0100R.TXT`]) {
    const first = await get(sandbox, address);
    const { etag = '', 'last-modified': modified = '' } = first.headers;
    const byTag = await get(sandbox, address, { 'if-none-match': etag });
    assert.deepEqual([byTag.status, byTag.body.length, byTag.headers.etag], [304, 0, etag]);
    assert.equal((await get(sandbox, address, { 'if-modified-since': modified })).status, 304);
    assert.equal(
      (await get(sandbox, address, { 'if-none-match': '"another"', 'if-modified-since': modified })).status,
      200,
      'the tag outranks the date',
    );
  }
  const ohio = await get(sandbox, `${OHIO}/WI0100R.TXT`);
  assert.equal(ohio.headers['last-modified'], 'Sat, 14 Nov 2026 10:00:03 GMT');
});

describe('the command', () => {
  const command = fileURLToPath(new URL('../../sandbox/server.ts', import.meta.url));
  const run = (env: Record<string, string>) =>
    spawn(process.execPath, [command], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });

  test('prints its address and stops on a signal', async () => {
    const child = run({ LISTINGS: '5', PARCELS: '0', AUCTIONS: '0', FILINGS: '0', DAY: '2026-12-01' });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const { url } = JSON.parse(line.toString()) as { url: string };
    assert.equal((await get({ port: Number(new URL(url).port) }, `${HEARTLAND}/robots.txt`)).status, 200);
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });
});
