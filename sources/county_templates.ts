/** Templates of `make county` for each family: source.ts, the cases of pages.json, and the pages to record. */
import { LOGIN_PAGE, type Case } from './new_source.ts';

export interface County {
  readonly name: string;
  readonly title: string;
  readonly fips: string;
}

export interface Template {
  readonly folder: 'tax' | 'sheriff';
  source(county: County): string;
  pages(county: County): Readonly<Record<string, Case>>;
  /** The pages to record. */
  readonly record: string;
}

const slugOf = ({ title }: County): string => title.toLowerCase().replaceAll(' ', '');
const auctionHostOf = (county: County): string => `${slugOf(county)}.sheriffsaleauction.ohio.gov`;
const layerOf = (county: County): string =>
  `https://gis.${slugOf(county)}.example/server/rest/services/Parcels/FeatureServer/0`;

const realauction: Template = {
  folder: 'sheriff',
  source: (county) => `import { realAuction } from '../../families/realauction/adapter.ts';

export default realAuction({ county: '${county.title}', fips: '${county.fips}', host: '${auctionHostOf(county)}' });
`,
  pages: (county) => {
    const load = 'zaction=AUCTION&Zmethod=UPDATE&FNC=LOAD&AREA=W&PageDir=0&doR=1';
    const items = {
      kind: 'items',
      url: `https://${auctionHostOf(county)}/index.cfm?${load}`,
      context: { saleDate: 'YYYY-MM-DD', area: 'W', saleTypes: '{}' },
      contentType: 'text/html;charset=UTF-8',
    };
    return {
      items: { ...items, file: 'items.json' },
      new_token: { ...items, file: 'new_token.json', quarantine: 'template_changed' },
      empty_area: { ...items, context: { saleDate: 'YYYY-MM-DD', area: 'C' }, text: '{"retHTML":"","rlist":""}' },
      blocked_login_page: { ...items, text: LOGIN_PAGE, quarantine: 'malformed_page' },
      cut_off: { ...items, file: 'items.json', cutTo: 300, quarantine: 'malformed_page' },
    };
  },
  record:
    'items.json: the response to LOAD for one sale day with a few items (in the network tab of the browser while the ' +
    'page of the day loads). new_token.json: the same with a token that the platform does not use, such as @ZZ. Put ' +
    'the sale day into context.saleDate.',
};

const arcgisParcels: Template = {
  folder: 'tax',
  source: (county) => `/** ${county.title} County, Ohio: delinquent parcels from the county's parcel layer. */
import { arcgisParcels } from '../../families/arcgis/adapter.ts';
import { money, optional } from '../../values.ts';

export default arcgisParcels({
  name: '${county.name}',
  title: '${county.title} County tax delinquency (parcel layer)',
  county: { fips: '${county.fips}', name: '${county.title} County', state: 'OH' },
  // Address of the layer, and the condition of a delinquent parcel: open <layer>?f=html in a browser.
  layer: '${layerOf(county)}',
  where: 'AMOUNT_DUE > 0',
  terms: {
    basis: 'public_record',
    note: 'Say here under which terms the layer may be read, and what is unknown about them.',
  },
  everyDays: 7,
  politeness: { minIntervalMs: 2000, concurrency: 1 },
  expect: { minRows: 50, maxRejectShare: 0.02, maxDropShare: 0.3 },
  // The layer's own field names; null for what it does not have.
  parcel: 'PARCEL',
  needed: ['PARCEL', 'OWNER', 'STREET', 'AMOUNT_DUE'],
  values: (a) => ({
    owner_name: optional(a.OWNER),
    street: optional(a.STREET),
    city: null,
    zip: null,
    mail_street: null,
    mail_city: null,
    mail_state: null,
    mail_zip: null,
    amount: money('AMOUNT_DUE', a.AMOUNT_DUE),
    years_delinquent: null,
    certified_year: null,
    county_value: null,
    property_class: null,
  }),
});
`,
  pages: (county) => {
    const features = { kind: 'features', url: `${layerOf(county)}/query?f=json`, contentType: 'application/json' };
    return {
      features: { ...features, file: 'features.json' },
      last_page_is_empty: { ...features, file: 'last_page.json' },
      without_a_field: { ...features, file: 'without_a_field.json', quarantine: 'missing_column' },
      cut_in_the_middle: { ...features, file: 'features.json', cutTo: 90, quarantine: 'malformed_page' },
      blocked_login_page: { ...features, text: LOGIN_PAGE, quarantine: 'malformed_page' },
    };
  },
  record:
    'features.json: the response to `<layer>/query?where=<where>&outFields=*&returnGeometry=false' +
    '&resultRecordCount=3&f=json`. last_page.json: the same with "features": []. without_a_field.json: ' +
    'last_page.json without the field of the amount in "fields".',
};

const countyListFile: Template = {
  folder: 'tax',
  source: (county) => `/** ${county.title} County, Ohio: delinquency list dropped by the operator. */
import { countyListFile } from '../../families/county_list/adapter.ts';

export default countyListFile({
  name: '${county.name}',
  title: '${county.title} County tax delinquency (list dropped by the operator)',
  county: { fips: '${county.fips}', name: '${county.title} County', state: 'OH' },
  // Page of the county on which a person asks for the list.
  home: 'https://www.${slugOf(county)}county.example/',
  terms: {
    basis: 'public_record',
    note: 'The delinquent land list is a public record (ORC 5721.011). Say here what the county says about its use.',
  },
  everyDays: 31,
  // A whole parcel number in the county's form.
  parcel: /^\\d{2}-\\d{5}$/u,
  parcelExample: '12-34567',
});
`,
  pages: ({ name }) => {
    const list = { kind: 'csv', url: `file:///drop/${name}/list.csv` };
    const workbook = { kind: 'xlsx', url: `file:///drop/${name}/list.xlsx` };
    return {
      list: { ...list, file: 'list.csv' },
      headings_only: { ...list, text: 'Parcel,Owner,Amount Due\n' },
      heading_renamed: { ...list, text: 'Parcel,Owner,Sum\n1,A,2\n', quarantine: 'missing_column' },
      blocked_page_saved_as_a_list: { ...list, text: LOGIN_PAGE, quarantine: 'missing_column' },
      not_a_workbook: { ...workbook, text: LOGIN_PAGE, quarantine: 'malformed_page' },
    };
  },
  record: "list.csv: a few rows of the county's list with its own headings.",
};

/** Templates by FAMILY. */
export const TEMPLATES = {
  realauction,
  arcgis_parcels: arcgisParcels,
  county_list_file: countyListFile,
} as const satisfies Readonly<Record<string, Template>>;
