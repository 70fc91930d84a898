/**
 * `make fuzz-api REQUESTS=100000`: send this many hostile requests, and a twentieth as many paid ones, to the
 * application over made-up rows, and count the responses by status. Exit status 1 if a response is faulty; it is
 * printed.
 */
import { z } from 'zod';
import { readSettings } from '../../lib/settings.ts';
import { startApp } from '../api/support/test_app.ts';
import { buyerWith } from '../api/support/buyers.ts';
import { dataFolder } from '../api/support/snapshot_fixtures.ts';
import { sendPaid, sendUnpaid, type FuzzResult } from './api.ts';
import { everyTable } from './api_rows.ts';

/** REQUESTS: number of unpaid requests. FUZZ_SEED: another seed gives other requests. */
const settings = z.object({
  REQUESTS: z.coerce.number('a whole number').int('a whole number').min(20, 'at least 20').default(20_000),
  FUZZ_SEED: z.coerce.number('a whole number').int('a whole number').default(1),
});
const PAID_SHARE = 20;
/** Requests per batch, so that memory does not grow with their number. */
const BATCH = 2_000;
const { REQUESTS: requests, FUZZ_SEED: seed } = readSettings(settings);

const folder = await dataFolder();
await folder.publish('2026-11-20.01', everyTable());
const started = await startApp(folder.path);
const buyer = buyerWith();
const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
let faults = 0;

async function run(
  name: string,
  count: number,
  work: (count: number, seed: number) => Promise<FuzzResult>,
): Promise<void> {
  const statuses = new Map<number, number>();
  const from = performance.now();
  let slowestMs = 0;
  for (let done = 0; done < count; done += BATCH) {
    const found = await work(Math.min(BATCH, count - done), seed * 1_000_000 + done);
    for (const [status, n] of found.statuses) statuses.set(status, (statuses.get(status) ?? 0) + n);
    slowestMs = Math.max(slowestMs, found.slowestMs);
    faults += found.faults.length;
    for (const fault of found.faults.slice(0, 10)) print(`  ${fault}`);
    started.requests.length = 0;
  }
  const seconds = (performance.now() - from) / 1000;
  print(
    `${count} ${name} in ${seconds.toFixed(0)} s (${(count / seconds).toFixed(0)}/s), ` +
      `slowest ${slowestMs.toFixed(0)} ms`,
  );
  for (const [status, n] of [...statuses].sort(([a], [b]) => a - b)) print(`  ${status}  ${n}`);
}

try {
  await run('unpaid requests', requests, (count, at) => sendUnpaid(started, buyer, count, at));
  await run('paid requests', Math.ceil(requests / PAID_SHARE), (count, at) => sendPaid(started, buyer, count, at));
  print(
    `${started.responsesChecked()} responses checked against the interface description; ` +
      `${started.facilitator.settled} payments settled`,
  );
} finally {
  await started.close().catch((error: unknown) => {
    faults += 1;
    print(String(error));
  });
  await folder.remove();
}
print(faults === 0 ? 'no faults' : `${faults} faults`);
process.exitCode = faults > 0 ? 1 : 0;
