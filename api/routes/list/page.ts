/** The place of a row in its list, and cursors: that place, signed. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { Problem } from '../../http/problem.ts';
import type { Position } from '../../serving/filters.ts';

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
