-- Street addresses normalized for exact comparison: upper case, no punctuation, the forms of USPS Publication 28, unit
-- separate, ranges of house numbers understood. Two spellings of one address come out equal; two addresses never do.
-- Text that is not certain stays as written.
--
-- parts_of_lines normalizes, one step per CTE. The macros before it are its steps. The forms of the words are looked up
-- once, in one list: a macro repeats the whole text of its argument, and the time to plan a query grows with it.

-- Put a bar after the house number, or the range of numbers: "912 |MAIN ST". Milwaukee's grid numbers look like
-- W156N8480. A street without a number, or with the number 0 of vacant land, is not an address.
CREATE OR REPLACE MACRO mark_house(line) AS
  regexp_replace(line, '^(?:0*[1-9]\d*(?:-\d+)?[A-Z]?(?: 1/2)?|[NSEW]\d+[NSEW]\d+) ', '\0|');

-- Words that a unit's number or letter follows, as part of a regular expression.
CREATE OR REPLACE MACRO unit_designators() AS
  'APARTMENTS?|APTS?|UNITS?|SUITE|STE|ROOM|RM|BUILDING|BLDG|LOT|TRAILER|TRLR|SPACE|SPC|DEPT|FLOOR|FLR|FL|PENTHOUSE|PH'
  || '|NO|#';

-- Words that are a unit by themselves.
CREATE OR REPLACE MACRO unit_places() AS 'REAR|UPPER|UPPR|UP|LOWER|LOWR|DOWN|DN|FRONT|FRNT|BASEMENT|BSMT';

-- The unit at the end of a line: a designator with its number, a floor, or a place.
CREATE OR REPLACE MACRO unit_pattern() AS
  '(?:'
  || ' (?:' || unit_designators() || ')(?: #)? (?:[A-Z]{0,2}-?\d[A-Z0-9&-]*|[A-Z](?:[&-][A-Z])*)'
  || '| (?:\d+(?:ST|ND|RD|TH)|FIRST|SECOND|THIRD) (?:FLOOR|FLR|FL)'
  || '| (?:' || unit_places() || ')'
  || ')+$';

-- Put a tilde before the unit: "912 |MAIN ST~ APT 4".
CREATE OR REPLACE MACRO mark_unit(line) AS regexp_replace(line, unit_pattern(), '~\0');

-- A bare number or letter at the end may be a unit too, depending on the words before it: "912 |MAIN ST !4".
CREATE OR REPLACE MACRO mark_bare_unit(line) AS
  regexp_replace(line, '^([^~]*) (\d+[A-Z]?|[A-DF-MO-RT-VX-Z]\d*)$', '\1 !\2');

CREATE OR REPLACE MACRO without_zeros(text) AS coalesce(nullif(ltrim(text, '0'), ''), '0');

CREATE OR REPLACE MACRO is_digits(text) AS text <> '' AND translate(text, '0123456789', '') = '';

CREATE OR REPLACE MACRO is_letter(text) AS length(text) = 1 AND NOT is_digits(text);

-- The words of a street, each with its forms. The macros below take words of this list.
CREATE OR REPLACE MACRO words_of(street) AS
  list_transform(string_split(street, ' '), lambda word: {
    'written': word,
    'suffix': suffix_of(word),
    'direction': directional_of(word)
  });

-- A letter after Avenue is its name: "AVENUE K", "W AVENUE K". So is a number after an abbreviated direction: "N AVENUE
-- 53". "NORTH AVE 4" is unit 4 of North Avenue.
CREATE OR REPLACE MACRO are_a_named_avenue(words) AS
  words[-2].suffix IS NOT DISTINCT FROM 'AVE'
  AND (
    (len(words) = 2 AND is_letter(words[2].written))
    OR (
      len(words) = 3
      AND words[1].direction IS NOT NULL
      AND (is_letter(words[3].written) OR (length(words[1].written) <= 2 AND is_digits(words[3].written)))
    )
  );

-- Whether these words end a street, so that the next word is a unit: "MAIN ST", "MAIN ST N", "AVENUE K".
CREATE OR REPLACE MACRO end_a_street(words) AS
  len(words) >= 2
  AND (
    words[-1].suffix IS NOT NULL
    OR (len(words) >= 3 AND words[-1].direction IS NOT NULL AND words[-2].suffix IS NOT NULL)
    OR are_a_named_avenue(words)
  );

-- A direction at the end needs a name before it, as in "MAIN ST N" and "BROADWAY NW". "AVENUE N" has none.
CREATE OR REPLACE MACRO end_in_direction(words) AS
  words[-1].direction IS NOT NULL
  AND words[-2].direction IS NULL
  AND len(words) >= CASE WHEN words[-2].suffix IS NULL THEN 2 ELSE 3 END;

