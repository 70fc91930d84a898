-- Rules that both kinds of leads share, and the sentences of their scores.

CREATE OR REPLACE MACRO lead_id_of(lead_type, county_fips, key) AS
  uuid_of(lead_type || '|' || county_fips || '|' || key);

-- A sale is identified by its parcel, or by its case if it has no parcel.
CREATE OR REPLACE MACRO sale_lead_id_of(county_fips, parcel_key, case_number) AS coalesce(
  lead_id_of('sheriff_sale_auction', county_fips, parcel_key),
  lead_id_of('sheriff_sale_auction', county_fips, letters_and_digits(case_number))
);

-- Public records have their own ids, which differ from those of their leads.
CREATE OR REPLACE MACRO signal_id_of(county_fips, parcel_key) AS
  uuid_of('signal|tax_delinquent|' || county_fips || '|' || parcel_key);

-- The id of a record with its own number, and a parcel or none.
CREATE OR REPLACE MACRO record_signal_id_of(signal_type, county_fips, record_number, parcel_key) AS
  uuid_of(
    'signal|' || signal_type || '|' || county_fips || '|' || record_number || '|' || coalesce(parcel_key, '')
  );

-- Whole days since a row was read. A run that passes midnight reads pages of the day after its own: 0.
CREATE OR REPLACE MACRO days_since(read_at, as_of) AS
  CAST(greatest(0, date_diff('day', CAST(read_at AS DATE), as_of)) AS INTEGER);

-- One of three values, by age in days.
CREATE OR REPLACE MACRO by_age(age, fresh_days, recent_days, if_fresh, if_recent, if_old) AS CASE
  WHEN age <= fresh_days THEN if_fresh
  WHEN age <= recent_days THEN if_recent
  ELSE if_old END;

-- One part of a score: "+10 points, the owner gets mail in another state".
CREATE OR REPLACE MACRO points_text(points, reason) AS '+' || points || ' points, ' || reason;

CREATE OR REPLACE MACRO owner_location_text(owner_location) AS CASE owner_location
  WHEN 'in_state' THEN 'the owner gets mail elsewhere in the state'
  WHEN 'out_of_state' THEN 'the owner gets mail in another state'
  WHEN 'at_property' THEN 'the owner gets mail at the property'
  ELSE 'where the owner gets mail is unknown' END;

CREATE OR REPLACE MACRO verified_text(age) AS
  'verified ' || CASE age WHEN 0 THEN 'today' WHEN 1 THEN '1 day ago' ELSE age || ' days ago' END;

-- Whole months from one day to another, down to a multiple of `step`; 0 where the second is the earlier one.
CREATE OR REPLACE MACRO whole_months(from_day, to_day, step) AS
  greatest(0, date_sub('month', from_day, to_day)) // step * step;

-- Points for whole months: 18 months at 5 points a year are 7.5 points, so 8.
CREATE OR REPLACE MACRO points_of_months(months, points_per_year, months_per_year) AS
  -- reads as round0(points_per_year * months / months_per_year)
  CAST(nearest(points_per_year * months, months_per_year) AS INTEGER);

-- One of six values, by kind of property.
CREATE OR REPLACE MACRO by_kind(
  property_kind, if_vacant_lot, if_one_family, if_two_to_four, if_five_up, if_other, if_unknown
) AS CASE property_kind
  WHEN 'vacant_lot' THEN if_vacant_lot
  WHEN 'one_family' THEN if_one_family
  WHEN 'two_to_four' THEN if_two_to_four
  WHEN 'five_up' THEN if_five_up
  WHEN 'other' THEN if_other
  ELSE if_unknown END;

CREATE OR REPLACE MACRO property_kind_text(property_kind, property_kind_basis) AS CASE property_kind
  WHEN 'vacant_lot' THEN 'it is land without a building'
  WHEN 'one_family' THEN 'it is one home'
  WHEN 'two_to_four' THEN 'it is a building of 2 to 4 units'
  WHEN 'five_up' THEN 'it is an apartment building'
  WHEN 'other' THEN 'it is no home, or public property'
  ELSE CASE property_kind_basis
    WHEN 'class_too_broad' THEN 'the county''s class of it means several kinds of property'
    WHEN 'class_not_mapped' THEN 'the county''s class of it is not in the reference table'
    WHEN 'no_parcel_number' THEN 'its kind is unknown, since the page prints no parcel number'
    ELSE 'its kind is unknown, since no list read here has its class' END END;

-- What the known debts leave of the value: "the judgment, $90,000, leaves 25.00% of the appraisal of $120,000".
CREATE OR REPLACE MACRO equity_text(debt, property_value, equity_pct, debt_basis, value_basis, is_for_taxes) AS CASE
  WHEN debt IS NULL AND is_for_taxes THEN 'the equity is unknown: no list prints the taxes that the sale collects'
  WHEN debt IS NULL THEN 'the equity is unknown: no page prints the judgment, and a legal minimum says nothing of it'
  WHEN property_value IS NULL THEN dollars(debt) || ' is owed, and no page prints the value of the property'
  ELSE CASE debt_basis
      WHEN 'judgment' THEN 'the judgment, '
      WHEN 'judgment_and_taxes' THEN 'the judgment and unpaid taxes, '
      WHEN 'minimum_bid' THEN 'the minimum bid for unpaid taxes, '
      ELSE 'unpaid taxes on the county''s list, ' END
    || dollars(debt)
    || CASE WHEN debt < property_value
      THEN ', leaves ' || as_text(equity_pct) || '% of '
      ELSE ', leaves nothing of ' END
    || CASE value_basis
      WHEN 'appraisal' THEN 'the appraisal of '
      WHEN 'county_roll' THEN 'the county''s value of '
      ELSE 'the assessed value of ' END
    || dollars(property_value)
    || CASE WHEN debt < property_value THEN '; other liens are unknown' ELSE '' END END;

-- The reason why a sale is a lead: "a tax deed sale is set".
CREATE OR REPLACE MACRO sale_text(auction_type) AS 'a ' || replace(auction_type, '_', ' ') || ' is set';

CREATE OR REPLACE MACRO days_to_sale_text(days) AS 'the sale is ' || CASE days
  WHEN 0 THEN 'today'
  WHEN 1 THEN 'in 1 day'
  ELSE 'in ' || days || ' days' END;

-- A warning that little or no time is left for a letter to the owner. Empty if no later step is more urgent.
CREATE OR REPLACE MACRO letter_text(days, days_1, days_2, urgency_1, urgency_2, urgency_3) AS CASE
  WHEN days <= days_1 AND urgency_1 < urgency_2 THEN ': a letter may arrive too late'
  WHEN days > days_1 AND days <= days_2 AND urgency_2 < urgency_3 THEN ': a letter leaves the owner few days'
  ELSE '' END;

CREATE OR REPLACE MACRO months_text(months) AS CASE months WHEN 1 THEN '1 month' ELSE months || ' months' END;
