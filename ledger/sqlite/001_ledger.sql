-- Amounts and validBefore are uint256, stored as decimal text. Times are Unix milliseconds.

CREATE TABLE answers (
  sha256       TEXT    NOT NULL PRIMARY KEY CHECK (length(sha256) = 64),
  bytes        INTEGER NOT NULL CHECK (bytes >= 0),
  -- 0 while its chunks are being written.
  whole        INTEGER NOT NULL CHECK (whole IN (0, 1)),
  stored_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE answer_chunks (
  sha256 TEXT    NOT NULL REFERENCES answers (sha256) ON DELETE CASCADE,
  chunk  INTEGER NOT NULL CHECK (chunk >= 0),
  body   BLOB    NOT NULL CHECK (length(body) BETWEEN 1 AND 1048576),
  PRIMARY KEY (sha256, chunk)
) STRICT;

CREATE TABLE purchases (
  id              TEXT    NOT NULL PRIMARY KEY,
  state           TEXT    NOT NULL CHECK (state IN ('reserved', 'settling', 'sold', 'released')),
  network         TEXT    NOT NULL,
  asset           TEXT    NOT NULL,
  payer           TEXT    NOT NULL,
  nonce           TEXT    NOT NULL,
  pay_to          TEXT    NOT NULL,
  amount          TEXT    NOT NULL CHECK (amount <> '' AND amount NOT GLOB '*[^0-9]*'),
  valid_before    TEXT    NOT NULL CHECK (valid_before <> '' AND valid_before NOT GLOB '*[^0-9]*'),
  route           TEXT    NOT NULL,
  request         TEXT    NOT NULL,
  snapshot_id     TEXT    NOT NULL,
  identifier_hash TEXT,
  reserved_at_ms  INTEGER NOT NULL,
  lease_until_ms  INTEGER NOT NULL,
  settling_at_ms  INTEGER,
  ended_at_ms     INTEGER,
  tx_hash         TEXT,
  why             TEXT,
  -- The lead of a released purchase; other purchases have a claim.
  returned_lead   TEXT,
  answer_sha256   TEXT,
  answer_headers  TEXT,
  -- Equal to answer_sha256 while the answer can be collected.
  kept_answer     TEXT REFERENCES answers (sha256),
  CHECK ((state IN ('settling', 'sold', 'released')) = (settling_at_ms IS NOT NULL)),
  CHECK ((state IN ('sold', 'released')) = (ended_at_ms IS NOT NULL)),
  CHECK (state <> 'sold' OR tx_hash IS NOT NULL),
  CHECK (state = 'reserved' OR (answer_sha256 IS NOT NULL AND answer_headers IS NOT NULL)),
  CHECK (state <> 'settling' OR kept_answer IS NOT NULL)
) STRICT, WITHOUT ROWID;

-- A payment, and an identifier of a payer, belong to one purchase until it is released.
CREATE UNIQUE INDEX purchase_of_payment ON purchases (network, asset, payer, nonce) WHERE state <> 'released';
CREATE UNIQUE INDEX purchase_of_identifier ON purchases (payer, identifier_hash)
  WHERE state <> 'released' AND identifier_hash IS NOT NULL;
CREATE INDEX purchases_in_order ON purchases (reserved_at_ms, id);
CREATE INDEX purchases_unfinished ON purchases (state, lease_until_ms) WHERE state IN ('reserved', 'settling');
CREATE INDEX purchases_of_answer ON purchases (kept_answer) WHERE kept_answer IS NOT NULL;

CREATE TABLE claims (
  lead_id       TEXT    NOT NULL PRIMARY KEY,
  purchase_id   TEXT    NOT NULL UNIQUE REFERENCES purchases (id) ON DELETE CASCADE,
  claimed_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE deliveries (
  number      INTEGER PRIMARY KEY AUTOINCREMENT,
  purchase_id TEXT    NOT NULL REFERENCES purchases (id),
  kind        TEXT    NOT NULL CHECK (kind IN ('first', 'identifier', 'wallet')),
  at_ms       INTEGER NOT NULL,
  complete    INTEGER NOT NULL CHECK (complete IN (0, 1))
) STRICT;

CREATE INDEX deliveries_of_purchase ON deliveries (purchase_id);

CREATE TABLE used_tokens (
  token    TEXT    NOT NULL PRIMARY KEY,
  until_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX used_tokens_until ON used_tokens (until_ms);

-- One row, updated to check that the ledger can be written.
CREATE TABLE heartbeat (one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1), beats INTEGER NOT NULL) STRICT;
INSERT INTO heartbeat (one, beats) VALUES (1, 0);
