/** Sold leads, from the ledger. Later snapshots exclude every lead of their properties. */
import { LedgerUnavailable } from '../ledger/ledger.ts';
import { notedLedgerExists, openNotedLedger, shownPlace, type LedgerSettings } from '../ledger/open.ts';
import { closing } from '../lib/closing.ts';

export interface SoldLeads {
  /** Ids of leads. */
  readonly leads: readonly string[];
  /** Keys of their properties. */
  readonly properties: readonly string[];
}

export const NONE_SOLD: SoldLeads = { leads: [], properties: [] };

/**
 * The leads that are sold or being paid for; none if there is no ledger yet.
 * @throws LedgerUnavailable if the ledger is unavailable: that is an error, not an empty list; SettingError if LEDGER
 * is wrong, or if the data folder uses another ledger
 */
export async function soldLeads(settings: LedgerSettings): Promise<SoldLeads> {
  if (!notedLedgerExists(settings)) return NONE_SOLD;
  await using ledger = closing(await openNotedLedger(settings));
  return { leads: await ledger.soldLeads(), properties: await ledger.soldProperties() };
}

/** A line if there is no ledger: the servers may use another one. */
export const noLedgerYet = (settings: LedgerSettings): readonly string[] =>
  notedLedgerExists(settings)
    ? []
    : [`No ledger yet at ${shownPlace(settings)}. If your servers use another ledger, set LEDGER to it.`];

/** Check LEDGER before hours of reading. An unavailable ledger may be available again when the snapshot is built. */
export async function checkLedger(settings: LedgerSettings, print: (line: string) => void): Promise<void> {
  try {
    await soldLeads(settings);
  } catch (error) {
    if (!(error instanceof LedgerUnavailable)) throw error;
    print(`${error.message}. The run reads it again before the build, and publishes nothing without it.`);
  }
}
