-- The tables of SQLite; schema.ts writes the text of PostgreSQL. Amounts and validBefore are uint256, as decimal text.
-- Times are Unix milliseconds.

CREATE TABLE answers (
  -- As a key, the hash would touch a random page of each index at every sale.
  number       INTEGER PRIMARY KEY,
  -- Hash and length of the body before compression.
  sha256       TEXT    NOT NULL UNIQUE CHECK (length(sha256) = 64),
  bytes        INTEGER NOT NULL CHECK (bytes >= 0),
  coding       TEXT    NOT NULL CHECK (coding IN ('identity', 'zstd')),
  stored_at_ms INTEGER NOT NULL,
  -- Last: a column behind it would be read through all its pages.
  body         BLOB    NOT NULL
) STRICT;

CREATE TABLE purchases (
  id              TEXT    NOT NULL PRIMARY KEY,
  -- Number of its last line in the journal.
  changes         INTEGER NOT NULL CHECK (changes >= 1),
  state           TEXT    NOT NULL CHECK (state IN ('reserved', 'settling', 'sold', 'released')),
  -- 1 until it is released: it owns its payment and its identifier. The unique indexes use it because it stays
  -- unchanged until then.
  standing        INTEGER CHECK (standing = 1),
  network         TEXT    NOT NULL,
  asset           TEXT    NOT NULL,
  payer           TEXT    NOT NULL,
  nonce           TEXT    NOT NULL,
  pay_to          TEXT    NOT NULL,
  amount          TEXT    NOT NULL CHECK (amount <> '' AND trim(amount, '0123456789') = ''),
  valid_before    TEXT    NOT NULL CHECK (valid_before <> '' AND trim(valid_before, '0123456789') = ''),
  -- Hash of block 0 of the payment's chain.
  chain           TEXT    NOT NULL,
  route           TEXT    NOT NULL,
  request         TEXT    NOT NULL,
  snapshot_id     TEXT    NOT NULL,
  identifier_hash TEXT,
  reserved_at_ms  INTEGER NOT NULL,
  reserved_until_ms INTEGER NOT NULL,
  settling_at_ms  INTEGER,
  ended_at_ms     INTEGER,
  tx_hash         TEXT,
  -- Block of the payment.
  block           INTEGER,
  why             TEXT,
  -- The lead of a released purchase; other purchases have a hold.
  returned_lead   TEXT,
  answer_sha256   TEXT,
  answer_headers  TEXT,
  -- Part of the price that is due back, its proof, and how it was paid: a transaction or the operator's note.
  refund_due      TEXT    CHECK (refund_due <> '' AND trim(refund_due, '0123456789') = ''),
  refund_proof    TEXT,
  refunded        TEXT,
  -- Number of the answer while it can be collected.
  kept_answer     INTEGER REFERENCES answers (number),
  CHECK ((refund_due IS NULL) = (refund_proof IS NULL) AND (refunded IS NULL OR refund_due IS NOT NULL)),
  -- At most the price, as numbers of decimal digits.
  CHECK (refund_due IS NULL OR length(refund_due) < length(amount)
    OR (length(refund_due) = length(amount) AND refund_due <= amount)),
  CHECK ((standing IS NULL) = (state = 'released')),
  -- A reservation may be released too, without an answer.
  CHECK (state = 'released' OR (state = 'reserved') = (settling_at_ms IS NULL)),
  CHECK ((state IN ('sold', 'released')) = (ended_at_ms IS NOT NULL)),
  CHECK (state <> 'sold' OR (tx_hash IS NOT NULL AND block IS NOT NULL)),
  CHECK ((settling_at_ms IS NULL) = (answer_sha256 IS NULL) AND (answer_sha256 IS NULL) = (answer_headers IS NULL)),
  CHECK (state <> 'settling' OR kept_answer IS NOT NULL)
) STRICT, WITHOUT ROWID;

-- A payment, and an identifier of a payer, belong to one purchase until it is released.
CREATE UNIQUE INDEX purchase_of_payment ON purchases (payer, nonce, network, asset) WHERE standing = 1;
CREATE UNIQUE INDEX purchase_of_identifier ON purchases (payer, identifier_hash)
  WHERE standing = 1 AND identifier_hash IS NOT NULL;
-- Each index is a page more that a sale writes.
CREATE INDEX purchases_unfinished ON purchases (payer) WHERE state IN ('reserved', 'settling');
CREATE INDEX purchases_of_answer ON purchases (kept_answer) WHERE kept_answer IS NOT NULL;
CREATE INDEX purchases_with_refund ON purchases (id) WHERE refund_due IS NOT NULL;
CREATE INDEX purchases_released ON purchases (payer, nonce) WHERE state = 'released';

