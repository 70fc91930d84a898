/** The records of the API, and the pages that their fields are on: a long record has a page for each group. */
import type { Column, RecordDefinition } from '../../../../lib/record.ts';
import { FIELD_GROUPS, type FieldGroups } from '../../../routes/list/field_groups.ts';
import { TABLES } from '../../../snapshot/tables.ts';
import { recordPath } from './paths.ts';

/** Most fields of a page. The groups of a longer record go onto several pages, in order. */
const MAX_FIELDS = 70;

/** Fields of a record under one heading. */
export interface FieldSection {
  /** Name that `fields` accepts; undefined if the record is short enough to be shown as one table. */
  readonly group: string | undefined;
  readonly columns: readonly Column[];
}

export interface RecordPart {
  readonly path: string;
  readonly sections: readonly FieldSection[];
}

export interface RecordEntry {
  readonly name: string;
  readonly about: string;
  readonly definition: RecordDefinition;
  readonly groups: FieldGroups;
  /** The first one is the record's own page. */
  readonly parts: readonly RecordPart[];
}

/** Each field is in the first group that has it. */
function sectionsOf(columns: readonly Column[], { groups }: FieldGroups): readonly FieldSection[] {
  const left = new Set(columns);
  const sections = Object.entries(groups).map(([group, members]) => {
    const own = columns.filter((column) => left.has(column) && members.includes(column.name));
    for (const column of own) left.delete(column);
    return { group, columns: own };
  });
  return [...sections, { group: 'other', columns: [...left] }].filter((section) => section.columns.length > 0);
}

function partsOf({ name, columns }: RecordDefinition, groups: FieldGroups): readonly RecordPart[] {
  if (columns.length <= MAX_FIELDS) return [{ path: recordPath(name), sections: [{ group: undefined, columns }] }];
  const pages: FieldSection[][] = [];
  for (const section of sectionsOf(columns, groups)) {
    const page = pages.at(-1);
    const fields = (page ?? []).reduce((sum, of) => sum + of.columns.length, section.columns.length);
    if (page && fields <= MAX_FIELDS) page.push(section);
    else pages.push([section]);
  }
  return pages.map((sections, i) => ({
    path: i === 0 ? recordPath(name) : recordPath(name, sections[0]?.group),
    sections,
  }));
}

export const RECORDS: readonly RecordEntry[] = (
  Object.entries(FIELD_GROUPS) as [keyof typeof FIELD_GROUPS, FieldGroups][]
).map(([table, groups]) => {
  const definition: RecordDefinition = TABLES[table];
  return { name: definition.name, about: definition.about, definition, groups, parts: partsOf(definition, groups) };
});

/** Where a field of a record is described; "property_tax.rate_basis" is next to its column. */
export function fieldPath(record: string, field: string): string {
  const [column] = field.split(/[.[]/u);
  const part = RECORDS.find(({ name }) => name === record)?.parts.find(({ sections }) =>
    sections.some(({ columns }) => columns.some(({ name }) => name === column)),
  );
  return `${part?.path ?? recordPath(record)}#${field}`;
}
