/** Ohio's monthly reports of new businesses: a month's filings, posted on the next second Saturday. */
import { dayNumber, dayText, monthStart, weekday } from './days.ts';
import { AGENT_FIRMS, drawCompany, drawPerson } from './names.ts';
import { placesOfMetro, places, type Place } from './places.ts';
import { Draw } from './random.ts';
import { rentsOf } from './rents.ts';
import { drawAddress, spellStreet } from './streets.ts';

/** The ten reports of new entities: number, transaction text, endings of the names, weight. */
const REPORTS: readonly (readonly [string, string, readonly string[], number])[] = [
  ['0010', 'FOREIGN CORPORATION/LICENSE', [', INC.', ' CORP.'], 2],
  ['0030', 'FOREIGN NONPROFIT CORPORATION/LICENSE', [' FOUNDATION'], 0.6],
  ['0040', 'FOREIGN PROFESSIONAL ASSOCIATION', [', P.A.'], 0.3],
  ['0050', 'DOMESTIC ARTICLES/FOR PROFIT', [' INC.', ', INC.', ' CORPORATION'], 6],
  ['0070', 'DOMESTIC ARTICLES/NON-PROFIT', [' FOUNDATION', ' MINISTRIES', ' BOOSTERS'], 5],
  ['0080', 'DOMESTIC ARTICLES/PROFESSIONAL', [', P.C.'], 0.5],
  ['0090', 'REG. OF FOR. PROFIT LIM. LIAB. CO.', [' LLC', ', LLC'], 6],
  ['0100', 'ARTICLES OF ORGNZTN/DOM. PROFIT LIM.LIAB. CO.', [' LLC', ' LLC', ', LLC', ' LTD'], 78],
  ['0110', 'FOREIGN LIMITED PARTNERSHIP', [' LP'], 0.5],
  ['0120', 'DOMESTIC LIMITED PARTNERSHIP', [' LP', ' FAMILY LP'], 1.1],
];
export const OHIO_REPORTS = REPORTS.map(([number, transaction, endings, weight]) => ({
  number,
  transaction,
  endings,
  weight,
}));

const FOREIGN = new Set(['0010', '0030', '0040', '0090', '0110']);

const OHIO: readonly (readonly [Place, number])[] = places
  .filter(({ state }) => state === 'OH')
  .map((place) => [place, place.weight] as const);

/** The second Saturday of a month, from its first day. */
function secondSaturday(first: number): number {
  return first + ((6 - weekday(first) + 7) % 7) + 7;
}

/** The files posted on a day: first day of their month, and the day they were posted. */
function releaseOn(day: number): { month: number; releasedOn: number } {
  const thisMonth = secondSaturday(monthStart(day));
  return thisMonth <= day
    ? { month: monthStart(day, -1), releasedOn: thisMonth }
    : { month: monthStart(day, -2), releasedOn: secondSaturday(monthStart(day, -1)) };
}

export type OhioAddress = ReturnType<typeof addressOf>;

function addressOf(draw: Draw, name: string, place: Place) {
  const line = spellStreet(drawAddress(draw, '', false), draw.chance(0.5) ? 'upper_abbreviated' : 'upper_words');
  const suite = draw.chance(0.2) ? `SUITE ${draw.int(100, 900)}` : '';
  const together = suite !== '' && draw.chance(0.3);
  return {
    name,
    line1: together ? `${line}, ${suite}` : line,
    line2: together ? '' : suite,
    city: place.city.toUpperCase(),
    state: place.state,
    zip: draw.pick(place.zips),
  };
}

const fullName = (draw: Draw): string => {
  const { first, middle, last, suffix } = drawPerson(draw);
  return [first, middle, last, suffix]
    .filter((part) => part !== null)
    .join(' ')
    .toUpperCase();
};

function nameOf(draw: Draw, ending: string): string {
  const kind = draw.unit();
  if (kind < 0.01) return `CAFÉ ${drawCompany(draw).toUpperCase()}${ending}`;
  if (kind < 0.015) return `${drawPerson(draw).first.toUpperCase()}’S ${drawCompany(draw).toUpperCase()}${ending}`;
  if (kind < 0.02) return `"${drawPerson(draw).first.toUpperCase()}'S" ${drawCompany(draw).toUpperCase()}${ending}`;
  if (kind < 0.05) return `${drawPerson(draw).last}, ${drawPerson(draw).last} & CO${ending}`.toUpperCase();
  return `${drawCompany(draw)}${kind < 0.3 ? ` OF ${draw.weighted(OHIO).city}` : ''}${ending}`.toUpperCase();
}

export type OhioFiling = ReturnType<typeof filing>;

