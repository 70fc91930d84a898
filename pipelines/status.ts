/** `make status`: is everything fresh, what is late or broken, what is published. Exit status 0 only when all is well. */
import { daysBetween, liveClock } from './clock.ts';
import type { Layout } from './layout.ts';
import { awaitsOperator, waitsFor, WAITS } from './inputs.ts';
import { currentSnapshot, readManifest, verifySnapshot } from './snapshots.ts';
import { table } from './summary.ts';

/** Print the state of the published snapshot and its sources. @returns 0 when all is fresh, 1 when something is late, broken or missing. */
export async function status(layout: Layout, say: (line: string) => void): Promise<number> {
  const current = await currentSnapshot(layout);
  if (current === null) {
    say(`Nothing is published in ${layout.root} yet. Start with: make run`);
    return 1;
  }
  const manifest = await readManifest(layout, current);
  const today = manifest.data_clock === 'live' ? liveClock().asOf : manifest.as_of;
  const problems = await verifySnapshot(layout, current);
  const rows = manifest.sources.map((s) => {
    const age = s.last_good_at === null ? null : daysBetween(s.last_good_at, today);
    const late = age !== null && age > s.every_days;
    const missing = awaitsOperator(s) ? waitsFor(s) : null;
    const state = missing !== null ? WAITS[missing] : s.status === 'good' || s.status === 'not_due' ? (late ? 'LATE' : 'fresh') : s.status.toUpperCase();
    return { late, waits: missing !== null, broken: state !== 'fresh' && missing === null && !late, cells: [s.source, state, s.last_good_at?.slice(0, 10) ?? 'never', age === null ? '-' : `${age} d`, `${s.every_days} d`,
      (s.rows_out + s.rows_carried).toLocaleString('en-US'), s.rows_rejected.toLocaleString('en-US'), s.reason === null ? '' : `${s.reason}: ${s.detail ?? ''}`.slice(0, 100)] };
  });
  const blocking = manifest.audits.filter((a) => a.blocking).length;
  const noticed = manifest.audits.filter((a) => a.failing_rows > 0);
  say(`Snapshot ${manifest.run_id} (${manifest.data_clock}), as of ${manifest.as_of}, ${daysBetween(manifest.as_of, today)} d old: ${problems.length === 0 ? 'every file has the hash its manifest states' : `DAMAGED: ${problems.join('; ')}`}`);
  say(`Audits: ${blocking} blocking passed${noticed.length === 0 ? ', no warnings' : `; warnings: ${noticed.map((a) => `${a.name} ${a.failing_rows} rows`).join(', ')}`}`);
  say('');
  for (const line of table(['source', 'state', 'last good', 'age', 'every', 'rows', 'rejected', 'reason'], rows.map((r) => r.cells))) say(line);
  const late = rows.filter((r) => r.late).length;
  const broken = rows.filter((r) => r.broken).length;
  const waiting = rows.filter((r) => r.waits).length;
  say('');
  say(`${rows.length - late - broken - waiting} fresh, ${late} late, ${broken} broken${waiting === 0 ? '' : `, ${waiting} waiting for the operator`}`);
  if (manifest.data_clock === 'sandbox') say(manifest.notice);
  return problems.length === 0 && late === 0 && broken === 0 ? 0 : 1;
}