-- Two directions at the start are one: "NORTH EAST MAIN ST" is NE MAIN ST. Not if the second makes a name with the only
-- other word: "NORTH WEST HAVEN RD" is the north end of West Haven Road.
CREATE OR REPLACE MACRO begin_with_two_directions(words) AS
  len(words) >= 4
  AND (
    (words[1].written IN ('NORTH', 'SOUTH') AND words[2].written IN ('EAST', 'WEST'))
    OR (words[1].written IN ('N', 'S') AND words[2].written IN ('E', 'W'))
  )
  AND (len(words) > 4 OR words[3].suffix IS NULL);

-- A bare number before the suffix is an ordinal: "E 105 ST" is E 105TH ST.
CREATE OR REPLACE MACRO ordinal_of(number) AS
  number || CASE
    WHEN number[-2] = '1' THEN 'TH'
    WHEN ends_with(number, '1') THEN 'ST'
    WHEN ends_with(number, '2') THEN 'ND'
    WHEN ends_with(number, '3') THEN 'RD'
    ELSE 'TH' END;

-- One form of a word of the name.
CREATE OR REPLACE MACRO name_word_of(word) AS CASE
  WHEN contains(word.written, '+') THEN compound_ordinal_of(word.written)
  ELSE coalesce(spelling_of(word.written), word.suffix, word.written) END;

-- A word of the name before the suffix.
CREATE OR REPLACE MACRO inner_word_of(word) AS CASE
  WHEN is_digits(word.written) AND length(ltrim(word.written, '0')) BETWEEN 1 AND 3
    THEN ordinal_of(ltrim(word.written, '0'))
  WHEN starts_with(word.written, '0')
    AND right(word.written, 2) IN ('ST', 'ND', 'RD', 'TH')
    AND is_digits(left(ltrim(word.written, '0'), -2))
    THEN ltrim(word.written, '0')
  ELSE name_word_of(word) END;

-- The words before the suffix.
CREATE OR REPLACE MACRO name_of(words) AS
  array_to_string(list_transform(words, lambda word: inner_word_of(word)), ' ');

-- One form of a unit: counties use apartment, suite and a bare number for the same thing; buildings, floors and lots
-- are different things. "1-A" is 1A, but "1-2" are two units.
CREATE OR REPLACE MACRO unit_form(unit) AS
  nullif(trim(
    regexp_replace(unit, '\bFIRST\b', '1ST')
      .regexp_replace('\bSECOND\b', '2ND')
      .regexp_replace('\bTHIRD\b', '3RD')
      .regexp_replace('\b(?:APARTMENTS?|APTS?|UNITS?|SUITE|STE|ROOM|RM|NO|DEPT)\b(?: #)?|#', '#', 'g')
      .regexp_replace('\b([A-Z])-(\d)', '\1\2', 'g')
      .regexp_replace('\b(\d+)-([A-Z])\b', '\1\2', 'g')
      .regexp_replace('\bBUILDING\b', 'BLDG', 'g')
      .regexp_replace('\b(?:FLOOR|FLR)\b', 'FL', 'g')
      .regexp_replace('\b(\d+)(?:ST|ND|RD|TH) FL\b', 'FL \1')
      .regexp_replace('\b(?:UPPER|UP)\b', 'UPPR')
      .regexp_replace('\b(?:LOWER|DOWN|DN)\b', 'LOWR')
      .regexp_replace('\bFRONT\b', 'FRNT')
      .regexp_replace('\bBASEMENT\b', 'BSMT')
      .regexp_replace('([#A-Z]) 0*(\w)', '\1 \2', 'g')
  ), '');

-- The second number of a range: "912-14" is 912 to 914.
CREATE OR REPLACE MACRO range_end(low, high) AS
  CASE WHEN length(high) < length(low) THEN left(low, length(low) - length(high)) || high ELSE high END;

