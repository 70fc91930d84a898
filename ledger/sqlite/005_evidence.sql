-- The place of each payment on the chain, and the purchase that each incoming transfer paid.

-- Hash of block 0 of the payment's chain; null in rows of an older version.
ALTER TABLE purchases ADD COLUMN chain TEXT;
-- Block of the payment.
ALTER TABLE purchases ADD COLUMN block INTEGER;
-- 1 if the payer caused the payment not to settle.
ALTER TABLE purchases ADD COLUMN payer_fault INTEGER NOT NULL DEFAULT 0 CHECK (payer_fault IN (0, 1));

CREATE INDEX purchases_of_payer ON purchases (payer, state);
CREATE INDEX purchases_released ON purchases (nonce) WHERE state = 'released';

CREATE TABLE transfers (
  chain        TEXT    NOT NULL,
  pay_to       TEXT    NOT NULL,
  block        INTEGER NOT NULL,
  log_index    INTEGER NOT NULL,
  tx_hash      TEXT    NOT NULL,
  payer        TEXT    NOT NULL,
  -- Null for a transfer without an authorization.
  nonce        TEXT,
  amount       TEXT    NOT NULL CHECK (amount <> '' AND amount NOT GLOB '*[^0-9]*'),
  kind         TEXT    NOT NULL CHECK (kind IN ('matched', 'made_good', 'owed', 'no_purchase')),
  purchase_id  TEXT    REFERENCES purchases (id),
  -- How an owed transfer was settled.
  resolution   TEXT,
  booked_at_ms INTEGER NOT NULL,
  PRIMARY KEY (chain, pay_to, block, log_index),
  CHECK (kind NOT IN ('matched', 'made_good') OR purchase_id IS NOT NULL)
) STRICT, WITHOUT ROWID;

-- One transfer pays one purchase.
CREATE UNIQUE INDEX transfer_of_purchase ON transfers (purchase_id) WHERE kind IN ('matched', 'made_good');
CREATE INDEX transfers_owed ON transfers (booked_at_ms) WHERE kind = 'owed' AND resolution IS NULL;
CREATE INDEX transfers_without_purchase ON transfers (payer, nonce) WHERE kind IN ('owed', 'no_purchase');

CREATE TABLE audits (
  chain           TEXT    NOT NULL,
  pay_to          TEXT    NOT NULL,
  through_block   INTEGER,
  through_seconds INTEGER NOT NULL,
  audited_at_ms   INTEGER NOT NULL,
  lease_holder    TEXT    NOT NULL,
  lease_until_ms  INTEGER NOT NULL,
  PRIMARY KEY (chain, pay_to)
) STRICT, WITHOUT ROWID;

-- Gas reserved by settlements of self mode, by account and day (UTC).
CREATE TABLE gas_days (
  account TEXT    NOT NULL,
  day     TEXT    NOT NULL,
  gas     INTEGER NOT NULL CHECK (gas >= 0),
  PRIMARY KEY (account, day)
) STRICT, WITHOUT ROWID;
