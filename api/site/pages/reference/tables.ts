/** Tables of parameters and fields: two columns that also fit a phone, the type below the name. */
import { html, type Html, type Piece } from '../../html.ts';
import type { Enums } from './enums.ts';
import type { ParamEntry } from './model.ts';
import { recordPath } from './paths.ts';
import { parentOf, type FieldRow } from './rows.ts';

/** Pieces separated by commas. */
export const listed = (pieces: readonly Piece[], between = ', '): Piece =>
  pieces.map((piece, i) => html`${i > 0 && between}${piece}`);

/** Longest list of values that is shown in place of a link with their number. */
const MAX_VALUES = 26;

/** "one of Hot, Warm, Pass", or "one of 7 values"; a link to their meanings. */
function valuesLink(values: readonly unknown[], enums: Enums): Html {
  const names = values.join(', ');
  const text = values.length > 1 && names.length <= MAX_VALUES ? names : `${values.length} values`;
  return html`one of <a href="${enums.hrefOf(values)}">${values.length === 1 ? values[0]?.toString() : text}</a>`;
}

function typeText({ type, unit, isNullable, absent }: FieldRow, enums: Enums): Piece {
  const list = type.text.startsWith('list of ') ? 'list, each ' : '';
  const words: Piece = type.values
    ? html`${list}${valuesLink(type.values, enums)}`
    : type.record === undefined
      ? type.text
      : html`<a href="${recordPath(type.record)}">${type.text}</a>`;
  return html`${words}${unit !== undefined && `, ${unit}`}${isNullable && absent === undefined && ', or null'}`;
}

const sharedText = ({ record, names }: NonNullable<FieldRow['shared']>): Html =>
  html` ${names.length} fields of <a href="${recordPath(record)}">${record}</a>:
    <details>
      <summary>their names</summary>
      <p class="ref-names">${names.join(', ')}</p>
    </details>`;

const row = (id: string | undefined, name: Html, type: Piece, meaning: Piece): Html =>
  html`<tr role="row" ${id !== undefined && html`id="${id}"`}>
    <th role="rowheader">${name}<small>${type}</small></th>
    <td role="cell">${meaning}</td>
  </tr>`;

const table = (label: string, head: string, rows: Piece): Html =>
  html`<table class="ref-fields" role="table" aria-label="${label}">
    <thead role="rowgroup">
      <tr role="row">
        <th scope="col" role="columnheader">${head}</th>
        <th scope="col" role="columnheader">Meaning</th>
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${rows}
    </tbody>
  </table>`;

/** The name, with the objects that it is in set back. */
function pathName(path: string): Html {
  const parent = parentOf(path);
  return html`<code>${parent !== '' && html`<span>${parent}</span>`}${path.slice(parent.length)}</code>`;
}

/** @param anchorOf anchor of a field; undefined if nothing links to it */
export const fieldTable = (
  label: string,
  rows: readonly FieldRow[],
  enums: Enums,
  anchorOf: (field: FieldRow) => string | undefined,
): Html =>
  table(
    label,
    'Field',
    rows.map((field) =>
      row(
        anchorOf(field),
        pathName(field.path),
        typeText(field, enums),
        html`${field.about}${
          field.absent !== undefined && html` <span class="ref-absent"><b>Null when</b> ${field.absent}.</span>`
        }${field.shared && sharedText(field.shared)}`,
      ),
    ),
  );

export const paramTable = (label: string, params: readonly ParamEntry[], enums: Enums): Html =>
  table(
    label,
    'Parameter',
    params.map(({ name, isInPath, about, expected, values }) =>
      row(
        name,
        html`<code>${name}</code>`,
        html`${isInPath && 'required, in the path; '}${values ? valuesLink(values, enums) : expected}`,
        about,
      ),
    ),
  );
