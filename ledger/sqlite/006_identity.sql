-- Identity of the ledger. Servers stop writing when the id or the epoch changes. A restore raises the epoch.
CREATE TABLE ledger_identity (
  one            INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
  id             TEXT    NOT NULL CHECK (length(id) = 36),
  epoch          INTEGER NOT NULL CHECK (epoch >= 1),
  restored_at_ms INTEGER,
  -- Time of the restored backup; 0 if the backup does not contain it.
  backup_at_ms   INTEGER
) STRICT;
-- A random UUID (version 4).
INSERT INTO ledger_identity (one, id, epoch)
  SELECT 1, lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-'
    || substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))), 1;

-- Leads sold, by the claims journal, with purchases that this ledger has lost. They are never sold again.
CREATE TABLE withheld_leads (
  lead_id     TEXT    NOT NULL PRIMARY KEY,
  purchase_id TEXT    NOT NULL,
  payer       TEXT    NOT NULL,
  nonce       TEXT    NOT NULL,
  at_ms       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
