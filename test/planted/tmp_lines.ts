import { copyOfTree, findingsOn, withFault } from './copy.ts';
import { DAY } from './fault.ts';
import { faults } from './faults.ts';
const copy = await copyOfTree();
for (const { name, changes, caughtBy } of faults) {
  const r = caughtBy.filter((c) => c.by === 'reconcile');
  if (r.length === 0) continue;
  const days = r[0]?.by === 'reconcile' && r[0].days ? r[0].days : [DAY];
  const found = await withFault(copy, changes, () => findingsOn(copy, days));
  console.log(name, '\n   was:', r.map((c) => c.by === 'reconcile' ? c.line : '').join('; '), '\n   now:', found.lines.join('; '), found.audits.length);
}
