/** Parse damaged pages and say what became of each: the figures behind "never a wrong value accepted silently". */
import { readFile } from 'node:fs/promises';
import { Draw } from '../../sandbox/world/random.ts';
import { Quarantine, type Page, type SourceSpec } from '../../sources/contract.ts';
import { findSources } from '../../sources/index.ts';
import { candidatesOf, parsed } from '../sources/parsed.ts';
import { bodyOf, pageOf, RecordedPages } from '../sources/recorded.ts';
import { insideZip, isZip, MUTATIONS, type Mutation, type Variant } from './mutations.ts';

export const OUTCOMES = ['crash', 'wrong', 'undetectable', 'incomplete', 'rejected', 'quarantined', 'equal'] as const;
/**
 * crash          parse threw something other than a Quarantine
 * wrong          more rows say something else than the damage can hide
 * undetectable   by design: the damage left another well-formed value in its place
 * incomplete     rows or values are missing, none is false; the counts of a whole read guard against it
 * rejected       the damaged rows are refused, the others equal to the truth
 * quarantined    the page is set aside
 * equal          every row is as it was
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

interface Subject {
  readonly spec: SourceSpec;
  readonly name: string;
  readonly page: Page;
  readonly truth: ReadonlyMap<string, Values>;
  /** Keys of rows that are refused on the whole page: damage may take away what they were refused for. */
  readonly refused: ReadonlySet<string>;
}

/** What a row says: its place on the page and the page's hash are not part of it. */
const said = ({ page_row: _row, page_sha256: _hash, ...rest }: Values): Values => rest;

interface Read {
  readonly rows: ReadonlyMap<string, Values>;
  readonly rejects: number;
  readonly refused: ReadonlySet<string>;
}

async function rowsOf(spec: SourceSpec, page: Page): Promise<Read> {
  const read = await parsed(spec, [page]);
  return {
    rows: new Map(read.rows.map((row) => [JSON.stringify(spec.row.key.map((k) => row[k])), said(row)])),
    rejects: read.rejects.length,
    refused: new Set(read.rejectedKeys.map((key) => JSON.stringify(spec.row.key.map((k) => key[k])))),
  };
}

/** Recorded pages that give rows, by family. */
export async function subjects(): Promise<Map<string, Subject[]>> {
  const families = new Map<string, Subject[]>();
  for (const { spec, folder } of await findSources()) {
    const recorded = new URL('recorded/', folder);
    // An adapter without recorded pages is the fleet test's to name.
    const cases = RecordedPages.parse(
      JSON.parse(await readFile(new URL('pages.json', recorded), 'utf8').catch(() => '{}')),
    );
    for (const [name, each] of Object.entries(cases)) {
      if (each.quarantine !== undefined) continue;
      const page = pageOf((await bodyOf(each, recorded)).bytes, each);
      const { rows: truth, refused } = await rowsOf(spec, page);
      if (truth.size > 0)
        families.set(spec.family, [...(families.get(spec.family) ?? []), { spec, name, page, truth, refused }]);
    }
  }
  return families;
}

/** What became of one damaged page. */
async function judge(subject: Subject, variant: Variant): Promise<Pick<Finding, 'outcome' | 'detail'>> {
  const { spec, page, truth, refused } = subject;
  const damaged = pageOf(variant.bytes, page);
  let found: Read;
  try {
    // In a read a defect of a parser would look like a page it does not know.
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
  const mended: string[] = [];
  let lacking = [...truth.keys()].filter((key) => !found.rows.has(key)).length;
  for (const [key, row] of found.rows) {
    const before = truth.get(key);
    const fields = before ? Object.keys(row).filter((f) => row[f] !== before[f]) : [];
    if (!before && refused.has(key)) mended.push(`${key} is no longer refused`);
    else if (!before) differing.push(`${key} is not on the page`);
    else if (fields.some((f) => row[f] !== null && row[f] !== 'unknown'))
      differing.push(
        `${key}: ${fields.map((f) => `${f} is ${JSON.stringify(row[f])}, true ${JSON.stringify(before[f])}`).join('; ')}`,
      );
    else if (fields.length > 0) lacking += 1;
  }
  const detail = differing.join(' | ').slice(0, 600);
  if (differing.length > variant.hidden) return { outcome: 'wrong', detail };
  if (differing.length + mended.length > 0) return { outcome: 'undetectable', detail: detail || mended.join(' | ') };
  if (found.rejects > 0 && lacking > 0) return { outcome: 'rejected', detail: `${found.rejects} refused` };
  return lacking > 0
    ? { outcome: 'incomplete', detail: `${lacking} rows or values are missing` }
    : { outcome: 'equal', detail: '' };
}

/** Damage that may fall on a heading. */
const HEADINGS = /^(?:name_changed|hole_cut|sign_dropped|bytes_changed|digit_changed|bytes_not_utf8|nul_put_in)/u;

/**
 * Damage a family's recorded pages `variants` times, every page and every mutation in turn.
 * The same seed gives the same variants.
 */
export async function fuzz(
  family: string,
  pages: readonly Subject[],
  variants: number,
  seed: number,
  tell: (finding: Finding) => void,
): Promise<void> {
  const plain = Object.entries(MUTATIONS);
  const inside: [string, Mutation][] = plain.map(([name, mutation]) => [`${name} inside`, insideZip(mutation)]);
  const turns = pages.map((page) => ({ page, kinds: isZip(page.page.bytes) ? [...plain, ...inside] : plain, next: 0 }));
  let told = 0;
  for (let number = 0; told < variants; number += 1) {
    const turn = turns[number % turns.length];
    if (!turn) return;
    const [mutation, mutate] = turn.kinds[turn.next % turn.kinds.length] ?? [];
    turn.next += 1;
    const id = `${seed} ${family} ${number}`;
    const variant = mutate?.(turn.page.page.bytes, new Draw(id));
    if (!variant || mutation === undefined) continue;
    told += 1;
    // In a file of any layout a heading that means nothing is passed over, so damage to one is another layout.
    const hidden = !turn.page.spec.fetch && HEADINGS.test(mutation) ? Infinity : variant.hidden;
    tell({
      source: turn.page.spec.name,
      case: turn.page.name,
      mutation,
      seed: id,
      ...(await judge(turn.page, { ...variant, hidden })),
    });
  }
}
