-- Rules that both kinds of leads share, and the sentences of their scores.

CREATE OR REPLACE MACRO lead_id_of(lead_type, county_fips, key) AS
  uuid_of(lead_type || '|' || county_fips || '|' || key);

-- Public records have ids of their own, which are not those of their leads.
CREATE OR REPLACE MACRO signal_id_of(county_fips, parcel_key) AS
  uuid_of('signal|tax_delinquent|' || county_fips || '|' || parcel_key);

-- Whole days since a row was read. A run that passes midnight reads pages of the day after its own: 0.
CREATE OR REPLACE MACRO days_since(read_at, as_of) AS greatest(0, date_diff('day', CAST(read_at AS DATE), as_of));

-- One of three values, by the age of what was read in days.
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
