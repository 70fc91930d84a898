/** The part of the audit that every ledger of a test must pass: the journal states every change of every purchase. */
import { compareJournal } from '../../ledger/audit.ts';
import { readIdentity } from '../../ledger/identity.ts';
import type { Query } from '../../ledger/sql/store.ts';

/** Where journal and purchases disagree, each as a sentence. */
export async function journalViolations(read: Query): Promise<readonly string[]> {
  const violations: string[] = [];
  const { id } = await readIdentity(read);
  await compareJournal(read, id, (difference) => violations.push(difference));
  return violations;
}
