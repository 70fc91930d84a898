/** The examples, against a real server and a real local chain. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { serve, type Serving } from '../../../api/http/serve.ts';
import { readServerSettings } from '../../../api/settings.ts';
import { BARE } from '../../environment.ts';
import { dataFolder, rowsOfTable, uuid, type DataFolder } from '../support/snapshot_fixtures.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

describe('an example', () => {
  let folder: DataFolder;
  let server: Serving;
  let pages: string;

  before(async () => {
    folder = await dataFolder();
    await folder.publish('2026-11-20.01', {
      deals: rowsOfTable('deals', 23, (i) => ({ deal_score: i })),
      reports: rowsOfTable('reports', 23),
    });
    const { settings, payments } = readServerSettings({ DATA_DIR: folder.path, PORT: '0' });
    server = await serve({ settings, payments });
    pages = await mkdtemp(join(tmpdir(), 'dealfeed-pages-'));
  });
  after(async () => {
    await server.close();
    await folder.remove();
    await rm(pages, { recursive: true, force: true });
  });

  const run = (
    command: string,
    args: readonly string[],
    env: Record<string, string> = {},
  ): Promise<{ code: number; out: string; err: string }> =>
    new Promise((resolve) => {
      execFile(
        command,
        args,
        {
          cwd: root,
          env: {
            ...BARE,
            PATH: `${dirname(process.execPath)}:${BARE['PATH'] ?? ''}`,
            SERVER: server.url,
            BUYER_KEY: server.payments.sandbox?.buyer.privateKey ?? '',
            ...env,
          },
        },
        (error, out, err) => {
          resolve({ code: error ? Number(error.code) : 0, out, err });
        },
      );
    });
  const seller = async (): Promise<bigint> =>
    (await server.payments.sandbox?.chain.balanceOf(server.payments.payTo)) ?? 0n;
  const amountMoved = async (action: () => Promise<void>): Promise<bigint> => {
    const start = await seller();
    await action();
    return (await seller()) - start;
  };

  it('over MCP buys with the stock clients, and reads on in what it bought', async () => {
    const paid = await amountMoved(async () => {
      const { code, out, err } = await run('node', ['examples/mcp_http.ts', 'deals', '{"state":"OH","limit":9}']);
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
    assert.equal(
      await amountMoved(async () => {
        const { code, out } = await run('node', ['examples/mcp_http.ts', 'deals', '{"state":"ZZ"}']);
        assert.deepEqual([code, (JSON.parse(out) as { reason: string }).reason], [0, 'no_matches']);
      }),
      0n,
    );
  });

  it('in TypeScript buys with @x402/fetch, and is not billed without a match', async () => {
    const paid = await amountMoved(async () => {
      const { code, out, err } = await run(process.execPath, ['examples/buy.ts', '/api/deals?limit=3']);
      assert.deepEqual([code, (JSON.parse(out) as { count: number }).count], [0, 3], err);
      assert.match(err, /^200, paid in 0x[0-9a-f]{64}, receipt [0-9a-f-]{36}\n$/);
    });
    assert.equal(paid, 50_000n);
    assert.equal(
      await amountMoved(async () => {
        const { code, err } = await run(process.execPath, ['examples/buy.ts', '/api/deals?state=ZZ']);
        assert.deepEqual([code, err], [0, '404, nothing charged\n']);
      }),
      0n,
    );
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

  it('with curl signs nothing above MAX_USD, and pays nothing for a free path or without a match', async () => {
    assert.equal(
      await amountMoved(async () => {
        const expensive = await run('sh', ['examples/walkthrough.sh', `/api/deals/${uuid(1)}/report`]);
        assert.notEqual(expensive.code, 0);
        assert.match(expensive.err, /^not signed: .*maxAmountPerPayment \(\$0\.25/);
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
  });

  it('on the command line checks PORT against the running server', async () => {
    const port = new URL(server.url).port;
    const buy = (env: Record<string, string>) =>
      run(process.execPath, ['clients/buy.ts'], { DATA_DIR: folder.path, URL: '/api/deals/ids', SERVER: '', ...env });
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
