/**
 * `make crash-sales`: KILLS=300 kills in total, half on each kind of ledger; LEDGERS=sqlite or postgres: all on one.
 * SEED= chooses the instants, MINUTES= limits the time per ledger.
 */
import { z } from 'zod';
import { readSettings, SettingError } from '../../lib/settings.ts';
import { sellUnderKills } from './sales_kills.ts';

const whole = z.coerce.number('a whole number').int('a whole number').min(1, 'a whole number above 0');
const settings = z.object({
  KILLS: whole.default(300),
  SEED: whole.default(20_261_121),
  MINUTES: whole.optional(),
  LEDGERS: z
    .string()
    .regex(/^(sqlite|postgres)(,(sqlite|postgres))?$/, 'sqlite, postgres, or both with a comma between')
    .default('sqlite,postgres'),
});

try {
  const { KILLS, SEED, LEDGERS, MINUTES } = readSettings(settings);
  const kinds = LEDGERS.split(',') as ('sqlite' | 'postgres')[];
  for (const kind of kinds) {
    const print = (line: string): void => {
      process.stdout.write(`${kind}: ${line.trim()}\n`);
    };
    const result = await sellUnderKills({
      ledger: kind,
      kills: Math.ceil(KILLS / kinds.length),
      seed: SEED,
      collect: 300,
      print,
      ...(MINUTES === undefined ? {} : { minutes: MINUTES }),
    });
    print(
      `SEED=${SEED}: ${result.kills} servers killed, ${result.leftOpen} of them with a sale open; ` +
        `${result.answered} answered, ${result.sold} sold (${result.leads} leads), ${result.released} released; ` +
        `${result.chargedUnanswered} charged without a response, ${result.collected} collected again; ` +
        `${result.troubles.join(', ')}; ${result.broken.length} guarantees broken; ${result.seconds.toFixed(0)} s`,
    );
    for (const line of result.broken) print(line);
    if (result.broken.length > 0) process.exitCode = 1;
  }
} catch (error) {
  if (!(error instanceof SettingError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