CREATE OR REPLACE MACRO without_letters(number) AS rtrim(number, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ');

CREATE OR REPLACE MACRO house_form(house, low, high) AS CASE
  WHEN low IS NULL OR contains(house, '/') OR house <> lower(house) THEN ltrim(house, '0')
  WHEN high > low THEN low || '-' || high
  WHEN contains(house, '-') AND ltrim(string_split(house, '-')[1], '0') <> ltrim(string_split(house, '-')[2], '0')
    THEN house
  ELSE CAST(low AS VARCHAR) END;

-- The parts of each line of a table or CTE named by `source`, in whose column `line` it is. Null if the line has no
-- house number.
CREATE OR REPLACE MACRO parts_of_lines(source) AS TABLE
WITH

marked_lines AS (
  SELECT mark_bare_unit(mark_unit(mark_house(well_known_names(line)))) AS line
  FROM query_table(source)
),

halves AS (
  SELECT
    string_split(string_split(line, '~')[1], '|') AS house_and_street,
    trim(string_split(line, '~')[2]) AS unit
  FROM marked_lines
),

words_of_streets AS (
  SELECT
    trim(house_and_street[1]) AS house,
    words_of(replace(house_and_street[2], ' !', ' ')) AS words,
    contains(house_and_street[2], ' !') AS may_end_in_unit,
    unit_form(unit) AS unit
  FROM halves
),

words_before_last AS (
  SELECT *, words[:-2] AS words_before
  FROM words_of_streets
),

-- "12 MAIN ST 4", "12 MAIN ST N B"
bare_units AS (
  SELECT *, may_end_in_unit AND end_a_street(words_before) AND NOT are_a_named_avenue(words) AS ends_in_unit
  FROM words_before_last
),

streets AS (
  SELECT
    house,
    CASE WHEN ends_in_unit THEN words_before ELSE words END AS words,
    CASE WHEN ends_in_unit THEN '# ' || without_zeros(words[-1].written) ELSE unit END AS unit
  FROM bare_units
),

post_directionals AS (
  SELECT *, CASE WHEN end_in_direction(words) THEN words[-1].direction END AS post
  FROM streets
),

names_and_suffixes AS (
  SELECT * REPLACE (CASE WHEN post IS NULL THEN words ELSE words[:-2] END AS words)
  FROM post_directionals
),

-- A directional needs a name next to it: in "NORTH AVE" it is the name.
pre_directionals AS (
  SELECT
    *,
    CASE
      WHEN begin_with_two_directions(words) THEN 2
      WHEN len(words) >= 3 AND words[1].direction IS NOT NULL THEN 1
      WHEN len(words) = 2 AND words[1].direction IS NOT NULL AND words[2].suffix IS NULL THEN 1
      ELSE 0
    END AS before_name
  FROM names_and_suffixes
),

inner_words AS (
  SELECT *, words[before_name + 1:-2] AS inner_words, words[-1] AS last_word
  FROM pre_directionals
),

-- The last word is the suffix; the words before it are the name.
forms AS (
  SELECT
    house,
    concat_ws(' ',
      CASE before_name
        WHEN 2 THEN left(words[1].written, 1) || left(words[2].written, 1)
        WHEN 1 THEN words[1].direction
      END,
      nullif(name_of(inner_words), ''),
      coalesce(last_word.suffix, name_word_of(last_word)),
      post) AS street_form,
    unit,
    string_split(string_split(house, ' ')[1], '-') AS numbers
  FROM inner_words
),

house_numbers AS (
  SELECT *, ltrim(without_letters(numbers[1]), '0') AS low, without_letters(numbers[2]) AS high
  FROM forms
),

ranges AS (
  SELECT
    house,
    street_form,
    unit,
    TRY_CAST(low AS INTEGER) AS low,
    TRY_CAST(range_end(low, high) AS INTEGER) AS high
  FROM house_numbers
),

-- A second number below the first is no end of a range: it is part of the house number.
house_ranges AS (
  SELECT * REPLACE (CASE WHEN high >= low THEN high ELSE low END AS high)
  FROM ranges
)

SELECT
  CASE WHEN street_form <> '' THEN {
    'address_key': concat_ws(' ', house_form(house, low, high), street_form, unit),
    'street_key': street_form,
    'house_low': low,
    'house_high': high,
    'unit_key': unit
  } END AS parts
FROM house_ranges;

-- The parts of one line.
CREATE OR REPLACE MACRO parts_of_line(address) AS (
  WITH one_line AS (SELECT address AS line)
  SELECT parts FROM parts_of_lines('one_line')
);

-- The first address of a street as published.
CREATE OR REPLACE MACRO first_address_of(street) AS string_split(addresses_of(street), '~')[1];

-- The parts of a street address as published; of the first address if the line names several.
CREATE OR REPLACE MACRO address_parts(street) AS parts_of_line(first_address_of(street));

-- A post office box receives mail; no building is there.
CREATE OR REPLACE MACRO is_po_box(street) AS
  regexp_matches(upper(street), '^\W*(?:P(?:OST)?\W*O(?:FFICE)?\W*)?(?:BOX|DRAWER)\b');
