/** CHANGES.md and changes.json of a release: what changed since the previous release, by table and column. */
import { join } from 'node:path';
import { DamagedFile, readJson } from '../../lib/files.ts';
import { cell, table } from '../../lib/markdown.ts';
import { diffTables, type TableDiff, type TableFolder } from '../analyse/diff/diff.ts';
import { number } from '../format.ts';
import { DataPackage } from './data_package.ts';

type Resource = DataPackage['resources'][number];
type Field = Resource['schema']['fields'][number];

/** A released folder with its descriptor. */
export interface Released {
  readonly folder: string;
  readonly dataPackage: DataPackage;
}

export interface TableChanges {
  readonly table: string;
  /** Rows before and after; null where a release does not have the table. */
  readonly rows: readonly [before: number | null, after: number | null];
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  /** Columns in order. `rows` is the number of rows with another value. */
  readonly columns: readonly {
    readonly column: string;
    readonly change: 'new' | 'removed' | 'type' | 'meaning' | 'values';
    readonly rows: number | null;
    readonly note: string | null;
  }[];
}

export interface Changelog {
  readonly release: string;
  /** The release before; null for the first. */
  readonly previous: string | null;
  readonly tables: readonly TableChanges[];
}

/** Descriptor of a release on disk. @throws DamagedFile if it is missing or malformed */
export async function readReleased(folder: string): Promise<Released> {
  const path = join(folder, 'datapackage.json');
  const checked = DataPackage.safeParse(await readJson(path));
  if (!checked.success) throw new DamagedFile(`${path} is missing or is not a descriptor of a release`);
  return { folder, dataPackage: checked.data };
}

const foldersOf = ({ folder, dataPackage }: Released): TableFolder => ({
  folder,
  tables: Object.fromEntries(dataPackage.resources.map(({ name, path, rows }) => [name, { file: path, rows }])),
});

const fieldsOf = (resource: Resource | undefined): readonly Field[] => resource?.schema.fields ?? [];

/** Columns of one table that are new, removed, of another type or meaning, or have other values. */
function columnChanges(
  before: Resource | undefined,
  after: Resource | undefined,
  diff: TableDiff | undefined,
): TableChanges['columns'] {
  const old = new Map(fieldsOf(before).map((field) => [field.name, field]));
  const kept = new Set(fieldsOf(after).map(({ name }) => name));
  const changed = new Map(diff?.fields.map(({ field, changes }) => [field, changes]));
  const ofField = (field: Field): TableChanges['columns'] => {
    const { name: column } = field;
    const was = old.get(column);
    if (!was) return [{ column, change: 'new', rows: null, note: null }];
    const rows = changed.get(column);
    return [
      ...(was.type === field.type
        ? []
        : [{ column, change: 'type' as const, rows: null, note: `${was.type} -> ${field.type}` }]),
      ...(was.description === field.description
        ? []
        : [{ column, change: 'meaning' as const, rows: null, note: `before: ${was.description}` }]),
      ...(rows === undefined ? [] : [{ column, change: 'values' as const, rows, note: null }]),
    ];
  };
  const removed = [...old.keys()].filter((name) => !kept.has(name));
  return [
    ...fieldsOf(after).flatMap(ofField),
    ...removed.map((column) => ({ column, change: 'removed' as const, rows: null, note: null })),
  ];
}

/** Compare two releases, every column of every table. @param before null for the first release */
export async function buildChangelog(before: Released | null, after: Released): Promise<Changelog> {
  const release = after.dataPackage.version;
  if (before === null) return { release, previous: null, tables: [] };
  const { tables: diffs, duck } = await diffTables(foldersOf(before), foldersOf(after), { includeAll: true });
  duck.close();
  const find = ({ dataPackage }: Released, name: string): Resource | undefined =>
    dataPackage.resources.find((resource) => resource.name === name);
  const names = [...after.dataPackage.resources, ...before.dataPackage.resources].map(({ name }) => name);
  const tables = [...new Set(names)].map((name): TableChanges => {
    const [old, now] = [find(before, name), find(after, name)];
    const diff = diffs.find(({ table: compared }) => compared === name);
    return {
      table: name,
      rows: [old?.rows ?? null, now?.rows ?? null],
      added: diff?.added ?? 0,
      removed: diff?.removed ?? 0,
      changed: diff?.changed ?? 0,
      columns: old && now ? columnChanges(old, now, diff) : [],
    };
  });
  return { release, previous: before.dataPackage.version, tables };
}

const WORDS = {
  new: 'new column',
  removed: 'removed column',
  type: 'another type',
  meaning: 'another description',
  values: 'other values',
} as const;

const rowsText = (rows: number | null): string => (rows === null ? 'none' : number(rows));

function tableText({ table: name, rows, added, removed, changed, columns }: TableChanges): readonly string[] {
  const head = `## ${name}`;
  const [before, after] = rows;
  if (before === null) return [head, `New table with ${rowsText(after)} rows.`];
  if (after === null) return [head, `The table is no longer released. It had ${rowsText(before)} rows.`];
  const counts =
    `${rowsText(before)} -> ${rowsText(after)} rows: ${number(added)} added, ${number(removed)} removed, ` +
    `${number(changed)} changed.`;
  if (columns.length === 0) return [head, counts];
  return [
    head,
    counts,
    table(
      ['column', 'change', 'rows', 'note'],
      columns.map(({ column, change, rows: n, note }) => [
        `\`${column}\``,
        WORDS[change],
        n === null ? '' : number(n),
        cell(note ?? ''),
      ]),
    ),
  ];
}

/** CHANGES.md. */
export const changelogPage = ({ release, previous, tables }: Changelog): string =>
  [
    `# Changes in release ${release}`,
    ...(previous === null
      ? ['This is the first release in its folder.']
      : [
          `Compared with release ${previous}, by the keys of the tables. \`changes.json\` has the same for programs.`,
          ...tables.flatMap(tableText),
        ]),
  ].join('\n\n');
