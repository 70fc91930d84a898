-- The street of a listing that names the units of a building.

-- The end of a line that names units from the first on, as a regular expression: "UNITS 1-8", "# A-B".
CREATE OR REPLACE MACRO units_from_first() AS
  ' (?:UNITS?|APARTMENTS?|APTS?|#)(?: #)? (?:1-\d+|A-[B-Z])$';

-- The number of units that such a line names; null for any other line.
CREATE OR REPLACE MACRO count_units(line) AS CASE
  WHEN NOT regexp_matches(line, units_from_first()) THEN NULL
  WHEN is_letter(line[-1]) THEN ascii(line[-1]) - ascii('A') + 1
  ELSE TRY_CAST(string_split(line, '-')[-1] AS INTEGER) END;

-- Whether a line names the units of the whole building: "UNITS 1-8", unless the listing states another number of units.
-- Without a stated number, "# 1-101" is apartment 101 of the first building.
CREATE OR REPLACE MACRO names_all_units(line, units) AS
  count_units(line) = units OR (units IS NULL AND count_units(line) BETWEEN 2 AND 99);

-- The parts of the street of a listing, as those of a building where it names all units. One step per CTE, because a
-- macro repeats the whole text of its argument wherever it is used.
CREATE OR REPLACE MACRO listing_parts(street, units) AS (
  WITH

  written_lines AS (SELECT address_line(street) AS line),

  buildings AS (
    SELECT CASE WHEN names_all_units(line, units) THEN regexp_replace(line, units_from_first(), '') ELSE line END
      AS line
    FROM written_lines
  ),

  first_addresses AS (SELECT string_split(addresses_in(line), '~')[1] AS line FROM buildings)

  SELECT parts FROM parts_of_lines('first_addresses')
);
