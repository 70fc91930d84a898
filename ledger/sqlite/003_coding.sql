-- Compression of a chunk. Earlier chunks are not compressed.
ALTER TABLE answer_chunks
  ADD COLUMN coding TEXT NOT NULL DEFAULT 'identity' CHECK (coding IN ('identity', 'zstd'));
