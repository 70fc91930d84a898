/**
 * Locations of the made-up properties: real cities, ZIPs and counties of the 20 metros, and of Canton, Ohio, whose
 * county has a tax list and sheriff sales but no listings. Streets, numbers, owners and buildings are made up.
 */
export interface Place {
  readonly metro: string;
  readonly city: string;
  readonly state: string;
  readonly countyFips: string;
  readonly zips: readonly string[];
  readonly weight: number;
}

const ALLEGHENY = { metro: 'Pittsburgh', state: 'PA', countyFips: '42003' };

const PASCO = { metro: 'Tampa', state: 'FL', countyFips: '12101' };

/** Counties without listings whose distress records the world has: Tampa's Pasco, and two outside the 20 metros. */
export const outsidePlaces: readonly Place[] = [
  { ...PASCO, city: 'New Port Richey', zips: ['34652', '34653', '34655'], weight: 3 },
  { ...PASCO, city: 'Holiday', zips: ['34690', '34691'], weight: 2 },
  {
    ...ALLEGHENY,
    city: 'Pittsburgh',
    zips: ['15203', '15204', '15206', '15207', '15208', '15210', '15211', '15212', '15214', '15219', '15221', '15224'],
    weight: 8,
  },
  { ...ALLEGHENY, city: 'McKeesport', zips: ['15132'], weight: 1 },
  { ...ALLEGHENY, city: 'Wilkinsburg', zips: ['15221'], weight: 1 },
  {
    metro: 'Chicago',
    city: 'Chicago',
    state: 'IL',
    countyFips: '17031',
    zips: ['60609', '60617', '60619', '60620', '60621', '60624', '60628', '60629', '60636', '60644', '60649', '60651'],
    weight: 10,
  },
];

/** "City ST countyFips weight: zip zip ..." by metro. The first city of a metro is its center. */
const PLACES: Readonly<Record<string, string>> = {
  Cleveland: `Cleveland OH 39035 10: 44102 44103 44104 44105 44106 44108 44109 44110 44111 44113 44120 44127
      44128 44135
    Lakewood OH 39035 2: 44107
    East Cleveland OH 39035 1: 44112
    Cleveland Heights OH 39035 1: 44118
    Euclid OH 39035 1: 44123 44132
    Parma OH 39035 1: 44129 44134
    Garfield Heights OH 39035 1: 44125
    Maple Heights OH 39035 1: 44137
    Lorain OH 39093 1: 44052 44055
    Elyria OH 39093 1: 44035
    Painesville OH 39085 1: 44077`,
  Columbus: `Columbus OH 39049 12: 43201 43202 43203 43204 43205 43206 43207 43211 43219 43223 43224 43227 43229 43232
    Grove City OH 39049 1: 43123
    Newark OH 39089 1: 43055
    Lancaster OH 39045 1: 43130`,
  Cincinnati: `Cincinnati OH 39061 10: 45202 45204 45205 45206 45207 45211 45214 45219 45223 45225 45227 45229
      45237 45238 45239
    Norwood OH 39061 1: 45212
    Covington KY 21117 1: 41011 41014
    Newport KY 21037 1: 41071
    Hamilton OH 39017 1: 45011 45013
    Middletown OH 39017 1: 45042 45044
    Fairfield OH 39017 1: 45014`,
  Dayton: `Dayton OH 39113 10: 45402 45403 45404 45405 45406 45410 45414 45417 45419 45420
    Kettering OH 39113 2: 45429
    Huber Heights OH 39113 1: 45424
    Xenia OH 39057 1: 45385
    Troy OH 39109 1: 45373`,
  Akron: `Akron OH 39153 10: 44301 44302 44303 44304 44305 44306 44307 44310 44311 44314 44320
    Cuyahoga Falls OH 39153 1: 44221 44223
    Barberton OH 39153 1: 44203
    Kent OH 39133 1: 44240`,
  Toledo: `Toledo OH 39095 10: 43604 43605 43606 43607 43608 43609 43610 43611 43612 43613 43614
    Oregon OH 39095 1: 43616
    Bowling Green OH 39173 1: 43402`,
  Canton: `Canton OH 39151 10: 44703 44704 44705 44706 44707 44708 44709 44710 44714
    Massillon OH 39151 3: 44646 44647
    Alliance OH 39151 2: 44601
    North Canton OH 39151 1: 44720
    Louisville OH 39151 1: 44641`,
  Indianapolis: `Indianapolis IN 18097 10: 46201 46202 46203 46205 46208 46218 46219 46222 46224 46225 46226
      46235 46241
    Greenwood IN 18081 1: 46142 46143`,
  Detroit: `Detroit MI 26163 10: 48202 48204 48205 48206 48207 48208 48210 48213 48219 48221 48223 48224 48227
      48228 48234 48235 48238
    Hamtramck MI 26163 1: 48212
    Dearborn MI 26163 1: 48126
    Pontiac MI 26125 1: 48340 48342
    Warren MI 26099 1: 48089 48091`,
  Milwaukee: `Milwaukee WI 55079 10: 53204 53205 53206 53207 53208 53209 53210 53212 53215 53216 53218
    West Allis WI 55079 2: 53214 53227
    Waukesha WI 55133 1: 53186 53188`,
  'St. Louis': `St. Louis MO 29510 10: 63104 63106 63107 63108 63110 63111 63112 63113 63115 63116 63118 63120
      63139 63147
    Florissant MO 29189 1: 63031 63033
    St. Charles MO 29183 1: 63301
    Belleville IL 17163 1: 62220 62226`,
  'Kansas City': `Kansas City MO 29095 8: 64109 64110 64111 64123 64124 64127 64128 64130 64131 64132 64134
    Independence MO 29095 1: 64050 64052 64055
    Kansas City KS 20209 2: 66101 66102 66104 66105 66106
    Overland Park KS 20091 1: 66204 66212`,
  Louisville: `Louisville KY 21111 10: 40203 40204 40205 40206 40208 40210 40211 40212 40213 40214 40215 40216 40217
    New Albany IN 18043 1: 47150
    Jeffersonville IN 18019 1: 47130`,
  Memphis: `Memphis TN 47157 10: 38104 38106 38107 38108 38109 38111 38112 38114 38115 38116 38118 38122 38127 38128
    Southaven MS 28033 1: 38671
    West Memphis AR 05035 1: 72301`,
  Birmingham: `Birmingham AL 01073 10: 35204 35205 35206 35207 35208 35211 35212 35215 35217 35218 35234
    Bessemer AL 01073 2: 35020 35023
    Alabaster AL 01117 1: 35007`,
  Atlanta: `Atlanta GA 13121 10: 30310 30311 30312 30314 30315 30318 30331
    Decatur GA 13089 2: 30030 30032 30033
    Marietta GA 13067 1: 30008 30060
    Lawrenceville GA 13135 1: 30044 30046`,
  Charlotte: `Charlotte NC 37119 10: 28203 28204 28205 28206 28208 28209 28212 28213 28215 28216 28217
    Gastonia NC 37071 1: 28052 28054
    Concord NC 37025 1: 28025 28027
    Rock Hill SC 45091 1: 29730 29732`,
  Jacksonville: `Jacksonville FL 12031 10: 32204 32205 32206 32207 32208 32209 32210 32211 32216 32218 32244 32254
    Orange Park FL 12019 1: 32073`,
  Tampa: `Tampa FL 12057 8: 33603 33604 33605 33606 33607 33610 33611 33612 33613 33614 33617 33619
    St. Petersburg FL 12103 4: 33701 33704 33705 33710 33711 33712 33713
    Clearwater FL 12103 1: 33755 33756 33764`,
  'San Antonio': `San Antonio TX 48029 10: 78201 78202 78203 78204 78207 78210 78211 78212 78214 78220 78223
      78225 78228 78237
    New Braunfels TX 48091 1: 78130`,
  Phoenix: `Phoenix AZ 04013 10: 85004 85006 85007 85008 85009 85013 85014 85015 85016 85017 85019 85020 85021
      85029 85031 85033 85041
    Mesa AZ 04013 2: 85201 85203 85204 85210
    Tempe AZ 04013 1: 85281 85282
    Glendale AZ 04013 1: 85301 85302 85303
    Casa Grande AZ 04021 1: 85122`,
};

