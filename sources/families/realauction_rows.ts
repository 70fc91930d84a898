/** Items of a RealAuction sale day, and rows scraped from one by others, as staged sheriff sales. Pure. */
import type { RowOf } from '../../lib/record.ts';
import { Quarantine, type Candidate, type Page } from '../contract.ts';
import { usDay } from '../days.ts';
import type { SheriffSale } from '../rows/sheriff_sale.ts';
import { candidate, checkColumns, line, money, optional, refuse, required, zip } from '../values.ts';
import { dayOf, readItems, valueOf, type Area, type Item, type Labelled, type Slot } from './realauction_pages.ts';

type Sale = RowOf<typeof SheriffSale>;

/** A county on the platform. */
export interface County {
  readonly name: string;
  readonly fips: string;
  readonly state: 'OH';
  readonly host: string;
}

/** Public page of a sale day. */
export const previewUrl = (base: string, day: string): string =>
  new URL(`/index.cfm?zaction=AUCTION&Zmethod=PREVIEW&AUCTIONDATE=${usDay(day)}`, base).href;

const IS_TIME = /^\d{2}\/\d{2}\/\d{4}\s+\d{1,2}:\d{2}\s*[AP]M\b/iu;

/** Words of a status box or a case status. The first that matches stands: "CANCELLED - NO BIDS" is a cancellation. */
const STATUS_WORDS: readonly (readonly [RegExp, Sale['status']])[] = [
  [/\bCANCELL?ED\b|\bREDEEMED\b/iu, 'cancelled'],
  [/\bWITHDRAWN\b/iu, 'withdrawn'],
  [/\bPOSTPONED\b|\bADJOURNED\b|\bRE-?SCHEDULED\b/iu, 'postponed'],
  [/\bUNSOLD\b|\bNOT SOLD\b|\bNO SALE\b|\bNO BID(?:S|DERS?)?\b/iu, 'unsold'],
  [/\bSOLD\b/iu, 'sold'],
  [/^(?:ACTIVE|SCHEDULED|OPEN|AUCTION STARTS)\b/iu, 'scheduled'],
  [IS_TIME, 'scheduled'],
];

const wordStatus = (text: string): Sale['status'] => STATUS_WORDS.find(([word]) => word.test(text))?.[1] ?? 'unknown';

/**
 * Status of an item. The sheriffs write cancellations into the time slot and leave the case status ACTIVE, so
 * the slot speaks first wherever it holds anything but a time. An item that the site has moved to the closed
 * area without a word is `unknown`, never scheduled.
 */
export function readStatus(caseStatus: string | null, slot: Slot, area: Area | null): Sale['status'] {
  const said = [slot.label !== null && /\bSOLD\b/iu.test(slot.label) ? 'sold' : null, slot.text, caseStatus]
    .filter((text) => text !== null)
    .map(wordStatus);
  const verdict = said.find((status) => status !== 'scheduled') ?? (said.length > 0 ? 'scheduled' : 'unknown');
  return verdict === 'scheduled' && area === 'C' ? 'unknown' : verdict;
}

/**
 * Kind and round, only where the sale type makes them clear. A first or a second sale is told apart for mortgage
 * foreclosures alone (ORC 2329.52); "FORECLOSURE" by itself may be any lien.
 */
export function readSaleType(raw: string | null): Pick<Sale, 'sale_kind' | 'sale_round'> {
  const text = raw ?? '';
  const round = /\b(?:FIRST|1ST)\b/iu.test(text) ? 1 : /\b(?:SECOND|2ND)\b/iu.test(text) ? 2 : null;
  const kind = /\bTAX\b/iu.test(text)
    ? 'tax_foreclosure'
    : /\bMORTGAGE\b/iu.test(text) || (round !== null && /\bFORECLOSURE\b/iu.test(text))
      ? 'mortgage_foreclosure'
      : /\bJUDGMENT\b|\bEXECUTION\b|\bPARTITION\b/iu.test(text)
        ? 'other_judgment'
        : 'unknown';
  return { sale_kind: kind, sale_round: round };
}

