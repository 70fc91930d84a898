-- The place of each payment on the chain, and the purchase that each incoming transfer paid.

-- Hash of block 0 of the payment's chain; null in rows of an older version.
ALTER TABLE purchases ADD COLUMN chain text;
-- Block of the payment.
ALTER TABLE purchases ADD COLUMN block bigint;
-- 1 if the payer caused the payment not to settle.
ALTER TABLE purchases ADD COLUMN payer_fault integer NOT NULL DEFAULT 0 CHECK (payer_fault IN (0, 1));

CREATE INDEX purchases_of_payer ON purchases (payer, state);
CREATE INDEX purchases_released ON purchases (nonce) WHERE state = 'released';

CREATE TABLE transfers (
  chain        text COLLATE "C" NOT NULL,
  pay_to       text COLLATE "C" NOT NULL,
  block        bigint  NOT NULL,
  log_index    integer NOT NULL,
  tx_hash      text COLLATE "C" NOT NULL,
  payer        text COLLATE "C" NOT NULL,
  -- Null for a transfer without an authorization.
  nonce        text COLLATE "C",
  amount       text    NOT NULL CHECK (amount <> '' AND amount !~ '[^0-9]'),
  kind         text    NOT NULL CHECK (kind IN ('matched', 'made_good', 'owed', 'no_purchase')),
  purchase_id  text COLLATE "C" REFERENCES purchases (id),
  -- How an owed transfer was settled.
  resolution   text,
  booked_at_ms bigint  NOT NULL,
  PRIMARY KEY (chain, pay_to, block, log_index),
  CHECK (kind NOT IN ('matched', 'made_good') OR purchase_id IS NOT NULL)
);

-- One transfer pays one purchase.
CREATE UNIQUE INDEX transfer_of_purchase ON transfers (purchase_id) WHERE kind IN ('matched', 'made_good');
CREATE INDEX transfers_owed ON transfers (booked_at_ms) WHERE kind = 'owed' AND resolution IS NULL;
CREATE INDEX transfers_without_purchase ON transfers (payer, nonce) WHERE kind IN ('owed', 'no_purchase');

CREATE TABLE audits (
  chain           text COLLATE "C" NOT NULL,
  pay_to          text COLLATE "C" NOT NULL,
  through_block   bigint,
  through_seconds bigint  NOT NULL,
  audited_at_ms   bigint  NOT NULL,
  lease_holder    text    NOT NULL,
  lease_until_ms  bigint  NOT NULL,
  PRIMARY KEY (chain, pay_to)
);

-- Gas reserved by settlements of self mode, by account and day (UTC).
CREATE TABLE gas_days (
  account text COLLATE "C" NOT NULL,
  day     text COLLATE "C" NOT NULL,
  gas     bigint  NOT NULL CHECK (gas >= 0),
  PRIMARY KEY (account, day)
);
