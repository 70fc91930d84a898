-- One row, written by the first server that uses this ledger: test money or real money.
CREATE TABLE money (
  one  INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  kind TEXT    NOT NULL CHECK (kind IN ('test', 'real'))
) STRICT;
