-- Parcel numbers in a form that is comparable within one county. reference/parcel_formats.csv has each form as counties
-- print it, an example with its key, and where the form was read.

-- Length of a county's parcel numbers, for counties where all have the same. Spreadsheets drop the leading zeros.
CREATE OR REPLACE MACRO parcel_length_of(county_fips) AS CASE county_fips
  WHEN '39035' THEN 8   -- Cuyahoga 003-01-004
  WHEN '39049' THEN 9   -- Franklin 010-000005
  WHEN '39061' THEN 13  -- Hamilton 054-0004-0123-00
  WHEN '39095' THEN 7   -- Lucas 03-12345
  WHEN '39151' THEN 7   -- Stark 0200123; the newer ones are longer
  WHEN '39153' THEN 7   -- Summit 6800261
END;

-- Restore the leading zeros of digits that are one or two short of a county's length.
CREATE OR REPLACE MACRO with_zeros(digits, size) AS CASE
  WHEN regexp_full_match(digits, '\d+') AND length(digits) BETWEEN size - 2 AND size - 1 THEN lpad(digits, size, '0')
  ELSE digits END;

-- Letters and digits alone; leading zeros included where a spreadsheet dropped them. Franklin prints a card number of
-- two zeros after its nine digits, which other lists omit.
CREATE OR REPLACE MACRO plain_parcel_key(county_fips, parcel) AS
  list_transform([letters_and_digits(parcel)], lambda p: CASE
    WHEN county_fips = '39049' AND length(p) IN (10, 11) AND ends_with(p, '00')
      THEN with_zeros(left(p, -2), parcel_length_of(county_fips))
    ELSE coalesce(with_zeros(p, parcel_length_of(county_fips)), p)
  END)[1];

-- A number as printed, in upper case. Several blanks are one.
CREATE OR REPLACE MACRO printed_parcel(parcel) AS regexp_replace(upper(trim(parcel)), '\s+', ' ', 'g');

-- The letters and digits of a number of one of the forms, padded with zeros at the left; null for any other text.
CREATE OR REPLACE MACRO padded_parcel(printed, forms, size) AS CASE
  WHEN regexp_full_match(printed, forms) THEN lpad(regexp_replace(printed, '[^A-Z0-9]', '', 'g'), size, '0') END;

-- Allegheny: map, letter, lot and suffix, in 16 characters, or as the block and lot of a court: "63F206",
-- "232A155 000000", "1H327 1002".
CREATE OR REPLACE MACRO allegheny_parcel(printed) AS CASE
  WHEN regexp_full_match(printed, '\d{4}[ -]?[A-Z][ -]?\d{5}[ -]?[A-Z0-9]{4}[ -]?[A-Z0-9]{2}')
    THEN regexp_replace(printed, '[^A-Z0-9]', '', 'g')
  WHEN regexp_full_match(printed, '0-\d{4}-[A-Z]-\d{5}-[A-Z0-9]{4}-[A-Z0-9]{2}')
    THEN regexp_replace(substr(printed, 3), '[^A-Z0-9]', '', 'g')
  WHEN regexp_full_match(printed, '\d{1,4}[ -]?[A-Z][ -]?\d{1,5}(?:[ -][A-Z0-9]{1,6})?') THEN concat(
    lpad(regexp_extract(printed, '^\d+'), 4, '0'),
    regexp_extract(printed, '[A-Z]'),
    lpad(regexp_extract(printed, '[A-Z][ -]?(\d+)', 1), 5, '0'),
    rpad(regexp_extract(printed, '[A-Z][ -]?\d+[ -]([A-Z0-9]+)$', 1), 6, '0')
  )
END;

-- Detroit: eight digits and a dot, alone ("12004687."), before a part ("12004687.001", ".002L"), or a dash before the
-- end of a range ("02000185-6"). Each is a parcel of its own. Other towns of the county have 14 digits.
CREATE OR REPLACE MACRO wayne_parcel(printed) AS CASE
  WHEN regexp_full_match(printed, '\d{7,8}\.?') THEN lpad(rtrim(printed, '.'), 8, '0') || '.'
  WHEN regexp_full_match(printed, '\d{7,8}(?:\.\d{3}[A-Z]?|-\d{1,4})') THEN concat(
    lpad(regexp_extract(printed, '^\d+'), 8, '0'), regexp_extract(printed, '^\d+(.+)$', 1)
  )
  ELSE padded_parcel(printed, '\d{14}|\d{2}-\d{3}-\d{2}-\d{4}-\d{3}', 14)
