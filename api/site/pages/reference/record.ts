/** Pages of records: every field with its type, unit, meaning and absence rule, and the groups that `fields` takes. */
import { html, type Html } from '../../html.ts';
import type { Page, PageContext } from '../../page.ts';
import { referenceFrame } from './frame.ts';
import { modelOf } from './model.ts';
import { LISTS_PATH } from './paths.ts';
import { fieldPath, type RecordEntry, type RecordPart } from './records.ts';
import { anchorOf } from './rows.ts';
import { fieldTable, listed } from './tables.ts';

const sectionId = (group: string): string => `group-${group}`;

/** Endpoints whose answers have the record. */
function soldBy(record: string, { site }: PageContext): Html {
  const endpoints = modelOf(site.routes).endpoints.filter(({ bodies }) =>
    bodies.some(({ rows }) => rows.some(({ type, shared }) => type.record === record || shared?.record === record)),
  );
  return html`<p>
    In the responses of ${listed(endpoints.map(({ path, href }) => html`<a href="${href}"><code>${path}</code></a>`))}.
  </p>`;
}

const groupList = ({ name, groups, definition }: RecordEntry): Html =>
  html`<section id="groups">
    <h2>Groups of fields</h2>
    <p>
      <code>fields</code> of <a href="${LISTS_PATH}#fields">a list</a> takes names of fields and of these groups.
      ${
        groups.byDefault
          ? html`Without it, a record has ${groups.byDefault.join(', ')}.`
          : 'Without it, a record has all fields.'
      }
    </p>
    <dl class="ref-groups">
      ${Object.entries(groups.groups).map(([group, members]) => {
        const own = definition.columns.filter((column) => members.includes(column.name));
        return html`<dt><code>${group}</code></dt>
          <dd class="ref-names">
            ${listed(own.map((column) => html`<a href="${fieldPath(name, column.name)}">${column.name}</a>`))}
          </dd>`;
      })}
    </dl>
  </section>`;

const absentRow = (record: string): Html =>
  html`<p>
    A field that may be null says when. <code>absent</code> of each ${record} has the reason for each field that is
    null.
  </p>`;

const groupsIn = ({ sections }: RecordPart): readonly string[] =>
  sections.flatMap(({ group }) => (group === undefined ? [] : [group]));

/** Where the fields are, and which answers have them. */
function summary({ name, parts, definition }: RecordEntry, current: RecordPart, context: PageContext): Html {
  const links = parts.map((part) =>
    part === current ? 'this one' : html`<a href="${part.path}">${groupsIn(part).join(', ')}</a>`,
  );
  return html`<p>
      ${definition.columns.length} fields. ${parts.length > 1 && html`They are on these pages: ${listed(links, '; ')}.`}
    </p>
    ${soldBy(name, context)}${absentRow(name)}`;
}

function content(record: RecordEntry, part: RecordPart, context: PageContext): Html {
  const model = modelOf(context.site.routes);
  const { name, about, parts } = record;
  const isFirst = part === parts[0];
  const named = groupsIn(part);
  const toc = [
    ...(named.length > 0
      ? named.map((group) => ({ id: sectionId(group), title: group }))
      : [{ id: 'fields', title: 'Fields' }]),
    ...(isFirst ? [{ id: 'groups', title: 'Groups of fields' }] : []),
  ];
  return referenceFrame(
    context,
    { path: part.path, toc },
    {
      lead: html`<p class="ref-group">Record</p>
        <h1>${name}${named.length > 0 && html`<small>: ${named.join(', ')}</small>`}</h1>
        <p class="lead">${about}</p>
        ${isFirst && summary(record, part, context)}`,
      content: html`${part.sections.map(({ group, columns }) => {
        const rows = columns.flatMap((column) => model.columnRows.get(`${name}.${column.name}`) ?? []);
        const label = `Fields of ${name}${group === undefined ? '' : `: ${group}`}`;
        return html`<section id="${group === undefined ? 'fields' : sectionId(group)}">
          <h2>${group ?? 'Fields'}</h2>
          ${fieldTable(label, rows, model.enums, anchorOf)}
        </section>`;
      })}
      ${isFirst && groupList(record)}`,
    },
  );
}

/** The pages of a record. */
export const recordPages = (record: RecordEntry): readonly Page[] =>
  record.parts.map((part) => {
    const groups = groupsIn(part);
    const title = `${record.name} record${groups.length > 0 ? `: ${groups.join(', ')}` : ''}`;
    return {
      path: part.path,
      title,
      cache: 'snapshot',
      about: `Fields of the ${title} with type, unit, meaning and absence rule.`,
      content: (context) => content(record, part, context),
    };
  });
