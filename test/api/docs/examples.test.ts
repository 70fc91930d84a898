/**
 * An example of each kind buys, against a real server and a real local chain. The proof has their other outcomes, and
 * starts those in TypeScript as processes.
 */
import assert from 'node:assert/strict';
import { realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { unescaped } from '../../site/markup.ts';
import { uuid } from '../support/snapshot_fixtures.ts';
import { openExampleShop, type ExampleShop } from './example_shop.ts';

const PACKAGES = await realpath(new URL('../../../node_modules', import.meta.url));

describe('an example', () => {
  let shop: ExampleShop;
  const run: ExampleShop['run'] = (...given) => shop.run(...given);
  const amountMoved: ExampleShop['amountMoved'] = (action) => shop.amountMoved(action);

  before(async () => {
    shop = await openExampleShop();
  });
  after(() => shop.close());

  it('of the skill page buys with the stock client, as an agent copies it', async () => {
    const page = await (await fetch(`${shop.server.url}/skill.md`)).text();
    const code = /```js\n(.*?)```/su.exec(page)?.[1] ?? '';
    const paid = await amountMoved(async () => {
      const { out, err } = await run(process.execPath, ['--input-type=module', '--eval', code]);
      assert.match(out, /^200 [0-9a-f-]{36}\n/u, err);
      assert.equal((JSON.parse(out.slice(out.indexOf('\n'))) as { count: number }).count, 20);
    });
    assert.equal(paid, 50_000n);
  });

  it('over MCP buys with the stock clients, and reads on in what it bought', async () => {
    const paid = await amountMoved(async () => {
      const { code, out, err } = await shop.runHere('examples/mcp_http.ts', ['deals', '{"state":"OH","limit":9}']);
      assert.equal(code, 0, err);
      assert.match(err, /^paid in 0x[0-9a-f]{64}\n$/);
      const shown = out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { body: { records: { id: string }[] } });
      assert.deepEqual(
        shown.map(({ body }) => body.records.map((r) => r.id)),
        [[23, 22, 21, 20, 19].map((n) => uuid(n)), [18, 17, 16, 15].map((n) => uuid(n))],
      );
    });
    assert.equal(paid, 50_000n);
  });

  it('in TypeScript buys with @x402/fetch', async () => {
    const paid = await amountMoved(async () => {
      const { code, out, err } = await shop.runHere('examples/buy.ts', ['/api/deals?limit=3']);
      assert.deepEqual([code, (JSON.parse(out) as { count: number }).count], [0, 3], err);
      assert.match(err, /^200, paid in 0x[0-9a-f]{64}, receipt [0-9a-f-]{36}\n$/);
    });
    assert.equal(paid, 50_000n);
  });

  it('with curl prints every step of a purchase', async () => {
    const paid = await amountMoved(async () => {
      const { code, out, err } = await run('sh', ['examples/walkthrough.sh', '/api/deals/basic?limit=1']);
      assert.equal(code, 0, err);
      for (const line of [
        /^1\. GET .*\n {3}402$/m,
        /"amount":"10000"/,
        /^4\. .*\n {3}200$/m,
        /"success":true/,
        /Receipt-Id: [0-9a-f-]{36}/,
        /"count":1,"total_matches":23/,
      ])
        assert.match(out, line);
    });
    assert.equal(paid, 10_000n);
  });

  it('with curl signs nothing above MAX_USD', async () => {
    const paid = await amountMoved(async () => {
      const { code, err } = await run('sh', ['examples/walkthrough.sh', `/api/deals/${uuid(1)}/report`]);
      assert.notEqual(code, 0);
      assert.match(err, /^not signed: .*maxAmountPerPayment \(\$0\.25/);
    });
    assert.equal(paid, 0n);
  });

  it('on the reference buys in TypeScript as it is shown', async () => {
    const page = await (await fetch(`${shop.server.url}/reference`, { headers: { Accept: 'text/html' } })).text();
    const [, shown = ''] = /"A paid call in TypeScript"[^>]*><code>([^<]*)</u.exec(page) ?? [];
    const program = join(shop.folder.path, 'shown.ts');
    await writeFile(program, unescaped(shown));
    await symlink(PACKAGES, join(shop.folder.path, 'node_modules'));
    const paid = await amountMoved(async () => {
      const { code, out, err } = await shop.runHere(program);
      assert.equal(code, 0, err);
      assert.match(out, /^200 [0-9a-f-]{36}\n\{[^]*count: 5,/u);
    });
    assert.equal(paid, 50_000n);
  });
});