END;

-- Hillsborough: the folio of ten digits, with or without its letter and its dot, or the number by survey: municipality,
-- section, township and range as PIN, and the other way round and without separators as STRAP. Townships are 27 to 32
-- and ranges 17 to 22, so their order shows.
CREATE OR REPLACE MACRO hillsborough_parcel(printed) AS CASE
  WHEN regexp_full_match(printed, 'A?\d{8,10}|A?\d{1,6}[ .-]\d{4}')
    THEN lpad(regexp_replace(printed, '\D', '', 'g'), 10, '0')
  WHEN regexp_full_match(printed, '[AUTP]-\d{2}-\d{2}-\d{2}-[A-Z0-9]{3}-[A-Z0-9]{6}-[A-Z0-9]{5}\.\d')
    THEN regexp_replace(printed, '^(.)-(..)-(..)-(..)-(...)-(.{6})-(.{5}).(.)$', '\4\3\2\5\6\7\8\1')
  WHEN regexp_full_match(printed, '(?:2[7-9]|3[0-2])(?:1[7-9]|2[0-2])\d{2}[A-Z0-9]{15}[AUTP]')
    THEN regexp_replace(printed, '^(..)(..)', '\2\1')
  WHEN regexp_full_match(printed, '(?:1[7-9]|2[0-2])(?:2[7-9]|3[0-2])\d{2}[A-Z0-9]{15}[AUTP]')
    THEN printed
END;

-- Pinellas: section, township, range, subdivision, block and lot between dashes; without dashes in this order or with
-- range and section exchanged. Ranges are 14 to 17. Where the section is too, the order does not show: both orders have
-- one key, the lower number first, because no subdivision is in both places. Land that is not subdivided has no such
-- number, so without dashes it has no key.
CREATE OR REPLACE MACRO pinellas_parcel(printed) AS
  list_transform([CASE
    WHEN regexp_full_match(printed, '\d{2}-\d{2}-\d{2}-\d{5}-\d{3}-\d{4}') THEN printed
    WHEN regexp_full_match(printed, '1[4-7](?:2[7-9]|3[0-2])(?:0[1-9]|1[0-3]|1[89]|2\d|3[0-6])\d{12}')
      THEN regexp_replace(printed, '^(..)(..)(..)(.{5})(...)(....)$', '\3-\2-\1-\4-\5-\6')
    WHEN regexp_full_match(printed, '1[4-7]..1[4-7]0{5}.*') AND left(printed, 2) <> substr(printed, 5, 2) THEN NULL
    WHEN regexp_full_match(printed, '\d{17,18}') THEN
      regexp_replace(lpad(printed, 18, '0'), '^(..)(..)(..)(.{5})(...)(....)$', '\1-\2-\3-\4-\5-\6')
  END], lambda number: CASE
    WHEN NOT regexp_full_match(number, '(?:0[1-9]|[12]\d|3[0-6])-(?:2[7-9]|3[0-2])-1[4-7]-.*') THEN NULL
    WHEN regexp_full_match(number, '1[5-7]-..-1[4-6]-.*')
      AND NOT contains(number, '-00000-')
      AND left(number, 2) > substr(number, 7, 2)
      THEN regexp_replace(number, '^(..)-(..)-(..)', '\3-\2-\1')
    ELSE number
  END)[1];

