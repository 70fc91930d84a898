/**
 * Markup of a sale day's items, and the tokens with which the platform compresses it. Florida's items have hidden bids,
 * amounts of 0.00 that are not known yet, links in place of parcel numbers, and city lines in the address.
 */
import { usDay } from '../world/days.ts';
import { spellStreet } from '../world/streets.ts';
import type { AuctionOnDay } from '../world/types.ts';
import type { WorldDay } from '../world/world.ts';
import { escapeHtml, fullDollars } from './html.ts';

const PASCO = '12101';
const HILLSBOROUGH = '12057';
const PINELLAS = '12103';

type Pairs = readonly (readonly [label: string, value: string])[];

const amount = (value: string | null): string => (value === null ? '$0.00' : fullDollars(value));
const link = (text: string): string =>
  ` <a href="https://records.example/" onClick = "return showExitPopup();" target="_blank">${escapeHtml(text)}</a>`;

/** Every seventh tax deed of Hillsborough has its ZIP in the address, and no city line. */
export const isGlued = ({ countyFips, auctionType, aid }: AuctionOnDay): boolean =>
  countyFips === HILLSBOROUGH && auctionType === 'tax_deed_sale' && Number(aid) % 7 === 0;

function clerksAddress(day: WorldDay, item: AuctionOnDay): Pairs {
  if (!item.showsAddress) return [];
  const { address, city, zip } = day.property(item.propertyId);
  const street = escapeHtml(spellStreet(address, 'upper_words'));
  if (isGlued(item)) return [['Property Address:', `${street} ${zip}`]];
  const line = `${city.toUpperCase()}, ${item.countyFips === PASCO ? '' : 'FL- '}${zip}`;
  return [
    ['Property Address:', street],
    ['', escapeHtml(line)],
  ];
}

function clerksPairs(day: WorldDay, item: AuctionOnDay): Pairs {
  const isTaxDeed = item.auctionType === 'tax_deed_sale';
  const value = item.countyFips === PASCO ? 'Property App. Market Value:' : 'Assessed Value:';
  const sale: Pairs = isTaxDeed
    ? [
        ['Certificate #:', escapeHtml(item.certificate ?? '')],
        ['Opening Bid:', amount(item.openingBid)],
      ]
    : [['Final Judgment Amount:', amount(item.judgment)]];
  const bid = item.countyFips === PINELLAS ? 'Plaintiff Max<br>\nBid:' : 'Plaintiff Max Bid:';
  return [
    ['Auction Type:', isTaxDeed ? 'TAXDEED' : 'FORECLOSURE'],
    ['Case #:', link(item.caseNumber)],
    ...sale,
    ['Parcel ID:', link(item.parcel)],
    ...clerksAddress(day, item),
    ...(item.assessed === null ? [] : [[value, fullDollars(item.assessed)] as const]),
    ...(isTaxDeed ? [] : [[bid, item.maxBid === null ? 'Hidden' : fullDollars(item.maxBid)] as const]),
  ];
}

/** Rows of an item: the labels are td cells, and the bid's value has a mark of its own. */
const clerksRows = (day: WorldDay, item: AuctionOnDay): string =>
  clerksPairs(day, item)
    .map(([label, value]) => {
      const mark = label.startsWith('Plaintiff') ? 'AD_DTA ASTAT_MSGPB' : 'AD_DTA';
      const cell = `<td tabindex="0" class="AD_LBL" scope="row">${label}</td>`;
      return `<tr>${cell}<td tabindex="0" class="${mark}">${value}</td></tr>`;
    })
    .join('');

/** The platform's token table. A text that contains another comes before it. */
const TOKENS: readonly (readonly [token: string, text: string])[] = [
  ['@L', '/index.cfm?zaction=auction&zmethod=details&AID='],
  ['@J', 'p_back="NextCheck='],
  ['@K', 'style="Display:none"'],
  ['@A', '<div class="'],
  ['@C', ' class="'],
  ['@D', '<div>'],
  ['@B', '</div>'],
  ['@F', '</td><td'],
  ['@G', '</td></tr>'],
  ['@H', '<tr><td '],
  ['@E', 'AUCTION'],
  ['@I', 'table'],
];

/** Replace pieces of markup by their tokens. */
export function compress(html: string): string {
  if (/@[A-Z]/u.test(html)) throw new Error('the markup contains text that looks like a token');
  return TOKENS.reduce((text, [token, meaning]) => text.replaceAll(meaning, token), html);
}

