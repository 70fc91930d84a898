-- Street addresses in the forms of USPS Publication 28, for exact comparison: upper case, no punctuation,
-- suffixes and directionals abbreviated, unit apart, house number ranges understood. Two spellings of one
-- address come out equal; two addresses must not. What is not certain is left as it was written.
--
-- parts_of_lines, below, is the whole of it: step by step, each a named column of its own, so that each is computed once.
-- The macros before it are what single steps do. They do without lambdas where they can: DuckDB makes those ready anew for each
-- piece of its input, with the regular expressions and lists in them, and everything else once for a query.

-- What stands for a word in a list of WORD=FORM pairs between blanks, or null. Far faster than a MAP of this size; a long
-- list is kept by first letters, of which one is searched.
CREATE OR REPLACE MACRO looked_up(token, pairs) AS
  string_split(replace(left(string_split(pairs, ' ' || token || '=')[2], 8), chr(10), ' '), ' ')[1];

-- Publication 28, appendix C1: suffix to its standard abbreviation, and a few spellings that counties use beside it. What
-- C1 does not list is a word of its own: POINTE is not POINT.
CREATE OR REPLACE MACRO suffix_of(token) AS looked_up(token, [
    ' ALLEE=ALY ALLEY=ALY ALLY=ALY ALY=ALY ANEX=ANX ANNEX=ANX ANNX=ANX ANX=ANX ARC=ARC ARCADE=ARC AV=AVE AVE=AVE AVEN=AVE
      AVENU=AVE AVENUE=AVE AVN=AVE AVNUE=AVE ',
    ' BAYOO=BYU BAYOU=BYU BCH=BCH BEACH=BCH BEND=BND BND=BND BLF=BLF BLUF=BLF BLUFF=BLF BLUFFS=BLFS BOT=BTM BTM=BTM BOTTM=BTM
      BOTTOM=BTM BLVD=BLVD BOUL=BLVD BOULEVARD=BLVD BOULV=BLVD BLV=BLVD BR=BR BRNCH=BR BRANCH=BR BRDGE=BRG BRG=BRG BRIDGE=BRG
      BRK=BRK BROOK=BRK BROOKS=BRKS BURG=BG BURGS=BGS BYP=BYP BYPA=BYP BYPAS=BYP BYPASS=BYP BYPS=BYP ',
    ' CAMP=CP CP=CP CMP=CP CANYN=CYN CANYON=CYN CNYN=CYN CYN=CYN CAPE=CPE CPE=CPE CAUSEWAY=CSWY CAUSWA=CSWY CSWY=CSWY CEN=CTR
      CENT=CTR CENTER=CTR CENTR=CTR CENTRE=CTR CNTER=CTR CNTR=CTR CTR=CTR CENTERS=CTRS CIR=CIR CIRC=CIR CIRCL=CIR CIRCLE=CIR
      CRCL=CIR CRCLE=CIR CIRCLES=CIRS CLF=CLF CLIFF=CLF CLFS=CLFS CLIFFS=CLFS CLB=CLB CLUB=CLB COMMON=CMN COMMONS=CMNS COR=COR
      CORNER=COR CORNERS=CORS CORS=CORS COURSE=CRSE CRSE=CRSE COURT=CT CRT=CT CT=CT COURTS=CTS CTS=CTS COVE=CV CV=CV COVES=CVS
      CREEK=CRK CRK=CRK CRESCENT=CRES CRES=CRES CRSENT=CRES CRSNT=CRES CREST=CRST CROSSING=XING CRSSNG=XING CRSNG=XING
      CROSSROAD=XRD CROSSROADS=XRDS CURVE=CURV ',
    ' DALE=DL DL=DL DAM=DM DM=DM DIV=DV DIVIDE=DV DV=DV DVD=DV DR=DR DRIV=DR DRIVE=DR DRV=DR DRIVES=DRS ',
    ' EST=EST ESTATE=EST ESTATES=ESTS ESTS=ESTS EXP=EXPY EXPR=EXPY EXPRESS=EXPY EXPRESSWAY=EXPY EXPW=EXPY EXPY=EXPY EXPWY=EXPY
      EXT=EXT EXTENSION=EXT EXTN=EXT EXTNSN=EXT EXTS=EXTS ',
    ' FALL=FALL FALLS=FLS FLS=FLS FERRY=FRY FRRY=FRY FRY=FRY FIELD=FLD FLD=FLD FIELDS=FLDS FLDS=FLDS FLAT=FLT FLT=FLT FLATS=FLTS
      FLTS=FLTS FORD=FRD FRD=FRD FORDS=FRDS FOREST=FRST FORESTS=FRST FRST=FRST FORG=FRG FORGE=FRG FRG=FRG FORGES=FRGS FORK=FRK
      FRK=FRK FORKS=FRKS FRKS=FRKS FORT=FT FRT=FT FT=FT FREEWAY=FWY FREEWY=FWY FRWAY=FWY FRWY=FWY FWY=FWY ',
    ' GARDEN=GDN GARDN=GDN GRDEN=GDN GRDN=GDN GDN=GDN GARDENS=GDNS GDNS=GDNS GRDNS=GDNS GATEWAY=GTWY GATEWY=GTWY GATWAY=GTWY
      GTWAY=GTWY GTWY=GTWY GLEN=GLN GLN=GLN GLENS=GLNS GREEN=GRN GRN=GRN GREENS=GRNS GROV=GRV GROVE=GRV GRV=GRV GROVES=GRVS ',
    ' HARB=HBR HARBOR=HBR HARBR=HBR HBR=HBR HRBOR=HBR HARBORS=HBRS HAVEN=HVN HVN=HVN HEIGHT=HTS HEIGHTS=HTS HT=HTS HTS=HTS
      HGTS=HTS HIGHWAY=HWY HIGHWY=HWY HIWAY=HWY HIWY=HWY HWAY=HWY HWY=HWY HILL=HL HL=HL HILLS=HLS HLS=HLS HLLW=HOLW HOLLOW=HOLW
      HOLLOWS=HOLW HOLW=HOLW HOLWS=HOLW ',
    ' INLT=INLT INLET=INLT IS=IS ISLAND=IS ISLND=IS ISLANDS=ISS ISLNDS=ISS ISS=ISS ISLE=ISLE ISLES=ISLE ',
    ' JCT=JCT JCTION=JCT JCTN=JCT JUNCTION=JCT JUNCTN=JCT JUNCTON=JCT JCTNS=JCTS JCTS=JCTS JUNCTIONS=JCTS ',
    ' KEY=KY KY=KY KEYS=KYS KYS=KYS KNL=KNL KNOL=KNL KNOLL=KNL KNLS=KNLS KNOLLS=KNLS ',
    ' LK=LK LAKE=LK LKS=LKS LAKES=LKS LAND=LAND LANDING=LNDG LNDG=LNDG LNDNG=LNDG LANE=LN LN=LN LGT=LGT LIGHT=LGT LIGHTS=LGTS
      LF=LF LOAF=LF LCK=LCK LOCK=LCK LCKS=LCKS LOCKS=LCKS LDG=LDG LDGE=LDG LODG=LDG LODGE=LDG LOOP=LOOP LOOPS=LOOP LP=LOOP ',
    ' MALL=MALL MNR=MNR MANOR=MNR MANORS=MNRS MNRS=MNRS MEADOW=MDW MDW=MDW MDWS=MDWS MEADOWS=MDWS MEDOWS=MDWS MEWS=MEWS MILL=ML
      ML=ML MILLS=MLS MLS=MLS MISSN=MSN MSSN=MSN MISSION=MSN MSN=MSN MOTORWAY=MTWY MNT=MT MT=MT MOUNT=MT MNTAIN=MTN MNTN=MTN
      MOUNTAIN=MTN MOUNTIN=MTN MTIN=MTN MTN=MTN MNTNS=MTNS MOUNTAINS=MTNS ',
    ' NCK=NCK NECK=NCK ',
    ' ORCH=ORCH ORCHARD=ORCH ORCHRD=ORCH OVAL=OVAL OVL=OVAL OVERPASS=OPAS ',
    ' PARK=PARK PRK=PARK PK=PARK PARKS=PARK PARKWAY=PKWY PARKWY=PKWY PKWAY=PKWY PKWY=PKWY PKY=PKWY PARKWAYS=PKWY PKWYS=PKWY
      PASS=PASS PASSAGE=PSGE PATH=PATH PATHS=PATH PIKE=PIKE PIKES=PIKE PINE=PNE PINES=PNES PNES=PNES PL=PL PLACE=PL PLAIN=PLN
      PLN=PLN PLAINS=PLNS PLNS=PLNS PLAZA=PLZ PLZ=PLZ PLZA=PLZ POINT=PT PT=PT POINTS=PTS PTS=PTS PORT=PRT PRT=PRT PORTS=PRTS
      PRTS=PRTS PR=PR PRAIRIE=PR PRR=PR ',
    '',
    ' RAD=RADL RADIAL=RADL RADIEL=RADL RADL=RADL RAMP=RAMP RANCH=RNCH RANCHES=RNCH RNCH=RNCH RNCHS=RNCH RAPID=RPD RPD=RPD
      RAPIDS=RPDS RPDS=RPDS REST=RST RST=RST RDG=RDG RDGE=RDG RIDGE=RDG RDGS=RDGS RIDGES=RDGS RIV=RIV RIVER=RIV RVR=RIV RIVR=RIV
      RD=RD ROAD=RD ROADS=RDS RDS=RDS ROUTE=RTE RTE=RTE ROW=ROW RUE=RUE RUN=RUN ',
    ' SHL=SHL SHOAL=SHL SHLS=SHLS SHOALS=SHLS SHOAR=SHR SHORE=SHR SHR=SHR SHOARS=SHRS SHORES=SHRS SHRS=SHRS SKYWAY=SKWY SPG=SPG
      SPNG=SPG SPRING=SPG SPRNG=SPG SPGS=SPGS SPNGS=SPGS SPRINGS=SPGS SPRNGS=SPGS SPUR=SPUR SPURS=SPUR SQ=SQ SQR=SQ SQRE=SQ
      SQU=SQ SQUARE=SQ SQRS=SQS SQUARES=SQS STA=STA STATION=STA STATN=STA STN=STA STRA=STRA STRAV=STRA STRAVEN=STRA
      STRAVENUE=STRA STRAVN=STRA STRVN=STRA STRVNUE=STRA STREAM=STRM STREME=STRM STRM=STRM STREET=ST STRT=ST ST=ST STR=ST
      STREETS=STS STS=STS SMT=SMT SUMIT=SMT SUMITT=SMT SUMMIT=SMT ',
    ' TER=TER TERR=TER TERRACE=TER THROUGHWAY=TRWY TRACE=TRCE TRACES=TRCE TRCE=TRCE TRACK=TRAK TRACKS=TRAK TRAK=TRAK TRK=TRAK
      TRKS=TRAK TRAFFICWAY=TRFY TRAIL=TRL TRAILS=TRL TRL=TRL TRLS=TRL TR=TRL TUNEL=TUNL TUNL=TUNL TUNLS=TUNL TUNNEL=TUNL
      TUNNELS=TUNL TUNNL=TUNL TRNPK=TPKE TURNPIKE=TPKE TURNPK=TPKE TPKE=TPKE ',
    ' UNDERPASS=UPAS UN=UN UNION=UN UNIONS=UNS ',
    ' VALLEY=VLY VALLY=VLY VLLY=VLY VLY=VLY VALLEYS=VLYS VLYS=VLYS VDCT=VIA VIA=VIA VIADCT=VIA VIADUCT=VIA VIEW=VW VW=VW
      VIEWS=VWS VWS=VWS VILL=VLG VILLAG=VLG VILLAGE=VLG VILLG=VLG VILLIAGE=VLG VLG=VLG VILLAGES=VLGS VLGS=VLGS VILLE=VL VL=VL
      VIS=VIS VIST=VIS VISTA=VIS VST=VIS VSTA=VIS ',
    ' WALK=WALK WALKS=WALK WALL=WALL WY=WAY WAY=WAY WAYS=WAYS WELL=WL WELLS=WLS WLS=WLS ',
    ' XING=XING ',
    '',
    ''
  ][ascii(token) - 64]);

