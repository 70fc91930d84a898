-- When two addresses are the same property. Each argument is a struct with the parts of an address: address_key,
-- street_key, house_low, house_high and unit_key. Place macros read its city and zip.

-- Ranges of house numbers that overlap on the same side of the street. At least one must be a range.
CREATE OR REPLACE MACRO house_ranges_overlap(one, other) AS
  one.house_low <= other.house_high
  AND one.house_high >= other.house_low
  AND one.house_low % 2 = other.house_low % 2
  AND (one.house_high > one.house_low OR other.house_high > other.house_low);

CREATE OR REPLACE MACRO is_same_house(one, other) AS
  one.house_low = other.house_low AND one.house_high = other.house_high;

-- The basis on which two addresses match; null if they are two properties. The caller compares the places.
CREATE OR REPLACE MACRO address_basis(one, other) AS CASE
  WHEN one.address_key = other.address_key
    THEN 'address_exact'
  WHEN one.street_key IS DISTINCT FROM other.street_key
    THEN NULL
  -- Two apartments of one building are two properties
  WHEN one.unit_key IS NOT DISTINCT FROM other.unit_key AND house_ranges_overlap(one, other)
    THEN 'address_range'
  WHEN (one.unit_key IS NULL) <> (other.unit_key IS NULL) AND is_same_house(one, other)
    THEN 'address_without_unit'
  END;

-- Whether a record is in the wanted place: 'same', 'other', or 'unknown' if they have neither city nor ZIP in common to
-- compare. A municipality rules out no other city, because its mail may use a neighbor's name.
CREATE OR REPLACE MACRO place_agreement(record, wanted) AS CASE
  WHEN record.zip <> wanted.zip THEN 'other'
  WHEN lower(record.city) = lower(wanted.city) THEN 'same'
  WHEN lower(record.city) <> lower(wanted.city) AND record.city_basis IS DISTINCT FROM 'municipality' THEN 'other'
  WHEN record.zip = wanted.zip THEN 'same'
  ELSE 'unknown' END;

-- The basis of a match within the county of the wanted place. A county has several streets of one name, so a record
-- without a place may be of another town, and its basis says so; a record of another place never matches.
CREATE OR REPLACE MACRO basis_in_county(basis, agreement) AS CASE agreement
  WHEN 'same' THEN basis
  WHEN 'unknown' THEN basis || '_place_unknown' END;