CREATE TABLE holds (
  lead_id     TEXT NOT NULL PRIMARY KEY,
  purchase_id TEXT NOT NULL UNIQUE REFERENCES purchases (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- A hold takes a property: no other lead of it is sold.
CREATE TABLE held_properties (
  purchase_id  TEXT    NOT NULL REFERENCES purchases (id) ON DELETE CASCADE,
  property_key TEXT    NOT NULL,
  -- 1 until the purchase is released.
  standing     INTEGER CHECK (standing = 1),
  PRIMARY KEY (purchase_id, property_key)
) STRICT, WITHOUT ROWID;
-- A property belongs to one purchase until it is released.
CREATE UNIQUE INDEX hold_of_property ON held_properties (property_key) WHERE standing = 1;

CREATE TABLE used_tokens (
  token    TEXT    NOT NULL PRIMARY KEY,
  until_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX used_tokens_until ON used_tokens (until_ms);

-- One row, updated to check that the ledger can be written.
CREATE TABLE heartbeat (one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1), beats INTEGER NOT NULL) STRICT;
INSERT INTO heartbeat (one, beats) VALUES (1, 0);

-- One row, written by the first server that uses this ledger: test money or real money.
CREATE TABLE money (
  one  INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  kind TEXT    NOT NULL CHECK (kind IN ('test', 'real'))
) STRICT;

CREATE TABLE transfers (
  chain        TEXT    NOT NULL,
  pay_to       TEXT    NOT NULL,
  block        INTEGER NOT NULL,
  log_index    INTEGER NOT NULL,
  tx_hash      TEXT    NOT NULL,
  payer        TEXT    NOT NULL,
  -- Null for a transfer without an authorization.
  nonce        TEXT,
  amount       TEXT    NOT NULL CHECK (amount <> '' AND trim(amount, '0123456789') = ''),
  kind         TEXT    NOT NULL CHECK (kind IN ('matched', 'owed', 'resolved', 'dust')),
  purchase_id  TEXT    REFERENCES purchases (id),
  -- How an owed transfer was settled.
  resolution   TEXT,
  booked_at_ms INTEGER NOT NULL,
  PRIMARY KEY (chain, pay_to, block, log_index),
  CHECK ((kind = 'matched') = (purchase_id IS NOT NULL)),
  CHECK ((kind = 'resolved') = (resolution IS NOT NULL)),
  CHECK (kind = 'dust' OR nonce IS NOT NULL)
) STRICT, WITHOUT ROWID;
-- One transfer pays one purchase.
CREATE UNIQUE INDEX transfer_of_purchase ON transfers (purchase_id) WHERE purchase_id IS NOT NULL;
CREATE INDEX transfers_owed ON transfers (payer, nonce) WHERE kind = 'owed';

CREATE TABLE audits (
  chain           TEXT    NOT NULL,
  pay_to          TEXT    NOT NULL,
  -- All transfers from the first block through the other one are booked.
  first_block     INTEGER,
  through_block   INTEGER,
  through_seconds INTEGER NOT NULL,
  audited_at_ms   INTEGER NOT NULL,
  lease_holder    TEXT    NOT NULL,
  lease_until_ms  INTEGER NOT NULL,
  PRIMARY KEY (chain, pay_to),
  CHECK ((first_block IS NULL) = (through_block IS NULL))
) STRICT, WITHOUT ROWID;

-- Gas reserved by settlements of self mode, by account and day (UTC).
CREATE TABLE gas_days (
  account TEXT    NOT NULL,
  day     TEXT    NOT NULL,
  gas     INTEGER NOT NULL CHECK (gas >= 0),
  PRIMARY KEY (account, day)
) STRICT, WITHOUT ROWID;

-- Servers stop writing when the id or the epoch changes. A restore raises the epoch.
CREATE TABLE ledger_identity (
  one              INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  id               TEXT    NOT NULL CHECK (length(id) = 36),
  epoch            INTEGER NOT NULL CHECK (epoch >= 1),
  -- Number of its own last line in the journal.
  changes          INTEGER NOT NULL DEFAULT 0 CHECK (changes >= 0),
  -- The mark of a restore, until every transfer of its window is explained: its time, the last block audited before the
  -- backup, and the last block of the window, once it is audited.
  restored_at_ms   INTEGER,
  restored_after   INTEGER,
  restored_through INTEGER,
  CHECK ((restored_at_ms IS NULL) = (restored_after IS NULL))
) STRICT;

-- Append-only. DATA_DIR/ledger.journal has the same lines, in any order.
CREATE TABLE journal (
  seq     INTEGER PRIMARY KEY,
  -- Id of the purchase; '' for the ledger itself.
  subject TEXT    NOT NULL,
  -- From 1, by subject: sequences of PostgreSQL are not in the order of commits.
  number  INTEGER NOT NULL CHECK (number >= 1),
  line    TEXT    NOT NULL,
  UNIQUE (subject, number)
) STRICT;
