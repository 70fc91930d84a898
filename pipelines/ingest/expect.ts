/** A read compared with what its adapter expects. */
import { Quarantine, type SourceSpec } from '../../sources/contract.ts';
import type { Tally } from './stage.ts';

/** @throws Quarantine naming the figure and its bound */
export function checkExpectations(spec: SourceSpec, read: Tally, lastGoodRows: number | undefined): void {
  const { minRows, maxRejectShare, maxDropShare } = spec.expect;
  const { rows, rowsIn, rejects } = read;
  const share = rowsIn === 0 ? 0 : rejects.length / rowsIn;
  if (share > maxRejectShare) {
    const [first] = rejects;
    throw new Quarantine(
      'too_many_rejects',
      `${rejects.length} of ${rowsIn} rows refused, at most ${(maxRejectShare * 100).toFixed(0)} % expected; ` +
        `the first: ${first?.detail ?? ''}`,
      first?.page_url,
    );
  }
  if (rows < minRows) throw new Quarantine('too_few_rows', `${rows} rows read, at least ${minRows} expected`);
  if (spec.reads !== 'increments' && lastGoodRows !== undefined && rows < lastGoodRows * (1 - maxDropShare)) {
    throw new Quarantine(
      'row_count_dropped',
      `${rows} rows read, ${lastGoodRows} in the last good read: a fall of more than ${(maxDropShare * 100).toFixed(0)} %`,
    );
  }
}
