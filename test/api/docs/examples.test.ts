/** The examples, against a real server and a real local chain: what they buy, and what they do not pay for. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve as resolvePath } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { serve, type Serving } from '../../../api/http/serve.ts';
import { readServerSettings } from '../../../api/settings.ts';
import { BARE } from '../../environment.ts';
import { runHere } from '../../support/run_here.ts';
import { unescaped } from '../../site/markup.ts';
import { dataFolder, rowsOfTable, uuid, type DataFolder } from '../support/snapshot_fixtures.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PACKAGES = await realpath(join(ROOT, 'node_modules'));
const SHELL = ['examples/walkthrough.sh'];

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

describe('an example', () => {
  let folder: DataFolder;
  let server: Serving;
  const env = (): Record<string, string> => ({
    ...BARE,
    PATH: `${dirname(process.execPath)}:${BARE['PATH'] ?? ''}`,
    SERVER: server.url,
    BUYER_KEY: server.payments.sandbox?.buyer.privateKey ?? '',
  });
  const run = (command: string, args: readonly string[], more: Record<string, string> = {}): Promise<Ended> =>
    new Promise((resolve) => {
      execFile(command, args, { cwd: ROOT, env: { ...env(), ...more } }, (error, out, err) => {
        resolve({ code: error ? Number(error.code) : 0, out, err });
      });
    });
  /** Run a program in this process. */
  const here = (program: string, args: string[] = []): Promise<Ended> =>
    runHere(resolvePath(ROOT, program), { args, env: env() });
  const takings = async (): Promise<bigint> =>
    (await server.payments.sandbox?.chain.balanceOf(server.payments.payTo)) ?? 0n;
  /** Run an action that moves this much money to the seller, in atomic units. */
  const assertPays = async (amount: bigint, action: () => Promise<void>): Promise<void> => {
    const start = await takings();
    await action();
    assert.equal((await takings()) - start, amount);
  };

  before(async () => {
    folder = await dataFolder();
    await folder.publish('2026-11-20.01', {
      deals: rowsOfTable('deals', 23, (i) => ({ deal_score: i })),
      reports: rowsOfTable('reports', 23),
    });
    server = await serve(readServerSettings({ DATA_DIR: folder.path, PORT: '0' }));
  });
  after(async () => {
    await server.close();
    await folder.remove();
  });

  it('of the skill page buys with the stock client, as an agent copies it', () =>
    assertPays(50_000n, async () => {
      const page = await (await fetch(`${server.url}/skill.md`)).text();
      const code = /```js\n(.*?)```/su.exec(page)?.[1] ?? '';
      const { out, err } = await run(process.execPath, ['--input-type=module', '--eval', code]);
      assert.match(out, /^200 [0-9a-f-]{36}\n/u, err);
      assert.equal((JSON.parse(out.slice(out.indexOf('\n'))) as { count: number }).count, 20);
    }));

  it('over MCP buys with the stock clients, and reads on in what it bought', () =>
    assertPays(50_000n, async () => {
      const { code, out, err } = await here('examples/mcp_http.ts', ['deals', '{"state":"OH","limit":9}']);
      assert.equal(code, 0, err);
      const shown = out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { body: { records: { id: string }[] } });
      assert.deepEqual(
        shown.map(({ body }) => body.records.map((r) => r.id)),
        [[23, 22, 21, 20, 19].map(uuid), [18, 17, 16, 15].map(uuid)],
      );
    }));

  it('in TypeScript buys with @x402/fetch, and is not billed without a match', () =>
    assertPays(50_000n, async () => {
      const { code, out, err } = await here('examples/buy.ts', ['/api/deals?limit=3']);
      assert.deepEqual([code, (JSON.parse(out) as { count: number }).count], [0, 3], err);
      assert.match(err, /^200, paid in 0x[0-9a-f]{64}, receipt [0-9a-f-]{36}\n$/);
      assert.equal((await here('examples/buy.ts', ['/api/deals?state=ZZ'])).err, '404, nothing charged\n');
    }));

  it('with curl prints every step of a purchase, and signs nothing above MAX_USD', () =>
    assertPays(10_000n, async () => {
      const { code, out, err } = await run('sh', [...SHELL, '/api/deals/basic?limit=1']);
      assert.equal(code, 0, err);
      for (const line of [
        /^1\. GET .*\n {3}402$/m,
        /"amount":"10000"/,
        /^4\. .*\n {3}200$/m,
        /"success":true/,
        /"count":1,"total_matches":23/,
      ])
        assert.match(out, line);
      const dear = await run('sh', [...SHELL, `/api/deals/${uuid(1)}/report`]);
      assert.notEqual(dear.code, 0);
      assert.match(dear.err, /^not signed: .*maxAmountPerPayment \(\$0\.25/);
      assert.match((await run('sh', [...SHELL, '/api/deals/{id}/report'])).out, /"note_billing"/);
    }));

  it('in shell fetches every page once, and continues after an interruption', () =>
    assertPays(40_000n, async () => {
      const pages = await mkdtemp(join(tmpdir(), 'dealfeed-pages-'));
      const all = ['examples/all_pages.sh', '/api/deals/basic?limit=10', pages];
      assert.equal((await run('sh', all)).code, 0);
      await rm(join(pages, '3.json'));
      const again = await run('sh', all);
      assert.match(again.out, /^page 3: receipt [0-9a-f-]{36}\n$/, again.err);
      assert.equal((await run('sh', all)).out, 'all 3 pages are here\n');
      const texts = await Promise.all((await readdir(pages)).map((name) => readFile(join(pages, name), 'utf8')));
      const ids = texts.flatMap((text) => (JSON.parse(text) as { records: { id: string }[] }).records.map((r) => r.id));
      assert.deepEqual(
        ids.sort(),
        Array.from({ length: 23 }, (_, i) => uuid(i + 1)),
      );
      await rm(pages, { recursive: true });
    }));

  it('on the reference buys in TypeScript as it is shown', () =>
    assertPays(50_000n, async () => {
      const page = await (await fetch(`${server.url}/reference`, { headers: { Accept: 'text/html' } })).text();
      const [, shown = ''] = /"A paid call in TypeScript"[^>]*><code>([^<]*)</u.exec(page) ?? [];
      const program = join(folder.path, 'shown.ts');
      await writeFile(program, unescaped(shown));
      await symlink(PACKAGES, join(folder.path, 'node_modules'));
      const { code, out, err } = await here(program);
      assert.equal(code, 0, err);
      assert.match(out, /^200 [0-9a-f-]{36} \{[^]*count: 5,/u);
    }));
});
