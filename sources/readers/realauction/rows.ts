/** Items of a RealAuction sale day as staged sales, by the labels of their state. Pure. */
import { type Candidate, type Page, Quarantine } from '../../contract.ts';
import { checkColumns } from '../../csv/csv.ts';
import type { AuctionType } from '../../kinds.ts';
import { candidate, money, optional, refuse, required, zip } from '../../values.ts';
import { type Area, dayOf, type Item, type Labelled, readItems, type Slot, valueOf } from './pages.ts';
import type { RowOf } from '../../../lib/record.ts';
import { usDay } from '../../days.ts';
import type { Auction } from '../../rows/auction.ts';

export type State = 'OH' | 'FL' | 'PA';

interface LabelSet {
  /** Labels that every item has. */
  readonly needed: readonly string[];
  readonly known: readonly string[];
  /** Labels by the text of Auction Type, and what such an item has besides. Null: all are sheriff sales. */
  readonly types: Readonly<Record<string, { readonly type: AuctionType; readonly needed: string }>> | null;
  /** The item's details page, public without login, states the type of sale. */
  readonly hasDetails: boolean;
}

/** The city line follows the address and has no label. */
const CITY_LINE = '';

const LABELS: Readonly<Record<State, LabelSet>> = {
  OH: {
    needed: ['Case #', 'Parcel ID', 'Property Address', 'Appraised Value', 'Opening Bid'],
    known: [CITY_LINE, 'Case Status', 'Sale Type', 'Auction Type', 'Plaintiff', 'Defendant', 'Deposit Requirement'],
    types: null,
    hasDetails: true,
  },
  // The address, the parcel number and the assessed value of a later sale are often not there yet.
  FL: {
    needed: ['Auction Type', 'Case #'],
    known: [
      CITY_LINE,
      'Final Judgment Amount',
      'Parcel ID',
      'Alternate Key',
      'Property Address',
      'Assessed Value',
      'Property App. Market Value',
      'Plaintiff Max Bid',
      'Certificate #',
      'Opening Bid',
    ],
    types: {
      FORECLOSURE: { type: 'foreclosure_sale', needed: 'Final Judgment Amount' },
      TAXDEED: { type: 'tax_deed_sale', needed: 'Opening Bid' },
    },
    hasDetails: false,
  },
  PA: {
    needed: ['Case #', 'Final Judgment Amount', 'Parcel ID', 'Property Address', 'Opening Bid'],
    known: [CITY_LINE, 'Case Status'],
    types: null,
    hasDetails: false,
  },
};

export const hasDetails = (state: State): boolean => LABELS[state].hasDetails;

/**
 * Check an item's labels against those of its state.
 * @throws Quarantine missing_column or unknown_column: the item's template is another
 */
function checkLabels(state: State, labelled: Labelled, pageUrl: string): void {
  const { needed, known, types } = LABELS[state];
  const labels = labelled.map(([label]) => label);
  const ofType = types?.[valueOf(labelled, 'Auction Type') ?? '']?.needed;
  checkColumns(labels, ofType === undefined ? needed : [...needed, ofType], pageUrl, known);
  if (!labels.includes('Parcel ID') && !labels.includes('Alternate Key'))
    throw new Quarantine('missing_column', 'an item has neither the label Parcel ID nor Alternate Key', pageUrl);
}

/** Kind of auction of an item. Refuses a type that the state's sites are not known to have. */
function auctionTypeOf(state: State, labelled: Labelled): AuctionType {
  const { types } = LABELS[state];
  if (types === null) return 'sheriff_sale';
  const printed = valueOf(labelled, 'Auction Type');
  return (
    types[printed ?? '']?.type ??
    refuse(
      'unknown_auction_type',
      `Auction Type is ${JSON.stringify(printed)}, expected one of ${Object.keys(types).join(', ')}`,
    )
  );
}

type Place = Pick<RowOf<typeof Auction>, 'street' | 'city' | 'zip'>;

