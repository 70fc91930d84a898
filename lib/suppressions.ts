/**
 * Ids of records and names that people asked to have left out: written by each run, and obeyed by servers at once, in
 * the snapshots of before too. Names are sealed: the files that a run writes have only their hashes.
 */
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writeWhole } from './files.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;

/** A name to compare: without case and signs, as pages print "Doe, Jane" and "DOE JANE". */
const plain = (name: string): string =>
  name
    .replace(/[^A-Za-z0-9]+/gu, ' ')
    .trim()
    .toLowerCase();

/** A sealed name: its length, which spares most comparisons, and its hash. */
const sealed = (name: string): string => `${name.length}:${hash('sha256', name)}`;

/** The id of a record as it is, a name sealed; null if it has no letter. */
export function sealSubject(subject: string): string | null {
  const id = subject.trim().toLowerCase();
  const name = plain(subject);
  return UUID.test(id) ? id : name === '' ? null : sealed(name);
}

/** SQL of a name as `sealSubject` has it. */
export function sealedSql(name: string): string {
  const text = `lower(trim(regexp_replace(${name}, '[^A-Za-z0-9]+', ' ', 'g')))`;
  return `concat(length(${text}), ':', sha256(${text}))`;
}

/** Tests whether a text is one of the ids and names that are left out. */
export function suppressionTest(subjects: readonly string[]): (text: string) => boolean {
  const known = new Set(subjects);
  const lengths = new Set(subjects.map((subject) => Number(/^(\d+):/u.exec(subject)?.[1] ?? subject.length)));
  return (text) => {
    const name = plain(text);
    return lengths.has(name.length) && (known.has(sealed(name)) || known.has(text.trim().toLowerCase()));
  };
}

/** Most words of a name that is found within a text. */
const MAX_WORDS = 12;

/** Tests whether a text, such as the line of a refused row, has one of them among its words. */
export function suppressionSearch(subjects: readonly string[]): (text: string) => boolean {
  if (subjects.length === 0) return () => false;
  const isLeftOut = suppressionTest(subjects);
  return (text) => {
    const words = plain(text).split(' ');
    return words.some((_, first) =>
      words
        .slice(first, first + MAX_WORDS)
        .some((__, more) => isLeftOut(words.slice(first, first + more + 1).join(' '))),
    );
  };
}

export const Suppressed = z.array(z.string().regex(/^(?:\d+:[0-9a-f]{64}|[0-9a-f-]{36})$/u));

const fileIn = (dataDir: string): string => join(dataDir, 'suppressed.json');

/** Empty before the first request. @throws ZodError, DamagedFile */
export const readSuppressed = async (dataDir: string): Promise<readonly string[]> =>
  Suppressed.parse((await readJson(fileIn(dataDir))) ?? []);

/** @param subjects sealed */
export async function writeSuppressed(dataDir: string, subjects: readonly string[]): Promise<void> {
  const before = JSON.stringify(await readSuppressed(dataDir));
  if (before !== JSON.stringify(subjects)) await writeWhole(fileIn(dataDir), `${JSON.stringify(subjects)}\n`);
}
