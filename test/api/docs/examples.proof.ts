/** The examples without a match, above their limit, interrupted, and with a wrong port. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { uuid } from '../support/snapshot_fixtures.ts';
import { openExampleShop, type ExampleShop } from './example_shop.ts';

describe('an example', () => {
  let shop: ExampleShop;
  const run: ExampleShop['run'] = (...given) => shop.run(...given);
  const amountMoved: ExampleShop['amountMoved'] = (action) => shop.amountMoved(action);

  before(async () => {
    shop = await openExampleShop();
  });
  after(() => shop.close());

  it('is not billed without a match', async () => {
    const paid = await amountMoved(async () => {
      const { code, out } = await run('node', ['examples/mcp_http.ts', 'deals', '{"state":"ZZ"}']);
      assert.deepEqual([code, (JSON.parse(out) as { reason: string }).reason], [0, 'no_matches']);
      const bought = await run(process.execPath, ['examples/buy.ts', '/api/deals?state=ZZ']);
      assert.deepEqual([bought.code, bought.err], [0, '404, nothing charged\n']);
    });
    assert.equal(paid, 0n);
  });

  it('with curl pays nothing for a free path or no match, and more than $0.25 if MAX_USD allows it', async () => {
    assert.equal(
      await amountMoved(async () => {
        assert.match((await run('sh', ['examples/walkthrough.sh', '/api/deals/{id}/report'])).out, /"note_billing"/);
        assert.match(
          (await run('sh', ['examples/walkthrough.sh', '/api/deals/basic?state=ZZ'])).out,
          /5\. Nothing was charged:\n.*no_matches/,
        );
      }),
      0n,
    );
    assert.equal(
      await amountMoved(async () => {
        assert.equal(
          (await run('sh', ['examples/walkthrough.sh', `/api/deals/${uuid(1)}/report`], { MAX_USD: '2' })).code,
          0,
        );
      }),
      1_500_000n,
    );
  });

  it('in shell fetches every page once, and continues after an interruption', async () => {
    const pages = await mkdtemp(join(tmpdir(), 'dealfeed-pages-'));
    const all = ['examples/all_pages.sh', '/api/deals/basic?limit=10', pages];
    const paid = await amountMoved(async () => {
      assert.equal((await run('sh', all)).code, 0);
      await rm(join(pages, '3.json'));
      const again = await run('sh', all);
      assert.match(again.out, /^page 3: receipt [0-9a-f-]{36}\n$/, again.err);
      assert.equal((await run('sh', all)).out, 'all 3 pages are here\n');
    });
    assert.equal(paid, 4n * 10_000n);
    const ids: string[] = [];
    for (const name of (await readdir(pages)).sort())
      ids.push(
        ...(JSON.parse(await readFile(join(pages, name), 'utf8')) as { records: { id: string }[] }).records.map(
          (r) => r.id,
        ),
      );
    assert.deepEqual(
      [...ids].sort(),
      Array.from({ length: 23 }, (_, i) => uuid(i + 1)),
    );
    await rm(pages, { recursive: true });
  });

  it('on the command line checks PORT against the running server', async () => {
    const port = new URL(shop.server.url).port;
    const buy = (env: Record<string, string>) =>
      run(process.execPath, ['clients/buy.ts'], {
        DATA_DIR: shop.folder.path,
        URL: '/api/deals/ids',
        SERVER: '',
        ...env,
      });
    assert.equal((await buy({ PORT: port })).code, 0);
    const { code, err } = await buy({ PORT: '4999' });
    assert.equal(code, 1);
    assert.match(
      err,
      new RegExp(
        `^PORT is "4999", expected ${port}, the port of the server on DATA_DIR .*: the wallet pays that server only`,
      ),
    );
  });
});
