/** The filters of a list, one entry each: its parameter, and the rows that pass it. */
import type { z } from 'zod';
import { Problem } from '../../http/problem.ts';
import type { Filters, Sign } from '../../serving/filters.ts';
import type { RouteRequest } from '../define.ts';
import type { Params } from '../params.ts';

/** The parts of a request that filters read. */
export type FilterRequest = Pick<RouteRequest<Params>, 'params' | 'snapshot'>;

export interface Filter<S extends z.ZodType = z.ZodType> {
  readonly param: S;
  /** Another filter, without which this one means nothing. */
  readonly needs?: string;
  /** Keep the rows that pass. */
  narrow(rows: Filters, value: z.output<S>, request: FilterRequest): Filters | Promise<Filters>;
}

export type ListFilters = Readonly<Record<string, Filter>>;
export type ParamsOf<F extends ListFilters> = { readonly [K in keyof F]: F[K]['param'] };

/** Rows whose column compares so with the value. A text is compared ignoring case. */
export const by = <S extends z.ZodType<string | number | boolean>>(
  column: string,
  is: Sign | 'like' | 'containing',
  param: S,
): Filter<S> => ({
  param,
  narrow: (rows, value) =>
    rows.either(is === 'like' || is === 'containing' ? { column, is, value: String(value) } : { column, is, value }),
});

/** The parameters of these filters, in their order. */
export const paramsOf = <F extends ListFilters>(filters: F): ParamsOf<F> =>
  Object.fromEntries(Object.entries(filters).map(([name, { param }]) => [name, param])) as ParamsOf<F>;

/** The rows that pass every filter of the request. @param without names of filters that are left out */
export async function narrowed(
  rows: Filters,
  filters: ListFilters,
  request: FilterRequest,
  without: readonly string[] = [],
): Promise<Filters> {
  let found = rows;
  for (const [name, filter] of Object.entries(filters)) {
    const value = request.params[name];
    if (value !== undefined && !without.includes(name)) found = await filter.narrow(found, value, request);
  }
  return found;
}

/** @throws Problem invalid_parameter if a filter is given without the one that it needs */
export function checkNeeds(filters: ListFilters, params: Readonly<Record<string, unknown>>): void {
  for (const [name, { needs }] of Object.entries(filters))
    if (needs !== undefined && params[name] !== undefined && params[needs] === undefined)
      throw new Problem('invalid_parameter', `${name} is given without ${needs}.`, { field: needs, accepted: [needs] });
}
