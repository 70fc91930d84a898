-- One row, written by the first server that sells with this ledger: whether its money is test money or real.
CREATE TABLE money (
  one  integer NOT NULL PRIMARY KEY CHECK (one = 1),
  kind text    NOT NULL CHECK (kind IN ('test', 'real'))
);
