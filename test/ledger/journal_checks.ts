/** The journal states every change of every purchase: what it must equal, for tests of the ledger. */
import { factsOf, type JournalLine } from '../../ledger/sql/journal.ts';
import { FACTS } from '../../ledger/sql/rows.ts';
import type { Query } from '../../ledger/sql/store.ts';

/** Where journal and purchases disagree, each as a sentence. */
export async function journalViolations(read: Query): Promise<readonly string[]> {
  const violations: string[] = [];
  const last = new Map<string, JournalLine>();
  for (const row of await read('SELECT subject, number, line FROM journal ORDER BY seq')) {
    const line = JSON.parse(String(row['line'])) as JournalLine;
    const subject = String(row['subject']);
    if (subject !== (line.purchase?.['id'] ?? '') || Number(row['number']) !== line.number)
      violations.push(`line ${line.number} of ${subject} is stored under another key`);
    if (subject === '') continue;
    const before = last.get(subject)?.number ?? 0;
    if (line.number !== before + 1) violations.push(`${subject}: line ${line.number} follows line ${before}`);
    last.set(subject, line);
  }
  for (const row of await read(`SELECT ${FACTS} FROM purchases`)) {
    const [id, facts] = [String(row['id']), factsOf(row)];
    const stated = last.get(id)?.purchase ?? {};
    for (const name of new Set([...Object.keys(facts), ...Object.keys(stated)]))
      if (facts[name] !== stated[name]) violations.push(`${id}: ${name} is ${facts[name]}, stated ${stated[name]}`);
    if (last.get(id)?.event === 'dropped') violations.push(`${id} is there and was dropped`);
    last.delete(id);
  }
  for (const [id, { event }] of last) if (event !== 'dropped') violations.push(`${id} is gone after ${event}`);
  return violations;
}
