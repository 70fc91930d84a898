import { defineRecord, text } from '../../lib/record.ts';

/**
 * ZIPs and the HUD areas they touch, for the areas of the twenty metros and Canton, OH. From the ZIP-level rents that
 * HUD published for fiscal year 2024 (a US government work), with Cleveland's area under its code of today. A ZIP on
 * the edge of an area stands here with every area it touches. ZIPs opened since then, and those of post office boxes
 * alone, are missing: a property there has no rent.
 */
export default defineRecord('hud_zip', 'One row per ZIP and HUD area that it touches.', ['zip', 'hud_area_code'], {
  zip: text('Five-digit ZIP.'),
  hud_area_code: text('HUD area code.'),
});