/** Case number without the site's internal id: "CV26123456 (54321)" is CV26123456. */
const caseNumber = (printed: string | null): string =>
  required('case_number', printed?.replace(/\s*\([^()]*\)\s*$/u, '') ?? null);

/** City and ZIP of a line such as "PARMA , 441300000", or "PARMA, OH- 44130". The platform pads a ZIP with zeros to nine digits. */
function cityLine(text: string | null): Pick<Sale, 'city' | 'zip'> {
  const match = /^(.*),\s*(?:[A-Z]{2}\b\s*-?\s*)?([^,]*)$/u.exec(text ?? '');
  return match ? { city: optional(match[1]), zip: zip('zip', match[2]) } : { city: optional(text), zip: null };
}

const DOLLARS = ['Appraised Value', 'Opening Bid', 'Deposit Requirement'] as const;
/** Without these an item is not one of ours. */
const NEEDED = ['Case #', 'Parcel ID', 'Property Address', ...DOLLARS.slice(0, 2)];
const KNOWN = ['', 'Case Status', 'Sale Type', 'Auction Type', 'Plaintiff', 'Defendant', DOLLARS[2]];

/** What stands under a label that is written once, right below another: the city line below the address. */
function below(labelled: Labelled, label: string): string | null {
  const at = labelled.findIndex(([name]) => name === label);
  const next = labelled[at + 1];
  return at >= 0 && next?.[0] === '' ? next[1] || null : null;
}

/** JSON that fetch put into the page's context, keyed by item. */
function noted<T>(page: Page, key: string): Readonly<Record<string, T>> {
  const text = page.context[key];
  return text === undefined ? {} : (JSON.parse(text) as Record<string, T>);
}

function saleOf(
  county: County,
  item: Item,
  saleDate: string,
  area: Area | null,
  saleTypeSeen: string | undefined,
): Sale {
  const value = (label: string): string | null => optional(valueOf(item.labelled, label));
  const caseStatus = value('Case Status');
  const saleType = optional(saleTypeSeen) ?? value('Sale Type');
  const status = readStatus(caseStatus, item.slot, area);
  const slotDay = IS_TIME.test(item.slot.text ?? '') ? dayOf(item.slot.text ?? undefined) : null;
  if (slotDay !== null && slotDay !== saleDate) {
    refuse(
      'sale_date_mismatch',
      `the time slot is ${JSON.stringify(item.slot.text)}, expected the sale day ${saleDate}`,
    );
  }
  return {
    county_fips: county.fips,
    county: `${county.name} County, ${county.state}`,
    item_id: item.aid,
    case_number: caseNumber(value('Case #')),
    parcel_raw: value('Parcel ID'),
    street: value('Property Address'),
    ...cityLine(below(item.labelled, 'Property Address')),
    state: county.state,
    sale_date: saleDate,
    status,
    case_status_raw: caseStatus,
    slot_raw: item.slot.text,
    sale_type_raw: saleType,
    ...readSaleType(saleType),
    appraised_value: money('appraised_value', value('Appraised Value'), { zeroIsUnknown: true }),
    opening_bid: money('opening_bid', value('Opening Bid'), { zeroIsUnknown: true }),
    deposit: money('deposit', value('Deposit Requirement')),
    sold_amount: status === 'sold' ? money('sold_amount', item.slot.amount, { zeroIsUnknown: true }) : null,
    plaintiff: value('Plaintiff'),
    defendant: value('Defendant'),
  };
}

/**
 * Rows of a page of items. The page does not say its own sale day, nor what other pages say of its items:
 * `context` brings `saleDate`, `area`, and where fetch found them `saleTypes` and `slots`, JSON keyed by item.
 */
