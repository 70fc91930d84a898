-- When two addresses are the same property. Each argument is a struct with the parts of an address: address_key,
-- street_key, house_low, house_high and unit_key.

-- Ranges of house numbers that overlap on the same side of the street. At least one must be a range.
CREATE OR REPLACE MACRO house_ranges_overlap(one, other) AS
  one.house_low <= other.house_high
  AND one.house_high >= other.house_low
  AND one.house_low % 2 = other.house_low % 2
  AND (one.house_high > one.house_low OR other.house_high > other.house_low);

CREATE OR REPLACE MACRO is_same_house(one, other) AS
  one.house_low = other.house_low AND one.house_high = other.house_high;

-- The basis on which two addresses match; null if they are two properties. The caller compares ZIP or city.
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
