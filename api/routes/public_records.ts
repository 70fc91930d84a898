/** Lists of public records: signals of distress, sheriff and other sales, and organizations with several properties. */
import { organizationKey } from '../../lib/organizations.ts';
import { PRICES } from '../../lib/prices.ts';
import { AUCTION_TYPES, PROPERTY_KINDS, SIGNAL_TYPES } from '../../models/fields.ts';
import { Auction } from '../../models/marts/auctions.ts';
import { Owner } from '../../models/marts/owners.ts';
import { Signal } from '../../models/marts/signals.ts';
import { Problem } from '../http/problem.ts';
import { Filters, type Condition } from '../serving/filters.ts';
import { areaFilters } from './list/area.ts';
import { FIELD_GROUPS } from './list/field_groups.ts';
import { by } from './list/filters.ts';
import { metroByCounty, placeFilters } from './list/place.ts';
import { listRoute } from './list/route.ts';
import {
  checkRange,
  choiceParam,
  dayParam,
  flagParam,
  integerParam,
  kindParam,
  numberParam,
  stateParam,
  textParam,
  type Hint,
} from './params.ts';

const { county, ...otherPlaces } = placeFilters;

/** Records per page by default: well below 100 kB. An owner has all its properties. */
const [PAGE, OWNERS_PAGE] = [32, 20];

/** Signals still on their county's list, or whose county is no longer read (signal_state says so). */
export const currentSignals = (): Filters => new Filters('signals').and('signal_state', '<>', 'removed');

/** Signals and leads by the kind of their property. */
export const propertyKind = by(
  'property_kind',
  '=',
  choiceParam(PROPERTY_KINDS, 'Kind of property, by the class that its county publishes.'),
);

export const signals = listRoute({
  name: 'signals',
  path: '/api/signals',
  price: PRICES['/api/signals'],
  about:
    'Tax delinquencies, foreclosure filings, tax liens, code violations, vacant and condemned buildings and blight ' +
    'judgments, ranked by amount.',
  filters: {
    county,
    signal_type: by(
      'signal_type',
      'like',
      kindParam(`Kind of signal, ignoring case: ${SIGNAL_TYPES.join(', ')}.`, SIGNAL_TYPES),
    ),
    min_amount: by('amount', '>=', numberParam('Minimum amount owed or claimed, USD.')),
    has_address: by('has_address', '=', flagParam('true: only rows with a street address; false: only rows without.')),
    property_kind: propertyKind,
    ...otherPlaces,
    ...areaFilters,
  },
  record: Signal.schema,
  fields: FIELD_GROUPS.signals,
  page: PAGE,
  feed: {
    list: 'signals',
    filters: [...Object.keys(placeFilters), 'signal_type'],
    columns: { signal_type: 'kind' },
    fields: { metro: 'county' },
  },
  list: () => ({
    itemName: 'signal',
    rank: { column: 'amount', direction: 'DESC' },
    filters: currentSignals(),
  }),
});

/** Sales that have not been called off. */
const NOT_CANCELLED: Condition = {
  column: 'sale_status',
  is: 'none of',
  values: ['cancelled', 'withdrawn', 'postponed', 'removed'],
};

/** Sales from today on, by the data clock. */
export const upcomingAuctions = (today: string): Filters =>
  new Filters('auctions').and('sale_date', '>=', today).either(NOT_CANCELLED);

interface Days {
  readonly from_date?: string;
  readonly include_past?: boolean;
}

/** Advice about a first day in the past, without the sales of the past. */
const pastFromDate = ({ from_date: from, include_past: past }: Days, today: string): Hint[] =>
  from === undefined || from >= today || past === true
    ? []
    : [
        {
          code: 'past_from_date',
          parameter: 'from_date',
          value: from,
          message: `from_date is past: only sales from ${today} on are listed. include_past=true adds the past ones.`,
        },
      ];