-- Publication 28, section 233: directionals.
CREATE OR REPLACE MACRO directional_of(token) AS looked_up(token, '
  N=N NORTH=N NO=N S=S SOUTH=S SO=S E=E EAST=E W=W WEST=W
  NE=NE NORTHEAST=NE NW=NW NORTHWEST=NW SE=SE SOUTHEAST=SE SW=SW SOUTHWEST=SW ');

-- A word of a street's name that is written in two ways; any other stays. As a suffix a plural may have the form of the singular;
-- within a name it is another name.
CREATE OR REPLACE MACRO name_word_of(token) AS CASE
  -- A number in two words, as well_known_names marks it: 2+FIRST is 21ST
  WHEN contains(token, '+') THEN left(token, 1) || looked_up(substr(token, 3), ' FIRST=1ST SECOND=2ND THIRD=3RD FOURTH=4TH FIFTH=5TH SIXTH=6TH SEVENTH=7TH EIGHTH=8TH NINTH=9TH ')
  ELSE coalesce(looked_up(token, '
  SAINT=ST SAINTE=STE DOCTOR=DR JUNIOR=JR SENIOR=SR CO=COUNTY
  FIRST=1ST SECOND=2ND THIRD=3RD FOURTH=4TH FIFTH=5TH SIXTH=6TH SEVENTH=7TH EIGHTH=8TH NINTH=9TH TENTH=10TH
  ELEVENTH=11TH TWELFTH=12TH THIRTEENTH=13TH FOURTEENTH=14TH FIFTEENTH=15TH SIXTEENTH=16TH SEVENTEENTH=17TH EIGHTEENTH=18TH NINETEENTH=19TH
  TWENTIETH=20TH THIRTIETH=30TH FORTIETH=40TH FIFTIETH=50TH SIXTIETH=60TH SEVENTIETH=70TH EIGHTIETH=80TH NINETIETH=90TH
  FORESTS=FORESTS HOLLOWS=HOLLOWS ISLES=ISLES LOOPS=LOOPS PARKS=PARKS PARKWAYS=PARKWAYS PATHS=PATHS PIKES=PIKES
  RANCHES=RANCHES SPURS=SPURS TRACES=TRACES TRACKS=TRACKS TRAILS=TRAILS TUNNELS=TUNNELS WALKS=WALKS '), suffix_of(token), token) END;

-- Upper case, no accents, no punctuation but a number's hyphen; "#" stands alone; "912 - 914", "912 & 914" and "912, 914" are
-- ranges; "912-A" is 912A, "912½" and "912-1/2" are 912 1/2; the two halves of a number of Milwaukee's grid are one word.
CREATE OR REPLACE MACRO address_line(street) AS
  trim(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
    replace(translate(upper(strip_accents(replace(street, '½', ' 1/2'))), '.''`"', ''), '#', ' # '),
    '^\s*(\d+)\s*-\s*(?:([A-Z])\b|(1/2)\b)', '\1\2 \3'),
    '^\s*(\d+)\s*(?:-|&|/|,|\bAND\b|\bTO\b|\bTHRU\b)\s*(\d+)\b([^/]|$)', '\1-\2\3'),
    '[^A-Z0-9#&/;-]+', ' ', 'g'),
    '^([NSEW]\d+) ([NSEW]\d+)\b', '\1\2'),
    '([A-Z]{2,})-([A-Z]{2,})', '\1 \2', 'g'));