-- Shelby: six characters of the map, two of the group, five of the parcel and one of its suffix. Blanks of group and
-- suffix are zeros in the form without blanks: "035087  00049" is 03508700000490.
CREATE OR REPLACE MACRO shelby_parcel(printed) AS CASE
  WHEN regexp_full_match(printed, '[A-Z0-9]\d{4}[A-Z0-9](?:00|0[A-Z])\d{5}[A-Z0-9]') THEN printed
  WHEN regexp_full_match(printed, '[A-Z0-9]\d{4}[A-Z0-9][ -][A-Z]?\d{5}[A-Z]?|\d{11}[A-Z]?') THEN concat(
    left(printed, 6),
    lpad(regexp_extract(printed, '^.{6}[ -]?([A-Z]?)', 1), 2, '0'),
    regexp_extract(printed, '(\d{5})[A-Z]?$', 1),
    rpad(regexp_extract(printed, '\d([A-Z]?)$', 1), 1, '0')
  )
END;

-- The number in the form of a county that has one declared; null if it is not a number of that form.
CREATE OR REPLACE MACRO declared_parcel_key(county_fips, printed) AS CASE county_fips
  WHEN '12031' THEN padded_parcel(printed, '\d{8,10}|\d{4,6}[ -]\d{4}', 10)  -- Duval 120553-0000
  WHEN '12057' THEN hillsborough_parcel(printed)
  WHEN '12101'  -- Pasco 11-25-16-0130-00000-6510
    THEN padded_parcel(printed, '\d{18}|\d{6}[A-Z0-9]{13}|\d\d-\d\d-\d\d-[A-Z0-9]{4}-[A-Z0-9]{5}-[A-Z0-9]{4}', 19)
  WHEN '12103' THEN pinellas_parcel(printed)
  WHEN '17031' THEN padded_parcel(printed, '\d{13,14}|\d{1,2}-\d\d-\d{3}-\d{3}-\d{4}', 14)  -- Cook 07-18-411-025-0000
  WHEN '26163' THEN wayne_parcel(printed)
  WHEN '29510' THEN padded_parcel(printed, '\d{9,11}|\d{1,4}-9-\d{3}\.\d{3}', 11)  -- St. Louis city 5552-9-430.000
  WHEN '37119' THEN padded_parcel(printed, '\d{7}|\d{5}[A-Z0-9]{3}|\d{1,3}-\d{3}-\d\d', 8)  -- Mecklenburg 12504307
  WHEN '42003' THEN allegheny_parcel(printed)
  WHEN '47157' THEN shelby_parcel(printed)
  WHEN '48029'  -- Bexar 02424-004-0021, or the number of the property, which is shorter
    THEN coalesce(
      padded_parcel(printed, '\d{10,12}|\d{3,5}-\d{3}-\d{4}', 12),
      CASE WHEN regexp_full_match(printed, '\d{4,7}') THEN ltrim(printed, '0') END
    )
  WHEN '55079' THEN padded_parcel(printed, '\d{8,10}|\d{1,3}-\d{4}-\d{3}', 10)  -- Milwaukee 361-0537-000
END;

CREATE OR REPLACE MACRO has_declared_parcels(county_fips) AS county_fips IN (
  '12031', '12057', '12101', '12103', '17031', '26163', '29510', '37119', '42003', '47157', '48029', '55079'
);

-- Parcel number in a form that is comparable within one county. A key is its own key. Null if no digit but zeros
-- remains ("000-00-000", "UNKNOWN"), or if the county has a declared form and the text is not of it.
CREATE OR REPLACE MACRO parcel_key_of(county_fips, parcel) AS CASE
  WHEN NOT regexp_matches(parcel, '[1-9]') THEN NULL
  WHEN has_declared_parcels(county_fips)
    THEN list_transform([printed_parcel(parcel)], lambda p: declared_parcel_key(county_fips, p))[1]
  ELSE plain_parcel_key(county_fips, parcel)
END;

-- Whether the number itself says that the parcel is one home of a building: Cuyahoga's 48704813C, and the last four
-- digits of Cook.
CREATE OR REPLACE MACRO is_condominium_number(county_fips, parcel_key) AS CASE
  WHEN starts_with(county_fips, '39') THEN regexp_matches(parcel_key, '\d[A-Z]$')
  WHEN county_fips = '17031' THEN right(parcel_key, 4) <> '0000'
  ELSE false
END;

-- A county's value of a parcel. Less than a dollar stands for an unknown value.
CREATE OR REPLACE MACRO known_value(county_value) AS CASE WHEN county_value >= 1 THEN county_value END;
