-- The lines of a street as published, one per address, in upper case and with one form for numbered roads.

-- Upper case, no accents, no punctuation except the hyphen of a number. "#" stands alone. "912 - 914", "912 & 914" and
-- "912, 914" become ranges, "912-A" becomes 912A, "912½" and "912-1/2" become 912 1/2. The two halves of a Milwaukee
-- grid number become one word.
CREATE OR REPLACE MACRO address_line(street) AS
  trim(
    replace(street, '½', ' 1/2').strip_accents().upper()
      .translate('.''`"', '')
      .replace('#', ' # ')
      .regexp_replace('^\s*(\d+)\s*-\s*(?:([A-Z])\b|(1/2)\b)', '\1\2 \3')
      .regexp_replace('^\s*(\d+)\s*(?:-|&|/|,|\bAND\b|\bTO\b|\bTHRU\b)\s*(\d+)\b([^/]|$)', '\1-\2\3')
      .regexp_replace('[^A-Z0-9#&/;-]+', ' ', 'g')
      .regexp_replace('^([NSEW]\d+) ([NSEW]\d+)\b', '\1\2')
      .regexp_replace('([A-Z]{2,})-([A-Z]{2,})', '\1 \2', 'g')
  );

-- A line may name several addresses of a parcel, "101 MAIN ST AKA 2 OAK AVE" or "12 A ST & 14 B ST": separated by ~.
CREATE OR REPLACE MACRO addresses_of(street) AS
  address_line(street)
    .regexp_replace('(?:\s*(?:;|&|\bAKA\b|\bA/K/A\b)|\s+/)\s*(\d+[A-Z]?(?:-\d+)? [A-Z0-9])', '~\1', 'g')
    .ltrim('~');

CREATE OR REPLACE MACRO address_lines(street) AS
  list_filter(string_split(addresses_of(street), '~'), lambda line: line <> '');

-- Numbers in two words, each marked as one word for name_word_of: "TWENTY FIRST" is 2+FIRST.
CREATE OR REPLACE MACRO compound_ordinals(line) AS CASE
  WHEN regexp_matches(line, '\b(?:TWENTY|THIRTY|FORTY|FIFTY|SIXTY|SEVENTY|EIGHTY|NINETY)[ -]') THEN
    list_reduce(
      list_prepend(line, ['TWENTY', 'THIRTY', 'FORTY', 'FIFTY', 'SIXTY', 'SEVENTY', 'EIGHTY', 'NINETY']),
      lambda text, tens, place:
        -- The first place that is reduced is 2, and so is the ten of TWENTY
        regexp_replace(
          text,
          '\b' || tens || '[ -](FIRST|SECOND|THIRD|FOURTH|FIFTH|SIXTH|SEVENTH|EIGHTH|NINTH)\b',
          place || '+\1'
        )
    )
  ELSE line END;

-- Numbered roads as one word, so that the number is not read as a unit: "STATE RT 39", "SR 39" and Ohio's "OH-39" are
-- SR39. One form for the street that every city spells differently. Both flats of a double are the whole building; the
-- front and rear houses of a lot are two.
CREATE OR REPLACE MACRO well_known_names(line) AS
  compound_ordinals(line)
    .regexp_replace(
      '\b(?:STATE (?:ROUTE|RTE|RT|ROAD|RD|HIGHWAY|HWY)|ST (?:RTE|RT)|SR|OH|OHIO)[ -](\d+[A-Z]?)\b',
      'SR\1'
    )
    .regexp_replace('\b(?:(?:US|U S) (?:ROUTE|RTE|RT|HIGHWAY|HWY)|US|U S)[ -](\d+[A-Z]?)\b', 'US\1')
    .regexp_replace('\b(?:(?:COUNTY|CO) (?:ROAD|RD|HIGHWAY|HWY)|CR)[ -](\d+[A-Z]?)\b', 'CR\1')
    .regexp_replace('\b(?:(?:TOWNSHIP|TWP) (?:ROAD|RD)|TWP)[ -](\d+[A-Z]?)\b', 'TWP\1')
    .regexp_replace('^(\S+ (?:[NSEW] )?)(?:HIGHWAY|HWY|ROUTE|RTE|RT)[ -](\d+[A-Z]?)\b', '\1RTE\2')
    .regexp_replace(
      '\b(?:(?:DR|DOCTOR|REV) )?(?:MARTIN LUTHER KING|M L KING|M L K|ML KING|MLK)(?: (?:JR|JUNIOR))?\b',
      'MLK'
    )
    .regexp_replace(' (?:UP|UPPER|UPPR)(?: ?[/&-] ?| AND | )(?:DOWN|DN|LOWER|LOWR)$', '')
    .regexp_replace(' (?:FRONT|FRNT)(?: ?[/&-] ?| AND )REAR$', ' FRONT REAR');
