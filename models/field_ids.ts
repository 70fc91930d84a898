/**
 * Ids of the columns in Parquet files, by which Iceberg readers find a column after others were added or removed. An id
 * follows from the name alone, so no file has to remember which ids were given.
 */
import { createHash } from 'node:crypto';

/** Ids are at most this: Iceberg reserves the highest numbers of 31 bits. */
const BITS = 28;

/** Id of a column, from 1. Two columns of a table with the same id fail a test. */
export const fieldIdOf = (column: string): number =>
  (createHash('sha256').update(column).digest().readUInt32BE() >>> (32 - BITS)) + 1;
