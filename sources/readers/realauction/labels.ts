/** Labels of an item by state, and the kind of auction that they state. */
import { Quarantine } from '../../contract.ts';
import { checkColumns } from '../../csv/csv.ts';
import type { AuctionType } from '../../kinds.ts';
import { refuse } from '../../values.ts';
import { valueOf, type Labelled } from './items.ts';

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
export function checkLabels(state: State, labelled: Labelled, pageUrl: string): void {
  const { needed, known, types } = LABELS[state];
  const labels = labelled.map(([label]) => label);
  const ofType = types?.[valueOf(labelled, 'Auction Type') ?? '']?.needed;
  checkColumns(labels, ofType === undefined ? needed : [...needed, ofType], pageUrl, known);
  if (!labels.includes('Parcel ID') && !labels.includes('Alternate Key'))
    throw new Quarantine('missing_column', 'an item has neither the label Parcel ID nor Alternate Key', pageUrl);
}

/** Kind of auction of an item. Refuses a type that the state's sites are not known to have. */
export function auctionTypeOf(state: State, labelled: Labelled): AuctionType {
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
