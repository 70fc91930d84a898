/** A read compared with what its adapter expects. */
import { Quarantine, type SourceSpec } from '../../sources/contract.ts';
import type { Tally } from './stage.ts';

/**
 * Unreadable pages of several rows are not refused rows: how many of them a read may have is up to the adapter, and
 * their rows are carried, so that fewer fresh rows are expected.
 * @throws Quarantine naming the figure and its bound
 */
export function checkExpectations(spec: SourceSpec, read: Tally, lastGoodRows: number | undefined): void {
  const { minRows, maxRejectShare, maxDropShare } = spec.expect;
  const { rows, rejects, unreadablePages } = read;
  const rowsIn = read.rowsIn - unreadablePages;
  const refused = rejects.length - unreadablePages;
  const share = rowsIn === 0 ? 0 : refused / rowsIn;
  if (share > maxRejectShare) {
    const [first] = rejects;
    throw new Quarantine(
      'too_many_rejects',
      `${refused} of ${rowsIn} rows refused, at most ${(maxRejectShare * 100).toFixed(0)} % expected; ` +
        `the first: ${first?.detail ?? ''}`,
      first?.page_url,
    );
  }
  if (rows < minRows) throw new Quarantine('too_few_rows', `${rows} rows read, at least ${minRows} expected`);
  const mayFall = spec.reads === 'increments' || unreadablePages > 0;
  if (!mayFall && lastGoodRows !== undefined && rows < lastGoodRows * (1 - maxDropShare)) {
    throw new Quarantine(
      'row_count_dropped',
      `${rows} rows read, ${lastGoodRows} in the last good read: ` +
        `a fall of more than ${(maxDropShare * 100).toFixed(0)} %`,
    );
  }
}
