-- Which ledger this is. Servers stop writing when the id or the epoch changes. A restore keeps the id and raises the epoch.
CREATE TABLE ledger_identity (
  one            integer NOT NULL PRIMARY KEY CHECK (one = 1),
  id             text    NOT NULL CHECK (length(id) = 36),
  epoch          bigint  NOT NULL CHECK (epoch >= 1),
  restored_at_ms bigint,
  -- When the backup was made that was restored; 0 if the backup does not say it.
  backup_at_ms   bigint
);
INSERT INTO ledger_identity (one, id, epoch) VALUES (1, gen_random_uuid()::text, 1);

-- Leads that the claims journal says were sold by a purchase this ledger has lost. They are never sold again.
CREATE TABLE withheld_leads (
  lead_id     text COLLATE "C" NOT NULL PRIMARY KEY,
  purchase_id text COLLATE "C" NOT NULL,
  payer       text   NOT NULL,
  nonce       text   NOT NULL,
  at_ms       bigint NOT NULL
);
