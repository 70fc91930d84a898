/**
 * `make county NAME=oh_lorain_tax FAMILY=arcgis_parcels FIPS=39093`: creates the folder of a county's adapter with a
 * declaration to fill in and a list of pages to record. Its test fails until they are recorded
 * (docs/adding-a-county.md).
 */
import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readSettings, SettingError } from '../lib/settings.ts';
import { TEMPLATES, type County, type Template } from './county_templates.ts';

const FAMILIES = ['realauction', 'arcgis_parcels', 'county_list_file'] as const satisfies (keyof typeof TEMPLATES)[];

/** A text of a form that `expected` describes. */
const textLike = (form: RegExp, expected: string): z.ZodString => z.string(expected).regex(form, expected);

const CountySettings = z.object({
  NAME: textLike(/^oh_[a-z]+(_[a-z]+)*_(tax|sheriff)$/, 'a name such as oh_lorain_tax or oh_lorain_sheriff'),
  FAMILY: z.enum(
    FAMILIES,
    'realauction (sheriff sales on RealAuction), arcgis_parcels (a parcel layer) ' +
      'or county_list_file (a list dropped by the operator)',
  ),
  FIPS: textLike(/^39\d{3}$/, 'the FIPS code of an Ohio county, such as 39093'),
});

/** "Van Wert" of oh_van_wert_tax. */
const countyTitle = (name: string): string =>
  name
    .split('_')
    .slice(1, -1)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/**
 * Create the folder.
 * @param root folder of the adapters
 * @returns the new folder
 * @throws SettingError if a setting is invalid or the folder exists
 */
export async function newCounty(
  root: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<string> {
  const { NAME, FAMILY, FIPS } = readSettings(CountySettings, env);
  const template: Template = TEMPLATES[FAMILY];
  if (!NAME.endsWith(`_${template.folder}`))
    throw new SettingError(
      `NAME is ${JSON.stringify(NAME)}, expected a name that ends in _${template.folder}: ` +
        `${FAMILY} is a family of ${template.folder} sources`,
    );
  const county: County = { name: NAME, title: countyTitle(NAME), fips: FIPS };
  const folder = join(root, template.folder, NAME);
  if (await exists(folder))
    throw new SettingError(`NAME is ${JSON.stringify(NAME)}, expected the name of a new source: ${folder} exists`);
  await mkdir(join(folder, 'recorded'), { recursive: true });
  await writeFile(join(folder, 'source.ts'), template.source(county));
  await writeFile(join(folder, 'recorded/pages.json'), `${JSON.stringify(template.pages(county), null, 2)}\n`);
  await writeFile(
    join(folder, 'recorded/README.md'),
    `# Recorded pages\n\nNothing is recorded yet. ${template.record} Then say here where the pages come from: ` +
      'recorded from the site on which day, or made by you in its format with invented names.\n',
  );
  return folder;
}

if (import.meta.main) {
  try {
    const folder = await newCounty(import.meta.dirname);
    process.stdout.write(
      `created ${folder}\n\nNext\n  1. fill in source.ts\n  2. record pages as recorded/README.md says\n` +
        '  3. node --test test/sources/fleet.test.ts    until it passes\n  4. make docs\n',
    );
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
