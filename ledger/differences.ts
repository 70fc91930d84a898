/** Differences between chain and ledger that the audit found. */
import type { AuditedAccount, BookedTransfer, Ledger, Purchase } from './ledger.ts';

export type Difference =
  /** An authorization paid us, and nothing explains it that we can still give: a refund is due. */
  | { readonly kind: 'owed'; readonly transfer: BookedTransfer }
  /** The ledger has a sale without a transfer. */
  | { readonly kind: 'unpaid'; readonly purchase: Purchase };

/** @param account limits the result to one account; null includes every audited account */
export async function differencesOf(ledger: Ledger, account: AuditedAccount | null): Promise<readonly Difference[]> {
  const differences: Difference[] = [];
  for await (const transfer of ledger.transfers(account, ['owed'])) differences.push({ kind: 'owed', transfer });
  for (const { chain, payTo, throughBlock } of await ledger.audits()) {
    const isOther = account !== null && (chain !== account.chain || payTo !== account.payTo);
    if (isOther || throughBlock === null) continue;
    for (const purchase of await ledger.soldWithoutTransfer({ chain, payTo }, throughBlock)) {
      differences.push({ kind: 'unpaid', purchase });
    }
  }
  return differences;
}
