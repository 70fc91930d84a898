/**
 * The metros: names, addresses of their pages, counties, and places on the map of the states: the middle of the ZIPs in
 * the county of the largest city, in the Albers projection of us-atlas.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';

const Metro = z.strictObject({
  name: z.string(),
  /** Last part of the address of its page. */
  slug: z.string().regex(/^[a-z-]+$/),
  /** State of the county of its largest city. */
  state: z.string(),
  counties: z.array(z.string()),
  x: z.number(),
  y: z.number(),
});
export type Metro = z.infer<typeof Metro>;

export const METROS: readonly Metro[] = z
  .array(Metro)
  .parse(JSON.parse(readFileSync(new URL('./metros.json', import.meta.url), 'utf8')));

const byName = new Map(METROS.map((metro) => [metro.name, metro]));

export const metroNamed = (name: string): Metro | undefined => byName.get(name);

export const METROS_PATH = '/metros';
export const pathOf = ({ slug }: Metro): string => `${METROS_PATH}/${slug}`;
