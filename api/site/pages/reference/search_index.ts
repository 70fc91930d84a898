/** Search over endpoints, parameters, fields, values and errors. */
import { PROBLEMS, type Reason } from '../../../http/problem.ts';
import type { Route } from '../../../routes/define.ts';
import { meaningsOf } from './enums.ts';
import { modelOf, type Endpoint, type Model } from './model.ts';
import { errorPath } from './paths.ts';
import { fieldPath, RECORDS } from './records.ts';
import { anchorOf } from './rows.ts';

export interface Entry {
  readonly kind: 'endpoint' | 'parameter' | 'record' | 'field' | 'value' | 'error';
  readonly name: string;
  /** What the entry is part of. */
  readonly of: string;
  readonly about: string;
  readonly href: string;
}

/** Kinds in the order in which equally good entries are shown. */
const ORDER: readonly Entry['kind'][] = ['endpoint', 'record', 'field', 'parameter', 'value', 'error'];

/** A parameter of several endpoints is one entry, if it means the same. */
function paramEntries(endpoints: readonly Endpoint[]): Entry[] {
  const found = new Map<string, { entry: Entry; paths: string[] }>();
  for (const { path, href, params } of endpoints) {
    for (const { name, about } of params) {
      const key = `${name} ${about}`;
      const known = found.get(key);
      if (known) known.paths.push(path);
      else
        found.set(key, { entry: { kind: 'parameter', name, of: '', about, href: `${href}#${name}` }, paths: [path] });
    }
  }
  return [...found.values()].map(({ entry, paths }) => ({
    ...entry,
    of: `${paths.slice(0, 3).join(', ')}${paths.length > 3 ? ` and ${paths.length - 3} more` : ''}`,
  }));
}

const valueEntries = ({ enums }: Model): Entry[] =>
  enums.all.flatMap(({ id, values, uses }) => {
    const meanings = uses.map(({ about }) => meaningsOf(values, about).of);
    return values.map((value) => ({
      kind: 'value' as const,
      name: value,
      of: id,
      about: meanings.find((of) => of.has(value))?.get(value) ?? '',
      href: enums.hrefOf(values),
    }));
  });

function entriesOf(model: Model): readonly Entry[] {
  return [
    ...model.endpoints.map(({ path, href, summary, price }) => ({
      kind: 'endpoint' as const,
      name: path,
      of: price,
      about: summary,
      href,
    })),
    ...RECORDS.map(({ name, about, parts }) => ({
      kind: 'record' as const,
      name,
      of: '',
      about,
      href: parts[0]?.path ?? '',
    })),
    ...[...model.columnRows].flatMap(([key, rows]) => {
      const [record = ''] = key.split('.');
      return rows.map(({ path, about }) => ({
        kind: 'field' as const,
        name: path,
        of: record,
        about,
        href: fieldPath(record, anchorOf({ path })),
      }));
    }),
    ...paramEntries(model.endpoints),
    ...valueEntries(model),
    ...(Object.keys(PROBLEMS) as Reason[]).map((reason) => ({
      kind: 'error' as const,
      name: reason,
      of: String(PROBLEMS[reason].status),
      about: PROBLEMS[reason].title,
      href: errorPath(reason),
    })),
  ];
}

/** Lower case, with one space between words: "deal_score" and "deal score" are the same. */
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** An entry with its name and all of its words as they are compared. */
interface Indexed {
  readonly entry: Entry;
  readonly name: string;
  readonly all: string;
}

const indexes = new WeakMap<Model, readonly Indexed[]>();

function indexOf(model: Model): readonly Indexed[] {
  const index =
    indexes.get(model) ??
    entriesOf(model).map((entry) => {
      const [name, of, about] = [entry.name, entry.of, entry.about].map(plain);
      return { entry, name: name ?? '', all: `${name} ${of} ${about}` };
    });
  indexes.set(model, index);
  return index;
}

/** How well an entry fits: 0 if a word is missing from it. */
function rankOf({ name, all }: Indexed, query: string, words: readonly string[]): number {
  if (!words.every((word) => all.includes(word))) return 0;
  if (name === query) return 5;
  if (name.startsWith(query)) return 4;
  if (` ${name}`.includes(` ${query}`)) return 3;
  return words.every((word) => name.includes(word)) ? 2 : 1;
}

/** The entries that have every word of the query, best first. */
export function searchReference(routes: readonly Route[], text: string): readonly Entry[] {
  const query = plain(text);
  if (query === '') return [];
  const words = query.split(' ');
  return indexOf(modelOf(routes))
    .map((indexed) => ({ entry: indexed.entry, rank: rankOf(indexed, query, words) }))
    .filter(({ rank }) => rank > 0)
    .sort(
      (a, b) =>
        b.rank - a.rank ||
        ORDER.indexOf(a.entry.kind) - ORDER.indexOf(b.entry.kind) ||
        a.entry.name.length - b.entry.name.length,
    )
    .map(({ entry }) => entry);
}
