/** Words of street addresses in the forms of USPS Publication 28, units at the end of a street, and numbered roads. */

/** The form of each word in a list of "FORM:SPELLING,SPELLING". A form is its own form. */
function formsIn(list: string): ReadonlyMap<string, string> {
  const entries = list
    .trim()
    .split(/\s+/)
    .map((entry) => entry.split(/[:,]/));
  return new Map(entries.flatMap((words) => words.map((word): [string, string] => [word, words[0] ?? word])));
}

/** Suffixes of appendix C1 and a few spellings of counties. A word that C1 lacks is none: POINTE is not POINT. */
export const SUFFIXES = formsIn(`
  ALY:ALLEE,ALLEY,ALLY ANX:ANEX,ANNEX,ANNX ARC:ARCADE AVE:AV,AVEN,AVENU,AVENUE,AVN,AVNUE BCH:BEACH BG:BURG
  BGS:BURGS BLF:BLUF,BLUFF BLFS:BLUFFS BLVD:BOUL,BOULEVARD,BOULV,BLV BND:BEND BR:BRNCH,BRANCH BRG:BRDGE,BRIDGE
  BRK:BROOK BRKS:BROOKS BTM:BOT,BOTTM,BOTTOM BYP:BYPA,BYPAS,BYPASS,BYPS BYU:BAYOO,BAYOU
  CIR:CIRC,CIRCL,CIRCLE,CRCL,CRCLE CIRS:CIRCLES CLB:CLUB CLF:CLIFF CLFS:CLIFFS CMN:COMMON CMNS:COMMONS COR:CORNER
  CORS:CORNERS CP:CAMP,CMP CPE:CAPE CRES:CRESCENT,CRSENT,CRSNT CRK:CREEK CRSE:COURSE CRST:CREST CSWY:CAUSEWAY,CAUSWA
  CT:COURT,CRT CTR:CEN,CENT,CENTER,CENTR,CENTRE,CNTER,CNTR CTRS:CENTERS CTS:COURTS CURV:CURVE CV:COVE CVS:COVES
  CYN:CANYN,CANYON,CNYN DL:DALE DM:DAM DR:DRIV,DRIVE,DRV DRS:DRIVES DV:DIV,DIVIDE,DVD EST:ESTATE ESTS:ESTATES
  EXPY:EXP,EXPR,EXPRESS,EXPRESSWAY,EXPW,EXPWY EXT:EXTENSION,EXTN,EXTNSN EXTS FALL FLD:FIELD FLDS:FIELDS FLS:FALLS
  FLT:FLAT FLTS:FLATS FRD:FORD FRDS:FORDS FRG:FORG,FORGE FRGS:FORGES FRK:FORK FRKS:FORKS FRST:FOREST,FORESTS
  FRY:FERRY,FRRY FT:FORT,FRT FWY:FREEWAY,FREEWY,FRWAY,FRWY GDN:GARDEN,GARDN,GRDEN,GRDN GDNS:GARDENS,GRDNS GLN:GLEN
  GLNS:GLENS GRN:GREEN GRNS:GREENS GRV:GROV,GROVE GRVS:GROVES GTWY:GATEWAY,GATEWY,GATWAY,GTWAY
  HBR:HARB,HARBOR,HARBR,HRBOR HBRS:HARBORS HL:HILL HLS:HILLS HOLW:HLLW,HOLLOW,HOLLOWS,HOLWS
  HTS:HEIGHT,HEIGHTS,HT,HGTS HVN:HAVEN HWY:HIGHWAY,HIGHWY,HIWAY,HIWY,HWAY INLT:INLET IS:ISLAND,ISLND ISLE:ISLES
  ISS:ISLANDS,ISLNDS JCT:JCTION,JCTN,JUNCTION,JUNCTN,JUNCTON JCTS:JCTNS,JUNCTIONS KNL:KNOL,KNOLL KNLS:KNOLLS KY:KEY
  KYS:KEYS LAND LCK:LOCK LCKS:LOCKS LDG:LDGE,LODG,LODGE LF:LOAF LGT:LIGHT LGTS:LIGHTS LK:LAKE LKS:LAKES LN:LANE
  LNDG:LANDING,LNDNG LOOP:LOOPS,LP MALL MDW:MEADOW MDWS:MEADOWS,MEDOWS MEWS ML:MILL MLS:MILLS MNR:MANOR MNRS:MANORS
  MSN:MISSN,MSSN,MISSION MT:MNT,MOUNT MTN:MNTAIN,MNTN,MOUNTAIN,MOUNTIN,MTIN MTNS:MNTNS,MOUNTAINS MTWY:MOTORWAY
  NCK:NECK OPAS:OVERPASS ORCH:ORCHARD,ORCHRD OVAL:OVL PARK:PRK,PK,PARKS PASS PATH:PATHS PIKE:PIKES
  PKWY:PARKWAY,PARKWY,PKWAY,PKY,PARKWAYS,PKWYS PL:PLACE PLN:PLAIN PLNS:PLAINS PLZ:PLAZA,PLZA PNE:PINE PNES:PINES
  PR:PRAIRIE,PRR PRT:PORT PRTS:PORTS PSGE:PASSAGE PT:POINT PTS:POINTS RADL:RAD,RADIAL,RADIEL RAMP RD:ROAD
  RDG:RDGE,RIDGE RDGS:RIDGES RDS:ROADS RIV:RIVER,RVR,RIVR RNCH:RANCH,RANCHES,RNCHS ROW RPD:RAPID RPDS:RAPIDS RST:REST
  RTE:ROUTE RUE RUN SHL:SHOAL SHLS:SHOALS SHR:SHOAR,SHORE SHRS:SHOARS,SHORES SKWY:SKYWAY SMT:SUMIT,SUMITT,SUMMIT
  SPG:SPNG,SPRING,SPRNG SPGS:SPNGS,SPRINGS,SPRNGS SPUR:SPURS SQ:SQR,SQRE,SQU,SQUARE SQS:SQRS,SQUARES
  ST:STREET,STRT,STR STA:STATION,STATN,STN STRA:STRAV,STRAVEN,STRAVENUE,STRAVN,STRVN,STRVNUE STRM:STREAM,STREME
  STS:STREETS TER:TERR,TERRACE TPKE:TRNPK,TURNPIKE,TURNPK TRAK:TRACK,TRACKS,TRK,TRKS TRCE:TRACE,TRACES
  TRFY:TRAFFICWAY TRL:TRAIL,TRAILS,TRLS,TR TRWY:THROUGHWAY TUNL:TUNEL,TUNLS,TUNNEL,TUNNELS,TUNNL UN:UNION
  UNS:UNIONS UPAS:UNDERPASS VIA:VDCT,VIADCT,VIADUCT VIS:VIST,VISTA,VST,VSTA VL:VILLE
  VLG:VILL,VILLAG,VILLAGE,VILLG,VILLIAGE VLGS:VILLAGES VLY:VALLEY,VALLY,VLLY VLYS:VALLEYS VW:VIEW VWS:VIEWS
  WALK:WALKS WALL WAY:WY WAYS WL:WELL WLS:WELLS XING:CROSSING,CRSSNG,CRSNG XRD:CROSSROAD XRDS:CROSSROADS`);

