/** The form of the query builder: fields in groups, with choices from the snapshot and errors at their fields. */
import { PROPERTY_KINDS, SIGNAL_TYPES } from '../../../../models/fields.ts';
import type { Route } from '../../../routes/define.ts';
import { paramFacts } from '../../../routes/params.ts';
import { html, type Html } from '../../html.ts';
import type { CheckedQuery } from './errors.ts';
import { choiceText, fieldOf, GROUPS } from './fields.ts';
import type { PlaceChoices } from './places.ts';

/** Parameters for paging, which are no filters. */
export const PAGING = new Set(['cursor']);
/** A range that ends above this is not shown as a hint. */
const MAX_HINT_RANGE = 1_000;
/** Values of parameters that take a text of a closed list. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  signal_type: SIGNAL_TYPES,
  property_kind: PROPERTY_KINDS,
};

export interface Form {
  readonly route: Route;
  readonly given: ReadonlyMap<string, string>;
  readonly errors: CheckedQuery['errors'];
  readonly places: PlaceChoices | null;
}

interface Choice {
  readonly value: string;
  readonly text: string;
  /** Metro of a county. */
  readonly group?: string;
}

/** Choices of a closed list; undefined if the parameter takes other values too. */
function choicesOf(name: string, { route, places }: Form): readonly Choice[] | undefined {
  if (places && name === 'state')
    return places.states
      .map((value) => ({ value, text: choiceText(value) }))
      .toSorted((a, b) => (a.text < b.text ? -1 : 1));
  if (places && name === 'county')
    return [...places.counties].flatMap(([metro, counties]) =>
      counties.map((value) => ({ value, text: value, group: metro === '' ? 'Other counties' : `Metro ${metro}` })),
    );
  const schema = route.params[name];
  const values = VALUES[name] ?? (schema && paramFacts(schema).values);
  return values?.map((value) => ({ value, text: choiceText(value) }));
}

function select(name: string, choices: readonly Choice[], chosen: string, attributes: Html): Html {
  const options = (of: readonly Choice[]): Html[] =>
    of.map(
      ({ value, text }) => html`<option value="${value}" ${value === chosen ? html` selected` : ''}>${text}</option>`,
    );
  return html`<select id="f-${name}" name="${name}" ${attributes}>
    <option value="">any</option>
    ${[...Map.groupBy(choices, ({ group }) => group)].map(([group, of]) =>
      group === undefined ? options(of) : html`<optgroup label="${group}">${options(of)}</optgroup>`,
    )}
  </select>`;
}

function input(name: string, form: Form): Html {
  const { route, given, errors, places } = form;
  const schema = route.params[name];
  if (!schema) return html``;
  const value = given.get(name) ?? '';
  const attributes = html` aria-describedby="${errors.has(name) ? `error-${name} ` : ''}about-${name}"${
    errors.has(name) ? html` aria-invalid="true"` : ''
  }`;
  const choices = choicesOf(name, form);
  // Keep a value from a link that is not among the choices: the call decides whether to refuse it.
  if (choices && choices.length > 0 && (value === '' || choices.some((choice) => choice.value === value)))
    return select(name, choices, value, attributes);
  const { kind } = paramFacts(schema);
  const hasList = places !== null && (name === 'city' || name === 'zip');
  return html`<input
    id="f-${name}"
    name="${name}"
    value="${value}"
    ${kind === 'date' && (value === '' || !errors.has(name)) ? html` type="date"` : ''}
    ${kind === 'number' ? html` inputmode="decimal"` : kind === 'integer' ? html` inputmode="numeric"` : ''}
    ${hasList ? html` list="${name}-choices"` : ''}
    autocomplete="off"
    spellcheck="false"
    ${attributes}
  />`;
}

function fieldset(name: string, form: Form): Html {
  const schema = form.route.params[name];
  if (!schema) return html``;
  const { about, range } = paramFacts(schema);
  const { label, unit } = fieldOf(name);
  const error = form.errors.get(name);
  // Choices explain themselves.
  const isChosen = choicesOf(name, form) !== undefined;
  return html`<div class="field${error === undefined ? '' : ' wrong'}">
    <label for="f-${name}">${label}${unit !== undefined && html` <span class="unit">${unit}</span>`}</label>
    ${input(name, form)} ${error !== undefined && html`<strong class="error" id="error-${name}">${error}</strong>`}
    <small id="about-${name}"
      ><code>${name}</code>
      ${isChosen ? '' : about}${range && range[1] <= MAX_HINT_RANGE ? ` ${range[0]} to ${range[1]}.` : ''}</small
    >
  </div>`;
}

/** The fields by group; the last group is folded unless it is in use. */
export function groups(form: Form): Html[] {
  const names = Object.keys(form.route.params).filter((name) => !PAGING.has(name));
  const byGroup = Map.groupBy(names, (name) => fieldOf(name).group);
  return GROUPS.flatMap(([group, title]) => {
    const members = byGroup.get(group) ?? [];
    if (members.length === 0) return [];
    const fields = html`<div class="fields">${members.map((name) => fieldset(name, form))}</div>`;
    if (group !== 'more' || byGroup.size === 1)
      return [
        html`<fieldset>
          <legend>${title}</legend>
          ${fields}
        </fieldset>`,
      ];
    const isUsed = members.some((name) => form.given.has(name) || form.errors.has(name));
    return [
      html`<details ${isUsed ? html` open` : ''}>
        <summary>${title}</summary>
        ${fields}
      </details>`,
    ];
  });
}

/** Choices that a field suggests. */
export const dataList = (name: string, values: readonly string[]): Html =>
  html`<datalist id="${name}-choices">${values.map((value) => html`<option value="${value}"></option>`)}</datalist>`;

export const summaryOf = (errors: CheckedQuery['errors']): Html =>
  html`<div class="refused" id="errors" role="alert">
    <p>
      <strong>${errors.size === 1 ? 'One value' : `${errors.size} values`} cannot be used.</strong> The call would
      return 400 and cost nothing.
    </p>
    <ul>
      ${[...errors].map(([name, text]) =>
        name === '' ? html`<li>${text}</li>` : html`<li><a href="#f-${name}">${fieldOf(name).label}</a>: ${text}</li>`,
      )}
    </ul>
  </div>`;
