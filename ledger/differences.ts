/** What the chain and the ledger disagree about, as the audit booked it. */
import type { Ledger, Purchase } from './ledger.ts';
import type { AuditedAccount, BookedTransfer } from './transfers.ts';

export type Difference =
  /** Money arrived for which we can no longer give what it paid for: a refund is due. */
  | { readonly kind: 'owed'; readonly transfer: BookedTransfer }
  /** The ledger says sold, and no transfer pays for it. */
  | { readonly kind: 'unpaid'; readonly purchase: Purchase };

/** @param account of this account only; null: of every account that was ever audited */
export async function differencesOf(ledger: Ledger, account: AuditedAccount | null): Promise<readonly Difference[]> {
  const differences: Difference[] = [];
  for await (const transfer of ledger.transfers(account, ['owed'])) {
    if (transfer.resolution === null) differences.push({ kind: 'owed', transfer });
  }
  for (const { chain, payTo, throughBlock, throughSeconds } of await ledger.audits()) {
    const isOther = account !== null && (chain !== account.chain || payTo !== account.payTo);
    if (isOther || throughBlock === null) continue;
    for (const purchase of await ledger.soldWithoutTransfer(
      { chain, payTo },
      { block: throughBlock, seconds: throughSeconds },
    )) {
      differences.push({ kind: 'unpaid', purchase });
    }
  }
  return differences;
}
