/**
 * The usual way to build such a server, built well: Fastify with validated queries, PostgreSQL with an index for each
 * way of asking, each record kept as ready JSON, prepared statements and a pool. It takes no payments at all, and a
 * lookup is handed the normalised address, which ours has to make. Prints its address.
 *   node bench/servers/fastify_postgres.ts <postgres url>
 */
import { createHash } from 'node:crypto';
import Fastify from 'fastify';
import { Pool } from 'pg';
import { endWithParent } from './parent.ts';

const [url] = process.argv.slice(2);
if (url === undefined) throw new Error('give the address of the database');
const pool = new Pool({ connectionString: url, max: 8 });
const app = Fastify();

type Query = Readonly<Record<string, string | number | undefined>>;

const CONDITIONS: Readonly<Record<string, string>> = {
  state: 'state = ?',
  city: 'city = lower(?)',
  min_price: 'list_price >= ?',
  max_price: 'list_price <= ?',
  min_cap: 'cap_rate >= ?',
  min_units: 'units >= ?',
  max_units: 'units <= ?',
  min_score: 'deal_score >= ?',
  status: 'rental_status = ?',
};
const text = { type: 'string' } as const;
const number = { type: 'number' } as const;
const integer = { type: 'integer' } as const;

/** A statement that is prepared once on each connection. */
const ask = (sql: string, values: unknown[]) =>
  pool.query<{ record: string; n: string }>({ name: createHash('md5').update(sql).digest('hex'), text: sql, values });

app.get<{ Querystring: Query }>(
  '/api/deals',
  {
    schema: {
      querystring: {
        type: 'object',
        additionalProperties: false,
        properties: {
          state: text,
          city: text,
          min_price: number,
          max_price: number,
          min_cap: number,
          min_units: integer,
          max_units: integer,
          min_score: integer,
          status: text,
          limit: integer,
        },
      },
    },
  },
  async ({ query }, reply) => {
    const { limit = 100, ...filters } = query;
    const values: unknown[] = [];
    const conditions = Object.entries(filters)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => (CONDITIONS[name] ?? '').replace('?', `$${values.push(value)}`));
    const where = ["listing_status = 'active'", ...conditions].join(' AND ');
    const total = await ask(`SELECT count(*) AS n FROM deals WHERE ${where}`, values);
    const found = await ask(
      `SELECT record FROM deals WHERE ${where} ORDER BY deal_score DESC, id LIMIT $${values.length + 1}`,
      [...values, limit],
    );
    if (found.rows.length === 0) return reply.code(404).send({ reason: 'no_matches' });
    return reply
      .type('application/json')
      .send(
        `{"count":${found.rows.length},"total_matches":${total.rows[0]?.n},"filters":${JSON.stringify(filters)},"records":[${found.rows.map((r) => r.record).join(',')}]}`,
      );
  },
);

app.get<{ Querystring: { address: string } }>(
  '/api/lookup',
  {
    schema: { querystring: { type: 'object', required: ['address'], properties: { address: text } } },
  },
  async ({ query: { address } }, reply) => {
    const of = async (table: string): Promise<string[]> =>
      (await ask(`SELECT record FROM ${table} WHERE address_key = $1 LIMIT 100`, [address])).rows.map((r) => r.record);
    const [listings, signals, auctions] = await Promise.all([of('deals'), of('signals'), of('auctions')]);
    if (listings.length + signals.length + auctions.length === 0) return reply.code(404).send({ reason: 'no_matches' });
    return reply
      .type('application/json')
      .send(`{"listings":[${listings.join(',')}],"signals":[${signals.join(',')}],"auctions":[${auctions.join(',')}]}`);
  },
);

endWithParent();
process.stdout.write(`${JSON.stringify({ url: await app.listen({ port: 0, host: '127.0.0.1' }) })}\n`);