-- A line may name more than one address of a parcel, "101 MAIN ST AKA 2 OAK AVE", "12 A ST & 14 B ST": here with ~ between them.
CREATE OR REPLACE MACRO addresses_of(street) AS
  ltrim(regexp_replace(address_line(street), '(?:\s*(?:;|&|\bAKA\b|\bA/K/A\b)|\s+/)\s*(\d+[A-Z]?(?:-\d+)? [A-Z0-9])', '~\1', 'g'), '~');

CREATE OR REPLACE MACRO address_lines(street) AS list_filter(string_split(addresses_of(street), '~'), lambda line: line <> '');

-- Numbers in two words, each marked as one word for name_word_of: "TWENTY FIRST" is 2+FIRST.
CREATE OR REPLACE MACRO compound_ordinals(line) AS CASE
  WHEN regexp_matches(line, '\b(?:TWENTY|THIRTY|FORTY|FIFTY|SIXTY|SEVENTY|EIGHTY|NINETY)[ -]') THEN
    list_reduce(list_prepend(line, ['TWENTY', 'THIRTY', 'FORTY', 'FIFTY', 'SIXTY', 'SEVENTY', 'EIGHTY', 'NINETY']), lambda text, tens, place:
      -- The first place that is reduced is 2, and so is the ten of TWENTY
      regexp_replace(text, '\b' || tens || '[ -](FIRST|SECOND|THIRD|FOURTH|FIFTH|SIXTH|SEVENTH|EIGHTH|NINTH)\b', place || '+\1'))
  ELSE line END;

