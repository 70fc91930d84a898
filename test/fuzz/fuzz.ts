/** Parses damaged pages and classifies the results: no wrong value may be accepted silently. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Draw } from '../../sandbox/world/random.ts';
import { type Page, Quarantine, type SourceSpec } from '../../sources/contract.ts';
import { SANDBOX_SOURCES } from '../../sandbox/settings.ts';
import { findSources } from '../../sources/index.ts';
import { candidatesOf, parsed } from '../sources/parsed.ts';
import { bodyOf, pageOf, parseRecorded } from '../sources/recorded.ts';
import { insideZip, isZip, MUTATIONS, oddCells, type Mutation, type Variant } from './mutations.ts';

export const OUTCOMES = ['crash', 'wrong', 'undetectable', 'incomplete', 'rejected', 'quarantined', 'equal'] as const;
/**
 * crash          parse threw something other than a Quarantine
 * wrong          more rows have a different value than the damage can hide
 * undetectable   the damage left another well-formed value in its place
 * incomplete     rows or values are missing, none is wrong; the counts of a whole read detect it
 * rejected       the damaged rows are rejected, the others are equal
 * quarantined    the page is quarantined
 * equal          all rows are equal
 */
export type Outcome = (typeof OUTCOMES)[number];

export interface Finding {
  readonly source: string;
  readonly case: string;
  readonly mutation: string;
  readonly seed: string;
  readonly outcome: Outcome;
  readonly detail: string;
}

type Values = Readonly<Record<string, unknown>>;

export interface Subject {
  readonly spec: SourceSpec;
  readonly name: string;
  readonly page: Page;
  readonly truth: ReadonlyMap<string, Values>;
  /** Keys of rows that are rejected on the intact page: damage may remove the reason. */
  readonly rejectedKeys: ReadonlySet<string>;
  /** Whether a record is made of several rows, so that a row with another key changes the record that it leaves too. */
  readonly isOfSeveralRows: boolean;
}

/** Values of a row, without its position on the page and the page's hash. */
const valuesOf = ({ page_row: _row, page_sha256: _hash, ...rest }: Values): Values => rest;

interface Read {
  readonly rows: ReadonlyMap<string, Values>;
  readonly rejects: number;
  readonly merged: number;
  readonly rejectedKeys: ReadonlySet<string>;
}

async function rowsOf(spec: SourceSpec, page: Page): Promise<Read> {
  const read = await parsed(spec, [page]);
  return {
    rows: new Map(read.rows.map((row) => [JSON.stringify(spec.row.key.map((k) => row[k])), valuesOf(row)])),
    rejects: read.rejects.length,
    merged: read.merged,
    rejectedKeys: new Set(read.rejectedKeys.map((key) => JSON.stringify(spec.row.key.map((k) => key[k])))),
  };
}

/** Recorded pages with rows, by family. */
export async function subjects(): Promise<Map<string, Subject[]>> {
  const families = new Map<string, Subject[]>();
  for (const { spec, recorded } of await findSources(SANDBOX_SOURCES)) {
    // Rows of a table may have none; the fleet test names other adapters without recorded pages.
    if (!existsSync(recorded)) continue;
    const cases = parseRecorded(await readFile(new URL('pages.json', recorded), 'utf8'));
    const reads = [];
    for (const [name, each] of Object.entries(cases)) {
      // The start of an archive, which only a probe reads, has no checksum.
      if (each.quarantine !== undefined || each.cutTo !== undefined) continue;
      const page = pageOf((await bodyOf(each, recorded)).bytes, each);
      reads.push({ name, page, ...(await rowsOf(spec, page)) });
    }
    // By source: on one page, the only record of several rows may be the last, which is left to the next page.
    const isOfSeveralRows = spec.contradictions === 'refused' && reads.some(({ merged }) => merged > 0);
    for (const { name, page, rows: truth, rejectedKeys } of reads) {
      const subject = { spec, name, page, truth, rejectedKeys, isOfSeveralRows };
      if (truth.size > 0) families.set(spec.family, [...(families.get(spec.family) ?? []), subject]);
    }
  }
  return families;
}

/**
 * Checks of a page as a whole: the share of rows without a median, which one row of a small page exceeds; the order and
 * the length of rows, by which records of several rows are known to be whole; the type that names a listing.
 */
const CHECK_OF_PAGE = /% expected$|^rows are not in the order|^line \d+ has \d+ fields, expected \d+$|types found/u;

/** What odd values in a cell of each column do to the other rows of a page: one line for each that loses them. */
export async function lostToOddCells({ spec, page, truth, isOfSeveralRows }: Subject, random: Draw): Promise<string[]> {
  const lost: string[] = [];
  for (const { where, bytes } of oddCells(page.bytes, random)) {
    const rows = await rowsOf(spec, pageOf(bytes, page)).then(
      (read) => read.rows,
      (error: unknown) => (error instanceof Quarantine ? error : Promise.reject(new Error(where, { cause: error }))),
    );
    const changed =
      rows instanceof Quarantine
        ? rows.message
        : [...truth].filter(([key, values]) => JSON.stringify(rows.get(key)) !== JSON.stringify(values)).length;
    if (typeof changed === 'string' ? !CHECK_OF_PAGE.test(changed) : changed > (isOfSeveralRows ? 2 : 1))
      lost.push(`${where}: ${changed}`);
  }
  return lost;
}

