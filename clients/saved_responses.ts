/** Answers that were paid for, kept as files so that none is lost, and cut to what an agent can read at once. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** Largest answer handed over whole, in characters. */
const MOST_CHARACTERS = 60_000;
const LINES_SHOWN = 20;

/** Write an answer to a file of its own in `folder`. Returns its path. */
export async function keep(folder: string, name: string, type: string, text: string, at = new Date()): Promise<string> {
  await mkdir(folder, { recursive: true });
  const stamp = at.toISOString().replaceAll(/[-:]/g, '').replace('.', '-').replace('Z', '');
  const path = resolve(
    join(folder, `${stamp}-${name}.${type.endsWith('json') ? 'json' : type === 'text/csv' ? 'csv' : 'txt'}`),
  );
  await writeFile(path, text, { mode: 0o600, flag: 'wx' });
  return path;
}

/** An answer with only these fields of each of its records. */
export function withFields(text: string, fields: readonly string[]): string {
  const body = JSON.parse(text) as Record<string, unknown>;
  if (!Array.isArray(body['records'])) return text;
  return JSON.stringify({
    ...body,
    records: (body['records'] as Record<string, unknown>[]).map((record) =>
      Object.fromEntries(fields.map((name) => [name, record[name]])),
    ),
  });
}

/** What is shown of an answer. `shown` says what was left out, where anything was. */
export function cut(type: string, text: string): { readonly body: unknown; readonly shown?: string } {
  if (!type.endsWith('json')) {
    const lines = text.split('\n');
    if (text.length <= MOST_CHARACTERS) return { body: text };
    return {
      body: lines.slice(0, LINES_SHOWN).join('\n'),
      shown: `the first ${LINES_SHOWN} of ${lines.length} lines; the file has all of them`,
    };
  }
  const body = JSON.parse(text) as Record<string, unknown>;
  if (text.length <= MOST_CHARACTERS || !Array.isArray(body['records'])) return { body };
  const records = body['records'] as unknown[];
  let [kept, room] = [0, MOST_CHARACTERS];
  while (kept < records.length && (room -= JSON.stringify(records[kept]).length) > 0) kept += 1;
  return {
    body: { ...body, records: records.slice(0, Math.max(1, kept)) },
    shown: `the first ${Math.max(1, kept)} of ${records.length} records; the file has all of them`,
  };
}
