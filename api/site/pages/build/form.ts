/** The form of the query builder: fields in groups, with choices from the snapshot and errors at their fields. */
import { PROPERTY_KINDS, SIGNAL_TYPES } from '../../../../models/fields.ts';
import { METRO_NAMES, OTHER_MARKET } from '../../../../models/metros.ts';
import type { Route } from '../../../routes/define.ts';
import { paramFacts } from '../../../routes/params.ts';
import { html, type Html } from '../../html.ts';
import type { PlaceChoices } from './places.ts';
import { STATE_CODES, stateName } from '../../../../lib/states.ts';

export interface CheckedQuery {
  /** Values of the parameters without an error. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly errors: ReadonlyMap<string, string>;
}

type Group = 'place' | 'kind' | 'figures' | 'dates' | 'more';

const GROUPS: readonly (readonly [group: Group, title: string])[] = [
  ['place', 'Place'],
  ['kind', 'Kind'],
  ['figures', 'Figures'],
  ['dates', 'Dates'],
  ['more', 'More filters and output'],
];

interface Field {
  readonly label: string;
  readonly group: Group;
  /** Unit after the label. */
  readonly unit?: string;
  /** Field of the record, and how the value limits it. */
  readonly limits?: readonly [field: string, how: '' | 'at least' | 'at most' | 'from' | 'to' | 'has'];
}

const field = (label: string, group: Group, limits?: Field['limits'], unit?: string): Field => ({
  label,
  group,
  ...(limits === undefined ? {} : { limits }),
  ...(unit === undefined ? {} : { unit }),
});

const FIELDS: Readonly<Record<string, Field>> = {
  state: field('State', 'place', ['state', '']),
  metro: field('Metro', 'place', ['metro', '']),
  county: field('County', 'place', ['county', 'has']),
  city: field('City', 'place', ['city', '']),
  zip: field('ZIP', 'place', ['zip', '']),
  address: field('Street address', 'place'),
  addresses: field('Street addresses', 'place'),
  apn: field('Parcel number (APN)', 'place'),
  parcel: field('Parcel number', 'place'),
  status: field('Rental rating', 'kind', ['rental_status', '']),
  signal_type: field('Kind of signal', 'kind', ['signal_type', '']),
  auction_type: field('Kind of auction', 'kind', ['auction_type', '']),
  lead_type: field('Kind of lead', 'kind', ['lead_type', '']),
  property_kind: field('Kind of property', 'kind', ['property_kind', '']),
  entity_type: field('Kind of business', 'kind', ['entity_type', '']),
  name: field('Name', 'kind', ['name', 'has']),
  agent: field('Registered agent', 'kind', ['agent', 'has']),
  min_price: field('Asking price from', 'figures', ['list_price', 'at least'], '$'),
  max_price: field('Asking price to', 'figures', ['list_price', 'at most'], '$'),
  min_units: field('Units from', 'figures', ['units', 'at least']),
  max_units: field('Units to', 'figures', ['units', 'at most']),
  min_cap: field('Advertised cap rate from', 'figures', ['cap_rate', 'at least'], '%'),
  min_score: field('Score from', 'figures', ['score', 'at least'], '0 to 100'),
  min_amount: field('Amount owed from', 'figures', ['amount', 'at least'], '$'),
  min_appraised: field('Appraised value from', 'figures', ['appraised_value', 'at least'], '$'),
  min_signals: field('Kinds of distress, at least', 'figures', ['signals_count', 'at least']),
  min_properties: field('Properties owned, at least', 'figures', ['properties_count', 'at least']),
  from_date: field('First day', 'dates', ['date', 'from']),
  to_date: field('Last day', 'dates', ['date', 'to']),
  week: field('Week', 'dates'),
  listed_since: field('Listed since', 'more', ['listed_on', 'from']),
  min_cap_underwritten: field('Underwritten cap rate from', 'more', ['cap_rate_underwritten', 'at least'], '%'),
  max_cap_gap: field('Claimed minus underwritten cap rate, at most', 'more', ['cap_gap_pct', 'at most'], 'points'),
  min_dscr: field('Debt coverage from', 'more', ['dscr', 'at least'], '×'),
  underwrite_reliability: field('Does HUD’s rent fit', 'more', ['underwrite_reliability', '']),
  has_address: field('With a street address', 'more', ['has_address', '']),
  include_past: field('Include past sales', 'more'),
  limit: field('Records per page', 'more'),
  fields: field('Fields to return', 'more'),
  updated_since: field('Only changes since', 'more'),
};

/** The field of a parameter; one without a label here has its name. */
export const fieldOf = (name: string): Field => FIELDS[name] ?? { label: name.replaceAll('_', ' '), group: 'more' };

/** Fields of the score and the date by list. */
const OWN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  deals: { score: 'deal_score' },
  leads: { score: 'lead_score' },
  auctions: { date: 'sale_date' },
  filings: { date: 'filing_date' },
};

/** The field of a record that a parameter limits. @param table of the list */
export function limitedField(name: string, table: string): string | undefined {
  const [field_] = fieldOf(name).limits ?? [];
  return field_ === undefined ? undefined : (OWN[table]?.[field_] ?? field_);
}

/** Names of the feeds, by path. */
const FEEDS: Readonly<Record<string, string>> = {
  '/api/lookup': 'Lookup: the records of one address',
  '/api/lookup/batch': 'Lookup of many addresses',
  '/api/deals': 'Deals, underwritten',
  '/api/deals/basic': 'Deals as cards',
  '/api/deals/hot': 'Hot deals',
  '/api/signals': 'Distress signals',
  '/api/auctions': 'Auctions',
  '/api/leads': 'Leads',
  '/api/leads/exclusive': 'One exclusive lead',
  '/api/owners': 'Owners of several properties',
  '/api/filings/recent': 'New businesses, last seven days',
  '/api/filings': 'New businesses',
  '/api/batch/weekly.csv': 'New businesses of one week, as CSV',
};

/** A feed in words; those of one register have its name in front. */
export function feedName(path: string): string {
  const [, register = '', rest = ''] = /^\/(ohio|colorado)(\/.*)$/u.exec(path) ?? [];
  if (register === '') return FEEDS[path] ?? path;
  return `${register === 'ohio' ? 'Ohio' : 'Colorado'}: ${(FEEDS[rest] ?? rest).replace(/^N/u, 'n')}`;
}

/** Choices whose value needs more words. */
const CHOICES: Readonly<Record<string, string>> = {
  Hot: 'Hot: meets the lending thresholds',
  Warm: 'Warm: near the thresholds',
  Pass: 'Pass: below the thresholds',
  true: 'yes',
  false: 'no',
  ok: 'it fits',
  proxy_out_of_range: 'it does not fit',
  vacant_lot: 'vacant lot',
  one_family: 'one home',
  two_to_four: '2 to 4 units',
  five_up: '5 units or more',
};

/** A choice in words; a state has its code after its name. */
function choiceText(value: string): string {
  if (STATE_CODES.has(value)) return `${stateName(value)} (${value})`;
  return CHOICES[value] ?? value.replaceAll('_', ' ');
}

/** Parameters for paging, which are no filters. */
export const PAGING = new Set(['cursor']);
/** A range that ends above this is not shown as a hint. */
const MAX_HINT_RANGE = 1_000;
/** Values of parameters that take a text of a closed list. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  signal_type: SIGNAL_TYPES,
  property_kind: PROPERTY_KINDS,
};

interface Form {
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
  if (name === 'metro')
    return [...METRO_NAMES.map((value) => ({ value, text: value })), { value: OTHER_MARKET, text: 'Other markets' }];
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