/** Section 233. */
export const DIRECTIONS = formsIn(
  'N:NORTH,NO S:SOUTH,SO E:EAST W:WEST NE:NORTHEAST NW:NORTHWEST SE:SOUTHEAST SW:SOUTHWEST',
);

/** Words of a name with several spellings, and plurals that keep their form there: as a suffix, PARKS is PARK. */
export const SPELLINGS = formsIn(`
  ST:SAINT STE:SAINTE DR:DOCTOR JR:JUNIOR SR:SENIOR COUNTY:CO
  1ST:FIRST 2ND:SECOND 3RD:THIRD 4TH:FOURTH 5TH:FIFTH 6TH:SIXTH 7TH:SEVENTH 8TH:EIGHTH 9TH:NINTH 10TH:TENTH
  11TH:ELEVENTH 12TH:TWELFTH 13TH:THIRTEENTH 14TH:FOURTEENTH 15TH:FIFTEENTH 16TH:SIXTEENTH 17TH:SEVENTEENTH
  18TH:EIGHTEENTH 19TH:NINETEENTH 20TH:TWENTIETH 30TH:THIRTIETH 40TH:FORTIETH 50TH:FIFTIETH 60TH:SIXTIETH
  70TH:SEVENTIETH 80TH:EIGHTIETH 90TH:NINETIETH
  FORESTS HOLLOWS ISLES LOOPS PARKS PARKWAYS PATHS PIKES RANCHES SPURS TRACES TRACKS TRAILS TUNNELS WALKS`);

