/** Colorado's register on its open data portal: rows by SODA 2, a CSV export, and the dataset's metadata. */
import { httpDate, json, respond, withValidators, type SandboxRequest, type SandboxResponse } from '../http.ts';
import type { ColoradoRow, WorldDay } from '../world/types.ts';
import { ConditionError, parseOrder, parseWhere } from './conditions.ts';
import { checkParameters, countedAs, rowCount, sodaError } from './soda.ts';
import { csvField } from './text_files.ts';

export const COLORADO_COLUMNS: readonly string[] = (
  'entityid entityname principaladdress1 principaladdress2 principalcity principalstate principalzipcode ' +
  'principalcountry mailingaddress1 mailingaddress2 mailingcity mailingstate mailingzipcode mailingcountry ' +
  'entitystatus jurisdictonofformation entitytype agentfirstname agentmiddlename agentlastname agentsuffix ' +
  'agentorganizationname agentprincipaladdress1 agentprincipaladdress2 agentprincipalcity agentprincipalstate ' +
  'agentprincipalzipcode agentprincipalcountry agentmailingaddress1 agentmailingaddress2 agentmailingcity ' +
  'agentmailingstate agentmailingzipcode agentmailingcountry entityformdate'
).split(' ');

/** A system field: not a column, but allowed in conditions. */
const UPDATED_AT = ':updated_at';
const DATASET = '4ykn-tg5h';
const MAX_ROWS = 50_000;
function rows(day: WorldDay, { query }: SandboxRequest): SandboxResponse {
  const limit = rowCount(query, '$limit', 1000);
  if (limit > MAX_ROWS) throw new ConditionError(`Cannot retrieve more than ${MAX_ROWS} rows at a time`);
  const offset = rowCount(query, '$offset', 0);
  const where = query.get('$where');
  const wanted = [...query].filter(([name]) => !name.startsWith('$'));
  checkParameters(query, COLORADO_COLUMNS);
  const test = where === null ? () => true : parseWhere(where, [...COLORADO_COLUMNS, UPDATED_AT]);
  const counted = countedAs(query);
  const select =
    counted !== undefined
      ? null
      : (query
          .get('$select')
          ?.split(',')
          .map((name) => name.trim()) ?? null);
  const unknown = select?.find((name) => name !== '*' && !COLORADO_COLUMNS.includes(name));
  if (unknown !== undefined) throw new ConditionError(`No such column: ${unknown}`);
  const order = query.get('$order');
  const found: ColoradoRow[] = day.colorado
    .filter(
      ({ row, updatedOn }) =>
        test({ ...row, [UPDATED_AT]: `${updatedOn}T05:10:00.000Z` }) &&
        wanted.every(([name, value]) => row[name] === value),
    )
    .map(({ row }) => row);
  if (counted !== undefined) return json([{ [counted]: String(found.length) }]);
  // Entities are sorted by id. Without $order a client may not rely on that, so they are sorted by name.
  if (order === null) found.sort((a, b) => ((a.entityname ?? '') < (b.entityname ?? '') ? -1 : 1));
  else if (order !== 'entityid' && order !== ':id') found.sort(parseOrder(order, COLORADO_COLUMNS));
  const columns = select === null || select.includes('*') ? COLORADO_COLUMNS : select;
  const selected = found
    .slice(offset, offset + limit)
    .map((row) => Object.fromEntries(columns.flatMap((name) => (row[name] === undefined ? [] : [[name, row[name]]]))));
  const fields = JSON.stringify(columns);
  return withValidators(
    json(selected, {
      'x-soda2-fields': fields,
      'x-soda2-types': JSON.stringify(
        columns.map((name) => (name === 'entityformdate' ? 'floating_timestamp' : 'text')),
      ),
      'x-soda2-legacy-types': 'true',
      'cache-control': 'max-age=0',
    }),
    httpDate(day.day, '05:10:00'),
  );
}

/** A date as the export prints it: 7/24/1911. */
const exportDate = (day: string): string => `${Number(day.slice(5, 7))}/${Number(day.slice(8, 10))}/${day.slice(0, 4)}`;

function exportCsv(day: WorldDay): SandboxResponse {
  const lines = day.colorado.map(({ row }) =>
    COLORADO_COLUMNS.map((name) =>
      csvField(name === 'entityformdate' ? exportDate(row[name] ?? '') : (row[name] ?? '')),
    ).join(','),
  );
  return withValidators(
    respond(`${[COLORADO_COLUMNS.join(','), ...lines].join('\n')}\n`, 'text/csv; charset=utf-8', {
      'content-disposition': 'attachment; filename=Business_Entities_in_Colorado.csv',
    }),
    httpDate(day.day, '05:10:00'),
  );
}

function metadata(day: WorldDay): SandboxResponse {
  return json({
    id: DATASET,
    name: 'Business Entities in Colorado (sandbox: made-up data)',
    attribution: 'Dealfeed sandbox: made-up data',
    assetType: 'dataset',
    publicationStage: 'published',
    rowsUpdatedAt: Date.parse(`${day.day}T05:10:00Z`) / 1000,
    viewLastModified: Date.parse('2025-03-03T00:00:00Z') / 1000,
    columns: COLORADO_COLUMNS.map((name, position) => ({
      id: 1000 + position,
      name,
      fieldName: name,
      position: position + 1,
      dataTypeName: name === 'entityformdate' ? 'calendar_date' : 'text',
    })),
  });
}

/** The portal's pages. */
export function colorado(day: WorldDay, request: SandboxRequest): SandboxResponse | null {
  switch (request.path) {
    case '/robots.txt':
      return respond('User-agent: *\nDisallow: /login\nCrawl-delay: 1\n', 'text/plain; charset=utf-8');
    case `/resource/${DATASET}.json`:
      try {
        return rows(day, request);
      } catch (failure) {
        if (failure instanceof ConditionError) return sodaError(failure.message);
        throw failure;
      }
    case `/api/views/${DATASET}.json`:
      return metadata(day);
    case `/api/views/${DATASET}/rows.csv`:
      return exportCsv(day);
    default:
      return null;
  }
}