function read(metro: string, line: string): Place {
  const match = /^\s*(.+) ([A-Z]{2}) (\d{5}) (\d+): ([\d\s]+)$/u.exec(line);
  const [, city, state, countyFips, weight, zips] = match ?? [];
  if (!city || !state || !countyFips || !zips) throw new Error(`not a place: ${line}`);
  return { metro, city, state, countyFips, zips: zips.split(/\s+/u), weight: Number(weight) };
}

/** All places of the metros and Canton, in this order. */
export const places: readonly Place[] = Object.entries(PLACES).flatMap(([metro, lines]) =>
  // A line that begins with a ZIP continues the one before.
  lines.split(/\n(?!\s*\d)/u).map((line) => read(metro, line)),
);

/** Metros with listings. Ohio's weigh more, because only there do listings share properties with debts and auctions. */
export const listingMetros: readonly (readonly [metro: string, weight: number])[] = Object.keys(PLACES)
  .filter((metro) => metro !== 'Canton')
  .map(
    (metro) =>
      [metro, { Cleveland: 12, Cincinnati: 8, Dayton: 7, Columbus: 6, Akron: 5, Toledo: 4 }[metro] ?? 4] as const,
  );

/** Places of a metro with their weights. */
export const placesOfMetro = (metro: string): readonly (readonly [Place, number])[] =>
  places.filter((place) => place.metro === metro).map((place) => [place, place.weight] as const);

/** Places of a county with their weights. */
export const placesOfCounty = (fips: string): readonly (readonly [Place, number])[] =>
  [...places, ...outsidePlaces]
    .filter((place) => place.countyFips === fips)
    .map((place) => [place, place.weight] as const);

/** Counties with a tax list, by their share of the parcels. */
export const taxCounties: readonly (readonly [fips: string, weight: number])[] = [
  ['39035', 42],
  ['39061', 26],
  ['39113', 18],
  ['39151', 14],
];
