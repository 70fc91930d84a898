-- Faster writes. Answers get numbers: with hashes as keys, each insert touched a random page of three indexes. The
-- unique indexes use a column that stays unchanged until the release.

ALTER TABLE answers ADD COLUMN number bigint GENERATED ALWAYS AS IDENTITY;
ALTER TABLE answer_chunks ADD COLUMN answer bigint;
UPDATE answer_chunks SET answer = a.number FROM answers a WHERE a.sha256 = answer_chunks.sha256;
ALTER TABLE purchases ADD COLUMN kept_number bigint, ADD COLUMN standing integer CHECK (standing = 1);
UPDATE purchases SET kept_number = (SELECT a.number FROM answers a WHERE a.sha256 = kept_answer),
  standing = CASE WHEN state <> 'released' THEN 1 END;

-- Dropping the columns drops their indexes and constraints.
ALTER TABLE answer_chunks DROP COLUMN sha256;
ALTER TABLE purchases DROP COLUMN kept_answer;
ALTER TABLE answers DROP CONSTRAINT answers_pkey, ADD PRIMARY KEY (number), ADD UNIQUE (sha256);
ALTER TABLE answer_chunks ALTER COLUMN answer SET NOT NULL, ADD PRIMARY KEY (answer, chunk),
  ALTER COLUMN coding DROP DEFAULT,
  ADD FOREIGN KEY (answer) REFERENCES answers (number) ON DELETE CASCADE;
ALTER TABLE purchases RENAME COLUMN kept_number TO kept_answer;
ALTER TABLE purchases ADD FOREIGN KEY (kept_answer) REFERENCES answers (number),
  ADD CHECK (state <> 'settling' OR kept_answer IS NOT NULL), ADD CHECK ((standing IS NULL) = (state = 'released'));

DROP INDEX purchase_of_payment, purchase_of_identifier;
CREATE UNIQUE INDEX purchase_of_payment ON purchases (network, asset, payer, nonce) WHERE standing = 1;
CREATE UNIQUE INDEX purchase_of_identifier ON purchases (payer, identifier_hash)
  WHERE standing = 1 AND identifier_hash IS NOT NULL;
CREATE INDEX purchases_of_answer ON purchases (kept_answer) WHERE kept_answer IS NOT NULL;
