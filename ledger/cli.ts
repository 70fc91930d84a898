/** `make ledger`: revenue, open settlements, leads and differences on one screen. */
import { messageOf } from '../lib/errors.ts';
import { print } from '../lib/output.ts';
import { readSettings, SettingError } from '../lib/settings.ts';
import { LedgerUnavailable } from './ledger.ts';
import { assertLedgerExists, openLedger, shownPlace } from './open.ts';
import { reportLines } from './report.ts';
import { ledgerArguments, ledgerSettings } from './settings.ts';
import { LedgerRefused } from './sql/schema.ts';

const isExpected = (error: unknown): boolean =>
  error instanceof SettingError ||
  error instanceof LedgerUnavailable ||
  error instanceof LedgerRefused ||
  (error instanceof Error && 'syscall' in error);

try {
  const settings = readSettings(ledgerSettings);
  const { DAYS } = readSettings(ledgerArguments);
  assertLedgerExists(settings);
  const ledger = await openLedger(settings);
  try {
    const options = { nowMs: Date.now(), days: DAYS, settlementCost: settings.SETTLEMENT_COST };
    for (const line of await reportLines(ledger, shownPlace(settings), options)) print(line);
  } finally {
    await ledger.close();
  }
} catch (error) {
  const stack = error instanceof Error && !isExpected(error) ? error.stack : undefined;
  process.stderr.write(`${stack ?? messageOf(error)}\n`);
  process.exitCode = 1;
}
