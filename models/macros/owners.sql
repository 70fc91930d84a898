-- Where the owner of a property gets mail.

CREATE OR REPLACE MACRO mail_kind_of(mail_street, is_box, mail_street_key) AS CASE
  WHEN mail_street IS NULL THEN 'unknown'
  WHEN is_box THEN 'po_box'
  WHEN mail_street_key IS NULL THEN 'unknown'
  ELSE 'street' END;

-- `mail` has kind, street_key, house, state and zip; `home` has street_key, house_low, house_high, state and zip. A
-- post office box in the state does not show where the owner lives.
CREATE OR REPLACE MACRO owner_location_of(mail, home) AS CASE
  WHEN NOT regexp_full_match(mail.state, '[A-Z]{2}') OR mail.state IS NULL THEN 'unknown'
  WHEN mail.state <> home.state THEN 'out_of_state'
  WHEN mail.kind <> 'street' OR home.street_key IS NULL THEN 'unknown'
  WHEN mail.street_key = home.street_key
    AND CAST(mail.house AS INTEGER) BETWEEN home.house_low AND home.house_high
    AND coalesce(mail.zip = home.zip, true) THEN 'at_property'
  ELSE 'in_state' END;
