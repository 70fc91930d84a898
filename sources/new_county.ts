/**
 * `make county NAME=oh_lorain_tax FAMILY=arcgis_parcels FIPS=39093`: the folder of a county's adapter, with a
 * declaration to fill in and a list of the pages to record. Its test fails, saying what is missing, until pages of the
 * county stand beside it. Nothing else has to be edited (docs/adding-a-county.md).
 */
import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readSettings, SettingError } from '../lib/settings.ts';

const OHIO_FIPS = /^39\d{3}$/;

const settingsOfCounty = z.object({
  NAME: z
    .string('a name such as oh_lorain_tax')
    .regex(/^oh_[a-z]+(_[a-z]+)*_(tax|sheriff)$/, 'a name such as oh_lorain_tax or oh_lorain_sheriff'),
  FAMILY: z.enum(
    ['realauction', 'arcgis_parcels', 'county_list_file'],
    'realauction (sheriff sales on RealAuction), arcgis_parcels (a parcel layer) or county_list_file (a list dropped by the operator)',
  ),
  FIPS: z
    .string("the county's FIPS code, such as 39093")
    .regex(OHIO_FIPS, 'the five digits of an Ohio county, such as 39093'),
});

interface County {
  readonly name: string;
  readonly title: string;
  readonly fips: string;
}

/** A case of recorded/pages.json, as test/sources/fleet.test.ts describes it. */
type Case = Readonly<Record<string, unknown>>;
interface Template {
  readonly folder: 'tax' | 'sheriff';
  source(county: County): string;
  pages(county: County): Readonly<Record<string, Case>>;
  /** What to record, in words. */ readonly record: string;
}

const BLOCKED = '<html><head><title>Sign in</title></head><body>Please sign in to go on.</body></html>';
const hostOf = ({ title }: County): string => `${title.toLowerCase().replaceAll(' ', '')}.sheriffsaleauction.ohio.gov`;
const layerOf = ({ title }: County): string =>
  `https://gis.${title.toLowerCase().replaceAll(' ', '')}.example/server/rest/services/Parcels/FeatureServer/0`;

