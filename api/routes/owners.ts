/** GET /api/owners: organizations with several distressed or listed properties in one county. */
import { organizationKey } from '../../lib/organizations.ts';
import { Owner } from '../../models/marts/owners.ts';
import { Problem } from '../http/problem.ts';
import { Filters } from '../serving/filters.ts';
import { FIELD_GROUPS } from './list/field_groups.ts';
import { by } from './list/filters.ts';
import { metroByCounty, placeFilters } from './list/place.ts';
import { listRoute } from './list/route.ts';
import { integerParam, stateParam, textParam } from './params.ts';
import { PRICES } from '../../lib/prices.ts';

/** Records per page by default: each has all its properties. */
const PAGE = 20;
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
  page: PAGE,
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
