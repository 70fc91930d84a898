/** The examples against a real server: what they buy, what they do not pay for, and tables that follow the lists. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile, mkdir } from 'node:fs/promises';
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
import { followList, type Followed, type Table } from '../../../examples/follow.ts';
import { pointAt } from '../../../lib/files.ts';
import { CHANGE_LISTS, notComparedOf } from '../../../models/marts/change_feeds.ts';
import { afterSecondDay, FIRST_RUN, SECOND_RUN } from '../../pipelines/starting_points.ts';
import { buyerWith } from '../support/buyers.ts';
import { startApp, type Started } from '../support/test_app.ts';

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

  it('copied from the skill page buys with the stock client', () =>
    assertPays(50_000n, async () => {
      const page = await (await fetch(`${server.url}/skill.md`)).text();
      const code = /```js\n(.*?)```/su.exec(page)?.[1] ?? '';
      const { out, err } = await run(process.execPath, ['--input-type=module', '--eval', code]);
      assert.match(out, /^200 [0-9a-f-]{36}\n/u, err);
      assert.equal((JSON.parse(out.slice(out.indexOf('\n'))) as { count: number }).count, 20);
    }));

  it('over MCP buys with the stock clients, and reads the rest of what it bought', () =>
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

  it('on the reference page buys in TypeScript, unchanged', () =>
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

type Fields = Readonly<Record<string, unknown>>;

const readTable = async (folder: string, list: string): Promise<Table> =>
  JSON.parse(await readFile(join(folder, `${list}.json`), 'utf8')) as Table;

/** A record without these fields, and without their reasons for being absent. */
function without(record: Fields, fields: ReadonlySet<string>): Fields {
  const others = (object: object): Fields =>
    Object.fromEntries(Object.entries(object).filter(([name]) => !fields.has(name)));
  const { absent, ...rest } = others(record);
  return { ...rest, ...(absent ? { absent: others(absent) } : {}) };
}

/**
 * Assert that the tables in two folders are the same, list by list, but for the fields that move by themselves.
 * @returns records by list
 */
async function assertSameTables(followed: string, whole: string): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  for (const list of CHANGE_LISTS) {
    const moving = new Set(Object.values(notComparedOf(list)).flat());
    const [kept, expected] = [(await readTable(followed, list)).records, (await readTable(whole, list)).records];
    assert.deepEqual(Object.keys(kept).sort(), Object.keys(expected).sort(), `${list}: the same records`);
    for (const [id, record] of Object.entries(expected))
      assert.deepEqual(without(kept[id] ?? {}, moving), without(record, moving), `${list} ${id}`);
    sizes.set(list, Object.keys(kept).length);
  }
  return sizes;
}

describe('a client that follows the lists', () => {
  let started: Started;
  let folder: string;
  let dataDir: string;
  const buyer = buyerWith();
  const pay: typeof fetch = (url) => buyer.fetch(String(url));

  const serveRun = async (runId: string): Promise<void> => {
    await pointAt(join(dataDir, 'current'), join('snapshots', runId));
    await started.snapshots.refresh();
  };
  const followAll = async (name: string, fetched = pay): Promise<Map<string, Followed>> => {
    const tables = join(folder, name);
    await mkdir(tables, { recursive: true });
    const followed = new Map<string, Followed>();
    for (const list of CHANGE_LISTS)
      followed.set(list, await followList(fetched, started.url, list, join(tables, `${list}.json`)));
    return followed;
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dealfeed-follow-'));
    dataDir = (await afterSecondDay()).layout.root;
    await pointAt(join(dataDir, 'current'), join('snapshots', FIRST_RUN));
    started = await startApp(dataDir);
  });
  after(async () => {
    await started.close();
    await rm(folder, { recursive: true });
  });

  it('gets the tables of the second day from the changes alone, and pays nothing if nothing changed', async () => {
    const first = await followAll('followed');
    await serveRun(SECOND_RUN);
    const second = await followAll('followed');
    for (const [list, { events }] of second) {
      const whole = first.get(list)?.events ?? 0;
      // The registers have no new filing on these days.
      assert.ok((events > 0 || list === 'filings') && events < whole, `${list}: ${events} changes of ${whole} records`);
    }
    await followAll('whole');
    const sizes = await assertSameTables(join(folder, 'followed'), join(folder, 'whole'));
    assert.ok([...sizes.values()].every((size) => size > 0));
    const third = await followAll('followed');
    assert.deepEqual(
      [...third.values()].map(({ pages }) => pages),
      [0, 0, 0, 0, 0],
    );
  });

  it('pays for no page twice after an interruption', async () => {
    const file = join(folder, 'interrupted.json');
    const asked: string[] = [];
    const shortPages: typeof fetch = (url) => {
      if (asked.length === 2) throw new Error('interrupted');
      asked.push(String(url));
      return pay(String(url).replace('limit=500', 'limit=30'));
    };
    await assert.rejects(followList(shortPages, started.url, 'signals', file), /interrupted/);
    const rest: typeof fetch = (url) => pay(String(url).replace('limit=500', 'limit=30'));
    const { table, pages } = await followList(rest, started.url, 'signals', file);
    const size = Object.keys(table.records).length;
    assert.equal(pages, Math.ceil(size / 30) - 2);
  });
});
