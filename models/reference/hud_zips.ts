import { defineRecord, text } from '../../lib/record.ts';

/**
 * ZIPs and the HUD areas they overlap, for the areas of the twenty metros and Canton, OH. From the ZIP-level rents that
 * HUD published for fiscal year 2024 (a US government work), with the current code of Cleveland's area. A ZIP has one
 * row for each area it overlaps. ZIPs opened since then, and ZIPs of post office boxes, are missing: a property there
 * has no rent.
 */
export default defineRecord('hud_zip', 'One row per ZIP and HUD area that it overlaps.', ['zip', 'hud_area_code'], {
  zip: text('Five-digit ZIP.'),
  hud_area_code: text('HUD area code.'),
});
