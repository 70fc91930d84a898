/**
 * `make crash-clock`: JUMPS=400 jumps in total, half on each kind of ledger; LEDGERS=sqlite or postgres: all on one.
 * SEED= chooses the jumps, MINUTES= limits the time per ledger, FAULT= plants a fault of clock_faults.ts.
 */
import { z } from 'zod';
import { readSettings, SettingError } from '../../lib/settings.ts';
import { played, scenarios } from './clock_scenarios.ts';
import { sellUnderClocks } from './sales_clocks.ts';

const whole = z.coerce.number('a whole number').int('a whole number').min(1, 'a whole number above 0');
const settings = z.object({
  JUMPS: whole.default(400),
  SEED: whole.default(20_261_121),
  MINUTES: whole.optional(),
  FAULT: z.string().optional(),
  LEDGERS: z
    .string()
    .regex(/^(sqlite|postgres)(,(sqlite|postgres))?$/, 'sqlite, postgres, or both with a comma between')
    .default('sqlite,postgres'),
});

try {
  const { JUMPS, SEED, LEDGERS, MINUTES, FAULT } = readSettings(settings);
  const kinds = LEDGERS.split(',') as ('sqlite' | 'postgres')[];
  for (const ledger of kinds) {
    const print = (line: string): void => {
      process.stdout.write(`${ledger}: ${line}\n`);
    };
    const moments = await played(ledger, scenarios, FAULT === undefined ? {} : { fault: FAULT, patienceMs: 10_000 });
    print(`${scenarios.length} moments one by one; ${moments.length} guarantees broken`);
    const r = await sellUnderClocks({
      ledger,
      jumps: Math.ceil(JUMPS / kinds.length),
      seed: SEED,
      collect: 300,
      print,
      ...(MINUTES === undefined ? {} : { minutes: MINUTES }),
      ...(FAULT === undefined ? {} : { fault: FAULT }),
    });
    print(
      `SEED=${SEED}: ${r.jumps} jumps (${r.betweenReadings} between two readings; ` +
        `${r.open.reserved} while a purchase was reserved, ${r.open.settling} while one was settling, ` +
        `${r.open.unknown} while an outcome was unknown), ` +
        `${r.chainJumps} jumps of the chain, ${r.restarts} restarts with a wrong clock; ` +
        `${r.settlements.settlements} settlements: ${r.settlements.lostReplies} replies lost, ` +
        `${r.settlements.lost} lost, ${r.settlements.held} late; ` +
        `${r.answered} answered, ${r.sold} sold (${r.leads} leads), ${r.released} released; ` +
        `${r.signatures.collected} signatures collected, retried ${r.signatures.again} times; ` +
        `${r.chargedUnanswered} charged without a response, ${r.collected} collected at the end; ` +
        `${r.broken.length} guarantees broken; ${r.seconds.toFixed(0)} s`,
    );
    const broken = [...moments, ...r.broken];
    for (const line of broken) print(line);
    if (broken.length > 0) process.exitCode = 1;
  }
} catch (error) {
  if (!(error instanceof SettingError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
