/** Colorado's register of business entities: when each was formed, and its row in the dataset over time. */
import { dayText, DEFAULT_DAY, isWeekend, LAST_DAY, wordedDay } from './days.ts';
import { AGENT_FIRMS, drawCompany, drawPerson } from './names.ts';
import { Draw } from './random.ts';
import { drawAddress, spellStreet } from './streets.ts';

const CITIES = [
  ['Denver', ['80202', '80204', '80205', '80211', '80219', '80220', '80239']],
  ['Aurora', ['80010', '80011', '80013', '80015']],
  ['Lakewood', ['80226', '80228']],
  ['Colorado Springs', ['80903', '80909', '80916', '80918']],
  ['Fort Collins', ['80521', '80525']],
  ['Boulder', ['80301', '80304']],
  ['Pueblo', ['81003', '81005']],
  ['Grand Junction', ['81501']],
  ['Littleton', ['80120', '80128']],
  ['Golden', ['80401', '80403']],
] as const;
const STATES = [
  ['Wilmington', 'DE', '19801'],
  ['Cheyenne', 'WY', '82001'],
  ['Austin', 'TX', '78701'],
  ['Phoenix', 'AZ', '85004'],
] as const;

/** Entity types with the ending of their names, weighted by frequency. */
const TYPES: readonly (readonly [{ readonly type: string; readonly form: string }, number])[] = [
  [{ type: 'DLLC', form: ' LLC' }, 60],
  [{ type: 'DLLC', form: ', LLC' }, 14],
  [{ type: 'DPC', form: ' Inc.' }, 6],
  [{ type: 'DPC', form: ' Corp' }, 2],
  [{ type: 'DNC', form: ' Foundation' }, 5],
  [{ type: 'FLLC', form: ' LLC' }, 6],
  [{ type: 'FPC', form: ', Inc.' }, 3],
  [{ type: 'DLP', form: ' LP' }, 0.7],
  [{ type: 'DLLP', form: ' LLP' }, 0.5],
  [{ type: 'DPC-PBC', form: ' PBC' }, 0.6],
  [{ type: 'DLCA', form: ' Cooperative' }, 0.4],
  [{ type: 'DT', form: ' Ditch Company' }, 0.3],
];

/** Statuses that the dataset also appends to the name, with the words it uses. */
const FALLEN: readonly (readonly [{ readonly status: string; readonly words: string }, number])[] = [
  [{ status: 'Delinquent', words: 'Delinquent' }, 50],
  [{ status: 'Voluntarily Dissolved', words: 'Dissolved' }, 35],
  [{ status: 'Withdrawn', words: 'Withdrawn' }, 7],
  [{ status: 'Merged', words: 'Merged' }, 4],
  [{ status: 'Administratively Dissolved', words: 'Administratively Dissolved' }, 4],
];

/** `filings` entities were formed in this number of days before the default day, and a few earlier. */
const WINDOW = 365;

/** An entity over time. */
interface EntityPlan {
  readonly id: string;
  readonly formed: number;
  /** First day in the dataset: the same day or the next, some later. */
  readonly visible: number;
}

export interface ColoradoPlan {
  readonly seed: number;
  /** Sorted by id. */
  readonly entities: readonly EntityPlan[];
}

/** All entities. `count` of them were formed in the year before the default day. */
export function planColorado(seed: number, count: number): ColoradoPlan {
  const entities: EntityPlan[] = [];
  // Serials increase and are unique within a year; in a large world the gaps are smaller.
  const serials = new Map<string, number>();
  const step = Math.min(40, Math.max(1, Math.floor(1_500_000 / Math.max(1, count))));
  const add = (key: string, from: number, to: number, visibleBy: number | null): void => {
    const draw = new Draw(seed, 'colorado', key);
    let formed = draw.int(from, to);
    // Offices are closed on weekends, but online filing is open.
    if (isWeekend(formed) && draw.chance(0.7)) formed = Math.max(from, formed - 2);
    const visible = formed + (draw.chance(0.02) ? draw.int(4, 9) : draw.int(0, 1));
    const year = dayText(formed).slice(0, 4);
    const serial = (serials.get(year) ?? 1000) + draw.int(1, step);
    serials.set(year, serial);
    const series = (draw.chance(0.3) ? 8 : 1) + Math.floor(serial / 1_000_000);
    entities.push({
      id: `${year}${series}${String(serial % 1_000_000).padStart(6, '0')}`,
      formed,
      visible: visibleBy === null ? visible : Math.min(visible, visibleBy),
    });
  };
  for (let i = 0; i < count; i += 1) add(`year/${i}`, DEFAULT_DAY - WINDOW, DEFAULT_DAY, DEFAULT_DAY);
  for (let i = 0; i < count * 0.03; i += 1) add(`old/${i}`, DEFAULT_DAY - 40 * WINDOW, DEFAULT_DAY - WINDOW - 1, null);
  const perDay = count / WINDOW;
  for (let day = DEFAULT_DAY + 1; day <= LAST_DAY; day += 1) {
    const today = Math.floor(perDay * (day - DEFAULT_DAY)) - Math.floor(perDay * (day - DEFAULT_DAY - 1));
    for (let i = 0; i < today; i += 1) add(`day/${day}/${i}`, day, day, null);
  }
  return { seed, entities: entities.sort((a, b) => (a.id < b.id ? -1 : 1)) };
}

