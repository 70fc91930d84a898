/**
 * Checks the candidates of a page: accepts a row and adds its provenance, or rejects it with a reason. Then compares
 * the read with what its adapter expects. Pure.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { z } from 'zod';
import { messageOf } from '../../../lib/errors.ts';
import type { RowOf } from '../../../lib/record.ts';
import type { RejectedRow } from '../../../models/inputs.ts';
import { type Candidate, type Page, Quarantine, type SourceSpec } from '../../../sources/contract.ts';

export type Rejected = RowOf<typeof RejectedRow>;
export type Values = Readonly<Record<string, unknown>>;
export type NaturalKey = Readonly<Record<string, string>>;

/**
 * A row known to exist whose page could not be read, or a page of several rows, whose key is the part they share. The
 * key of a dropped file is `folder`, the name of its supplier's folder, or `file` if no rows are carried for it.
 */
export interface Unreadable {
  readonly key: NaturalKey;
  readonly url: string;
  readonly reason: string;
  readonly detail: string;
}

/** A candidate after the check: a row with its provenance, or a reject with the row's key where it can be read. */
export type Checked = { readonly values: Values } | { readonly reject: Rejected; readonly key: NaturalKey | undefined };

const RAW_LIMIT = 2000;
/** Replaces the row in the reject of a whole refused file. */
export const WHOLE_FILE = '(the whole file)';
/** Replaces the hash of a page that could not be read. */
export const NO_BYTES = '0'.repeat(64);

/** Rows between pauses for timers and other reads, which parsing would block until a page is done. */
const ROWS_PER_TURN = 200;

/**
 * Every candidate of the pages, in order, many at a time: a promise for each would cost more than to parse it.
 * @throws Quarantine when the adapter does not know a page
 */
export async function* checkedRows(spec: SourceSpec, pages: readonly Page[]): AsyncGenerator<readonly Checked[]> {
  for (const page of pages) {
    let index = 0;
    for await (const turn of parsePage(spec, page)) {
      yield turn.map((candidate, at) => check(spec, page, candidate, index + at));
      index += turn.length;
      await nextTurn();
    }
  }
}

/** Candidates of a page. @throws Quarantine, also where the parser itself fails */
async function* parsePage(spec: SourceSpec, page: Page): AsyncGenerator<readonly Candidate[]> {
  let turn: Candidate[] = [];
  const endTurn = (): readonly Candidate[] => {
    const ended = turn;
    turn = [];
    return ended;
  };
  try {
    const candidates = spec.parse(page);
    if (Symbol.asyncIterator in candidates)
      for await (const candidate of candidates) if (turn.push(candidate) === ROWS_PER_TURN) yield endTurn();
    if (Symbol.iterator in candidates)
      for (const candidate of candidates) if (turn.push(candidate) === ROWS_PER_TURN) yield endTurn();
    yield turn;
  } catch (error) {
    if (!(error instanceof Quarantine))
      throw new Quarantine('parser_error', `the parser failed on ${page.kind}: ${messageOf(error)}`, page.url);
    throw error.pageUrl === undefined ? new Quarantine(error.reason, error.message, page.url) : error;
  }
}

/** A refused row of a page; its fields have the order of the record, by which reads are compared. */
export const rejectOf = (
  { name }: SourceSpec,
  { url, sha256, observedAt }: Pick<Page, 'url' | 'sha256' | 'observedAt'>,
  { page_row, reason, detail, raw }: Pick<Rejected, 'page_row' | 'reason' | 'detail' | 'raw'>,
): Rejected => {
  const page = { source: name, page_url: url, page_sha256: sha256, page_row };
  return { ...page, reason, detail, raw, observed_at: observedAt };
};

/** @param index position of the candidate on its page, from 0 */
function check(spec: SourceSpec, page: Page, candidate: Candidate, index: number): Checked {
  const refuse = (reason: string, detail: string, key: NaturalKey | undefined): Checked => ({
    // A copy: a slice would keep the text of the page in memory as long as the reject.
    reject: rejectOf(spec, page, {
      page_row: index,
      reason,
      detail,
      raw: Buffer.from(candidate.raw.slice(0, RAW_LIMIT)).toString() || '(empty)',
    }),
    key,
  });
  if ('reject' in candidate) return refuse(candidate.reject.reason, candidate.reject.detail, candidate.key);
  const checked = spec.row.schema.safeParse(candidate.values);
  if (!checked.success)
    return refuse('invalid_field', formatIssues(checked.error, candidate.values), keyOf(spec, candidate.values));
  return {
    values: {
      ...checked.data,
      source: spec.name,
      source_url: candidate.sourceUrl ?? page.url,
      observed_at: page.observedAt,
      page_sha256: page.sha256,
      page_row: index,
    },
  };
}

/** The field, the value and the expectation of every issue. */
const formatIssues = (error: z.ZodError, values: Values): string =>
  error.issues
    .map(({ path, message }) => {
      const value = path[0] === undefined ? null : (values[String(path[0])] ?? null);
      return `${path.join('.') || 'row'} is ${JSON.stringify(value)}: ${message}`;
    })
    .join('; ');

/** Natural key of a row; undefined where a part of it is not text. */
function keyOf(spec: SourceSpec, values: Values): NaturalKey | undefined {
  const parts = spec.row.key.map((name) => [name, values[name]] as const);
  return parts.every((part): part is readonly [string, string] => typeof part[1] === 'string')
    ? Object.fromEntries(parts)
    : undefined;
}

/** Whether a key is that of several rows. */
export const isPartOfKey = (spec: SourceSpec, key: NaturalKey): boolean => spec.row.key.some((name) => !(name in key));

/** A row without a page of its own, as a reject. */
export const lostRow = (spec: SourceSpec, lost: Unreadable, index: number, observedAt: string): Rejected => {
  const { key, url, reason, detail } = lost;
  const page = { url, sha256: NO_BYTES, observedAt };
  return rejectOf(spec, page, { page_row: index, reason, detail, raw: JSON.stringify(key) });
};

/** Counts and rejects of a read. */
export interface Tally {
  /** Accepted rows, duplicates merged. */
  readonly rows: number;
  readonly rejects: readonly Rejected[];
  /** Natural keys of refused rows, where they can be read. */
  readonly rejectedKeys: readonly NaturalKey[];
  readonly rowsIn: number;
  readonly merged: number;
  /** Rejects that stand for a page of several rows, such as a sale day. */
  readonly unreadablePages: number;
}

/**
 * The share of refused rows, of a read or of one file.
 * @throws Quarantine naming the share, its bound, the counts by reason and the first refused rows
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
  throw new Quarantine(
    'too_many_rejects',
    `${refused} of ${of} rows refused, at most ${(maxRejectShare * 100).toFixed(0)} % expected: ${refusals(counted)}`,
    counted[0]?.page_url,
  );
}

/** Refused rows that a message lists. */
const MAX_LISTED = 10;

/** Refused rows by reason, and the first of them: enough to mend a file in one round. */
function refusals(rejects: readonly Rejected[]): string {
  const counts = [...Map.groupBy(rejects, ({ reason }) => reason)].map(([reason, rows]) => `${rows.length} ${reason}`);
  const first = rejects.slice(0, MAX_LISTED).map(({ page_row: row, detail }) => `row ${row}: ${detail}`);
  return `${counts.join(', ')}. ${first.join('; ')}${rejects.length > MAX_LISTED ? '; ...' : ''}`;
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
