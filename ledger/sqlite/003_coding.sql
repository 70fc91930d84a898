-- How a piece of an answer is written. Those from before are written as they are.
ALTER TABLE answer_chunks ADD COLUMN coding TEXT NOT NULL DEFAULT 'identity' CHECK (coding IN ('identity', 'zstd'));
