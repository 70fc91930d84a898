/** The pages of the reference. Each route in the table of routes has one. */
import { templateOf, type Route } from '../../../routes/define.ts';
import { purchasesOpenApi } from '../../../routes/purchases.ts';
import type { Page } from '../../page.ts';
import { endpointPage } from './endpoint.ts';
import { ENUM_PAGES } from './enums_page.ts';
import { GUIDE_PAGES } from './guides.ts';
import { endpointPath } from './paths.ts';
import { recordPages } from './record.ts';
import { RECORDS } from './records.ts';
import { searchPage } from './search_page.ts';

const collect = Object.entries(purchasesOpenApi).map(([path, { get }]) => ({ name: get.operationId, path }));

/** All pages but the overview, which is in the navigation of the site. */
export const referencePages = (routes: readonly Route[]): readonly Page[] => [
  ...GUIDE_PAGES,
  ...[...routes.map((route) => ({ name: route.name, path: templateOf(route) })), ...collect].map((operation) =>
    endpointPage(operation, endpointPath(operation)),
  ),
  ...RECORDS.flatMap(recordPages),
  ...ENUM_PAGES,
  searchPage,
];
