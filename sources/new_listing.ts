/**
 * `make listing FAMILY=cards NAME=lakeside_brokerage SITE=www.lakeside.example`: creates the folder of a listing source
 * with a declaration to fill in and a made-up page that it reads. Its test fails until real pages replace that page
 * (docs/adding-listings.md).
 */
import { z } from 'zod';
import { readSettings } from '../lib/settings.ts';
import { LISTING_TEMPLATES, type ListingTemplate } from './listing_templates.ts';
import { createFolder, runCommand, textLike, titleOf } from './new_source.ts';

const FAMILIES = ['reso', 'jsonld', 'cards', 'file'] as const satisfies (keyof typeof LISTING_TEMPLATES)[];

const ListingSettings = z.object({
  NAME: textLike(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/, 'a name such as lakeside_brokerage'),
  FAMILY: z.enum(
    FAMILIES,
    'reso (an MLS by RESO Web API), jsonld (a site with schema.org data), cards (a site with HTML cards) ' +
      "or file (a broker's list as a file)",
  ),
  SITE: textLike(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'the host of the site, such as www.lakeside.example').optional(),
});

/**
 * Create the folder.
 * @param root folder of the adapters
 * @returns the new folder
 * @throws SettingError if a setting is invalid or the folder exists
 */
export async function newListing(
  root: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<string> {
  const { NAME, FAMILY, SITE = `www.${NAME.replaceAll('_', '-')}.example` } = readSettings(ListingSettings, env);
  const template: ListingTemplate = LISTING_TEMPLATES[FAMILY];
  return createFolder(root, {
    family: 'listings',
    name: NAME,
    ...template({ name: NAME, title: titleOf(NAME.split('_')), site: SITE }),
  });
}

if (import.meta.main) await runCommand(() => newListing(import.meta.dirname));