/** City and ZIP of a sheriff's line: "PARMA , 441300000", padded to nine digits, or "PARMA, OH- 44130". */
function cityLine(text: string | null): Pick<Place, 'city' | 'zip'> {
  const match = /^(.*),\s*(?:[A-Z]{2}\b\s*-?\s*)?([^,]*)$/u.exec(text ?? '');
  return match ? { city: optional(match[1]), zip: zip('zip', match[2]) } : { city: optional(text), zip: null };
}

/** The unlabeled value after a labeled one: the city line after the address. */
function valueAfter(labelled: Labelled, label: string): string | null {
  const index = labelled.findIndex(([name]) => name === label);
  const next = labelled[index + 1];
  return index >= 0 && next?.[0] === '' ? next[1] || null : null;
}

/** City and ZIP of a clerk's line: "JACKSONVILLE, FL- 32208", "WESLEY CHAPEL, 33545-1234", "LAND O LAKES 34638". */
const CLERKS_LINE = /^(.*?)[\s,]*(?:\b(?:FL|PA)\b)?[\s-]*(\d{5}(?:-?\d{4})?)?$/iu;

function clerksCityLine(text: string | null): Pick<Place, 'city' | 'zip'> {
  const [, city = '', digits] = CLERKS_LINE.exec(text ?? '') ?? [];
  // A misprinted ZIP, "TAMPA, FL- 3361", costs the ZIP, not the sale.
  const [place = ''] = city.split(/[\s,]*(?:\b(?:FL|PA)\b[\s-]*)?\d/u);
  return { city: optional(place), zip: zip('zip', digits) };
}

