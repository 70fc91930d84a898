/** A facilitator that settles and replies with 60 MB does not fill the memory of a server. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { serverProcess } from '../process/program.ts';
import { attempt, checkBooks, type Attempt } from './books.ts';
import { honest, repliesAtLength, type SettleBehavior } from './facilitators.ts';
import { DEALS, openAttackedShop, type AttackedShop } from './shop.ts';

const MEGABYTE = 1_000_000;

/** Peak of a process's resident memory since `forgetPeak`, in bytes. */
async function peakOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}

/** Make the memory of now the peak. See proc(5). */
const forgetPeak = (pid: number): Promise<void> => writeFile(`/proc/${pid}/clear_refs`, '5');

describe('a facilitator that settles', () => {
  let shop: AttackedShop;
  before(async () => {
    shop = await openAttackedShop();
  });
  after(() => shop.close());

  const buy = async (behavior: SettleBehavior, url: string): Promise<Attempt> => {
    const buyer = await shop.buyer();
    const header = await buyer.sign(url + DEALS);
    shop.facilitator.behave(behavior);
    return attempt(url + DEALS, header, buyer.signIn);
  };
  const areSold = async (attempts: readonly Attempt[]): Promise<void> => {
    const purchases = await shop.purchases();
    const states = attempts.map(({ nonce }) => purchases.find((p) => p.payment.nonce === nonce)?.state);
    assert.deepEqual([...new Set(states)], ['sold']);
  };
  it(
    'and replies with 60 MB has its sale decided by the chain, in less than 64 MB more of memory',
    {
      skip: process.platform !== 'linux' && 'memory is read from /proc',
    },
    async () => {
      const server = await serverProcess(shop.env);
      try {
        const pid = server.child.pid ?? assert.fail('the server has no process id');
        const attempts: Attempt[] = [];
        for (let i = 0; i < 5; i += 1) attempts.push(await buy(honest, server.url));
        await forgetPeak(pid);
        const peakBefore = await peakOf(pid);
        for (let i = 0; i < 2; i += 1) attempts.push(await buy(repliesAtLength(60 * MEGABYTE), server.url));
        const more = (await peakOf(pid)) - peakBefore;
        shop.facilitator.behave(honest);
        await checkBooks(shop, attempts);
        await areSold(attempts);
        assert.equal(attempts.length, 7);
        assert.ok(more < 64 * MEGABYTE, `${Math.round(more / MEGABYTE)} MB more`);
      } finally {
        await server.end('SIGTERM');
      }
    },
  );
});
