/** `make ledger`: revenue, open settlements, leads and differences on one screen. */
import { runCommand } from '../lib/command.ts';
import { print } from '../lib/output.ts';
import { readSettings } from '../lib/settings.ts';
import { closing } from '../lib/closing.ts';
import { LedgerUnavailable } from './ledger.ts';
import { assertLedgerExists, openLedger, shownPlace } from './open.ts';
import { reportLines } from './report.ts';
import { ledgerArguments, ledgerSettings } from './settings.ts';
import { LedgerRefused } from './sql/schema.ts';

const textOf = (error: unknown): string | null =>
  error instanceof LedgerUnavailable || error instanceof LedgerRefused || (error instanceof Error && 'syscall' in error)
    ? error.message
    : null;

await runCommand(async () => {
  const settings = readSettings(ledgerSettings);
  const { DAYS } = readSettings(ledgerArguments);
  assertLedgerExists(settings);
  await using ledger = closing(await openLedger(settings));
  const options = { nowMs: Date.now(), days: DAYS, settlementCost: settings.SETTLEMENT_COST };
  for (const line of await reportLines(ledger, shownPlace(settings), options)) print(line);
}, textOf);
