/**
 * Labels and values of Florida's items: hidden bids, amounts of 0.00 that are not known yet, links in place of parcel
 * numbers, and city lines that a clerk put into the address.
 */
import { spellStreet } from '../world/streets.ts';
import type { AuctionOnDay, WorldDay } from '../world/types.ts';
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

function addressRows(day: WorldDay, item: AuctionOnDay): Pairs {
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

function pairs(day: WorldDay, item: AuctionOnDay): Pairs {
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
    ...addressRows(day, item),
    ...(item.assessed === null ? [] : [[value, fullDollars(item.assessed)] as const]),
    ...(isTaxDeed ? [] : [[bid, item.maxBid === null ? 'Hidden' : fullDollars(item.maxBid)] as const]),
  ];
}

/** Rows of an item: the labels are td cells, and the bid's value has a mark of its own. */
export const clerksRows = (day: WorldDay, item: AuctionOnDay): string =>
  pairs(day, item)
    .map(([label, value]) => {
      const mark = label.startsWith('Plaintiff') ? 'AD_DTA ASTAT_MSGPB' : 'AD_DTA';
      const cell = `<td tabindex="0" class="AD_LBL" scope="row">${label}</td>`;
      return `<tr>${cell}<td tabindex="0" class="${mark}">${value}</td></tr>`;
    })
    .join('');