-- Numbered roads as one word, so that the number is not taken for a unit: "STATE RT 39", "SR 39" and Ohio's "OH-39" are
-- SR39. One name that every city writes differently. Both flats of a double are the building; both houses of a lot are two.
CREATE OR REPLACE MACRO well_known_names(line) AS
  regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(compound_ordinals(line),
    '\b(?:STATE (?:ROUTE|RTE|RT|ROAD|RD|HIGHWAY|HWY)|ST (?:RTE|RT)|SR|OH|OHIO)[ -](\d+[A-Z]?)\b', 'SR\1'),
    '\b(?:(?:US|U S) (?:ROUTE|RTE|RT|HIGHWAY|HWY)|US|U S)[ -](\d+[A-Z]?)\b', 'US\1'),
    '\b(?:(?:COUNTY|CO) (?:ROAD|RD|HIGHWAY|HWY)|CR)[ -](\d+[A-Z]?)\b', 'CR\1'),
    '\b(?:(?:TOWNSHIP|TWP) (?:ROAD|RD)|TWP)[ -](\d+[A-Z]?)\b', 'TWP\1'),
    '^(\S+ (?:[NSEW] )?)(?:HIGHWAY|HWY|ROUTE|RTE|RT)[ -](\d+[A-Z]?)\b', '\1RTE\2'),
    '\b(?:(?:DR|DOCTOR|REV) )?(?:MARTIN LUTHER KING|M L KING|M L K|ML KING|MLK)(?: (?:JR|JUNIOR))?\b', 'MLK'),
    ' (?:UP|UPPER|UPPR)(?: ?[/&-] ?| AND | )(?:DOWN|DN|LOWER|LOWR)$', ''),
    ' (?:FRONT|FRNT)(?: ?[/&-] ?| AND )REAR$', ' FRONT REAR');

