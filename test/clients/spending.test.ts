/** A wallet's spending file: the total holds over clients of one wallet, and counts what may have been paid. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { openSpending } from '../../clients/spending.ts';

const TOTAL = 10n;
const WALLETS = ['0xAb01', '0xcd02'] as const;

let folder: string;
let files = 0;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dealfeed-spending-'));
});
after(() => rm(folder, { recursive: true }));

test('an amount is reserved exactly if it fits into the total of its wallet, whichever client asks', () => {
  const steps = fc.array(
    fc.record({
      client: fc.constantFrom(0, 1),
      wallet: fc.constantFrom(...WALLETS),
      /** Wallets are the same in any mixture of upper and lower case. */
      isLower: fc.boolean(),
      amount: fc.bigInt(1n, 4n),
      outcome: fc.constantFrom('reserved', 'spent', 'unknown', 'released'),
    }),
    { minLength: 5, maxLength: 25 },
  );
  fc.assert(
    fc.property(steps, (made) => {
      const path = join(folder, `${(files += 1)}.sqlite`);
      const clients = [0, 1].map(() => openSpending(path, { perCall: TOTAL, total: TOTAL }));
      const counted = new Map<string, bigint>(WALLETS.map((wallet) => [wallet, 0n]));
      for (const { client, wallet, isLower, amount, outcome } of made) {
        const [spending, counts] = [clients[client] ?? assert.fail(), counted.get(wallet) ?? 0n];
        const id = spending.reserve(isLower ? wallet.toLowerCase() : wallet, '/api/deals', amount);
        assert.equal(id !== null, counts + amount <= TOTAL, `${amount} upon ${counts}`);
        if (id !== null && outcome !== 'reserved') spending.finish(id, outcome);
        if (id !== null && outcome !== 'released') counted.set(wallet, counts + amount);
        for (const other of clients) assert.equal(other.spent(wallet), counted.get(wallet));
      }
      for (const spending of clients) spending.close();
    }),
    { numRuns: 20 },
  );
});
