/** Records of distress of the made-up world over time: cases open, change and close, and new ones appear. */
import type { DISTRESS_TYPES } from '../../sources/kinds.ts';
import { dayNumber, dayText, DEFAULT_DAY, dollars, FIRST_DAY, LAST_DAY } from './days.ts';
import { Draw, pad } from './random.ts';
import { PLAINTIFFS } from './names.ts';
import { onLienHub } from './parcels.ts';
import { placesOfCounty } from './places.ts';
import type { PropertyBook } from './properties.ts';
import type { DistressOnDay, Flaw, Property } from './types.ts';

type DistressKind = (typeof DISTRESS_TYPES)[number];

interface Numbered {
  /** Year of filing. */
  readonly year: number;
  /** Unique per publisher and kind. */
  readonly serial: number;
  readonly property: Property;
}

const parcelNumber = ({ property }: Numbered): string => property.parcel ?? '';
/** A case number from a form such as "CE-YYYY-######", with the year and the serial. */
const numbered =
  (form: string) =>
  ({ year, serial }: Numbered): string =>
    form
      .replace('YYYY', String(year))
      .replace('YY', pad(year % 100, 2))
      .replace(/#+/u, (digits) => pad(serial, digits.length));

const docketNumber = (of: Numbered): string => numbered(of.serial % 3 === 0 ? 'GD-YY-######' : 'MG-YY-######')(of);

/**
 * One kind of record of one publisher.
 * @param city the only one that it covers, if it is not the whole county
 * @param size records on the default day, in percent of the option `distress`
 * @param keeps whether closed records stay on the list; by default, unless it is by parcel
 */
function publisherOf(
  fips: string,
  city: string | null,
  kind: DistressKind,
  size: number,
  form: string | ((of: Numbered) => string),
  keeps?: boolean,
) {
  // The number is the parcel's, so that a property has one record.
  const isByParcel = form === parcelNumber || (kind === 'tax_lien' && typeof form !== 'string');
  const number = typeof form === 'string' ? numbered(form) : form;
  return { fips, city, kind, size, number, isByParcel, keepsClosed: keeps ?? !isByParcel };
}
type Publisher = ReturnType<typeof publisherOf>;

/** Lists by parcel drop closed records; those of Florida are certificates for sale, the same from April on. */
const ROWS: readonly Parameters<typeof publisherOf>[] = [
  ['55079', 'Milwaukee', 'vacant_building', 90, parcelNumber],
  ['29510', null, 'vacant_building', 120, parcelNumber],
  ['29095', 'Kansas City', 'code_violation', 120, 'NPD-YYYY-#####'],
  ['29095', 'Kansas City', 'condemned', 60, 'DB-YYYY-#####'],
  ['26163', 'Detroit', 'blight_judgment', 150, 'YY######DAH'],
  ['12031', null, 'tax_lien', 80, ({ property }) => onLienHub(property)],
  ['12057', null, 'tax_lien', 80, ({ property }) => onLienHub(property)],
  ['12103', null, 'tax_lien', 70, ({ property }) => onLienHub(property)],
  ['12101', null, 'tax_lien', 60, ({ property }) => onLienHub(property)],
  ['37119', 'Charlotte', 'code_violation', 100, 'CE-YYYY-######'],
  ['39035', 'Cleveland', 'code_violation', 150, 'VYY######'],
  ['39035', 'Cleveland', 'condemned', 60, parcelNumber, true],
  ['39049', 'Columbus', 'code_violation', 90, 'YY440-#####'],
  ['39061', 'Cincinnati', 'code_violation', 110, 'HYYYY#####'],
  ['42003', null, 'foreclosure_filing', 60, docketNumber],
  ['42003', null, 'tax_lien', 70, 'DTD-YY-######'],
  ['42003', 'Pittsburgh', 'code_violation', 60, 'CF-PLI-YYYY-######'],
  ['42003', 'Pittsburgh', 'condemned', 40, parcelNumber, true],
  ['17031', 'Chicago', 'code_violation', 60, '7######'],
  ['17031', 'Chicago', 'vacant_building', 40, '75#####'],
];

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

/** The amount of a record in cents, null if its publisher states none. */
function drawAmount(draw: Draw, kind: DistressKind, value: number): number | null {
  if (kind === 'foreclosure_filing') return draw.chance(0.35) ? null : value * draw.int(40, 110) + draw.int(0, 99);
  if (kind === 'tax_lien') return 20_000 + Math.round(value * draw.unit() * 6) + draw.int(0, 99);
  if (kind === 'blight_judgment') return draw.pick([5_000, 13_000, 25_000, 28_000, 53_000, 105_000, 285_000] as const);
  return null;
}

/** Holders of liens and plaintiffs of filings; null where the publisher has none. */
function drawPlaintiff(draw: Draw, { kind, isByParcel }: Publisher): string | null {
  if (kind === 'foreclosure_filing') return draw.pick(PLAINTIFFS);
  return kind === 'tax_lien' && !isByParcel
    ? draw.pick(['CITY TREASURER', 'SCHOOL DISTRICT', 'COUNTY TREASURER'])
    : null;
}

type Fixed =
  'kind' | 'countyFips' | 'propertyId' | 'number' | 'filedOn' | 'about' | 'plaintiff' | 'taxYear' | 'rows' | 'flaw';

/** A record over time. Days are numbers, amounts cents. */
export interface DistressPlan {
  readonly publisher: Publisher;
  readonly fixed: Pick<DistressOnDay, Fixed>;
  readonly filed: number;
  /** First day on the publisher's list. */
  readonly from: number;
  /** Events between filing and closing, in order. */
  readonly events: readonly number[];
  readonly closed: number | null;
  readonly amount: number | null;
  /** A partial payment of a fine. */
  readonly payment: { readonly on: number; readonly amount: number } | null;
}

const isShown = ({ from, closed, publisher }: DistressPlan, day: number): boolean =>
  from <= day && (publisher.keepsClosed || closed === null || day < closed);

function amountOn({ amount, payment, publisher, closed }: DistressPlan, day: number): number | null {
  if (amount === null || publisher.kind !== 'blight_judgment') return amount;
  if (closed !== null && closed <= day) return 0;
  return amount - (payment !== null && payment.on <= day ? payment.amount : 0);
}

/** The records that publishers show on a day. */
export function distressOn(plans: readonly DistressPlan[], day: number): DistressOnDay[] {
  return plans
    .filter((plan) => isShown(plan, day))
    .map((plan) => {
      const { closed, filed, events, fixed } = plan;
      const isOpen = closed === null || closed > day;
      const amount = amountOn(plan, day);
      return {
        ...fixed,
        lastActivityOn: dayText(isOpen ? Math.max(filed, ...events.filter((on) => on <= day)) : closed),
        isOpen,
        amount: amount === null ? null : dollars(amount),
      };
    });
}

/** Certificates are advertised once a year, and never close in the months of the world. */
const ADVERTISED = dayNumber('2026-04-20');
const isAdvertised = ({ kind, isByParcel }: Publisher): boolean => kind === 'tax_lien' && isByParcel;

/** Share of records of the default day that close, and that are new, in the months of the world. */
const TURNOVER = 0.12;

function drawFlaw(draw: Draw, { kind, isByParcel }: Publisher, { parcel }: Property): Flaw | null {
  const flaw = draw.among(
    [null, 'no_address', 'no_parcel', 'corrupt_year', 'repeated', 'zip_plus_4'],
    [84, 4, 3, 3, 3, 3],
  );
  if (flaw === 'no_parcel' && (isByParcel || parcel === null)) return null;
  // A record without a parcel number can be matched by its address only.
  if (flaw === 'no_address' && parcel === null) return null;
  return flaw === 'corrupt_year' && kind !== 'blight_judgment' ? null : flaw;
}

/** Number of a publisher's first record. */
const FIRST_SERIAL = 101;

interface Cast {
  readonly publisher: Publisher;
  readonly property: Property;
  readonly serial: number;
  /** Whether it is new after the default day. */
  readonly isLater: boolean;
}

function planRecord(seed: number, { publisher, property, serial, isLater }: Cast): DistressPlan {
  const draw = new Draw(seed, 'distress', publisher.fips, publisher.kind, serial);
  // Every publisher has a recent record, in a small world too.
  const isNew = draw.chance(TURNOVER) || serial === FIRST_SERIAL;
  const recent = draw.int(FIRST_DAY + 1, DEFAULT_DAY - 3);
  const old = FIRST_DAY - Math.round(draw.int(5, 45) ** 2);
  const filed = isAdvertised(publisher)
    ? ADVERTISED
    : isLater
      ? draw.int(DEFAULT_DAY + 1, LAST_DAY)
      : isNew
        ? recent
        : old;
  const events = Array.from({ length: draw.int(0, 3) }, () => filed + draw.int(1, 400)).sort((a, b) => a - b);
  const closing = draw.among(
    ['never', 'before', 'later'],
    [70, isLater || isNew || !publisher.keepsClosed ? 0 : 18, TURNOVER * 100],
  );
  const closesOn =
    closing === 'before'
      ? draw.int(filed + 10, DEFAULT_DAY - 5)
      : draw.int(Math.max(DEFAULT_DAY, filed) + 1, LAST_DAY + 20);
  const closed = closing === 'never' || isAdvertised(publisher) ? null : closesOn;
  const year = Number(dayText(filed).slice(0, 4));
  const amount = drawAmount(draw, publisher.kind, property.value);
  const from = filed + (isAdvertised(publisher) ? 0 : draw.int(0, 2));
  const isSeveralRows = publisher.kind === 'code_violation' || publisher.kind === 'foreclosure_filing';
  const payment =
    publisher.kind === 'blight_judgment' && amount !== null && draw.chance(0.2)
      ? { on: draw.int(filed + 5, LAST_DAY), amount: Math.round(amount / 3) }
      : null;
  return {
    publisher,
    filed,
    from,
    events: events.filter((on) => closed === null || on < closed),
    closed,
    amount,
    payment,
    fixed: {
      kind: publisher.kind,
      countyFips: publisher.fips,
      propertyId: property.id,
      number: publisher.number({ year, serial, property }),
      filedOn: dayText(filed),
      about: draw.pick(ABOUT[publisher.kind]),
      plaintiff: drawPlaintiff(draw, publisher),
      taxYear: publisher.kind === 'tax_lien' ? year - 1 : null,
      rows: isSeveralRows ? draw.among([1, 2, 3], [70, 20, 10]) : 1,
      flaw: drawFlaw(draw, publisher, property),
    },
  };
}

interface Stock {
  /** Properties for sale on the default day. */
  readonly forSale: readonly Property[];
  /** Properties that owe taxes or are to be auctioned. */
  readonly inTrouble: readonly Property[];
}

/** Shares of a publisher's records that concern a listed property, and one with another debt or sale. */
const LISTED_SHARE = 1 / 3;
const STACKED_SHARE = 1 / 5;
/** Maximum share of a place's listed properties with one kind of record. */
const MAX_LISTED = 0.5;

/** Records of all publishers. Ohio's concern properties that the world has anyway. */
export function planDistress(seed: number, size: number, stock: Stock, book: PropertyBook): DistressPlan[] {
  const plans: DistressPlan[] = [];
  const stacked = new Set(stock.inTrouble);
  let made = 0;
  for (const publisher of ROWS.map((row) => publisherOf(...row))) {
    const { fips, city, kind } = publisher;
    const isHere = (property: Property): boolean =>
      property.countyFips === fips &&
      (city === null || property.city === city) &&
      (!publisher.isByParcel || property.parcel !== null);
    /** In an order specific to this publisher. */
    const mixed = (order: string, properties: readonly Property[]): Property[] =>
      properties
        .map((property) => [new Draw(seed, order, fips, kind, property.id).unit(), property] as const)
        .sort(([a], [b]) => a - b)
        .map(([, property]) => property);
    const listed = mixed('chosen', stock.forSale.filter(isHere));
    const others = mixed(
      'chosen',
      [...stacked].filter((property) => isHere(property) && !listed.includes(property)),
    );
    const wanted = Math.round((size * publisher.size) / 100);
    const total = wanted + Math.round(wanted * TURNOVER);
    const listedCount = Math.min(Math.round(total * LISTED_SHARE), Math.ceil(listed.length * MAX_LISTED));
    const isOhio = fips.startsWith('39');
    const stackedCount = isOhio ? total - listedCount : Math.round(total * STACKED_SHARE);
    const chosen = [...listed.slice(0, listedCount), ...others.slice(0, stackedCount)];
    if (!isOhio) {
      const places = placesOfCounty(fips).filter(([place]) => city === null || place.city === city);
      while (chosen.length < total) {
        const id = `D${made}`;
        made += 1;
        const draw = new Draw(seed, 'distressed', id);
        // A few properties have two records of a kind.
        const again = !publisher.isByParcel && chosen.length > 0 && draw.chance(0.06);
        chosen.push(
          again ? draw.pick(chosen) : book.make(id, { place: draw.weighted(places), multifamily: draw.chance(0.3) }),
        );
      }
    }
    for (const [at, property] of mixed('numbered', chosen).entries()) {
      const serial = FIRST_SERIAL + at * 7;
      plans.push(planRecord(seed, { publisher, property, serial, isLater: at >= wanted }));
      stacked.add(property);
    }
  }
  return plans;
}
