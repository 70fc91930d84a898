-- Identifiers and texts of letters and digits.

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

-- The places in which an address may be that of one property.
CREATE OR REPLACE MACRO places_of(county_fips, zip, city) AS [
  {'place_kind': 'zip', 'place': zip},
  {'place_kind': 'city', 'place': county_fips || ':' || city},
  {'place_kind': 'county', 'place': county_fips}
];
