/**
 * A layer of an ArcGIS server: its description, and queries with paging, counts and errors with HTTP 200;
 * and the values that layers have in common.
 */
import { spellStreet } from '../world/streets.ts';
import type { DistressOnDay, Property } from '../world/types.ts';
import type { WorldDay } from '../world/world.ts';
import { BadQuery, namesIn, picked, type Row, type Select, tableOf, wholeOf } from './tables.ts';
import { json, respond, type SandboxRequest, type SandboxResponse } from '../http.ts';
import { perDay } from './parts.ts';

interface DistressRow {
  readonly record: DistressOnDay;
  readonly property: Property;
  /** Street address in upper case, null where the publisher has none. */
  readonly street: string | null;
  /** Parcel number, null where the publisher has none. */
  readonly parcel: string | null;
  /** Index of this row among the record's rows, from 0. */
  readonly at: number;
}

/** Rows of one kind of record of a county: as many as each record has, and one more where the publisher repeats it. */
export const distressRows = <T>(
  day: WorldDay,
  countyFips: string,
  kind: DistressOnDay['kind'],
  row: (of: DistressRow) => T,
): T[] =>
  day.distress
    .filter((record) => record.countyFips === countyFips && record.kind === kind)
    .flatMap((record) => {
      const property = day.property(record.propertyId);
      const street = streetOf(property, record);
      const parcel = record.flaw === 'no_parcel' ? null : property.parcel;
      const rows = Array.from({ length: record.rows }, (_, at) => row({ record, property, street, parcel, at }));
      const [first] = rows;
      return record.flaw === 'repeated' && first !== undefined ? [...rows, first] : rows;
    });

/** ZIP of a property, with four more digits in some rows. */
export const zipCell = ({ flaw }: DistressOnDay, { zip }: Property): string =>
  flaw === 'zip_plus_4' ? `${zip}-0001` : zip;

/** A day as a layer stores it: an instant of that day in the eastern and in the central time zone. */
export const atNoon = (day: string | null): number | null => (day === null ? null : Date.parse(`${day}T17:00:00Z`));

/** A day without a time. */
export const atMidnight = (day: string | null): number | null => (day === null ? null : Date.parse(`${day}T00:00:00Z`));

/** Records of a kind, each with its property, one row for each; a repeated one twice. */
export const recordsOf = (
  day: WorldDay,
  countyFips: string,
  kind: DistressOnDay['kind'],
  row: (record: DistressOnDay, property: Property) => Row,
): Row[] =>
  distressRows(day, countyFips, kind, ({ record, property, at }) => (at === 0 ? [row(record, property)] : [])).flat();

/** The street line as the layer prints it, or null where it has none. */
export const streetOf = (property: Property, record?: Pick<DistressOnDay, 'flaw'>): string | null =>
  property.hasAddress && record?.flaw !== 'no_address' ? spellStreet(property.address, 'upper_abbreviated') : null;

export const zipOf = ({ zip }: Property, { flaw }: Pick<DistressOnDay, 'flaw'>): string =>
  flaw === 'zip_plus_4' ? `${zip}-1234` : zip;

export interface Layer {
  /** Path of the layer on its host, without a trailing slash. */
  readonly path: string;
  readonly id: number;
  readonly name: string;
  /** Hosted tables have no shapes, and name the object id in another case. Default "Feature Layer". */
  readonly type?: 'Feature Layer' | 'Table';
  /** Fields other than the object id, each with its type if it is not a String: "parcel_id year_built:Integer". */
  readonly fields: string;
  /** Most features that the server returns in an order, if fewer than its description states: more are HTTP 400. */
  readonly largestPage?: number;
  /** Attributes of all features, without the object id. A feature has the same position every day. */
  readonly features: (day: WorldDay) => readonly Row[];
}

const MAX_RECORDS = 1000;

const objectIdOf = ({ type }: Layer): string => (type === 'Table' ? 'ObjectId' : 'OBJECTID');

