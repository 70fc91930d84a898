-- Points of properties: of the parcel if its layer publishes one, else of the ZIP.

CREATE OR REPLACE MACRO geo_basis_of(parcel_latitude, zip, zip_latitude) AS CASE
  WHEN parcel_latitude IS NOT NULL THEN 'parcel_layer'
  WHEN zip_latitude IS NOT NULL THEN 'zip_centroid'
  WHEN zip IS NULL THEN 'no_zip'
  ELSE 'zip_not_listed' END;
