/** Markup of a sale day's items, and the tokens with which the platform compresses it. */
import { spellStreet } from '../world/streets.ts';
import { usDay } from '../world/days.ts';
import type { AuctionOnDay, WorldDay } from '../world/types.ts';
import { escapeHtml, fullDollars } from './html.ts';

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

export interface SlotCells {
  /** A for "Auction Starts", B for "Auction Status", or the words themselves. */
  readonly A: string;
  readonly B: string;
  readonly C: string;
  readonly D: string;
}

const SLOT_LABELS: Readonly<Record<string, string>> = { A: 'Auction Starts', B: 'Auction Status' };

/** The status box of an item: its time, the word that replaced the time, or the price it sold for. */
export function slotOf(item: AuctionOnDay): SlotCells {
  const time = `${usDay(item.saleDate)} ${item.startsAt}`;
  if (item.status === 'sold')
    return { A: 'Auction Sold', B: time, C: 'Amount', D: item.soldFor === null ? '' : fullDollars(item.soldFor) };
  return item.slotWords === null ? { A: 'A', B: time, C: '', D: '' } : { A: 'B', B: item.slotWords, C: '', D: '' };
}

/** The platform pads ZIPs with zeros to nine digits. */
function addressRows(day: WorldDay, item: AuctionOnDay): [string, string][] {
  const property = day.property(item.propertyId);
  return [
    ['Property Address:', spellStreet(property.address, 'upper_words')],
    ['', `${property.city.toUpperCase()} , ${property.zip}0000`],
  ];
}

function rows(day: WorldDay, item: AuctionOnDay): [string, string][] {
  const detailsUrl = `/index.cfm?zaction=auction&zmethod=details&AID=${item.aid}`;
  return [
    ['Case Status:', item.caseStatus],
    ['Case #:', `<a href="${detailsUrl}">${escapeHtml(item.caseNumber)} (${item.internalId})</a>`],
    ['Parcel ID:', escapeHtml(item.parcel)],
    ...addressRows(day, item).map(([label, text]): [string, string] => [label, escapeHtml(text)]),
    ['Appraised Value:', item.appraised === null ? '$0.00' : fullDollars(item.appraised)],
    ['Opening Bid:', item.openingBid === null ? '' : fullDollars(item.openingBid)],
    ['Deposit Requirement:', fullDollars(item.deposit)],
  ];
}

/** Ohio's sites have labels in th elements. */
const labelled = (pairs: readonly [string, string][]): string =>
  pairs
    .map(([label, value]) => `<tr><th class="AD_LBL" scope="row">${label}</th><td class="AD_DTA">${value}</td></tr>`)
    .join('');

/** Markup of one item, before compression. */
export function itemMarkup(day: WorldDay, item: AuctionOnDay, withStatus: boolean): string {
  const slot: SlotCells = withStatus ? slotOf(item) : { A: '', B: '', C: '', D: '' };
  return (
    `<div class="AUCTION_ITEM PREVIEW" id="AITEM_${item.aid}" aid="${item.aid}" rem="0"><div class="AUCTION_STATS">` +
    `<div class="ASTAT_MSGA ASTAT_LBL">${SLOT_LABELS[slot.A] ?? slot.A}</div>` +
    `<div class="ASTAT_MSGB Astat_DATA">${slot.B}</div>` +
    `<div class="ASTAT_MSGC ASTAT_LBL">${slot.C}</div><div class="ASTAT_MSGD Astat_DATA">${slot.D}</div></div>` +
    `<div class="AUCTION_DETAILS"><table class="ad_tab"><tbody>${labelled(rows(day, item))}</tbody></table></div></div>`
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