/** Words printed instead of an address: land without one, and addresses that a clerk may not show. */
const NO_ADDRESS = /\bUNASSIGNED\b|^CONFIDENTIAL$/iu;
/** "2210 N W ST 32505": a ZIP of Florida after a street with a house number. */
const ZIP_AFTER_STREET = /^(\d+\b.*[A-Z].*) (3[234]\d{3})$/iu;
/** "TAMPA33611": a city and its ZIP instead of a street. */
const CITY_WITH_ZIP = /^([A-Z][A-Z .']*?) ?(3[234]\d{3})$/iu;

/** Street, city and ZIP of an item of which the clerk may have put the city line into the address. */
function clerksAddress(printed: string | null, below: string | null): Place {
  const street = printed !== null && NO_ADDRESS.test(printed) ? null : printed;
  if (below !== null || street === null) return { street, ...clerksCityLine(below) };
  const [, onStreet, streetZip] = ZIP_AFTER_STREET.exec(street) ?? [];
  if (onStreet !== undefined) return { street: onStreet, city: null, zip: zip('zip', streetZip) };
  const [, city, cityZip] = CITY_WITH_ZIP.exec(street) ?? [];
  return city === undefined
    ? { street, city: null, zip: null }
    : { street: null, city: optional(city), zip: zip('zip', cityZip) };
}

/**
 * Parcel number of an item as printed. Outside Ohio, one without a digit is a placeholder: "Property Appraiser" is the
 * text of a link, "MULTIPLE PARCEL" and "TIMESHARE" name no parcel.
 */
function parcelOf(state: State, labelled: Labelled): string | null {
  const printed = optional(valueOf(labelled, 'Parcel ID') ?? valueOf(labelled, 'Alternate Key'));
  return printed === null || state === 'OH' || /\d/u.test(printed) ? printed : null;
}

/** Address of an item. Refuses a ZIP of another form. */
function placeOf(state: State, labelled: Labelled): Place {
  const street = optional(valueOf(labelled, 'Property Address'));
  const below = valueAfter(labelled, 'Property Address');
  return state === 'OH' ? { street, ...cityLine(below) } : clerksAddress(street, below);
}

type Sale = RowOf<typeof Auction>;

/** A county on the platform. */
export interface County {
  readonly name: string;
  readonly fips: string;
  readonly state: State;
  readonly host: string;
}

/** Public page of a sale day. */
export const previewUrl = (base: string, day: string): string =>
  new URL(`/index.cfm?zaction=AUCTION&Zmethod=PREVIEW&AUCTIONDATE=${usDay(day)}`, base).href;

const TIME = /^\d{2}\/\d{2}\/\d{4}\s+\d{1,2}:\d{2}\s*[AP]M\b/iu;

/** The day of a text such as "12/07/2026 10:00 AM", or null. */
const dayOfTime = (text: string | null): string | null => (text !== null && TIME.test(text) ? dayOf(text) : null);

/** Status by words of a status box or case status. The first match counts: "CANCELLED - NO BIDS" is canceled. */
const STATUS_WORDS: readonly (readonly [RegExp, Sale['status']])[] = [
  [/\bCANCELL?ED\b|\bREDEEMED\b/iu, 'cancelled'],
  [/\bWITHDRAWN\b/iu, 'withdrawn'],
  [/\bPOSTPONED\b|\bADJOURNED\b|\bRE-?SCHEDULED\b/iu, 'postponed'],
  [/\bUNSOLD\b|\bNOT SOLD\b|\bNO SALE\b|\bNO BID(?:S|DERS?)?\b/iu, 'unsold'],
  [/\bSOLD\b/iu, 'sold'],
  [/^(?:ACTIVE|SCHEDULED|OPEN|AUCTION STARTS)\b/iu, 'scheduled'],
  [TIME, 'scheduled'],
];

const statusOf = (text: string): Sale['status'] => STATUS_WORDS.find(([word]) => word.test(text))?.[1] ?? 'unknown';

/**
 * Status of an item. Sheriffs write cancellations into the status box and leave the case status ACTIVE, so the box
 * takes precedence unless it holds a time. An item without such a word in the closed area is `unknown`, never
 * scheduled.
 */
export function readStatus(caseStatus: string | null, slot: Slot, area: Area | null): Sale['status'] {
  const isSold = slot.label !== null && /\bSOLD\b/iu.test(slot.label);
  const stated = [isSold ? 'sold' : null, slot.text, caseStatus].filter((text) => text !== null).map(statusOf);
  const status = stated.find((each) => each !== 'scheduled') ?? (stated.length > 0 ? 'scheduled' : 'unknown');
  return status === 'scheduled' && area === 'C' ? 'unknown' : status;
}

/**
 * Kind and round of a sale, if its type states them. Only mortgage foreclosures have a first and a second sale (ORC
 * 2329.52); "FORECLOSURE" alone may be of any lien.
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

/** "CV26123456 (54321)" without the site's internal id in parentheses. */
const withoutId = (printed: string | null): string | null => printed?.replace(/\s*\([^()]*\)\s*$/u, '') ?? null;

/** Status of an item: from UPDATE, or as its own box shows it. */
const slotOf = ({ aid, slot }: Item, slots: Readonly<Record<string, Slot>>): Slot => {
  const updated = slots[aid];
  return updated === undefined || (updated.label === null && updated.text === null) ? slot : updated;
};

/** JSON by item that fetch put into the page's context. */
function notesOf<T>(page: Page, key: string): Readonly<Record<string, T>> {
  const text = page.context[key];
  return text === undefined ? {} : (JSON.parse(text) as Record<string, T>);
}

/** The site shows the plaintiff's highest bid when the sale begins. */
const HIDDEN = /^HIDDEN$/iu;

interface SaleItem {
  readonly item: Item;
  readonly saleDate: string;
  readonly area: Area | null;
  /** Sale type from the item's details page. */
  readonly saleType: string | undefined;
}

/** Values of a sale. Refuses an item whose time is on another day than the sale. */
function parseSale(county: County, { item, saleDate, area, saleType: fromDetails }: SaleItem): Sale {
  const value = (label: string): string | null => optional(valueOf(item.labelled, label));
  const caseStatus = value('Case Status');
  const saleType =
    optional(fromDetails) ?? value('Sale Type') ?? (county.state === 'OH' ? null : value('Auction Type'));
  const auctionType = auctionTypeOf(county.state, item.labelled);
  const maxBid = value('Plaintiff Max Bid');
  // Amounts that are not known yet are printed as 0.00.
  const amount = (field: string, ...labels: readonly string[]): string | null =>
    money(field, labels.map(value).find((text) => text !== null) ?? null, { zeroIsUnknown: true });
  const status = readStatus(caseStatus, item.slot, area);
  // A canceled item keeps the case status ACTIVE, so an item without a status is never read as scheduled.
  if (item.slot.label === null && item.slot.text === null)
    refuse('missing_status', `the status box of item ${item.aid} is blank, and no response to UPDATE states it`);
  const slotDay = dayOfTime(item.slot.text);
  if (slotDay !== null && slotDay !== saleDate)
    refuse(
      'sale_date_mismatch',
      `the time slot is ${JSON.stringify(item.slot.text)}, expected the sale day ${saleDate}`,
    );
  return {
    county_fips: county.fips,
    county: `${county.name} County, ${county.state}`,
    auction_type: auctionType,
    item_id: item.aid,
    case_number: required('case_number', withoutId(value('Case #'))),
    parcel_raw: parcelOf(county.state, item.labelled),
    ...placeOf(county.state, item.labelled),
    state: county.state,
    sale_date: saleDate,
    status,
    case_status_raw: caseStatus,
    slot_raw: item.slot.text,
    sale_type_raw: saleType,
    ...readSaleType(saleType),
    ...(auctionType === 'tax_deed_sale' ? { sale_kind: 'tax_foreclosure' as const } : {}),
    appraised_value: amount('appraised_value', 'Appraised Value'),
    opening_bid: amount('opening_bid', 'Opening Bid'),
    judgment_amount: amount('judgment_amount', 'Final Judgment Amount'),
    assessed_value: amount('assessed_value', 'Assessed Value', 'Property App. Market Value'),
    plaintiff_max_bid: HIDDEN.test(maxBid ?? '') ? null : amount('plaintiff_max_bid', 'Plaintiff Max Bid'),
    plaintiff_max_bid_raw: maxBid,
    certificate_number: value('Certificate #'),
    deposit: money('deposit', value('Deposit Requirement')),
    sold_amount: status === 'sold' ? money('sold_amount', item.slot.amount, { zeroIsUnknown: true }) : null,
    plaintiff: value('Plaintiff'),
    defendant: value('Defendant'),
  };
}

/** Items of an area of a sale day, with facts that their page does not state. */
interface ItemList {
  readonly items: readonly Item[];
  readonly saleDate: string;
  readonly area: Area | null;
  /** Statuses from UPDATE, by item. */
  readonly slots: Readonly<Record<string, Slot>>;
  /** Sale types from the details pages, by item. */
  readonly saleTypes: Readonly<Record<string, string>>;
  readonly pageUrl: string;
  /** An address on the county's site. */
  readonly siteUrl: string;
}

/** Rows of items. @throws Quarantine if an item lacks a label or has an unknown one */
export function itemCandidates(county: County, list: ItemList): readonly Candidate[] {
  const { saleDate, area } = list;
  return list.items.map((read) => {
    checkLabels(county.state, read.labelled, list.pageUrl);
    const item = { ...read, slot: slotOf(read, list.slots) };
    const saleType = list.saleTypes[item.aid];
    const parcel = parcelOf(county.state, item.labelled);
    const number = optional(withoutId(valueOf(item.labelled, 'Case #')));
    return candidate(
      () => JSON.stringify({ ...item, ...(saleType === undefined ? {} : { saleType }) }),
      () => ({
        values: parseSale(county, { item, saleDate, area, saleType }),
        sourceUrl: previewUrl(list.siteUrl, saleDate),
      }),
      number === null || parcel === null
        ? undefined
        : { county_fips: county.fips, case_number: number, parcel_raw: parcel, sale_date: saleDate },
    );
  });
}

/**
 * Rows of a page of items. The page's context has facts that the page does not state: `saleDate`, `area`, and by item
 * the `saleTypes` of the details pages and the `slots` of blank status boxes.
 */
export function parseItems(county: County, page: Page): readonly Candidate[] {
  const saleDate = page.context['saleDate'];
  if (saleDate === undefined)
    throw new Quarantine('malformed_page', "the page's context has no saleDate, the date of its session", page.url);
  return itemCandidates(county, {
    items: readItems(page),
    saleDate,
    area: (page.context['area'] ?? null) as Area | null,
    slots: notesOf<Slot>(page, 'slots'),
    saleTypes: notesOf<string>(page, 'saleTypes'),
    pageUrl: page.url,
    siteUrl: page.url,
  });
}
