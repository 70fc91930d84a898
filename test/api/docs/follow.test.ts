/** examples/follow.ts: its tables are the lists of the snapshot, also after a pause or an interruption. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { followList, type Followed, type Table } from '../../../examples/follow.ts';
import { pointAt } from '../../../lib/files.ts';
import { CHANGE_LISTS, notComparedOf } from '../../../models/marts/change_feeds.ts';
import { afterSecondDay, FIRST_RUN, SECOND_RUN } from '../../pipelines/starting_points.ts';
import { buyerWith } from '../support/buyers.ts';
import { startApp, type Started } from '../support/test_app.ts';

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

  const serve = async (runId: string): Promise<void> => {
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

  it('has the tables of the second day by its changes alone, and pays nothing where nothing changed', async () => {
    const first = await followAll('followed');
    await serve(SECOND_RUN);
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

  it('pays no page twice after an interruption', async () => {
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
