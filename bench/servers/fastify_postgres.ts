/**
 * The usual way to build such a server: Fastify with validated queries, PostgreSQL with an index for each filter,
 * records as JSON text. A lookup is given the normalized address, which ours has to make. Prints its address.
 *   node bench/servers/fastify_postgres.ts <PostgreSQL> <an answer of ours to a list> <to a lookup>
 */
import { createHash } from 'node:crypto';
import Fastify from 'fastify';
import { Pool } from 'pg';

const [connectionString = '', list = '{}', lookup = '{}'] = process.argv.slice(2);
/** Answers of ours, for the fields that are the same in every answer. */
const [LIST, LOOKUP] = [JSON.parse(list) as object, JSON.parse(lookup) as object];
const pool = new Pool({ connectionString, max: 8 });
const app = Fastify();

/** A statement that is prepared once per connection. */
async function query(text: string, values: readonly unknown[]) {
  const statement = { name: createHash('md5').update(text).digest('hex'), text, values: [...values] };
  return (await pool.query<Record<'record' | 'n' | 'id' | 'deal_score', string>>(statement)).rows;
}

/** JSON of these fields, with the texts of records in the place of empty lists. */
const jsonOf = (fields: object, records: Readonly<Record<string, readonly string[]>>): string =>
  Object.entries(records).reduce(
    (json, [name, texts]) => json.replace(`"${name}":[]`, () => `"${name}":[${texts.join(',')}]`),
    JSON.stringify(fields),
  );

const CONDITIONS: Readonly<Record<string, string>> = {
  state: 'state = ?',
  city: 'lower(city) = lower(?)',
  max_price: 'list_price <= ?::numeric',
  min_score: 'deal_score >= ?',
};
const [text, integer] = [
  { type: 'string', maxLength: 200 },
  { type: 'integer', minimum: 0, maximum: 500 },
];
const taking = (properties: object) => ({ schema: { querystring: { type: 'object', properties } } });
const listQuery = taking({ state: text, city: text, max_price: text, min_score: integer, limit: integer });

app.get<{ Querystring: { limit: number } }>('/api/deals', listQuery, async (request, reply) => {
  const { limit, ...filters } = request.query;
  const values = Object.values(filters);
  const conditions = Object.keys(filters).map((name, i) => CONDITIONS[name]?.replace('?', `$${i + 1}`));
  const from = `FROM deals WHERE ${["listing_status = 'active'", ...conditions].join(' AND ')}`;
  const page = `SELECT record, id, deal_score ${from} ORDER BY deal_score DESC, id LIMIT $${values.length + 1}`;
  const counting = query(`SELECT count(*) AS n ${from}`, values);
  const [[counted], rows] = await Promise.all([counting, query(page, [...values, limit + 1])]);
  const records = rows.slice(0, limit).map(({ record }) => record);
  const last = rows[limit - 1];
  const next_cursor = rows.length > limit ? Buffer.from(`${last?.deal_score} ${last?.id}`).toString('base64url') : null;
  const made = { count: records.length, total_matches: Number(counted?.n), limit, filters, next_cursor, records: [] };
  return reply.type('application/json').send(jsonOf({ ...LIST, ...made }, { records }));
});

const lookupQuery = taking({ address: text, key: text });
app.get<{ Querystring: Record<'address' | 'key', string> }>('/api/lookup', lookupQuery, async (request, reply) => {
  const { address, key } = request.query;
  const find = async (table: string): Promise<string[]> =>
    (await query(`SELECT record FROM ${table} WHERE address_key = $1 ORDER BY id LIMIT 100`, [key])).map(
      ({ record }) => `${record.slice(0, -1)},"match_basis":"address_exact"}`,
    );
  const [listings, signals, auctions] = await Promise.all([find('deals'), find('signals'), find('auctions')]);
  const count = listings.length + signals.length + auctions.length;
  const made = { query: { address }, understood_as: key, match_basis: 'address_exact', count };
  const empty = { listings: [], signals: [], auctions: [] };
  return reply.type('application/json').send(jsonOf({ ...LOOKUP, ...made, ...empty }, { listings, signals, auctions }));
});

process.stdout.write(`${await app.listen({ port: 0, host: '127.0.0.1' })}\n`);