/** Fields in the form of a description. */
const fieldsOf = (layer: Layer) =>
  [`${objectIdOf(layer)}:OID`, ...layer.fields.trim().split(/\s+/u)].map((field) => {
    const [name = '', type = 'String'] = field.split(':');
    return { name, type: `esriFieldType${type}`, alias: name };
  });

const failure = (message: string, ...details: string[]): SandboxResponse =>
  json({ error: { code: 400, message, details } });

function metadata(layer: Layer): SandboxResponse {
  return json({
    currentVersion: 11.1,
    id: layer.id,
    name: layer.name,
    type: layer.type ?? 'Feature Layer',
    description: 'Sandbox: made-up data',
    copyrightText: 'Dealfeed sandbox: made-up data',
    ...(layer.type === 'Table' ? {} : { geometryType: 'esriGeometryPolygon' }),
    objectIdField: objectIdOf(layer),
    maxRecordCount: MAX_RECORDS,
    capabilities: 'Query',
    advancedQueryCapabilities: { supportsPagination: true, supportsOrderBy: true },
    fields: fieldsOf(layer),
  });
}

/** "timestamp '2026-11-20 00:00:00'" in milliseconds, as map servers store dates. */
const withInstants = (where: string): string =>
  where.replaceAll(/\btimestamp '([^']*)'/giu, (_, text: string) => String(Date.parse(`${text.replace(' ', 'T')}Z`)));

function query(layer: Layer, select: Select, { query: parameters }: SandboxRequest): SandboxResponse {
  const columns = fieldsOf(layer).map(({ name }) => name);
  const objectId = objectIdOf(layer);
  const where = parameters.get('where');
  if (!where) return failure('Cannot perform query. Invalid query parameters.', 'Too many parameters are null.');
  const order = parameters.get('orderByFields');
  const found = select(withInstants(where), order);
  if (parameters.get('returnCountOnly') === 'true') return json({ count: found.length });
  if (parameters.get('returnIdsOnly') === 'true')
    return json({ objectIdFieldName: objectId, objectIds: found.map((row) => row[objectId]) });
  const outFields = parameters.get('outFields') ?? objectId;
  const out = outFields === '*' ? columns : namesIn(outFields, columns);
  const offset = wholeOf(parameters.get('resultOffset'), 0);
  const count = Math.min(MAX_RECORDS, wholeOf(parameters.get('resultRecordCount'), MAX_RECORDS));
  if (order && layer.largestPage !== undefined && count > layer.largestPage)
    return { ...failure('Unable to complete operation.', 'Unable to perform query operation.'), status: 400 };
  return json({
    objectIdFieldName: objectId,
    fields: fieldsOf(layer).filter(({ name }) => out.includes(name)),
    features: found.slice(offset, offset + count).map((row) => ({ attributes: picked(row, out) })),
    ...(offset + count < found.length ? { exceededTransferLimit: true } : {}),
  });
}

/** A site with only these layers. */
export function mapServer(
  ...layers: readonly Layer[]
): (day: WorldDay, request: SandboxRequest) => SandboxResponse | null {
  const served = layers.map((layer) => ({
    layer,
    select: perDay((day) =>
      tableOf(
        layer.features(day).map((row, at) => ({ [objectIdOf(layer)]: at + 1, ...row })),
        fieldsOf(layer).map(({ name }) => name),
      ),
    ),
  }));
  return (day, request) => {
    if (request.path === '/robots.txt') return respond('User-agent: *\nDisallow: /*/rest/admin\n', 'text/plain');
    const found = served.find(({ layer: { path } }) => request.path === path || request.path === `${path}/query`);
    if (found === undefined) return null;
    const { layer, select } = found;
    if (request.path === layer.path) return metadata(layer);
    try {
      return query(layer, select(day), request);
    } catch (error) {
      if (error instanceof BadQuery) return failure('Unable to complete operation.', error.message);
      throw error;
    }
  };
}
