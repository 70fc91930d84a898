/** A read compared with what its adapter expects. */
import { Quarantine, type SourceSpec } from '../../sources/contract.ts';
import type { Tally } from './stage/stage.ts';

/**
 * The share of refused rows, of a read or of one file.
 * @throws Quarantine naming the share, its bound and the first refused row
 */
export function checkRejects(
  spec: SourceSpec,
  { rejects, rowsIn, unreadablePages }: Pick<Tally, 'rejects' | 'rowsIn' | 'unreadablePages'>,
): void {
  const { maxRejectShare, uncountedRejects = [] } = spec.expect;
  const counted = rejects.filter(({ reason }) => !uncountedRejects.includes(reason));
  const refused = counted.length - unreadablePages;
  const of = rowsIn - unreadablePages - (rejects.length - counted.length);
  if (refused <= of * maxRejectShare) return;
  const [first] = counted;
  throw new Quarantine(
    'too_many_rejects',
    `${refused} of ${of} rows refused, at most ${(maxRejectShare * 100).toFixed(0)} % expected; ` +
      `the first: ${first?.detail ?? ''}`,
    first?.page_url,
  );
}

/**
 * Unreadable pages of several rows are not refused rows: how many of them a read may have is up to the adapter, and
 * their rows are carried, so that fewer fresh rows are expected.
 * @throws Quarantine naming the figure and its bound
 */
export function checkExpectations(spec: SourceSpec, read: Tally, lastGoodRows: number | undefined): void {
  const { minRows, maxDropShare } = spec.expect;
  const { rows, unreadablePages } = read;
  checkRejects(spec, read);
  if (rows < minRows) {
    const [first] = read.rejects;
    const refused = first ? `; the first refused: ${first.detail}` : '';
    throw new Quarantine('too_few_rows', `${rows} rows read, at least ${minRows} expected${refused}`, first?.page_url);
  }
  const mayFall = spec.reads === 'increments' || unreadablePages > 0;
  if (!mayFall && lastGoodRows !== undefined && rows < lastGoodRows * (1 - maxDropShare)) {
    throw new Quarantine(
      'row_count_dropped',
      `${rows} rows read, ${lastGoodRows} in the last good read: ` +
        `a fall of more than ${(maxDropShare * 100).toFixed(0)} %`,
    );
  }
}