const address = (draw: Draw, prefix: string): Record<string, string> => {
  const [city, zips] = draw.pick(CITIES);
  const line = spellStreet(drawAddress(draw, '', false), 'abbreviated');
  const suite = draw.chance(0.2) ? `Ste ${draw.int(100, 900)}` : null;
  const together = suite !== null && draw.chance(0.5);
  return {
    [`${prefix}address1`]: together ? `${line}, ${suite}` : line,
    ...(suite !== null && !together ? { [`${prefix}address2`]: suite } : {}),
    [`${prefix}city`]: city,
    [`${prefix}state`]: 'CO',
    [`${prefix}zipcode`]: draw.pick(zips),
    [`${prefix}country`]: 'US',
  };
};

function agentOf(draw: Draw): Record<string, string> {
  if (draw.chance(0.3)) return { agentorganizationname: draw.pick(AGENT_FIRMS), ...address(draw, 'agentprincipal') };
  const person = drawPerson(draw);
  const shout = draw.chance(0.3) ? (text: string): string => text.toUpperCase() : (text: string): string => text;
  return {
    agentfirstname: shout(person.first),
    ...(person.middle === null ? {} : { agentmiddlename: shout(person.middle) }),
    agentlastname: shout(person.last),
    ...(person.suffix === null ? {} : { agentsuffix: person.suffix }),
    ...(draw.chance(0.03) ? address(draw, 'agentmailing') : address(draw, 'agentprincipal')),
  };
}

export type ColoradoEntity = ReturnType<typeof entityOn>;

/** An entity on a day: its legal name, and the dataset's row without empty columns, which appends the status to it. */
function entityOn(seed: number, plan: EntityPlan, day: number) {
  const draw = new Draw(seed, 'colorado', 'entity', plan.id);
  const { type, form } = draw.weighted(TYPES);
  const company = drawCompany(draw);
  const name = draw.chance(0.08) ? `${drawPerson(draw).last} & ${drawPerson(draw).last}${form}` : company + form;
  const foreign = type.startsWith('F');
  const home = draw.pick(STATES);
  const principal =
    foreign && draw.chance(0.5)
      ? {
          principaladdress1: spellStreet(drawAddress(draw, '', false), 'abbreviated'),
          principalcity: home[0],
          principalstate: home[1],
          principalzipcode: home[2],
          principalcountry: 'US',
        }
      : address(draw, 'principal');
  // About one in seven loses its good standing, and some get an agent later.
  const fallen = draw.chance(0.14) ? { ...draw.weighted(FALLEN), on: plan.formed + draw.int(20, 500) } : null;
  const isFallen = fallen !== null && fallen.on <= day;
  const mailing = draw.chance(0.15) ? address(draw, 'mailing') : {};
  const agent = agentOf(draw);
  const agentFrom = draw.chance(0.03) ? plan.formed + draw.int(2, 400) : plan.formed;
  const corrected = draw.chance(0.01) ? plan.formed + draw.int(3, 9) : null;
  const standing = draw.chance(0.04) ? 'Exists' : 'Good Standing';
  const shownName = corrected !== null && day < corrected ? name.toUpperCase() : name;
  const row: Record<string, string> = {
    entityid: plan.id,
    entityname: shownName + (isFallen && fallen !== null ? `, ${fallen.words} ${wordedDay(fallen.on)}` : ''),
    ...principal,
    ...mailing,
    entitystatus: isFallen && fallen !== null ? fallen.status : standing,
    jurisdictonofformation: foreign ? home[1] : 'CO',
    entitytype: type,
    ...(day >= agentFrom ? agent : {}),
    entityformdate: `${dayText(plan.formed)}T00:00:00.000`,
  };
  const changes = [fallen?.on ?? null, agentFrom, corrected].filter((on) => on !== null && on <= day);
  return {
    entityId: plan.id,
    formedOn: dayText(plan.formed),
    name: shownName,
    updatedOn: dayText(Math.max(plan.visible, ...changes.map(Number))),
    row,
  };
}

/** The dataset on a day, sorted by id. */
export const coloradoOn = (plan: ColoradoPlan, day: number): ColoradoEntity[] =>
  plan.entities.filter(({ visible }) => visible <= day).map((entity) => entityOn(plan.seed, entity, day));
