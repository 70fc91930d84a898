-- Compression of a chunk. Earlier chunks are not compressed.
ALTER TABLE answer_chunks
  ADD COLUMN coding text NOT NULL DEFAULT 'identity' CHECK (coding IN ('identity', 'zstd'));