const TENS = ['TWENTY', 'THIRTY', 'FORTY', 'FIFTY', 'SIXTY', 'SEVENTY', 'EIGHTY', 'NINETY'];
const COMPOUND = new RegExp(
  String.raw`\b(${TENS.join('|')})[ -](FIRST|SECOND|THIRD|FOURTH|FIFTH|SIXTH|SEVENTH|EIGHTH|NINTH)\b`,
  'g',
);

/** Ordinals in two words as digits: "TWENTY FIRST" is 21ST. */
export const withOrdinals = (line: string): string =>
  line.replaceAll(COMPOUND, (_, ten: string, one: string) => `${TENS.indexOf(ten) + 2}${SPELLINGS.get(one)}`);

/** Words that a unit's number or letter follows, as alternatives of a regular expression. */
export const UNIT_DESIGNATORS =
  'APARTMENTS?|APTS?|UNITS?|SUITE|STE|ROOM|RM|BUILDING|BLDG|LOT|TRAILER|TRLR|SPACE|SPC|DEPT|FLOOR|FLR|FL|PENTHOUSE|PH' +
  '|NO|#';

/** Words that are a unit by themselves, as alternatives of a regular expression. */
export const UNIT_PLACES = 'REAR|UPPER|UPPR|UP|LOWER|LOWR|DOWN|DN|FRONT|FRNT|BASEMENT|BSMT';

const UNIT_WORD = new RegExp(`^(?:${UNIT_DESIGNATORS}|${UNIT_PLACES})$`);
const isUnitWord = (word: string): boolean => UNIT_WORD.test(word);

/** Of a street without its house number: everything before the unit, and the unit. */
const UNIT_AT_END = new RegExp(
  `^(.*?)((?: (?:${UNIT_DESIGNATORS})(?: #)? (?:[A-Z]{0,2}-?\\d[A-Z0-9&.-]*|[A-Z](?:[&-][A-Z])*)` +
    `| (?:\\d+(?:ST|ND|RD|TH)|FIRST|SECOND|THIRD) (?:FLOOR|FLR|FL)| (?:${UNIT_PLACES}))+)$`,
);

/** Apartment, suite and a bare number are one thing; buildings, floors and lots are not. */
const UNIT_FORMS = formsIn(`
  #:APARTMENT,APARTMENTS,APT,APTS,UNIT,UNITS,SUITE,STE,ROOM,RM,NO,DEPT BLDG:BUILDING FL:FLOOR,FLR
  1ST:FIRST 2ND:SECOND 3RD:THIRD UPPR:UPPER,UP LOWR:LOWER,DOWN,DN FRNT:FRONT BSMT:BASEMENT`);

