-- Identifiers, case numbers and parcel numbers.

-- UUID version 5 (RFC 9562) of a name, under the namespace 5ae1f649-4a91-5946-86ce-c8b9e324add1, which is itself
-- the version 5 UUID of https://dealfeed.example/ under the URL namespace.
CREATE OR REPLACE MACRO uuid_of(name) AS
  list_transform([sha1(unhex('5ae1f6494a91594686cec8b9e324add1') || encode(name))], lambda h:
    -- concat builds one text at once and skips nulls; || does neither
    substr(h, 1, 8) || concat(
      '-', substr(h, 9, 4),
      '-5', substr(h, 14, 3),
      '-', substr('89ab', 1 + (strpos('0123456789abcdef', substr(h, 17, 1)) - 1) % 4, 1), substr(h, 18, 3),
      '-', substr(h, 21, 12)
    )
  )[1];

-- Upper case, letters and digits only: "CV-26-101 234" is CV26101234.
CREATE OR REPLACE MACRO letters_and_digits(text) AS regexp_replace(upper(text), '[^A-Z0-9]', '', 'g');

-- The same with spaces: "Cleveland Hts." is CLEVELAND HTS.
CREATE OR REPLACE MACRO letters_digits_and_spaces(text) AS regexp_replace(upper(trim(text)), '[^A-Z0-9 ]', '', 'g');

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

-- Parcel number in a form comparable within one county: upper case, letters and digits only, leading zeros included.
-- Franklin prints a card number of two zeros after its nine digits, which other lists omit. Null if no digit but zeros
-- remains: "000-00-000", "UNKNOWN".
CREATE OR REPLACE MACRO parcel_key_of(county_fips, parcel) AS
  list_transform([letters_and_digits(parcel)], lambda p: CASE
    WHEN NOT regexp_matches(p, '[1-9]')
      THEN NULL
    WHEN county_fips = '39049' AND length(p) IN (10, 11) AND ends_with(p, '00')
      THEN with_zeros(left(p, -2), parcel_length_of(county_fips))
    ELSE coalesce(with_zeros(p, parcel_length_of(county_fips)), p)
  END)[1];