const difference = (field: string, found: unknown, expected: unknown): string =>
  `${field} is ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`;

/** The outcome of one damaged page. */
async function classify(subject: Subject, variant: Variant): Promise<Pick<Finding, 'outcome' | 'detail'>> {
  const { spec, page, truth, rejectedKeys } = subject;
  const damaged = pageOf(variant.bytes, page);
  let found: Read;
  try {
    // The pipeline would report a crash of the parser as a quarantine, so the parser runs alone first.
    try {
      await candidatesOf(spec, [damaged]);
    } catch (error) {
      if (!(error instanceof Quarantine)) throw error;
    }
    found = await rowsOf(spec, damaged);
  } catch (error) {
    if (error instanceof Quarantine) return { outcome: 'quarantined', detail: `${error.reason}: ${error.message}` };
    return { outcome: 'crash', detail: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  const differing: string[] = [];
  const repaired: string[] = [];
  let missing = [...truth.keys()].filter((key) => !found.rows.has(key)).length;
  for (const [key, row] of found.rows) {
    const before = truth.get(key);
    const fields = before ? Object.keys(row).filter((f) => row[f] !== before[f]) : [];
    if (!before && rejectedKeys.has(key)) repaired.push(`${key} is no longer rejected`);
    else if (!before) differing.push(`${key} is not on the page`);
    else if (fields.some((f) => row[f] !== null && row[f] !== 'unknown'))
      differing.push(`${key}: ${fields.map((f) => difference(f, row[f], before?.[f])).join('; ')}`);
    else if (fields.length > 0) missing += 1;
  }
  const detail = differing.join(' | ').slice(0, 600);
  if (differing.length > variant.undetectable) return { outcome: 'wrong', detail };
  if (differing.length + repaired.length > 0)
    return { outcome: 'undetectable', detail: detail || repaired.join(' | ') };
  if (found.rejects > 0 && missing > 0) return { outcome: 'rejected', detail: `${found.rejects} rejected` };
  return missing > 0
    ? { outcome: 'incomplete', detail: `${missing} rows or values are missing` }
    : { outcome: 'equal', detail: '' };
}

/** Mutations that may change a heading. */
const HEADINGS = /^(?:name_changed|hole_cut|sign_dropped|bytes_changed|digit_changed|bytes_not_utf8|nul_put_in)/u;

/** Sources that may leave out blank fields: a renamed field of one row, such as the unit, is as if it were blank. */
const LEAVES_OUT_BLANKS: ReadonlySet<string> = new Set(['reso_sandbox_mls']);

/** Sources that print a unit mix by lines: a repeated line is another mix, which models compare with the units. */
const PRINTS_UNIT_MIX: ReadonlySet<string> = new Set(['heartland_multifamily']);

/** Number of records that damage may change without a sign. */
function undetectableIn({ spec, isOfSeveralRows }: Subject, mutation: string, variant: Variant): number {
  // In a file without a fixed layout an unknown heading is ignored, so a damaged heading is another valid layout.
  if (!spec.fetch && HEADINGS.test(mutation)) return Infinity;
  if (mutation === 'name_changed' && LEAVES_OUT_BLANKS.has(spec.name)) return 1;
  if (mutation === 'line_repeated' && PRINTS_UNIT_MIX.has(spec.name)) return 1;
  return isOfSeveralRows ? 2 * variant.undetectable : variant.undetectable;
}

/** Damage a family's recorded pages `variants` times, all pages and mutations in rotation. Deterministic by seed. */
export async function fuzz(
  family: string,
  pages: readonly Subject[],
  variants: number,
  seed: number,
  onFinding: (finding: Finding) => void,
): Promise<void> {
  const plain = Object.entries(MUTATIONS);
  const inside: [string, Mutation][] = plain.map(([name, mutation]) => [`${name} inside`, insideZip(mutation)]);
  const rotation = pages.map((page) => ({
    page,
    kinds: isZip(page.page.bytes) ? [...plain, ...inside] : plain,
    next: 0,
  }));
  let done = 0;
  for (let number = 0; done < variants; number += 1) {
    const current = rotation[number % rotation.length];
    if (!current) return;
    const [mutation, mutate] = current.kinds[current.next % current.kinds.length] ?? [];
    current.next += 1;
    const id = `${seed} ${family} ${number}`;
    const variant = mutate?.(current.page.page.bytes, new Draw(id));
    if (!variant || mutation === undefined) continue;
    done += 1;
    const undetectable = undetectableIn(current.page, mutation, variant);
    onFinding({
      source: current.page.spec.name,
      case: current.page.name,
      mutation,
      seed: id,
      ...(await classify(current.page, { ...variant, undetectable })),
    });
  }
}
