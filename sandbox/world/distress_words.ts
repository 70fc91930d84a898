/** Made-up contents of distress records: amounts, subjects and plaintiffs. */
import type { DistressKind, Publisher } from './distress_kinds.ts';
import { PLAINTIFFS } from './names.ts';
import type { Draw } from './random.ts';

const ABOUT: Readonly<Record<DistressKind, readonly string[]>> = {
  foreclosure_filing: ['Complaint in mortgage foreclosure', 'Complaint', 'Praecipe to reinstate'],
  tax_lien: ['Property tax', 'School tax', 'Tax certificate'],
  code_violation: [
    'High grass and weeds',
    'Trash and debris',
    'Open and accessible structure',
    'Peeling paint on exterior walls',
    'No working smoke alarms',
    'Broken windows',
    'Roof in disrepair',
    'Inoperable vehicle on the lot',
  ],
  vacant_building: ['Vacant residential building', 'Vacant building, boarded', 'Vacant lot use without permit'],
  condemned: ['Condemned property', 'Dangerous building, demolition ordered', 'Unsafe structure'],
  blight_judgment: [
    'Failure of owner to obtain certificate of compliance',
    'Excessive weeds or plant growth',
    'Failure to register rental property',
    'Allowing bulk solid waste to lie or accumulate',
  ],
};

/** The subject of a record. */
export const aboutOf = (draw: Draw, kind: DistressKind): string => draw.pick(ABOUT[kind]);

/** The amount of a record in cents, null if its publisher states none. */
export function drawAmount(draw: Draw, kind: DistressKind, value: number): number | null {
  if (kind === 'foreclosure_filing') return draw.chance(0.35) ? null : value * draw.int(40, 110) + draw.int(0, 99);
  if (kind === 'tax_lien') return 20_000 + Math.round(value * draw.unit() * 6) + draw.int(0, 99);
  if (kind === 'blight_judgment') return draw.pick([5_000, 13_000, 25_000, 28_000, 53_000, 105_000, 285_000] as const);
  return null;
}

/** Holders of liens and plaintiffs of filings; null where the publisher has none. */
export function drawPlaintiff(draw: Draw, { kind, isByParcel }: Publisher): string | null {
  if (kind === 'foreclosure_filing') return draw.pick(PLAINTIFFS);
  return kind === 'tax_lien' && !isByParcel
    ? draw.pick(['CITY TREASURER', 'SCHOOL DISTRICT', 'COUNTY TREASURER'])
    : null;
}
