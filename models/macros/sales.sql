-- A sale that has not taken place.
CREATE OR REPLACE MACRO is_upcoming(sale_status, sale_date, as_of) AS
  sale_status = 'scheduled' AND sale_date >= as_of;
