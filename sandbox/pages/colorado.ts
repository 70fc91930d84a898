/** Colorado's register on its open data portal. */
import { sodaPortal } from './soda.ts';

export const COLORADO_COLUMNS: readonly string[] = (
  'entityid entityname principaladdress1 principaladdress2 principalcity principalstate principalzipcode ' +
  'principalcountry mailingaddress1 mailingaddress2 mailingcity mailingstate mailingzipcode mailingcountry ' +
  'entitystatus jurisdictonofformation entitytype agentfirstname agentmiddlename agentlastname agentsuffix ' +
  'agentorganizationname agentprincipaladdress1 agentprincipaladdress2 agentprincipalcity agentprincipalstate ' +
  'agentprincipalzipcode agentprincipalcountry agentmailingaddress1 agentmailingaddress2 agentmailingcity ' +
  'agentmailingstate agentmailingzipcode agentmailingcountry entityformdate'
).split(' ');

export const colorado = sodaPortal([
  {
    id: '4ykn-tg5h',
    name: 'Business Entities in Colorado',
    columns: COLORADO_COLUMNS.join(', ').replace(/entityformdate$/u, 'entityformdate:calendar_date'),
    rows: (day) => day.colorado.map(({ row, updatedOn }) => ({ ...row, ':updated_at': `${updatedOn}T05:10:00.000Z` })),
    changesAt: '05:10:00',
  },
]);
