/** The filters by coordinates: a circle, and a box. A record without coordinates is in neither. */
import { z } from 'zod';
import type { Filters } from '../../serving/filters.ts';
import type { RouteRequest } from '../define.ts';
import { declareParam, type Params } from '../params.ts';
import { narrowed, type Filter, type ListFilters } from './filters.ts';

/** Miles without radius_miles, and the most that it may be. */
const [DEFAULT_MILES, MAX_MILES] = [5, 50];
/** Degrees of the United States with Alaska and Hawaii. */
const isLatitude = (degrees = 0): boolean => degrees >= 15 && degrees <= 72;
const isLongitude = (degrees = 0): boolean => degrees >= -180 && degrees <= -60;

const NUMBERS = /^\s*-?\d{1,3}(\.\d{1,12})?(\s*,\s*-?\d{1,3}(\.\d{1,12})?)*\s*$/u;
/** Degrees of a text with commas; none if it is no list of numbers. */
const degreesIn = (text: string): number[] => (NUMBERS.test(text) ? text.split(',').map(Number) : []);

/** A list of degrees of this form. */
const degreesParam = (about: string, expected: string, isRight: (degrees: readonly number[]) => boolean) =>
  declareParam(
    z
      .string()
      .transform(degreesIn)
      .refine((degrees) => isRight(degrees)),
    { kind: 'string', about: `${about}, by latitude and longitude; geo_basis says how exact those are.`, expected },
  );

const near = degreesParam(
  'Only records within radius_miles of this point',
  'latitude,longitude in degrees such as 41.4993,-81.6944',
  ([latitude, longitude, ...more]) => isLatitude(latitude) && isLongitude(longitude) && more.length === 0,
);

const bbox = degreesParam(
  'Only records in this box',
  'west,south,east,north in degrees such as -81.88,41.39,-81.53,41.6',
  ([west = 0, south = 0, east = 0, north = 0, ...more]) =>
    [west, east].every(isLongitude) &&
    [south, north].every(isLatitude) &&
    more.length === 0 &&
    west < east &&
    south < north,
);

const radius = declareParam(
  z
    .string()
    .regex(/^\d{1,3}(\.\d{1,6})?$/u)
    .transform(Number)
    .refine((miles) => miles > 0 && miles <= MAX_MILES),
  {
    kind: 'number',
    about: `Radius of near in miles; default ${DEFAULT_MILES}.`,
    expected: `miles above 0 and up to ${MAX_MILES}`,
  },
);

const nearFilter: Filter<typeof near> = {
  param: near,
  narrow(rows, [latitude = 0, longitude = 0], { params }) {
    const circle = { latitude, longitude, miles: Number(params['radius_miles'] ?? DEFAULT_MILES) };
    return rows.either({ column: 'latitude', is: 'within', circle });
  },
};

const boxFilter: Filter<typeof bbox> = {
  param: bbox,
  narrow: (rows, [west = 0, south = 0, east = 0, north = 0]) =>
    rows
      .and('longitude', '>=', west.toFixed(6))
      .and('latitude', '>=', south.toFixed(6))
      .and('longitude', '<=', east.toFixed(6))
      .and('latitude', '<=', north.toFixed(6)),
};

export const areaFilters = {
  near: nearFilter,
  radius_miles: { param: radius, needs: 'near', narrow: (rows: Filters) => rows },
  bbox: boxFilter,
};
const AREA = Object.keys(areaFilters);

/** Fields that say where a record is, and how exactly that is known. */
export const POINT = ['latitude', 'longitude', 'geo_basis'];

/** Whether a request names an area. */
export const namesArea = (params: Readonly<Record<string, unknown>>): boolean =>
  AREA.some((name) => params[name] !== undefined);

export const areaFields = {
  located: z
    .strictObject({ parcel_layer: z.int(), zip_centroid: z.int(), unlocated: z.int() })
    .optional()
    .meta({
      description:
        'Only with near or bbox. Matching records by geo_basis: at the point of their parcel, or at one point of ' +
        'their ZIP. unlocated: records that pass all other filters and have no coordinates; they are not in records.',
    }),
};

/** How exactly the matching records are located. @param rows of the list, without the filters of the request */
export async function locatedIn(
  rows: Filters,
  filters: ListFilters,
  request: RouteRequest<Params>,
): Promise<z.infer<z.ZodObject<typeof areaFields>>> {
  if (!namesArea(request.params)) return {};
  const { snapshot } = request;
  const matching = await narrowed(rows, filters, request);
  const anywhere = await narrowed(rows, filters, request, AREA);
  const count = (found: Filters): Promise<number> => snapshot.total(found);
  const countAt = async (basis: string): Promise<number> => count(matching.and('geo_basis', '=', basis));
  const [parcel_layer, zip_centroid, unlocated] = await Promise.all([
    countAt('parcel_layer'),
    countAt('zip_centroid'),
    count(anywhere.either({ column: 'latitude', is: 'absent' })),
  ]);
  return { located: { parcel_layer, zip_centroid, unlocated } };
}
