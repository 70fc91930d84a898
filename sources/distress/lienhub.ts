/**
 * Tax certificates that Florida's tax collectors advertise on LienHub from mid-April to the sale of June 1. Known from
 * a public reader of the site: the two addresses, a `unique_id` on the page that the file's address repeats, and the
 * columns. Face Amount is the tax with charges. An account is usually the parcel number without its dashes
 * (Hillsborough puts an A before it), but not always, so the join with other sources decides.
 */
import { completeRow } from '../../lib/record.ts';
import { type FetchContext, Quarantine, type SourceSpec } from '../contract.ts';
import { DistressRecord } from '../rows/distress_record.ts';
import { money, optional, refuse, required } from '../values.ts';
import { postedCsv } from '../readers/posted_csv.ts';

const HOST = 'lienhub.com';

/** Homestead as printed, or blank. */
const HOMESTEAD: ReadonlyMap<string, boolean> = new Map(
  Object.entries({ '1': true, Y: true, YES: true, '0': false, N: false, NO: false }),
);

function isHomestead(printed: string): boolean {
  const text = optional(printed);
  return text === null
    ? false
    : (HOMESTEAD.get(text.toUpperCase()) ??
        refuse('bad_homestead', `Homestead is ${JSON.stringify(printed)}, expected 1, Y, 0, N or blank`));
}

/** Address of the file, with the id that the page gives to this visit. */
async function findFileUrl(page: string, ctx: FetchContext): Promise<string> {
  const shown = await ctx.get(page, { kind: 'page' });
  const id = /unique_id=([A-Za-z0-9]+)/u.exec(shown.text())?.[1];
  if (id === undefined)
    throw new Quarantine('template_changed', 'the page has no unique_id, with which it gives its file', page);
  return `${page}?unique_id=${id}&use_this=download_advertised_list`;
}

/** The advertised list of one county. */
function lienHub(county: { readonly name: string; readonly fips: string }): SourceSpec {
  const slug = county.name.toLowerCase().replaceAll(' ', '-');
  const page = `https://${HOST}/county/${slug}/certsale/main`;
  const place = `${county.name} County`;
  return postedCsv({
    name: `fl_${slug.replaceAll('-', '_')}_certificates`,
    family: 'distress',
    title: `${place}, Florida: advertised tax certificates`,
    home: page,
    county: { fips: county.fips, name: place, state: 'FL' },
    covers: { kinds: ['tax_lien'] },
    terms: {
      basis: 'public_record',
      note:
        'Florida law has the tax collector advertise delinquent taxes (Fla. Stat. 197.402); the terms of use of ' +
        'LienHub were not obtained.',
    },
    // The list is of one year, and is replaced by the next year's. While it is advertised, paid accounts leave it.
    everyDays: 366,
    readEveryDays: 7,
    season: { from: '04-15', to: '06-01' },
    hosts: [HOST],
    minIntervalMs: 4000,
    row: DistressRecord,
    expect: { minRows: 1, maxRejectShare: 0.02, maxDropShare: 0.9 },
    file: (ctx) => findFileUrl(page, ctx),
    needed: ['Account No.', 'Face Amount', 'Homestead'],
    values: (cells, { observedAt }) => {
      const account = required('account', cells['Account No.']);
      const amount = money('face_amount', cells['Face Amount'], { zeroIsUnknown: true });
      return completeRow(DistressRecord, {
        county_fips: county.fips,
        county: `${place}, FL`,
        signal_type: 'tax_lien',
        record_number: account,
        parcel_raw: account,
        amount,
        amount_basis: amount === null ? null : 'lien',
        record_state: 'open',
        // The list of a spring is of the taxes of the year before (Fla. Stat. 197.402); it does not print the year.
        tax_year: Number(observedAt.slice(0, 4)) - 1,
        description: isHomestead(cells['Homestead'] ?? '')
          ? 'Tax certificate advertised for sale, homestead'
          : 'Tax certificate advertised for sale',
      });
    },
  });
}

export default [
  { name: 'Duval', fips: '12031' },
  { name: 'Hillsborough', fips: '12057' },
  { name: 'Pasco', fips: '12101' },
  { name: 'Pinellas', fips: '12103' },
].map(lienHub);
