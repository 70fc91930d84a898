-- The lines of a street as published, one per address, in upper case and with one form for numbered roads.

-- What separates the numbers of a list or range, as part of a regular expression: "912 - 914", "912, 914 & 916".
CREATE OR REPLACE MACRO list_separator() AS
  '(?:\s*(?:-|&|/|,|\bAND\b|\bTO\b|\bTHRU\b|\bTHROUGH\b)\s*)+';

-- The first number of a street as published, without leading zeros: equal for all spellings of an address. Empty if
-- there is none.
CREATE OR REPLACE MACRO first_number(street) AS ltrim(regexp_extract(street, '\d+'), '0');

-- House numbers at the start of a line, from the first to the last.
CREATE OR REPLACE MACRO house_list() AS
  '^\s*(\d+)' || list_separator() || '(?:\d+' || list_separator() || ')*(\d+)\b([^/]|$)';

-- Units at the end of a line: "APT 1 & 2", "UNITS A, B AND C", "# 1 - 8". The street, and the list.
CREATE OR REPLACE MACRO unit_list() AS
  '^(.*(?:\b(?:APARTMENTS?|APTS?|UNITS?)\b|#)[ #]*)'
  || '((?:\d+[A-Z]?|[A-Z]\d*)(?:' || list_separator() || '[# ]*(?:\d+[A-Z]?|[A-Z]\d*))+)\W*$';

CREATE OR REPLACE MACRO units_in_order() AS
  '&' || array_to_string(CAST(range(1, 100) AS VARCHAR[]), '&')
  || '&A&B&C&D&E&F&G&H&I&J&K&L&M&N&O&P&Q&R&S&T&U&V&W&X&Y&Z&';

-- A list without a gap as a range: "1&2&3" is 1-3. The lambda names the list, so that its text is not repeated.
CREATE OR REPLACE MACRO without_gaps(units) AS
  list_transform([units], lambda list: CASE
    WHEN contains(units_in_order(), '&' || list || '&') THEN regexp_replace(list, '&(?:.*&)?', '-')
    ELSE list
  END)[1];

-- "1 TO 8" is 1-8, "1, 2 AND 3" is 1-3, "1 & 4" is 1&4.
CREATE OR REPLACE MACRO list_form(units) AS
  without_gaps(
    regexp_replace(units, '\s*(?:-|\bTO\b|\bTHRU\b|\bTHROUGH\b)\s*', '-', 'g')
      .regexp_replace('(?:\s*(?:&|/|,|#|\bAND\b)\s*)+', '&', 'g')
  );

CREATE OR REPLACE MACRO with_list_form(line) AS
  regexp_replace(line, unit_list(), '\1')
  || coalesce(list_form(nullif(regexp_extract(line, unit_list(), 2), '')), '');

-- Upper case, no accents, no punctuation except the hyphen of a number. "#" stands alone. "912 - 914", "912 & 914" and
-- "912, 914" become ranges, "912-A" becomes 912A, "912½", "912.5" and "912-1/2" become 912 1/2. The two halves of a
-- Milwaukee grid number become one word. A list of units has one form.
CREATE OR REPLACE MACRO address_line(street) AS
  trim(
    replace(street, '½', ' 1/2').strip_accents().upper()
      .regexp_replace('^(\s*\d+)\.5\b', '\1 1/2')
      .translate('.''`"', '')
      .replace('#', ' # ')
      .regexp_replace('^\s*(\d+)\s*-\s*(?:([A-Z])\b|(1/2)\b)', '\1\2 \3')
      .regexp_replace(house_list(), '\1-\2\3')
      .with_list_form()
      .regexp_replace('[^A-Z0-9#&/;-]+', ' ', 'g')
      .regexp_replace('^([NSEW]\d+) ([NSEW]\d+)\b', '\1\2')
      .regexp_replace('([A-Z]{2,})-([A-Z]{2,})', '\1 \2', 'g')
  );

-- A line may name several addresses of a parcel, "101 MAIN ST AKA 2 OAK AVE" or "12 A ST & 14 B ST": separated by ~.
CREATE OR REPLACE MACRO addresses_in(line) AS
  regexp_replace(
    line,
    '(?:\s*(?:;|&|\bAKA\b|\bA/K/A\b)|\s+/)\s*(\d+[A-Z]?(?:-\d+)? [A-Z0-9])',
    '~\1',
    'g'
  ).ltrim('~');

CREATE OR REPLACE MACRO addresses_of(street) AS addresses_in(address_line(street));

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
-- SR39; "OLD HIGHWAY 20" and "EAST HIGHWAY 20" are no units either. One form for the street that every city spells
-- differently. Both flats of a double are the whole building; the front and rear houses of a lot are two, and "REAR 12
-- MAIN ST" is the one behind.
CREATE OR REPLACE MACRO well_known_names(line) AS
  compound_ordinals(line)
    .regexp_replace(
      '\b(?:STATE (?:ROUTE|RTE|RT|ROAD|RD|HIGHWAY|HWY)|ST (?:RTE|RT)|SR|OH|OHIO)[ -](\d+[A-Z]?)\b',
      'SR\1'
    )
    .regexp_replace('\b(?:(?:US|U S) (?:ROUTE|RTE|RT|HIGHWAY|HWY)|US|U S)[ -](\d+[A-Z]?)\b', 'US\1')
    .regexp_replace('\b(?:(?:COUNTY|CO|CTY) (?:ROAD|RD|HIGHWAY|HWY)|CR)[ -](\d+[A-Z]?)\b', 'CR\1')
    .regexp_replace('\b(?:(?:TOWNSHIP|TWP) (?:ROAD|RD)|TWP)[ -](\d+[A-Z]?)\b', 'TWP\1')
    .regexp_replace(
      '^(\S+ (?:(?:[NSEW]|NORTH|SOUTH|EAST|WEST) )?(?:OLD )?)(?:HIGHWAY|HWY|ROUTE|RTE|RT)[ -](\d+[A-Z]?)\b',
      '\1RTE\2'
    )
    .regexp_replace(
      '\b(?:(?:DR|DOCTOR|REV) )?(?:MARTIN LUTHER KING|M L KING|M L K|ML KING|MLK)(?: (?:JR|JUNIOR))?\b',
      'MLK'
    )
    .regexp_replace(' (?:UP|UPPER|UPPR)(?: ?[/&-] ?| AND | )(?:DOWN|DN|LOWER|LOWR)$', '')
    .regexp_replace(' (?:FRONT|FRNT)(?: ?[/&-] ?| AND )REAR$', ' FRONT REAR')
    .regexp_replace('^(?:(\d\S*) REAR|REAR (\d\S*)) (\S+ .+)$', '\1\2 \3 REAR');
