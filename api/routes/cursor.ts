/**
 * Cursors name the last row a buyer has: the value the list is ranked by and the id. They are signed over the path
 * and the filters, so that a made-up one, or one of another query, is refused instead of giving a page of nonsense.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { Problem } from '../http/problem.ts';

/** The last row of a page. */
export interface Position {
  /** Value of the ranking column as text, or null. */
  readonly value: string | null;
  readonly id: string;
}

export interface Cursors {
  write(position: Position, query: string): string;
  /** @throws Problem invalid_cursor */
  read(cursor: string, query: string): Position;
}

const Content = z.tuple([z.string().max(100).nullable(), z.string().min(1).max(100)]);
const MAC_BYTES = 16;

/** Cursors signed with `secret`; processes that share it accept each other's. `query` is whatever a cursor belongs to. */
export function cursorsOf(secret: string): Cursors {
  const mac = (content: string, query: string): Buffer =>
    createHmac('sha256', secret)
      .update(JSON.stringify([query, content]))
      .digest()
      .subarray(0, MAC_BYTES);
  return {
    write({ value, id }, query) {
      const content = JSON.stringify([value, id]);
      return Buffer.concat([mac(content, query), Buffer.from(content)]).toString('base64url');
    },
    read(cursor, query) {
      const bytes = Buffer.from(cursor, 'base64url');
      const content = bytes.subarray(MAC_BYTES).toString('utf8');
      const signed = bytes.length > MAC_BYTES && timingSafeEqual(bytes.subarray(0, MAC_BYTES), mac(content, query));
      if (!signed)
        throw new Problem(
          'invalid_cursor',
          'This cursor was not given for this path with these filters. Begin again without one.',
          { field: 'cursor' },
        );
      const [value, id] = Content.parse(JSON.parse(content));
      return { value, id };
    },
  };
}
