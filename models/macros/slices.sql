-- Slices by id, for tables whose rows are too wide to be joined or sorted at once (models/build.ts).
-- Without a slice, all rows are in it.

CREATE OR REPLACE MACRO in_slice(id) AS
  id >= coalesce(getvariable('slice_start'), '') AND id < coalesce(getvariable('slice_end'), '~');
