/** What the pipeline asks the ledger: which leads are sold, and so are in no later snapshot. */
import { LedgerUnavailable } from '../ledger/ledger.ts';
import { notedLedgerExists, openNotedLedger, shownPlace, type LedgerSettings } from '../ledger/open.ts';

/**
 * Ids of the leads that are sold or being paid for; none where there is no ledger yet.
 * @throws LedgerUnavailable if it cannot be asked: an unreachable ledger is an error, not an empty list; SettingError if LEDGER is wrong, or
 * the data folder notes another ledger
 */
export async function soldLeads(settings: LedgerSettings): Promise<readonly string[]> {
  if (!notedLedgerExists(settings)) return [];
  const ledger = await openNotedLedger(settings);
  try {
    return await ledger.soldLeads();
  } finally {
    await ledger.close();
  }
}

/** The message if there is no ledger: the servers may have theirs elsewhere. */
export const noLedgerYet = (settings: LedgerSettings): readonly string[] =>
  notedLedgerExists(settings)
    ? []
    : [
        `no ledger yet at ${shownPlace(settings)}: no lead is known to be sold; where servers have theirs elsewhere, give LEDGER as they have it`,
      ];

/** Find a wrong setting before hours of reading. A ledger that is away may be back when the snapshot is built. */
export async function checkLedger(settings: LedgerSettings, say: (line: string) => void): Promise<void> {
  try {
    await soldLeads(settings);
  } catch (error) {
    if (!(error instanceof LedgerUnavailable)) throw error;
    say(`${error.message}; it is asked again before the snapshot is built, and without an answer nothing is published`);
  }
}
