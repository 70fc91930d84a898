/** A large CSV export of Colorado's register, with short records and repeated ids. */
import { COLORADO_COLUMNS } from '../../../sandbox/pages/colorado.ts';

export const exportId = (number: number): string => String(20_260_000_000 + number);

/** Of each hundred records one is short, and in the second half one repeats an earlier id. */
function recordOf(number: number, count: number): string {
  if (number % 100 === 50) return `${exportId(number)},SHORT LLC`;
  const repeats = number >= count / 2 && number % 100 === 60;
  const name = `"Business, ${number}${' of the county'.repeat(96)}"`;
  const own = exportId(repeats ? number - count / 2 : number);
  return `${own},${name},,,,,,,,,,,,,Exists,,DLLC,,,,,,,,,,,,,,,,,,11/2/2026`;
}

/** The header and these many records. Long names make 12,000 records over 16 MB. */
export const exportRecords = (count: number): string[] => [
  COLORADO_COLUMNS.join(','),
  ...Array.from({ length: count }, (_, number) => recordOf(number, count)),
];
