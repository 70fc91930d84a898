/**
 * Cursors hold the last row of a page: its ranking value and its id. They are signed over the path and the filters, so
 * that a forged cursor, or one of another query, is refused instead of returning a wrong page.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { Problem } from '../../http/problem.ts';

/** The last row of a page. */
export interface Position {
  /** Value of the ranking column as text, or null. */
  readonly value: string | null;
  readonly id: string;
  /** Whether the row is in the second part of a list that is ranked in two parts; otherwise false. */
  readonly isBehind: boolean;
}

export interface Cursors {
  write(position: Position, query: string): string;
  /** @throws Problem invalid_cursor */
  read(cursor: string, query: string): Position;
}

const Content = z.tuple([z.string().max(100).nullable(), z.string().min(1).max(100), z.boolean()]);
const MAC_BYTES = 16;

/** Cursors signed with `secret`; processes that share it accept each other's. A cursor belongs to its `query`. */
export function createCursors(secret: string): Cursors {
  const mac = (content: string, query: string): Buffer =>
    createHmac('sha256', secret)
      .update(JSON.stringify([query, content]))
      .digest()
      .subarray(0, MAC_BYTES);
  return {
    write({ value, id, isBehind }, query) {
      const content = JSON.stringify([value, id, isBehind]);
      return Buffer.concat([mac(content, query), Buffer.from(content)]).toString('base64url');
    },
    read(cursor, query) {
      const bytes = Buffer.from(cursor, 'base64url');
      const content = bytes.subarray(MAC_BYTES).toString('utf8');
      const isSigned = bytes.length > MAC_BYTES && timingSafeEqual(bytes.subarray(0, MAC_BYTES), mac(content, query));
      if (!isSigned)
        throw new Problem(
          'invalid_cursor',
          'This cursor does not belong to this path with these filters. Start again without a cursor.',
          { field: 'cursor' },
        );
      const [value, id, isBehind] = Content.parse(JSON.parse(content));
      return { value, id, isBehind };
    },
  };
}
