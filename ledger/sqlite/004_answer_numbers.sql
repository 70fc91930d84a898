-- Faster writes. Answers get numbers: with hashes as keys, each insert touched a random page of four trees. The unique
-- indexes use a column that stays unchanged until the release: before, each change of state rewrote them.

CREATE TABLE new_answers (
  -- Never reused: a reader of a long answer that is deleted meanwhile must not get chunks of another one.
  number       INTEGER PRIMARY KEY AUTOINCREMENT,
  sha256       TEXT    NOT NULL UNIQUE CHECK (length(sha256) = 64),
  bytes        INTEGER NOT NULL CHECK (bytes >= 0),
  -- 0 while its chunks are being written.
  whole        INTEGER NOT NULL CHECK (whole IN (0, 1)),
  stored_at_ms INTEGER NOT NULL
) STRICT;
INSERT INTO new_answers (sha256, bytes, whole, stored_at_ms)
  SELECT sha256, bytes, whole, stored_at_ms FROM answers ORDER BY stored_at_ms, sha256;

CREATE TABLE new_pieces (
  answer INTEGER NOT NULL REFERENCES answers (number) ON DELETE CASCADE,
  chunk  INTEGER NOT NULL CHECK (chunk >= 0),
  -- Compression of the body.
  coding TEXT    NOT NULL CHECK (coding IN ('identity', 'zstd')),
  body   BLOB    NOT NULL CHECK (length(body) BETWEEN 1 AND 1048576),
  PRIMARY KEY (answer, chunk)
) STRICT;
INSERT INTO new_pieces (answer, chunk, coding, body)
  SELECT a.number, c.chunk, c.coding, c.body FROM answer_chunks c JOIN new_answers a ON a.sha256 = c.sha256
  ORDER BY a.number, c.chunk;

CREATE TABLE new_purchases (
  id              TEXT    NOT NULL PRIMARY KEY,
  state           TEXT    NOT NULL CHECK (state IN ('reserved', 'settling', 'sold', 'released')),
  -- 1 until it is released: it owns its payment and its identifier.
  standing        INTEGER CHECK (standing = 1),
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
  -- Number of the answer while it can be collected.
  kept_answer     INTEGER REFERENCES answers (number),
  CHECK ((standing IS NULL) = (state = 'released')),
  CHECK ((state IN ('settling', 'sold', 'released')) = (settling_at_ms IS NOT NULL)),
  CHECK ((state IN ('sold', 'released')) = (ended_at_ms IS NOT NULL)),
  CHECK (state <> 'sold' OR tx_hash IS NOT NULL),
  CHECK (state = 'reserved' OR (answer_sha256 IS NOT NULL AND answer_headers IS NOT NULL)),
  CHECK (state <> 'settling' OR kept_answer IS NOT NULL)
) STRICT, WITHOUT ROWID;
INSERT INTO new_purchases
  SELECT p.id, p.state, CASE WHEN p.state <> 'released' THEN 1 END, p.network, p.asset, p.payer, p.nonce, p.pay_to,
    p.amount, p.valid_before, p.route, p.request, p.snapshot_id, p.identifier_hash, p.reserved_at_ms, p.lease_until_ms,
    p.settling_at_ms, p.ended_at_ms, p.tx_hash, p.why, p.returned_lead, p.answer_sha256, p.answer_headers, a.number
  FROM purchases p LEFT JOIN new_answers a ON a.sha256 = p.kept_answer ORDER BY p.id;

DROP TABLE answer_chunks;
DROP TABLE purchases;
DROP TABLE answers;
ALTER TABLE new_answers RENAME TO answers;
ALTER TABLE new_pieces RENAME TO answer_chunks;
ALTER TABLE new_purchases RENAME TO purchases;

CREATE UNIQUE INDEX purchase_of_payment ON purchases (network, asset, payer, nonce) WHERE standing = 1;
CREATE UNIQUE INDEX purchase_of_identifier ON purchases (payer, identifier_hash)
  WHERE standing = 1 AND identifier_hash IS NOT NULL;
CREATE INDEX purchases_in_order ON purchases (reserved_at_ms, id);
CREATE INDEX purchases_unfinished ON purchases (state, lease_until_ms) WHERE state IN ('reserved', 'settling');
CREATE INDEX purchases_of_answer ON purchases (kept_answer) WHERE kept_answer IS NOT NULL;
