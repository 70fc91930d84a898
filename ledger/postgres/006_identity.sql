-- Identity of the ledger. Servers stop writing when the id or the epoch changes. A restore raises the epoch.
CREATE TABLE ledger_identity (
  one            integer NOT NULL PRIMARY KEY CHECK (one = 1),
  id             text    NOT NULL CHECK (length(id) = 36),
  epoch          bigint  NOT NULL CHECK (epoch >= 1),
  restored_at_ms bigint,
  -- Time of the restored backup; 0 if the backup does not contain it.
  backup_at_ms   bigint
);
INSERT INTO ledger_identity (one, id, epoch) VALUES (1, gen_random_uuid()::text, 1);

-- Leads sold, by the claims journal, with purchases that this ledger has lost. They are never sold again.
CREATE TABLE withheld_leads (
  lead_id     text COLLATE "C" NOT NULL PRIMARY KEY,
  purchase_id text COLLATE "C" NOT NULL,
  payer       text   NOT NULL,
  nonce       text   NOT NULL,
  at_ms       bigint NOT NULL
);