/** One form of a unit. "1-A" is 1A, but "1-2" are two units. */
const unitForm = (unit: string): string =>
  unit
    .replaceAll(/\b[A-Z]+\b/g, (word) => UNIT_FORMS.get(word) ?? word)
    .replaceAll(/# #/g, '#')
    .replaceAll(/\b([A-Z])-(\d)/g, '$1$2')
    .replaceAll(/\b(\d+)-([A-Z])\b/g, '$1$2')
    .replaceAll(/\b(\d+)(?:ST|ND|RD|TH) FL\b/g, 'FL $1')
    .replaceAll(/([#A-Z]) 0*(\w)/g, '$1 $2')
    .trim();

/** A street without its house number: the street, and the form of its unit, or null. */
export function splitUnit(text: string): { street: string; unit: string | null } {
  const [, street, unit] = UNIT_AT_END.exec(text) ?? [];
  return street === undefined || unit === undefined ? { street: text, unit: null } : { street, unit: unitForm(unit) };
}

/** A bare number or letter at the end, which may be a unit: "MAIN ST 4". */
export const BARE_UNIT = /^(.+) (\d+[A-Z]?|[A-DF-MO-RT-VX-Z]\d*)$/;

const ALL_UNITS = / (?:UNITS?|APARTMENTS?|APTS?|#)(?: #)? (?:1-(\d+)|A-([B-Z]))$/;

/**
 * A line without its units if it names all units of the building: "UNITS 1-8", unless the listing states another
 * number. Without a stated number, "# 1-101" is apartment 101 of the first building.
 */
export function withoutAllUnits(line: string, units: number | null): string {
  const [, last, letter] = ALL_UNITS.exec(line) ?? [];
  const named = letter === undefined ? Number(last) : letter.charCodeAt(0) - 64;
  const isAll = units === null ? named >= 2 && named <= 99 : named === units;
  return isAll ? line.replace(ALL_UNITS, '') : line;
}

const ROAD = '(?:ROAD|RD)';
const HIGHWAY = '(?:HIGHWAY|HWY)';
const ROUTE = '(?:ROUTE|RTE|RT)';
const COUNTY = `(?:COUNTY|CO|CTY)(?: TRUNK)? (?:${ROAD}|${HIGHWAY}|TRUNK)|CTH|CR`;

/** Names before a number, which may follow other words of the street, by the form of the road. */
const ANYWHERE = {
  SR: `STATE (?:${ROUTE}|${ROAD}|${HIGHWAY})|ST (?:RTE|RT)|S[RH]|STH|OH|OHIO|TX|TEXAS`,
  US: `(?:US|U S)(?: (?:${ROUTE}|${HIGHWAY}))?|USH`,
  CR: COUNTY,
  TWP: `(?:TOWNSHIP|TWP) ${ROAD}|TWP`,
};

/** Names before a number at the start of the street: elsewhere they are those of a unit or of a street. */
const AT_START = {
  IH: `INTERSTATE(?: ${HIGHWAY})?|IH?`,
  FM: `FARM(?: TO MARKET)? ${ROAD}|FARM TO MARKET|FM(?: ${ROAD})?`,
  RM: `RANCH TO MARKET(?: ${ROAD})?|RM(?: ${ROAD})?`,
  RR: `RANCH ${ROAD}|RR`,
  PVR: `PRIVATE ${ROAD}|PVR|PR`,
  LOOP: '(?:STATE )?(?:LOOP|LP)',
  SPUR: '(?:STATE )?SPUR',
  RTE: `${HIGHWAY}|${ROUTE}`,
};

/** Names before letters: County Road B2, County Highway PP, Missouri's State Highway D. */
const LETTERED = {
  SR: `STATE (?:${ROUTE}|${HIGHWAY})|ST (?:RTE|RT)|SR|STH`,
  CR: COUNTY,
  RTE: `${HIGHWAY}|${ROUTE}`,
};

const START = `^((?:(?:${[...DIRECTIONS.keys()].join('|')}) ){0,2}(?:OLD )?)`;
/** Five digits are a ZIP, except of a county road. */
const numberOf = (form: string): string => String.raw`[ -]?(\d{1,${form === 'CR' ? 5 : 4}}[A-Z]?(?:\.\d+)?)`;

const patternsOf = (roads: Readonly<Record<string, string>>, before: string, after: (form: string) => string) =>
  Object.entries(roads).map(([form, names]) => ({
    form,
    pattern: new RegExp(`${before}(?:${names})${after(form)}(?= |$)`),
  }));

const NUMBERED_ROADS = [...patternsOf(ANYWHERE, '^(|.*? )', numberOf), ...patternsOf(AT_START, START, numberOf)];
const LETTERED_ROADS = patternsOf(LETTERED, START, () => String.raw`[ -]([A-Z]{1,2}\d?)`);

/** FM, RM and RR may have Road after their number: "FM 1960 WEST ROAD". */
const ROAD_AFTER = new RegExp(String.raw`^(.*\b(?:FM|RM|RR)\d+[A-Z]?(?: (?:[NSEW]|NORTH|SOUTH|EAST|WEST))?) ${ROAD}\b`);
const TWO_DIRECTIONS = /^([NS])(?:ORTH|OUTH)? ([EW])(?:AST|EST)? (?=(?:LOOP|SPUR)\d)/;

/** A street with its road in one form: "STATE RT 39" and Ohio's "OH-39" are SR39, "CO RD K" is CR-K. */
export function withRoad(street: string): string {
  const road = /\d/.test(street) ? NUMBERED_ROADS.find(({ pattern }) => pattern.test(street)) : undefined;
  if (road !== undefined)
    return street.replace(road.pattern, `$1${road.form}$2`).replace(ROAD_AFTER, '$1').replace(TWO_DIRECTIONS, '$1$2 ');
  for (const { form, pattern } of LETTERED_ROADS) {
    const letters = pattern.exec(street)?.[2] ?? '';
    // "COUNTY ROAD NE" and "HIGHWAY LN" have another word there.
    const isWord = letters.length > 1 && [SUFFIXES, DIRECTIONS].some((words) => words.has(letters));
    if (letters !== '' && !isWord && !isUnitWord(letters)) return street.replace(pattern, `$1${form}-$2`);
  }
  return street;
}