-- The house number, or the range of numbers, is marked off with a bar: "912 |MAIN ST". Milwaukee's grid numbers look like
-- W156N8480. A street without a number, or with number 0 as vacant land has it, is no address.
CREATE OR REPLACE MACRO mark_house(line) AS
  regexp_replace(line, '^(?:0*[1-9]\d*(?:-\d+)?[A-Z]?(?: 1/2)?|[NSEW]\d+[NSEW]\d+) ', '\0|');

-- The unit off the end: a designator with its number, a floor, or a word such as REAR after the suffix: "912 |MAIN ST~ APT 4".
CREATE OR REPLACE MACRO unit_pattern() AS
  '(?: (?:APARTMENTS?|APTS?|UNITS?|SUITE|STE|ROOM|RM|BUILDING|BLDG|LOT|TRAILER|TRLR|SPACE|SPC|DEPT|FLOOR|FLR|FL|PENTHOUSE|PH|NO|#)(?: #)? (?:[A-Z]{0,2}-?\d[A-Z0-9-]*|[A-Z])| (?:\d+(?:ST|ND|RD|TH)|FIRST|SECOND|THIRD) (?:FLOOR|FLR|FL)| (?:REAR|UPPER|UPPR|UP|LOWER|LOWR|DOWN|DN|FRONT|FRNT|BASEMENT|BSMT))+$';

CREATE OR REPLACE MACRO mark_unit(line) AS regexp_replace(line, unit_pattern(), '~\0');

-- A bare number or letter at the end may be a unit too, which the words before it tell: "912 |MAIN ST !4".
CREATE OR REPLACE MACRO mark_bare_unit(line) AS regexp_replace(line, '^([^~]*) (\d+[A-Z]?|[A-DF-MO-RT-VX-Z]\d*)$', '\1 !\2');

CREATE OR REPLACE MACRO without_zeros(text) AS coalesce(nullif(ltrim(text, '0'), ''), '0');

-- Whether these words end as a street does, so that what follows is a unit: "MAIN ST", "MAIN ST N".
CREATE OR REPLACE MACRO end_a_street(words) AS
  len(words) >= 2 AND (suffix_of(words[-1]) IS NOT NULL OR (len(words) >= 3 AND directional_of(words[-1]) IS NOT NULL AND suffix_of(words[-2]) IS NOT NULL));

CREATE OR REPLACE MACRO is_digits(text) AS text <> '' AND translate(text, '0123456789', '') = '';

