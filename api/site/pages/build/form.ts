/** The form of the query builder: fields in groups, with choices from the snapshot and errors at their fields. */
import { PROPERTY_KINDS, SIGNAL_TYPES } from '../../../../models/fields.ts';
import { METRO_NAMES, OTHER_MARKET } from '../../../../models/metros.ts';
import { STATE_CODES, stateName } from '../../../../lib/states.ts';
import type { Route } from '../../../routes/define.ts';
import type { ListRoute } from '../../../routes/list/route.ts';
import { paramFacts } from '../../../routes/params.ts';
import { placesOf } from '../../../routes/places.ts';
import type { Snapshot } from '../../../serving/open.ts';
import { fold, link, list } from '../../components.ts';
import { sentence } from '../../format.ts';
import { element, html, type Attributes, type Html } from '../../html.ts';

export interface CheckedQuery {
  /** Values of the parameters without an error. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly errors: ReadonlyMap<string, string>;
}

/** Parameters by group; any other is in the last group. */
const GROUPS = {
  Place: 'state metro county city zip address addresses apn parcel',
  Kind: 'status signal_type auction_type lead_type property_kind entity_type name agent',
  Figures:
    'min_price max_price min_units max_units min_cap min_score min_amount min_appraised min_signals min_properties',
  Dates: 'from_date to_date week',
  'More filters': '',
};
type Group = keyof typeof GROUPS;

/** Labels of parameters that are more than the name, with a unit after " | ". */
const LABELS: Readonly<Record<string, string>> = {
  parcel: 'Parcel number',
  status: 'Rental rating',
  agent: 'Registered agent',
  min_price: 'Asking price from | $',
  max_price: 'Asking price to | $',
  min_units: 'Units from',
  max_units: 'Units to',
  min_cap: 'Advertised cap rate from | %',
  min_score: 'Score from | 0 to 100',
  min_amount: 'Amount owed from | $',
  min_appraised: 'Appraised value from | $',
  min_signals: 'Kinds of distress, at least',
  min_properties: 'Properties owned, at least',
  from_date: 'First day',
  to_date: 'Last day',
  min_cap_underwritten: 'Underwritten cap rate from | %',
  max_cap_gap: 'Claimed minus underwritten cap rate, at most | points',
  min_dscr: 'Debt coverage from | ×',
  underwrite_reliability: 'Does HUD’s rent fit',
  include_past: 'Include past sales',
};

/** Label of a parameter, and the unit after it. */
export function fieldOf(name: string): { readonly label: string; readonly unit: string | undefined } {
  const [label = '', unit] = (LABELS[name] ?? sentence(name)).split(' | ');
  return { label, unit };
}

const GROUP_NAMES = Object.keys(GROUPS) as Group[];
const groupOf = (name: string): Group =>
  GROUP_NAMES.find((group) => GROUPS[group].split(' ').includes(name)) ?? 'More filters';

/** Names of the feeds, by path. */
const FEEDS: Readonly<Record<string, string>> = {
  '/api/lookup': 'Lookup: the records of one address',
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
  '/api/deals/:id/report': 'Report on one deal',
  '/api/meta': 'What there is today',
  '/api/deals/ids': 'Free deals',
  '/api/coverage': 'Coverage',
  '/api/places': 'Places and their spellings',
  '/feeds/:list.json': 'Changes by day, for feed readers',
  '/feeds/:list.atom': 'Changes by day, as Atom',
  '/api/count/:list': 'Number of matches, as a range',
  '/api/example_report': 'Example report',
};

/** A feed in words; those of one register have its name in front. */
export function feedName(path: string): string {
  const [, register = '', rest = ''] = /^\/(ohio|colorado)(\/.*)$/u.exec(path) ?? [];
  if (register === '') return FEEDS[path] ?? path;
  return `${register === 'ohio' ? 'Ohio' : 'Colorado'}: ${(FEEDS[rest] ?? rest).replace(/^N/u, 'n')}`;
}

export interface PlaceChoices {
  readonly states: readonly string[];
  /** Counties by metro; those of no metro have an empty name. */
  readonly counties: ReadonlyMap<string, readonly string[]>;
  readonly cities: readonly string[];
  readonly zips: readonly string[];
}

/** Most cities and ZIPs to choose from; others can be typed. */
const MAX_CHOICES = 200;

const sorted = (values: readonly (string | null)[]): string[] =>
  [...new Set(values)].filter((value) => value !== null).sort();

/**
 * Places to choose from, within the state and the county that are chosen; null if the list has no places. Leads and
 * owners offer the places of public records, so that a choice does not disclose where a lead is sold.
 */
export async function placeChoices(
  route: ListRoute,
  snapshot: Snapshot,
  chosen: { readonly state?: string | undefined; readonly county?: string | undefined },
): Promise<PlaceChoices | null> {
  if (!Object.hasOwn(route.params, 'county')) return null;
  const ofDeals = route.path.startsWith('/api/deals');
  const all = (await placesOf(snapshot)).filter((place) => (ofDeals ? place.has_listings : place.has_records));
  const state = chosen.state?.toUpperCase() ?? '';
  const inState = all.filter((place) => state === '' || place.state === state);
  const county = chosen.county?.toLowerCase() ?? '';
  const inCounty = inState.filter((place) => county === '' || place.county?.toLowerCase().includes(county));
  // Counties outside of every metro are last.
  const byMetro = [...Map.groupBy(inState, ({ metro }) => metro ?? '')].sort(([a], [b]) =>
    a === '' ? 1 : b === '' ? -1 : a < b ? -1 : 1,
  );
  return {
    states: sorted(all.map((place) => place.state)),
    counties: new Map(byMetro.map(([metro, places]) => [metro, sorted(places.map((place) => place.county))])),
    cities: sorted(inCounty.map((place) => place.city)).slice(0, MAX_CHOICES),
    zips: sorted(inCounty.map((place) => place.zip)).slice(0, MAX_CHOICES),
  };
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
  one_family: 'one home',
  two_to_four: '2 to 4 units',
  five_up: '5 units or more',
  [OTHER_MARKET]: 'Other markets',
};

interface Choice {
  readonly value: string;
  readonly text: string;
  /** Metro of a county. */
  readonly group?: string;
}

/** A choice in words; a state has its code after its name. */
const choiceOf = (value: string): Choice => ({
  value,
  text: STATE_CODES.has(value) ? `${stateName(value)} (${value})` : (CHOICES[value] ?? value.replaceAll('_', ' ')),
});

/** Parameters for paging, which are no filters. */
export const PAGING = new Set(['cursor']);
/** Parameters for programs, which the form has only if a link gives them. */
const FOR_PROGRAMS = new Set(['near', 'radius_miles', 'bbox', 'limit', 'fields', 'updated_since']);
/** Values of parameters that take a text of a closed list. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  signal_type: SIGNAL_TYPES,
  property_kind: PROPERTY_KINDS,
  metro: [...METRO_NAMES, OTHER_MARKET],
};

interface Form {
  readonly route: Route;
  readonly given: ReadonlyMap<string, string>;
  readonly errors: CheckedQuery['errors'];
  readonly places: PlaceChoices | null;
}

/** Choices of a closed list; undefined if the parameter takes other values too. */
function choicesOf(name: string, { route, places }: Form): readonly Choice[] | undefined {
  if (places && name === 'state') return places.states.map(choiceOf).toSorted((a, b) => (a.text < b.text ? -1 : 1));
  if (places && name === 'county')
    return [...places.counties].flatMap(([metro, counties]) =>
      counties.map((value) => ({ value, text: value, group: metro === '' ? 'Other counties' : `Metro ${metro}` })),
    );
  const schema = route.params[name];
  return (VALUES[name] ?? (schema && paramFacts(schema).values))?.map(choiceOf);
}

function selectOf(choices: readonly Choice[], chosen: string, attributes: Attributes): Html {
  const options = (of: readonly Choice[]): Html[] =>
    of.map(({ value, text }) => element('option', { value, selected: value === chosen }, text));
  const grouped = [...Map.groupBy(choices, ({ group }) => group)].map(([label, of]) =>
    label === undefined ? options(of) : element('optgroup', { label }, options(of)),
  );
  return element('select', attributes, element('option', { value: '' }, 'any'), grouped);
}

function field(name: string, form: Form): Html {
  const { route, given, errors, places } = form;
  const { label, unit } = fieldOf(name);
  const value = given.get(name) ?? '';
  const error = errors.get(name);
  const choices = choicesOf(name, form) ?? [];
  const schema = route.params[name];
  const { kind, about } = schema ? paramFacts(schema) : { kind: 'string', about: '' };
  // A hint explains a text; the label of a number, a day or a choice is enough.
  const hint = choices.length === 0 && kind === 'string' && name !== 'zip' ? about : '';
  const described = [error === undefined ? '' : `error-${name}`, hint === '' ? '' : `about-${name}`].join(' ').trim();
  const attributes = {
    id: `f-${name}`,
    name,
    'aria-describedby': described !== '' && described,
    'aria-invalid': error !== undefined && 'true',
  };
  // Keep a value from a link that is not among the choices: the call decides whether to refuse it.
  const isChoice = choices.length > 0 && (value === '' || choices.some((choice) => choice.value === value));
  const typed: Attributes = {
    value,
    type: kind === 'date' && (value === '' || error === undefined) && 'date',
    inputmode: kind === 'number' ? 'decimal' : kind === 'integer' && 'numeric',
    list: places !== null && (name === 'city' || name === 'zip') && `${name}-choices`,
    autocomplete: 'off',
    spellcheck: 'false',
  };
  return html`<div class="field${error !== undefined && ' wrong'}">
    <label for="f-${name}">${label}${unit !== undefined && html` <span class="unit">${unit}</span>`}</label>
    ${isChoice ? selectOf(choices, value, attributes) : element('input', { ...attributes, ...typed })}
    ${error !== undefined && html`<strong class="error" id="error-${name}">${error}</strong>`}
    ${hint !== '' && html`<small id="about-${name}">${hint}</small>`}
  </div>`;
}

/** The fields by group; the last group is folded unless it is in use. */
export function groups(form: Form): Html[] {
  const names = Object.keys(form.route.params).filter(
    (name) => !PAGING.has(name) && (!FOR_PROGRAMS.has(name) || form.given.has(name)),
  );
  const byGroup = Map.groupBy(names, groupOf);
  return GROUP_NAMES.flatMap((group) => {
    const members = byGroup.get(group);
    if (!members) return [];
    const fields = html`<div class="fields">${members.map((name) => field(name, form))}</div>`;
    const isUsed = byGroup.size === 1 || members.some((name) => form.given.has(name) || form.errors.has(name));
    if (group === 'More filters' && !isUsed) return fold(group, fields);
    return element('fieldset', {}, element('legend', {}, group), fields);
  });
}

/** Choices that a field suggests. */
export const dataList = (name: string, values: readonly string[]): Html =>
  html`<datalist id="${name}-choices">${values.map((value) => element('option', { value }))}</datalist>`;

export const summaryOf = (errors: CheckedQuery['errors']): Html =>
  html`<div class="refused" id="errors" role="alert">
    <p>
      <strong>${errors.size === 1 ? 'One value' : `${errors.size} values`} cannot be used.</strong> Nothing is charged.
    </p>
    ${list([...errors].map(([name, text]) => [name !== '' && [link(`#f-${name}`, fieldOf(name).label), ': '], text]))}
  </div>`;
