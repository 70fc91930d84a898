-- Keys have collation "C": an index must not depend on the collation of a library.
-- Amounts and validBefore are uint256, stored as decimal text. Times are Unix milliseconds.

CREATE TABLE answers (
  sha256       text COLLATE "C" NOT NULL PRIMARY KEY CHECK (length(sha256) = 64),
  bytes        bigint NOT NULL CHECK (bytes >= 0),
  -- 0 while its chunks are being written.
  whole        integer NOT NULL CHECK (whole IN (0, 1)),
  stored_at_ms bigint NOT NULL
);

CREATE TABLE answer_chunks (
  sha256 text COLLATE "C" NOT NULL REFERENCES answers (sha256) ON DELETE CASCADE,
  chunk  integer NOT NULL CHECK (chunk >= 0),
  body   bytea   NOT NULL CHECK (octet_length(body) BETWEEN 1 AND 1048576),
  PRIMARY KEY (sha256, chunk)
);

CREATE TABLE purchases (
  id              text COLLATE "C" NOT NULL PRIMARY KEY,
  state           text    NOT NULL CHECK (state IN ('reserved', 'settling', 'sold', 'released')),
  network         text COLLATE "C" NOT NULL,
  asset           text COLLATE "C" NOT NULL,
  payer           text COLLATE "C" NOT NULL,
  nonce           text COLLATE "C" NOT NULL,
  pay_to          text    NOT NULL,
  amount          text    NOT NULL CHECK (amount <> '' AND amount !~ '[^0-9]'),
  valid_before    text    NOT NULL CHECK (valid_before <> '' AND valid_before !~ '[^0-9]'),
  route           text    NOT NULL,
  request         text    NOT NULL,
  snapshot_id     text    NOT NULL,
  identifier_hash text,
  reserved_at_ms  bigint NOT NULL,
  lease_until_ms  bigint NOT NULL,
  settling_at_ms  bigint,
  ended_at_ms     bigint,
  tx_hash         text,
  why             text,
  -- The lead of a released purchase; other purchases have a claim.
  returned_lead   text,
  answer_sha256   text,
  answer_headers  text,
  -- Equal to answer_sha256 while the answer can be collected.
  kept_answer     text COLLATE "C" REFERENCES answers (sha256),
  CHECK ((state IN ('settling', 'sold', 'released')) = (settling_at_ms IS NOT NULL)),
  CHECK ((state IN ('sold', 'released')) = (ended_at_ms IS NOT NULL)),
  CHECK (state <> 'sold' OR tx_hash IS NOT NULL),
  CHECK (state = 'reserved' OR (answer_sha256 IS NOT NULL AND answer_headers IS NOT NULL)),
  CHECK (state <> 'settling' OR kept_answer IS NOT NULL)
);

-- A payment, and an identifier of a payer, belong to one purchase until it is released.
CREATE UNIQUE INDEX purchase_of_payment ON purchases (network, asset, payer, nonce) WHERE state <> 'released';
CREATE UNIQUE INDEX purchase_of_identifier ON purchases (payer, identifier_hash)
  WHERE state <> 'released' AND identifier_hash IS NOT NULL;
CREATE INDEX purchases_in_order ON purchases (reserved_at_ms, id);
CREATE INDEX purchases_unfinished ON purchases (state, lease_until_ms) WHERE state IN ('reserved', 'settling');
CREATE INDEX purchases_of_answer ON purchases (kept_answer) WHERE kept_answer IS NOT NULL;

CREATE TABLE claims (
  lead_id       text COLLATE "C" NOT NULL PRIMARY KEY,
  purchase_id   text COLLATE "C" NOT NULL UNIQUE REFERENCES purchases (id) ON DELETE CASCADE,
  claimed_at_ms bigint NOT NULL
);

CREATE TABLE deliveries (
  number      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  purchase_id text COLLATE "C" NOT NULL REFERENCES purchases (id),
  kind        text    NOT NULL CHECK (kind IN ('first', 'identifier', 'wallet')),
  at_ms       bigint NOT NULL,
  complete    integer NOT NULL CHECK (complete IN (0, 1))
);

CREATE INDEX deliveries_of_purchase ON deliveries (purchase_id);

CREATE TABLE used_tokens (
  token    text COLLATE "C" NOT NULL PRIMARY KEY,
  until_ms bigint NOT NULL
);

CREATE INDEX used_tokens_until ON used_tokens (until_ms);

-- One row, updated to check that the ledger can be written.
CREATE TABLE heartbeat (one integer NOT NULL PRIMARY KEY CHECK (one = 1), beats bigint NOT NULL);
INSERT INTO heartbeat (one, beats) VALUES (1, 0);
