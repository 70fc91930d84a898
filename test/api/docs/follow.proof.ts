/**
 * A week of the sandbox's world, followed by examples/follow.ts with test money: its tables end equal to the lists of
 * the last snapshot. Two leads are sold in the week, and one day is run twice.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Hex } from 'viem';
import { serve, type Serving } from '../../../api/http/serve.ts';
import { readServerSettings } from '../../../api/settings.ts';
import { CHANGE_LISTS } from '../../../models/marts/change_feeds.ts';
import { soldLeads } from '../../../pipelines/sold_leads.ts';
import type { Layout } from '../../../pipelines/layout.ts';
import { makeWorld } from '../../../sandbox/world/world.ts';
import { addDays } from '../../../sources/days.ts';
import { BARE } from '../../environment.ts';
import { newLayout, runDay, TINY } from '../../pipelines/runs.ts';
import { buyerWith } from '../support/buyers.ts';
import { assertSameTables } from './followed_tables.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const run = promisify(execFile);
const world = makeWorld({ ...TINY, filings: 400 });
const FIRST_DAY = '2026-11-09';
const DAYS = [1, 2, 3, 3, 4, 5, 6, 7];
const SALES = new Set([2, 5]);

describe('a week of changes', () => {
  let layout: Layout;
  let server: Serving;
  let folder: string;
  /** Changes by list, and what they were. */
  const seen = new Map<string, number>();

  const publish = async (day: string): Promise<void> => {
    const sold = (): ReturnType<typeof soldLeads> => soldLeads({ DATA_DIR: layout.root, LEDGER: undefined });
    await runDay({ layout, world, day, soldLeads: sold });
  };
  /** Run the example. @returns paid pages and changes by list */
  const follow = async (name: string): Promise<Map<string, { pages: number; events: number }>> => {
    const env = { ...BARE, SERVER: server.url, BUYER_KEY: server.payments.sandbox?.buyer.privateKey ?? '' };
    const args = ['examples/follow.ts', join(folder, name), ...CHANGE_LISTS];
    const { stdout } = await run(process.execPath, args, { cwd: root, env });
    const lines = stdout.matchAll(/^(\w+): (\d+) paid pages, (\d+) records or changes/gmu);
    return new Map(
      [...lines].map(([, list = '', pages, events]) => [list, { pages: Number(pages), events: Number(events) }]),
    );
  };
  const sum = (values: Iterable<number>): number => [...values].reduce((a, b) => a + b, 0);

  before(async () => {
    layout = await newLayout();
    folder = await mkdtemp(join(tmpdir(), 'dealfeed-week-'));
    await publish(FIRST_DAY);
    const { settings, payments } = readServerSettings({ DATA_DIR: layout.root, PORT: '0', UNBILLED_PER_MINUTE: '0' });
    server = await serve({ settings, payments });
  });
  after(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  it('keeps the tables equal to the lists, for less than the lists cost', async (context) => {
    const first = await follow('followed');
    const pages = { followed: 0, whole: 0 };
    for (const [turn, at] of DAYS.entries()) {
      if (SALES.has(at)) {
        const buyer = buyerWith(server.payments.sandbox?.buyer.privateKey as Hex);
        assert.equal((await buyer.fetch(`${server.url}/api/leads/exclusive`)).status, 200);
      }
      await publish(addDays(FIRST_DAY, at));
      await server.snapshots.refresh();
      const followed = await follow('followed');
      for (const [list, { events }] of followed) seen.set(list, (seen.get(list) ?? 0) + events);
      const wholeName = `whole_${turn}`;
      const whole = await follow(wholeName);
      pages.followed += sum(followed.values().map((f) => f.pages));
      pages.whole += sum(whole.values().map((f) => f.pages));
      const sizes = await assertSameTables(join(folder, 'followed'), join(folder, wholeName));
      context.diagnostic(
        `day ${at}: ${[...sizes].map(([list, size]) => `${list} ${size} (${followed.get(list)?.events})`).join(', ')}`,
      );
    }
    for (const list of CHANGE_LISTS) assert.ok((seen.get(list) ?? 0) > 0, `${list} changed in the week`);
    const all = sum(first.values().map(({ events }) => events));
    context.diagnostic(`${all} records at first, ${sum(seen.values())} changes in ${DAYS.length} runs`);
    context.diagnostic(`paid pages: ${pages.followed} by changes, ${pages.whole} by whole lists`);
  });
});
