/**
 * The disk of the ledger is full: nothing is sold, nobody is charged, and sales continue once there is space. `make
 * prove` presents the refused payments again until their leases end, and fills the disk six times during purchases.
 */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { serverProcess, type ServerProcess } from '../support/program.ts';
import { thorough } from '../thorough.ts';
import { fill, mountDisk, unmountDisk } from './full_disk.ts';
import { drawnUp, EXCLUSIVE, openSales, present, sign, type Attempt, type SalesWorld } from './sales_world.ts';

const PATHS = [EXCLUSIVE, '/api/deals', '/api/leads', EXCLUSIVE] as const;
/** Presentations of one payment. A reservation that could not be deleted stays until its lease ends. */
const MAX_TRIES = 300;
const disk = mountDisk();

describe('a full disk of the ledger', { skip: disk === null ? 'no file system can be mounted here' : false }, () => {
  const filler = join(disk ?? '', 'filler');
  let [world, server]: [SalesWorld | undefined, ServerProcess | undefined] = [undefined, undefined];
  const attempts: Attempt[] = [];
  before(async () => {
    world = await openSales('sqlite', { properties: 25, buyers: 1, folder: disk ?? '' });
    server = await serverProcess(world.env);
  });
  after(async () => {
    await server?.end('SIGKILL');
    await world?.close();
    if (disk !== null) unmountDisk(disk);
  });

  const signed = async (path: string): Promise<Attempt> => {
    const attempt = await sign(world?.buyers[0] ?? assert.fail(), server?.url ?? '', path);
    attempts.push(attempt);
    return attempt;
  };
  const presented = (attempt: Attempt): Promise<{ status: number; text: string }> =>
    present(server?.url ?? '', attempt);
  const presentUntilSold = async (attempt: Attempt): Promise<void> => {
    for (let tries = 0; tries < MAX_TRIES && (await presented(attempt)).status !== 200; tries += 1) await sleep(300);
  };
  const booksMatch = async (sold: number): Promise<void> =>
    assert.deepEqual(await drawnUp(world ?? assert.fail(), attempts, server?.url ?? '', 5), { sold, broken: [] });

  test('stops sales without a charge, and payments buy once there is space', async () => {
    const refused = await Promise.all(PATHS.map((path) => signed(path)));
    fill(filler);
    for (const { status, text } of await Promise.all(refused.map((each) => presented(each)))) {
      assert.equal(status, 503, text);
      assert.equal((JSON.parse(text) as { billed: unknown }).billed, false);
    }
    const health = await fetch(`${server?.url ?? ''}/health`);
    assert.match(await health.text(), /ledger/u, 'health reports the ledger');
    rmSync(filler);
    const fresh = await Promise.all(PATHS.slice(0, 2).map((path) => signed(path)));
    for (const each of fresh) assert.equal((await presented(each)).status, 200);
    const again = thorough([], refused);
    for (const each of again) await presentUntilSold(each);
    await booksMatch(fresh.length + again.length);
  });

  if (thorough(false, true)) {
    test('during sales loses nothing: every charge is recorded, and its answer can be collected', async () => {
      const filling = (async () => {
        for (let round = 0; round < 6; round += 1) {
          await sleep(60 + round * 35);
          fill(filler);
          await sleep(150);
          rmSync(filler);
        }
      })();
      const bought: Attempt[] = [];
      for (let i = 0; i < 16; i += 1) bought.push(await signed(PATHS[i % PATHS.length] ?? EXCLUSIVE));
      const statuses = await Promise.all(
        bought.map(async (each, i) => {
          await sleep(i * 40);
          return (await presented(each)).status;
        }),
      );
      assert.ok(statuses.includes(503) && statuses.includes(200), 'some met a full disk and some did not');
      await filling;
      for (const each of bought) await presentUntilSold(each);
      await booksMatch(attempts.length);
    });
  }
});