-- A bare number before the suffix is an ordinal: "E 105 ST" is E 105TH ST.
CREATE OR REPLACE MACRO ordinal_of(number) AS
  number || CASE WHEN number[-2] = '1' THEN 'TH'
    WHEN ends_with(number, '1') THEN 'ST' WHEN ends_with(number, '2') THEN 'ND' WHEN ends_with(number, '3') THEN 'RD' ELSE 'TH' END;

-- A word of the name as it stands before the suffix.
CREATE OR REPLACE MACRO inner_word_of(word) AS CASE
  WHEN is_digits(word) AND length(ltrim(word, '0')) BETWEEN 1 AND 3 THEN ordinal_of(ltrim(word, '0'))
  WHEN starts_with(word, '0') AND right(word, 2) IN ('ST', 'ND', 'RD', 'TH') AND is_digits(left(ltrim(word, '0'), -2)) THEN ltrim(word, '0')
  ELSE name_word_of(word) END;

-- The words before the suffix. Where there are more than two, which is rare, by a lambda; not where there is no address.
CREATE OR REPLACE MACRO name_of(words) AS CASE
  WHEN len(words) = 0 THEN ''
  WHEN len(words) = 1 THEN inner_word_of(words[1])
  WHEN len(words) = 2 THEN concat_ws(' ', inner_word_of(words[1]), inner_word_of(words[2]))
  WHEN len(words) > 2 THEN array_to_string(list_transform(words, lambda word: inner_word_of(word)), ' ') END;

-- Units in one form: an apartment, a suite and a bare number are the same thing to a county; buildings, floors and lots are not.
CREATE OR REPLACE MACRO unit_form(unit) AS
  nullif(trim(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
    regexp_replace(regexp_replace(unit, '\bFIRST\b', '1ST'), '\bSECOND\b', '2ND'), '\bTHIRD\b', '3RD'), '\b(?:APARTMENTS?|APTS?|UNITS?|SUITE|STE|ROOM|RM|NO|DEPT)\b(?: #)?|#', '#', 'g'),
    '\bBUILDING\b', 'BLDG', 'g'), '\b(?:FLOOR|FLR)\b', 'FL', 'g'), '\b(\d+)(?:ST|ND|RD|TH) FL\b', 'FL \1'),
    '\b(?:UPPER|UP)\b', 'UPPR'), '\b(?:LOWER|DOWN|DN)\b', 'LOWR'), '\bFRONT\b', 'FRNT'), '\bBASEMENT\b', 'BSMT'),
    '([#A-Z]) 0*(\w)', '\1 \2', 'g')), '');

-- The second number of a range: "912-14" is 912 to 914.
CREATE OR REPLACE MACRO range_end(low, high) AS
  CASE WHEN length(high) < length(low) THEN left(low, length(low) - length(high)) || high ELSE high END;