/** A filing of a month. Rare ones have no name. */
function filing(seed: number, month: number, index: number, days: number) {
  const draw = new Draw(seed, 'ohio', dayText(month), index);
  const report = draw.weighted(OHIO_REPORTS.map((row) => [row, row.weight] as const));
  const foreign = FOREIGN.has(report.number);
  const place = draw.weighted(OHIO);
  const home =
    foreign && draw.chance(0.6)
      ? draw.weighted(placesOfMetro(draw.pick(['Indianapolis', 'Detroit', 'Louisville', 'Charlotte'] as const)))
      : place;
  // Most take effect in the month; a few took effect earlier and are filed late.
  const filed = month + draw.int(0, days - 1);
  const effective = draw.chance(0.02) ? filed - draw.int(20, 90) : filed;
  const year = dayText(filed).slice(0, 4);
  const dayOfYear = filed - dayNumber(`${year}-01-01`) + 1;
  const name = nameOf(draw, draw.pick(report.endings));
  const agentName = draw.chance(0.3) ? draw.pick(AGENT_FIRMS).toUpperCase() : fullName(draw);
  const filer = draw.chance(0.97) ? addressOf(draw, draw.chance(0.5) ? name : fullName(draw), home) : null;
  const agent = draw.chance(0.05) ? null : addressOf(draw, agentName, place);
  return {
    report: report.number,
    documentNumber: `${year}${String(dayOfYear).padStart(3, '0')}${String(index + 100).padStart(5, '0')}`,
    charterNumber: String(4_000_000 + (Math.round(month) - 20_000) * 2_000 + index),
    effectiveDate: dayText(effective),
    businessName: draw.chance(0.0008) ? null : name,
    consent: draw.chance(0.03) ? 'Y' : 'N',
    transaction: report.transaction,
    filer,
    agent,
    businessCity: draw.chance(0.06) ? '' : home.city.toUpperCase(),
    county:
      home.state === 'OH'
        ? rentsOf(home.countyFips)
            .countyName.replace(/ County$/u, '')
            .toUpperCase()
        : '',
    associates:
      report.number === '0100' && draw.chance(0.7) ? [] : Array.from({ length: draw.int(1, 3) }, () => fullName(draw)),
  };
}

/** The five reports on existing businesses: number, kind, transaction text, weight. */
export const OHIO_AMENDMENTS: readonly {
  readonly number: string;
  readonly kind: 'merger' | 'dissolution' | 'cancellation' | 'reinstatement' | 'amendment';
  readonly transaction: string;
  readonly weight: number;
}[] = [
  { number: '0210', kind: 'merger', transaction: 'MERGER/DOMESTIC', weight: 3 },
  { number: '0220', kind: 'dissolution', transaction: 'CERTIFICATE OF DISSOLUTION', weight: 40 },
  { number: '0230', kind: 'cancellation', transaction: 'CANCELLATION BY THE SECRETARY OF STATE', weight: 25 },
  { number: '0240', kind: 'reinstatement', transaction: 'REINSTATEMENT', weight: 10 },
  { number: '0250', kind: 'amendment', transaction: 'AMENDMENT TO ARTICLES', weight: 22 },
];

export type OhioAmendment = ReturnType<typeof amendment>;

/** An amendment of a business that was registered in the same month or one of the two before. */
function amendment(seed: number, month: number, index: number, count: number) {
  const days = monthStart(month, 1) - month;
  const draw = new Draw(seed, 'ohio amendment', dayText(month), index);
  const report = draw.weighted(OHIO_AMENDMENTS.map((row) => [row, row.weight] as const));
  const since = monthStart(month, -draw.among([0, 1, 2], [2, 3, 2]));
  // Picks from the first 90 % of the filings, which every month has.
  const about = filing(
    seed,
    since,
    draw.int(0, Math.max(0, Math.floor(count * 0.9) - 1)),
    monthStart(since, 1) - since,
  );
  const effective = Math.max(month + draw.int(0, days - 1), dayNumber(about.effectiveDate));
  const [year, monthNumber] = dayText(month).split('-');
  return {
    report: report.number,
    kind: report.kind,
    documentNumber: `${year}9${monthNumber}${String(index + 100).padStart(5, '0')}`,
    charterNumber: about.charterNumber,
    effectiveDate: dayText(effective),
    businessName: about.businessName,
    transaction: report.transaction,
    filer: about.filer,
    businessCity: about.businessCity,
    county: about.county,
  };
}

/** New filings per amendment. */
const FILINGS_PER_AMENDMENT = 12;

export type OhioRelease = ReturnType<typeof ohioOn>;

/** The files posted on a day. Those posted on the default day have exactly `count` filings. */
export function ohioOn(seed: number, count: number, day: number) {
  const { month, releasedOn } = releaseOn(day);
  const days = monthStart(month, 1) - month;
  const share = dayText(month).startsWith('2026-10') ? 100 : new Draw(seed, 'ohio', dayText(month)).int(92, 108);
  const filings = Array.from({ length: Math.round((count * share) / 100) }, (_, index) =>
    filing(seed, month, index, days),
  );
  const amendments = Array.from({ length: Math.ceil(count / FILINGS_PER_AMENDMENT) }, (_, index) =>
    amendment(seed, month, index, count),
  );
  return { releasedOn: dayText(releasedOn), month: dayText(month).slice(0, 7), filings, amendments };
}
