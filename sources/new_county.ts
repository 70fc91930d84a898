/**
 * `make county NAME=oh_lorain_tax FAMILY=arcgis_parcels FIPS=39093`: creates the folder of a county's adapter with a
 * declaration to fill in and a list of pages to record. Its test fails until they are recorded
 * (docs/adding-a-county.md).
 */
import { z } from 'zod';
import { readSettings, SettingError } from '../lib/settings.ts';
import { TEMPLATES, type County, type Template } from './county_templates.ts';
import { createFolder, runCommand, textLike, titleOf } from './new_source.ts';

const FAMILIES = ['realauction', 'arcgis_parcels', 'county_list_file'] as const satisfies (keyof typeof TEMPLATES)[];

const CountySettings = z.object({
  NAME: textLike(/^oh_[a-z]+(_[a-z]+)*_(tax|sheriff)$/, 'a name such as oh_lorain_tax or oh_lorain_sheriff'),
  FAMILY: z.enum(
    FAMILIES,
    'realauction (sheriff sales on RealAuction), arcgis_parcels (a parcel layer) ' +
      'or county_list_file (a list dropped by the operator)',
  ),
  FIPS: textLike(/^39\d{3}$/, 'the FIPS code of an Ohio county, such as 39093'),
});

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
  const county: County = { name: NAME, title: titleOf(NAME.split('_').slice(1, -1)), fips: FIPS };
  return createFolder(root, {
    family: template.folder,
    name: NAME,
    source: template.source(county),
    pages: template.pages(county),
    record: template.record,
  });
}

if (import.meta.main) await runCommand(() => newCounty(import.meta.dirname));