export function parseItems(county: County, page: Page): readonly Candidate[] {
  const saleDate = page.context['saleDate'];
  if (saleDate === undefined)
    throw new Quarantine('malformed_page', 'the page came without the day its session was bound to', page.url);
  const saleTypes = noted<string>(page, 'saleTypes');
  const slots = noted<Slot>(page, 'slots');
  return readItems(page).map((read) => {
    checkColumns(
      read.labelled.map(([label]) => label),
      NEEDED,
      page.url,
      KNOWN,
    );
    const item = { ...read, slot: slots[read.aid] ?? read.slot };
    const parcel = valueOf(item.labelled, 'Parcel ID');
    const number = optional(valueOf(item.labelled, 'Case #')?.replace(/\s*\([^()]*\)\s*$/u, ''));
    return candidate(
      () =>
        JSON.stringify({ ...item, ...(saleTypes[item.aid] === undefined ? {} : { saleType: saleTypes[item.aid] }) }),
      () => ({
        values: saleOf(county, item, saleDate, (page.context['area'] ?? null) as Area | null, saleTypes[item.aid]),
        sourceUrl: previewUrl(page.url, saleDate),
      }),
      number === null || parcel === null
        ? undefined
        : { county_fips: county.fips, case_number: number, parcel_raw: parcel, sale_date: saleDate },
    );
  });
}

const SCRAPED = [
  'county',
  'start_date',
  'case_status',
  'case_number',
  'parcel_id',
  'property_address',
  'appraised_value',
  'opening_bid',
  'deposit_requirement',
];

/**
 * Street and ZIP of a scraped address. The scraper joined the lines and lost the last word of the city:
 * "1200 EXAMPLE ROAD ROCKY, OH, 44116" is in Rocky River, "34 WEST EXAMPLE STREET , OH, 44102" in Cleveland. What
 * is left of the city cannot be trusted, so it is taken off the street and the city stays unknown.
 */
function scrapedAddress(printed: string | null): Pick<Sale, 'street' | 'city' | 'zip'> {
  const match = /^(.*),\s*OH\s*,\s*([\d-]*)\s*$/u.exec(printed ?? '');
  const joined = match?.[1];
  if (joined === undefined) return { street: optional(printed), city: null, zip: null };
  const street = /\s$/u.test(joined) ? joined : joined.replace(/\s+\S+$/u, '');
  return { street: optional(street), city: null, zip: zip('zip', match?.[2]) };
}

/** Rows of a file in which somebody else scraped sale days of this county, a JSON array or one object a line. */
export function parseScraped(county: County, page: Page): readonly Candidate[] {
  const text = page.text().trim();
  let rows: unknown;
  try {
    rows = text.startsWith('[') ? JSON.parse(text) : text.split('\n').map((entry) => JSON.parse(entry) as unknown);
  } catch (error) {
    throw new Quarantine(
      'malformed_page',
      `not JSON: ${error instanceof Error ? error.message : String(error)}`,
      page.url,
    );
  }
  return (rows as readonly Readonly<Record<string, unknown>>[]).map((row) => {
    checkColumns(Object.keys(row), SCRAPED, page.url, ['geocode']);
    const said = (name: string): string | null => line(row[name]);
    return candidate(
      () => JSON.stringify(row),
      () => {
        if (said('county')?.toLowerCase() !== county.name.toLowerCase()) {
          refuse('other_county', `county is ${JSON.stringify(row['county'])}, expected ${county.name}`);
        }
        const slot = said('start_date');
        const saleDate = IS_TIME.test(slot ?? '') ? dayOf(slot ?? undefined) : null;
        if (saleDate === null) {
          return refuse(
            'sale_date_overwritten',
            `start_date is ${JSON.stringify(slot)}: the status took the place of the time, so the file does not say the sale day`,
          );
        }
        const labelled: Labelled = [
          ['Case Status', said('case_status') ?? ''],
          ['Case #', said('case_number') ?? ''],
          ['Parcel ID', said('parcel_id') ?? ''],
          ['Appraised Value', said('appraised_value') ?? ''],
          ['Opening Bid', said('opening_bid') ?? ''],
          ['Deposit Requirement', said('deposit_requirement') ?? ''],
        ];
        const item: Item = { aid: '', slot: { label: null, text: slot, amount: null }, labelled };
        return {
          // The file keeps no item number.
          values: {
            ...saleOf(county, item, saleDate, null, undefined),
            item_id: null,
            ...scrapedAddress(typeof row['property_address'] === 'string' ? row['property_address'] : null),
          },
          sourceUrl: previewUrl(`https://${county.host}`, saleDate),
        };
      },
    );
  });
}
