/** A wallet's spending file: the total holds over clients of one wallet, and only the chain frees a signed payment. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { openSpending, type SignedPayment } from '../../clients/spending.ts';

const TOTAL = 10n;
const WALLETS = ['0xAb01', '0xcd02'] as const;

let folder: string;
let files = 0;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dealfeed-spending-'));
});
after(() => rm(folder, { recursive: true }));

test('a payment is counted exactly if it fits into the total of its wallet, whichever client asks', () => {
  const steps = fc.array(
    fc.record({
      client: fc.constantFrom(0, 1),
      wallet: fc.constantFrom(...WALLETS),
      /** Wallets are the same in any mixture of upper and lower case. */
      isLower: fc.boolean(),
      amount: fc.bigInt(1n, 4n),
      /** What the chain says once the payment has expired. Before that it says nothing. */
      isUsed: fc.constantFrom(null, true, false),
      restart: fc.boolean(),
    }),
    { minLength: 5, maxLength: 25 },
  );
  fc.assert(
    fc.property(steps, (made) => {
      const path = join(folder, `${(files += 1)}.sqlite`);
      const open = () => openSpending(path, { perCall: TOTAL, total: TOTAL });
      const clients = [open(), open()];
      const counted = new Map(WALLETS.map((wallet) => [wallet, { spent: 0n, held: 0n }]));
      for (const [step, { client, wallet, isLower, amount, isUsed, restart }] of made.entries()) {
        const [spending, counts] = [clients[client] ?? assert.fail(), counted.get(wallet) ?? assert.fail()];
        const payment: SignedPayment = {
          payer: isLower ? wallet.toLowerCase() : wallet,
          nonce: `0x${step}`,
          network: 'eip155:8453',
          amount,
          validBefore: BigInt(step),
        };
        const fits = counts.spent + amount <= TOTAL;
        assert.equal(spending.hold(payment, '/api/deals'), fits, `${amount} upon ${counts.spent}`);
        const isExpired = (seconds: number): boolean =>
          spending.expired(wallet, payment.network, BigInt(seconds)).some((one) => one.nonce === payment.nonce);
        assert.deepEqual([isExpired(step), isExpired(step + 1)], [false, fits]);
        if (fits && isUsed !== null) spending.resolve(payment, isUsed);
        if (fits && isUsed !== false) counts.spent += amount;
        if (fits && isUsed === null) counts.held += amount;
        if (restart) {
          spending.close();
          clients[client] = open();
        }
        for (const other of clients) assert.deepEqual({ ...other.count(wallet) }, counts);
      }
      for (const spending of clients) spending.close();
    }),
    { numRuns: 20 },
  );
});