const NOT_SOLD = { C: '', D: '', SL: '', ST: '' };

/**
 * The status box of an item: A and B have its time or the word that replaced it, C and D the price it sold for, SL and
 * ST the buyer, P the opening bid.
 */
export function renderSlot(item: AuctionOnDay) {
  const time = `${usDay(item.saleDate)} ${item.startsAt}`;
  const P = item.openingBid === null ? '$0.00' : fullDollars(item.openingBid);
  if (item.status === 'sold') {
    const D = item.soldFor === null ? '' : fullDollars(item.soldFor);
    return { A: 'Auction Sold', B: time, C: 'Amount', D, SL: 'Sold To', ST: '3rd Party Bidder', P };
  }
  const words = item.slotWords ?? (item.status === 'unsold' ? 'NO BID NO SALE' : null);
  return words === null ? { A: 'A', B: time, ...NOT_SOLD, P } : { A: 'B', B: words, ...NOT_SOLD, P };
}

/** The platform pads ZIPs with zeros to nine digits. */
function addressRows(day: WorldDay, item: AuctionOnDay): [string, string][] {
  const property = day.property(item.propertyId);
  return [
    ['Property Address:', spellStreet(property.address, 'upper_words')],
    ['', `${property.city.toUpperCase()} , ${property.zip}0000`],
  ];
}

function rows(day: WorldDay, item: AuctionOnDay): readonly (readonly [string, string])[] {
  const detailsUrl = `/index.cfm?zaction=auction&zmethod=details&AID=${item.aid}`;
  return [
    ['Case Status:', item.caseStatus],
    ['Case #:', `<a href="${detailsUrl}">${escapeHtml(item.caseNumber)} (${item.internalId})</a>`],
    ['Parcel ID:', escapeHtml(item.parcel)],
    ...addressRows(day, item).map(([label, text]): [string, string] => [label, escapeHtml(text)]),
    ['Appraised Value:', item.appraised === null ? '$0.00' : fullDollars(item.appraised)],
    ['Opening Bid:', item.openingBid === null ? '' : fullDollars(item.openingBid)],
    ['Deposit Requirement:', item.deposit === null ? '' : fullDollars(item.deposit)],
  ];
}

/** Ohio's sites have labels in th elements. */
const labelled = (pairs: readonly (readonly [string, string])[]): string =>
  pairs
    .map(([label, value]) => `<tr><th class="AD_LBL" scope="row">${label}</th><td class="AD_DTA">${value}</td></tr>`)
    .join('');

/** A status box, blank until the page's script fills it with the response to UPDATE. */
const BLANK_BOX =
  '<div class="AUCTION_STATS" tabindex="0">' +
  '<div class="ASTAT_MSGA ASTAT_LBL"></div><div class="ASTAT_MSGB Astat_DATA"></div>' +
  '<div class="ASTAT_MSGC ASTAT_LBL"></div> <div class="ASTAT_MSGD Astat_DATA"></div>' +
  '<div class="ASTAT_MSG_SOLDTO_Label ASTAT_LBL"></div><div class="ASTAT_MSG_SOLDTO_MSG Astat_DATA"></div></div>';

/** Markup of one item, before compression. */
export function itemMarkup(day: WorldDay, item: AuctionOnDay): string {
  return (
    `<div id="AITEM_${item.aid}" aria-label="Auction Details" class="AUCTION_ITEM PREVIEW" aid="${item.aid}" rem="0" ` +
    `isset="0">${BLANK_BOX}<div class="AUCTION_DETAILS"><table class="ad_tab"><tbody>` +
    `${item.auctionType === 'sheriff_sale' ? labelled(rows(day, item)) : clerksRows(day, item)}` +
    '</tbody></table></div></div><div class="AUCTION_ITEM_SPACER">&nbsp;</div> '
  );
}

const saleType = (item: AuctionOnDay): string =>
  item.kind === 'tax_foreclosure'
    ? 'TAX FORECLOSURE'
    : item.round === 2
      ? 'FORECLOSURE - SECOND SALE'
      : 'FORECLOSURE - FIRST SALE';

/** Rows of an item's details page. */
export const detailsRows = (day: WorldDay, item: AuctionOnDay): string =>
  labelled([['Sale Type:', saleType(item)], ...rows(day, item)]);
