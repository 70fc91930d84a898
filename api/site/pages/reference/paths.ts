/** Addresses of the reference's pages. An endpoint's page has the name of its operation. */
import type { Route } from '../../../routes/define.ts';

export const REFERENCE = '/reference';
export const SEARCH_PATH = `${REFERENCE}/search`;
export const ENUMS_PATH = `${REFERENCE}/enums`;
/** The page with the lists of values of a record, or of calls. */
export const enumsPath = (owner: string): string => `${ENUMS_PATH}/${owner}`;
export const ERRORS_PATH = `${REFERENCE}/errors`;
export const LISTS_PATH = `${REFERENCE}/lists`;
export const RECEIPTS_PATH = `${REFERENCE}/receipts`;

export const endpointPath = ({ name }: Pick<Route, 'name'>): string => `${REFERENCE}/${name.replaceAll('_', '-')}`;

/** The page of a record, or of one of its groups of fields. */
export const recordPath = (record: string, group?: string): string =>
  `${REFERENCE}/records/${record}${group === undefined ? '' : `/${group}`}`;

export const errorPath = (reason: string): string => `${ERRORS_PATH}#${reason}`;
