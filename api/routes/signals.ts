/** GET /api/signals: tax delinquencies and the other public records of distress. */
import { PROPERTY_KINDS, SIGNAL_TYPES } from '../../models/fields.ts';
import { Signal } from '../../models/marts/signals.ts';
import { Filters } from '../serving/filters.ts';
import { FIELD_GROUPS } from './list/field_groups.ts';
import { listRoute } from './list/route.ts';
import { choiceParam, flagParam, kindParam, numberParam } from './params.ts';
import { areaFilters } from './list/area.ts';
import { by } from './list/filters.ts';
import { placeFilters } from './list/place.ts';
import { PRICES } from '../../lib/prices.ts';

const { county, ...otherPlaces } = placeFilters;

/** Records per page by default: well below 100 kB. */
const PAGE = 32;

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
