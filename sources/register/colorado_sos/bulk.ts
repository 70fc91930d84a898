/** The plain rows of Colorado's export by SQL: what `registration` in source.ts makes of a row in which nothing is odd. */
import type { BulkCsv } from '../../contract.ts';

export const PORTAL = 'https://data.colorado.gov';
/** Rows of the dataset as JSON. */
export const RESOURCE = '/resource/4ykn-tg5h.json';

const ADDRESS = ['address1', 'address2', 'city', 'state', 'zipcode'] as const;
const of = (which: 'agentprincipal' | 'agentmailing'): string[] => ADDRESS.map((part) => `${which}${part}`);

/** The agent's street address, or where none is given the mailing address: never a mix of the two. */
const agent = (part: (typeof ADDRESS)[number]): string =>
  `CASE WHEN coalesce(${of('agentprincipal').join(', ')}) IS NULL THEN agentmailing${part} ELSE agentprincipal${part} END`;

const PERSON = "nullif(concat_ws(' ', agentfirstname, agentmiddlename, agentlastname, agentsuffix), '')";

/** 7/24/1911, as the export prints a date; other forms are left to the parser. */
const FORMED = "try_strptime(entityformdate, '%m/%d/%Y')";

export const exportBySql: Omit<BulkCsv, 'row'> = {
  kind: 'export',
  cells: [
    'entityid',
    'entityname',
    'entityformdate',
    'entitytype',
    'entitystatus',
    'jurisdictonofformation',
    'principalcity',
    'principalstate',
    'principalzipcode',
    'agentorganizationname',
    'agentfirstname',
    'agentmiddlename',
    'agentlastname',
    'agentsuffix',
    ...of('agentprincipal'),
    ...of('agentmailing'),
  ],
  texts: [PERSON],
  plain: `regexp_full_match(entityid, '[0-9]{11}') AND entityname IS NOT NULL AND regexp_full_match(entityformdate, '[0-9]{1,2}/[0-9]{1,2}/(1[6-9]|20)[0-9]{2}') AND ${FORMED} IS NOT NULL`,
  values: {
    register: "'colorado_sos'",
    document_number: 'entityid',
    business_name_raw: 'entityname',
    filing_date: `CAST(${FORMED} AS DATE)`,
    entity_type_raw: 'entitytype',
    entity_status_raw: 'entitystatus',
    jurisdiction_raw: 'jurisdictonofformation',
    agent_name: `coalesce(agentorganizationname, ${PERSON})`,
    agent_addr1: agent('address1'),
    agent_addr2: agent('address2'),
    agent_city: agent('city'),
    agent_state: agent('state'),
    agent_zip: agent('zipcode'),
    business_city: 'principalcity',
    business_state: 'principalstate',
    business_zip: 'principalzipcode',
  },
  sourceUrl: `'${PORTAL}${RESOURCE}?entityid=' || entityid`,
};