export const auctions = listRoute({
  name: 'auctions',
  path: '/api/auctions',
  price: PRICES['/api/auctions'],
  about: 'Upcoming sheriff, foreclosure and tax sales, ranked by sale date.',
  filters: {
    county,
    from_date: by('sale_date', '>=', dayParam('First sale day; default: today by the data clock.')),
    to_date: by('sale_date', '<=', dayParam('Last sale day.')),
    min_appraised: by('appraised_value', '>=', numberParam('Minimum appraised value, USD.')),
    include_past: {
      param: flagParam('true: also past sale days, with any outcome.'),
      narrow: (sales: Filters) => sales,
    },
    auction_type: by('auction_type', '=', choiceParam(AUCTION_TYPES, 'Kind of sale.')),
    ...otherPlaces,
    ...areaFilters,
  },
  record: Auction.schema,
  fields: FIELD_GROUPS.auctions,
  page: PAGE,
  feed: {
    list: 'auctions',
    filters: [...Object.keys(placeFilters), 'auction_type'],
    columns: { auction_type: 'kind' },
    fields: { metro: 'county' },
  },
  check({ params: { from_date: from, to_date: to, include_past: past }, today }) {
    if (from === undefined && to !== undefined && past !== true)
      checkRange(['from_date', today], ['to_date', to], ' by default (today by the data clock)');
  },
  hints: ({ params, today }) => pastFromDate(params, today),
  list: ({ params, today }) => ({
    itemName: 'auction',
    rank: { column: 'sale_date', direction: 'ASC' },
    filters:
      params.include_past === true
        ? new Filters('auctions').either({ column: 'sale_date', is: '<', value: today }, NOT_CANCELLED)
        : upcomingAuctions(today),
    note: [
      'Sales that were called off are excluded, unless their day has passed and include_past is true.',
      ...pastFromDate(params, today).map(({ message }) => message),
    ].join(' '),
  }),
});

const MIN_CHARACTERS = 3;
const [MIN_PROPERTIES, MAX_PROPERTIES] = [2, 100_000];

export const OWNERS_NOTE =
  'Organizations (companies, banks, trusts of loans or securities, associations) with at least two distressed or ' +
  'listed properties in one county, where a source prints the owner. Natural persons, family trusts and public ' +
  'bodies are left out.';

/** A name in one form of Unicode: wide letters and ligatures are letters. */
const inOneForm = (name: string): string => name.normalize('NFKD');

/** @throws Problem if the name is too short to begin a name */
function checkName(name: string): void {
  if (inOneForm(name).replaceAll(/[^A-Za-z0-9]/g, '').length >= MIN_CHARACTERS) return;
  throw new Problem('invalid_parameter', `name has fewer than ${MIN_CHARACTERS} letters or digits.`, {
    field: 'name',
    value: name.slice(0, 100),
    accepted: [`the name of an organization, or at least its first ${MIN_CHARACTERS} letters or digits`],
  });
}

export const owners = listRoute({
  name: 'owners',
  path: '/api/owners',
  price: PRICES['/api/owners'],
  about:
    'Organizations with at least two distressed or listed properties in one county, ranked by number of properties. ' +
    'Each has its records, and the filings of its name in the registers of Ohio and Colorado.',
  filters: {
    name: {
      param: textParam(
        `Name of the organization, or at least its first ${MIN_CHARACTERS} letters or digits. Case, accents, ` +
          'punctuation and the spelling of the legal form are ignored; % and * are no wildcards.',
      ),
      narrow: (found: Filters, name: string) =>
        found.either({ column: 'owner_key', is: 'starting with', value: organizationKey(inOneForm(name)) }),
    },
    county: placeFilters.county,
    state: by('state', '=', stateParam('State of the county.')),
    min_properties: by(
      'properties_count',
      '>=',
      integerParam('Minimum properties_count.', MIN_PROPERTIES, MAX_PROPERTIES),
    ),
    metro: metroByCounty,
  },
  record: Owner.schema,
  fields: FIELD_GROUPS.owners,
  page: OWNERS_PAGE,
  check({ params: { name } }) {
    if (name !== undefined) checkName(name);
  },
  list: () => ({
    itemName: 'organization with several distressed or listed properties',
    rank: { column: 'properties_count', direction: 'DESC' },
    filters: new Filters('owners'),
    note: OWNERS_NOTE,
  }),
});
