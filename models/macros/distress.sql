-- Kinds of distress that are independent of each other.

-- Records with one value describe one event, however many lists show it: a lien, a delinquency and the sale that
-- collects them are one debt; a filing and the sale that ends it are one foreclosure; a violation and the judgment on
-- it are one case of the city; a vacant and a condemned building are one state of the building.
CREATE OR REPLACE MACRO independent_kind_of(kind, sale_kind) AS CASE
  WHEN kind IN ('tax_delinquent', 'tax_lien', 'tax_deed_sale', 'tax_sale') OR sale_kind = 'tax_foreclosure'
    THEN 'unpaid_tax'
  WHEN kind IN ('foreclosure_filing', 'foreclosure_sale', 'sheriff_sale') THEN 'foreclosure'
  WHEN kind IN ('code_violation', 'blight_judgment') THEN 'code_case'
  WHEN kind IN ('vacant_building', 'condemned') THEN 'building' END;

-- What a record says about the condition of the building; null if it says nothing. Of code cases only those whose words
-- name an order to leave, or a fault that makes the building unsafe or lets the weather in.
CREATE OR REPLACE MACRO condition_record_of(kind, description) AS CASE
  WHEN kind IN ('condemned', 'vacant_building') THEN kind
  WHEN kind <> 'code_violation' THEN NULL
  WHEN regexp_matches(description, '\b(?:vacate|unfit for (?:human )?(?:habitation|occupancy))\b', 'i')
    THEN 'order_to_vacate'
  WHEN regexp_matches(description, '\b(?:unsafe|dangerous|hazardous|structural|structure|collapsed?|roof|foundation'
    || '|fire damage|no heat|without heat|sewage|smoke (?:alarm|detector)s?)\b', 'i') THEN 'code_case' END;

-- Kinds of records, in the order in which a deal shows their coverage.
CREATE OR REPLACE MACRO record_kinds() AS [
  'tax_delinquent', 'foreclosure_filing', 'tax_lien', 'code_violation', 'vacant_building', 'condemned',
  'blight_judgment', 'sheriff_sale', 'foreclosure_sale', 'tax_deed_sale', 'tax_sale'
];

CREATE OR REPLACE MACRO is_kind_of_sale(kind) AS ends_with(kind, '_sale');

-- Coverage of a property by one kind of records.
CREATE OR REPLACE MACRO coverage_of(coverage_by_kind, kind) AS coalesce(coverage_by_kind[kind], 'county_not_covered');

-- Coverage of a place from the coverage of each of its counties.
CREATE OR REPLACE MACRO coverage_status(statuses) AS CASE
  WHEN len(list_filter(statuses, lambda status: status <> 'covered')) = 0 THEN 'covered'
  WHEN len(list_filter(statuses, lambda status: status <> 'not_covered')) > 0 THEN 'partly_covered'
  ELSE 'not_covered' END;