const TEMPLATES: Readonly<Record<z.infer<typeof settingsOfCounty>['FAMILY'], Template>> = {
  realauction: {
    folder: 'sheriff',
    source: (c) => `import { realAuction } from '../../families/realauction.ts';

export default realAuction({ county: '${c.title}', fips: '${c.fips}', host: '${hostOf(c)}' });
`,
    pages: (c) => {
      const url = `https://${hostOf(c)}/index.cfm?zaction=AUCTION&Zmethod=UPDATE&FNC=LOAD&AREA=W&PageDir=0&doR=1`;
      const items = {
        kind: 'items',
        url,
        context: { saleDate: 'YYYY-MM-DD', area: 'W', saleTypes: '{}' },
        contentType: 'text/html;charset=UTF-8',
      };
      return {
        items: { ...items, file: 'items.json' },
        new_token: { ...items, file: 'new_token.json', quarantine: 'template_changed' },
        empty_area: { ...items, context: { saleDate: 'YYYY-MM-DD', area: 'C' }, text: '{"retHTML":"","rlist":""}' },
        blocked_login_page: { ...items, text: BLOCKED, quarantine: 'malformed_page' },
        cut_off: { ...items, file: 'items.json', cutTo: 300, quarantine: 'malformed_page' },
      };
    },
    record:
      "items.json: the answer to LOAD for one sale day with a few items (the browser's network tab shows it while the page of the day loads). new_token.json: the same with a token the platform does not use, such as @ZZ. Put the sale day into context.saleDate.",
  },
  arcgis_parcels: {
    folder: 'tax',
    source: (c) => `/** ${c.title} County, Ohio: parcels in debt, from the county's parcel layer. */
import { arcgisParcels } from '../../families/arcgis_parcels.ts';
import { money, optional } from '../../values.ts';

export default arcgisParcels({
  name: '${c.name}', title: '${c.title} County tax delinquency (parcel layer)', county: { fips: '${c.fips}', name: '${c.title} County', state: 'OH' },
  // Where the layer lies, and which parcels owe: look at <layer>?f=html in a browser.
  layer: '${layerOf(c)}', where: 'AMOUNT_DUE > 0',
  terms: { basis: 'public_record', note: 'Say here under which terms the layer may be read, and what was not found out.' },
  everyDays: 7, politeness: { minIntervalMs: 2000, concurrency: 1 }, expect: { minRows: 50, maxRejectShare: 0.02, maxDropShare: 0.3 },
  // The layer's own field names; what it does not have is null.
  parcel: 'PARCEL', needed: ['PARCEL', 'OWNER', 'STREET', 'AMOUNT_DUE'],
  values: (a) => ({
    owner_name: optional(a.OWNER), street: optional(a.STREET), city: null, zip: null, mail_street: null, mail_city: null, mail_state: null, mail_zip: null,
    amount: money('AMOUNT_DUE', a.AMOUNT_DUE), years_delinquent: null, certified_year: null, county_value: null, property_class: null,
  }),
});
`,
    pages: (c) => {
      const features = { kind: 'features', url: `${layerOf(c)}/query?f=json`, contentType: 'application/json' };
      return {
        features: { ...features, file: 'features.json' },
        last_page_is_empty: { ...features, file: 'last_page.json' },
        without_a_field: { ...features, file: 'without_a_field.json', quarantine: 'missing_column' },
        cut_in_the_middle: { ...features, file: 'features.json', cutTo: 90, quarantine: 'malformed_page' },
        blocked_login_page: { ...features, text: BLOCKED, quarantine: 'malformed_page' },
      };
    },
    record:
      'features.json: what `<layer>/query?where=<where>&outFields=*&returnGeometry=false&resultRecordCount=3&f=json` answers. last_page.json: the same with "features": []. without_a_field.json: last_page.json with the field of the amount taken out of "fields".',
  },
  county_list_file: {
    folder: 'tax',
    source: (c) => `/** ${c.title} County, Ohio: delinquency list dropped by the operator. */
import { countyListFile } from '../../families/county_list_file.ts';

export default countyListFile({
  name: '${c.name}',
  title: '${c.title} County tax delinquency (list dropped by the operator)',
  county: { fips: '${c.fips}', name: '${c.title} County', state: 'OH' },
  // Page of the county where a person asks for the list.
  home: 'https://www.${c.title.toLowerCase().replaceAll(' ', '')}county.example/',
  terms: { basis: 'public_record', note: 'The delinquent land list is a public record (ORC 5721.011). Say here what the county says of its use.' },
  everyDays: 31,
  // A whole parcel number in the county's form.
  parcel: /^\\d{2}-\\d{5}$/u,
  parcelExample: '12-34567',
});
`,
    pages: ({ name }) => {
      const list = { kind: 'csv', url: `file:///drop/${name}/list.csv` };
      return {
        list: { ...list, file: 'list.csv' },
        headings_only: { ...list, text: 'Parcel,Owner,Amount Due\n' },
        heading_renamed: { ...list, text: 'Parcel,Owner,Sum\n1,A,2\n', quarantine: 'missing_column' },
        blocked_page_saved_as_a_list: { ...list, text: BLOCKED, quarantine: 'missing_column' },
        not_a_workbook: {
          ...list,
          kind: 'xlsx',
          url: `file:///drop/${name}/list.xlsx`,
          text: BLOCKED,
          quarantine: 'malformed_page',
        },
      };
    },
    record: "list.csv: a few rows of the county's list with its own headings.",
  },
};

/**
 * Make the folder.
 * @param root folder of the adapters
 * @returns the folder made
 * @throws SettingError where the settings cannot be used or the folder is there already
 */
export async function newCounty(
  root: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<string> {
  const { NAME, FAMILY, FIPS } = readSettings(settingsOfCounty, env);
  const template = TEMPLATES[FAMILY];
  if (!NAME.endsWith(`_${template.folder}`))
    throw new SettingError(
      `NAME is ${JSON.stringify(NAME)}, expected a name that ends in _${template.folder}: ${FAMILY} is of the family ${template.folder}`,
    );
  const title = NAME.split('_')
    .slice(1, -1)
    .map((w) => w.charAt(0).toUpperCase() + w.slice(1))
    .join(' ');
  const county: County = { name: NAME, title, fips: FIPS };
  const folder = join(root, template.folder, NAME);
  if (
    await access(folder).then(
      () => true,
      () => false,
    )
  )
    throw new SettingError(
      `NAME is ${JSON.stringify(NAME)}, expected the name of a new source: ${folder} is there already`,
    );
  await mkdir(join(folder, 'recorded'), { recursive: true });
  await writeFile(join(folder, 'source.ts'), template.source(county));
  await writeFile(join(folder, 'recorded/pages.json'), `${JSON.stringify(template.pages(county), null, 2)}\n`);
  await writeFile(
    join(folder, 'recorded/README.md'),
    `# Recorded pages\n\nNothing is recorded yet. ${template.record} Then say here where the pages come from: recorded from the site on which day, or made by you in its format with invented names.\n`,
  );
  return folder;
}

if (import.meta.main) {
  try {
    const folder = await newCounty(import.meta.dirname);
    process.stdout.write(
      `made ${folder}\n\nNext\n  1. fill in source.ts\n  2. record pages as recorded/README.md says\n  3. node --test test/sources/fleet.test.ts    until it passes\n  4. make docs\n`,
    );
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
