-- Identifiers and parcel numbers.

-- UUID version 5 (RFC 9562) of a name, under the namespace 5ae1f649-4a91-5946-86ce-c8b9e324add1, which is itself
-- the version 5 UUID of https://dealfeed.example/ under the URL namespace.
CREATE OR REPLACE MACRO uuid_of(name) AS
  list_transform([sha1(unhex('5ae1f6494a91594686cec8b9e324add1') || encode(name))], lambda h:
    h[1:8] || '-' || h[9:12] || '-5' || h[14:16] || '-'
    || '89ab'[1 + (strpos('0123456789abcdef', h[17]) - 1) % 4] || h[18:20] || '-' || h[21:32])[1];

-- Parcel number as counties can be compared with themselves, never with each other: upper case, letters and
-- digits only, leading zeros kept. Franklin prints a card number of two zeros after its nine digits, which other
-- lists leave out. Null where nothing but zeros is left.
CREATE OR REPLACE MACRO parcel_key_of(county_fips, parcel) AS
  list_transform([regexp_replace(upper(parcel), '[^A-Z0-9]', '', 'g')], lambda p:
    CASE WHEN regexp_full_match(p, '0*') THEN NULL
      WHEN county_fips = '39049' AND length(p) = 11 AND ends_with(p, '00') THEN left(p, 9)
      ELSE p END)[1];