CREATE OR REPLACE MACRO without_letters(number) AS rtrim(number, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ');

CREATE OR REPLACE MACRO house_form(house, low, high) AS CASE
  WHEN low IS NULL OR contains(house, '/') OR house <> lower(house) THEN ltrim(house, '0')
  WHEN high > low THEN low || '-' || high
  WHEN contains(house, '-') AND ltrim(string_split(house, '-')[1], '0') <> ltrim(string_split(house, '-')[2], '0') THEN house
  ELSE CAST(low AS VARCHAR) END;

-- The parts of each line of a table or CTE named by `source`, which has it in a column `line`. Every part is null where there
-- is no house number.
CREATE OR REPLACE MACRO parts_of_lines(source) AS TABLE
WITH

marked AS (
  SELECT mark_bare_unit(mark_unit(mark_house(well_known_names(line)))) AS line FROM query_table(source)
),

halved AS (
  SELECT string_split(string_split(line, '~')[1], '|') AS house_and_street, trim(string_split(line, '~')[2]) AS unit FROM marked
),

split AS (
  SELECT
    trim(house_and_street[1]) AS house,
    string_split(replace(house_and_street[2], ' !', ' '), ' ') AS words,
    contains(house_and_street[2], ' !') AS may_end_in_unit,
    unit_form(unit) AS unit
  FROM halved
),

-- "12 MAIN ST 4", "12 MAIN ST N B"
told AS (
  SELECT *, CASE WHEN may_end_in_unit THEN end_a_street(words[:-2]) ELSE false END AS ends_in_unit FROM split
),

streets AS (
  SELECT
    house,
    CASE WHEN ends_in_unit THEN words[:-2] ELSE words END AS words,
    CASE WHEN ends_in_unit THEN '# ' || without_zeros(words[-1]) ELSE unit END AS unit
  FROM told
),

-- A directional is one only where a name is left beside it: in "NORTH AVE" it is the name.
with_post_directional AS (
  SELECT *, CASE WHEN len(words) >= 3 AND directional_of(words[-1]) IS NOT NULL AND suffix_of(words[-2]) IS NOT NULL THEN directional_of(words[-1]) END AS post FROM streets
),

without_post_directional AS (
  SELECT * REPLACE (CASE WHEN post IS NULL THEN words ELSE words[:-2] END AS words) FROM with_post_directional
),

-- Two directionals in full are one: "NORTH EAST" is NE.
with_directionals AS (
  SELECT
    *,
    CASE
      WHEN len(words) >= 4 AND words[1] IN ('NORTH', 'SOUTH') AND words[2] IN ('EAST', 'WEST') THEN 2
      WHEN len(words) >= 3 AND directional_of(words[1]) IS NOT NULL THEN 1
      WHEN len(words) = 2 AND directional_of(words[1]) IS NOT NULL AND suffix_of(words[2]) IS NULL THEN 1
      ELSE 0
    END AS before_name
  FROM without_post_directional
),

with_inner_words AS (
  SELECT *, words[before_name + 1:-2] AS inner_words FROM with_directionals
),

-- The last word is the suffix; the words before it are the name.
formed AS (
  SELECT
    house,
    concat_ws(' ',
      CASE before_name WHEN 2 THEN left(words[1], 1) || left(words[2], 1) WHEN 1 THEN directional_of(words[1]) END,
      nullif(name_of(inner_words), ''),
      coalesce(suffix_of(words[-1]), name_word_of(words[-1])),
      post) AS in_form,
    unit,
    string_split(string_split(house, ' ')[1], '-') AS numbers
  FROM with_inner_words
),

-- The ends of a range; a second number below the first is part of the number.
numbered AS (
  SELECT *, ltrim(without_letters(numbers[1]), '0') AS low, without_letters(numbers[2]) AS high FROM formed
),

ranged AS (
  SELECT house, in_form, unit, TRY_CAST(low AS INTEGER) AS low, TRY_CAST(range_end(low, high) AS INTEGER) AS high FROM numbered
),

ended AS (
  SELECT * REPLACE (CASE WHEN high >= low THEN high ELSE low END AS high) FROM ranged
)

SELECT
  CASE WHEN in_form <> '' THEN {
    'address_key': concat_ws(' ', house_form(house, low, high), in_form, unit),
    'street_key': in_form, 'house_low': low, 'house_high': high, 'unit_key': unit} END AS parts
FROM ended;

-- The same of one line.
CREATE OR REPLACE MACRO parts_of_line(address) AS (WITH one_line AS (SELECT address AS line) SELECT parts FROM parts_of_lines('one_line'));

-- The first address of a street as published.
CREATE OR REPLACE MACRO first_address_of(street) AS string_split(addresses_of(street), '~')[1];

-- All parts of a street address as published; of the first address where the line names several.
CREATE OR REPLACE MACRO address_parts(street) AS parts_of_line(first_address_of(street));

-- The street of a listing as that of a building: "Units 1-8" of a listing of eight units is all of it, not a unit of it.
CREATE OR REPLACE MACRO whole_building(street, units) AS CASE
  WHEN regexp_extract(street, '[\s,]+(?:units?|apts?\.?|#)\s*#?1\s*(?:-|to|thru)\s*(\d+)\s*$', 1, 'i') = CAST(units AS VARCHAR)
    THEN regexp_replace(street, '[\s,]+(?:units?|apts?\.?|#)\s*#?1\s*(?:-|to|thru)\s*\d+\s*$', '', 'i') END;

-- All parts of the street of a listing.
CREATE OR REPLACE MACRO listing_parts(street, units) AS coalesce(address_parts(whole_building(street, units)), address_parts(street));

-- A post office box is where mail goes, never where a building stands.
CREATE OR REPLACE MACRO is_po_box(street) AS
  regexp_matches(upper(street), '^\W*(?:P(?:OST)?\W*O(?:FFICE)?\W*)?(?:BOX|DRAWER)\b');
