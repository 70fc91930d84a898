/** The tables of a backup, and how their rows are written, read and inserted. */
import { decodeChunk, encodeChunk } from '../sql/answer_chunks.ts';
import type { Row, Value } from '../sql/store.ts';

export interface Table {
  readonly name: string;
  /** Columns in the backup; `key` orders the rows, and need not be among them. */
  readonly columns: readonly string[];
  readonly key: readonly string[];
  /** Rows per query. */
  readonly pageRows?: number;
  /** Columns that are needed to read others, and are not in the backup. */
  readonly codings?: readonly string[];
  /** Columns that name an answer by its hash: its number differs between ledgers. */
  readonly answers?: Readonly<Record<string, { readonly read: string; readonly into: string }>>;
  /** Columns that are computed from another column when a row is inserted. */
  readonly computed?: Readonly<Record<string, { readonly from: string; readonly sql: (parameter: string) => string }>>;
}

/** Tables in an order in which each refers only to earlier ones. */
export const TABLES: readonly Table[] = [
  { name: 'answers', key: ['sha256'], columns: ['sha256', 'bytes', 'whole', 'stored_at_ms'] },
  {
    name: 'answer_chunks',
    key: ['answer', 'chunk'],
    columns: ['sha256', 'chunk', 'body'],
    pageRows: 8,
    codings: ['coding'],
    answers: { sha256: { read: '(SELECT sha256 FROM answers WHERE number = answer) AS sha256', into: 'answer' } },
  },
  {
    name: 'purchases',
    key: ['id'],
    columns: [
      'id',
      'state',
      'network',
      'asset',
      'payer',
      'nonce',
      'pay_to',
      'amount',
      'valid_before',
      'route',
      'request',
      'snapshot_id',
      'identifier_hash',
      'reserved_at_ms',
      'lease_until_ms',
      'settling_at_ms',
      'ended_at_ms',
      'tx_hash',
      'why',
      'returned_lead',
      'answer_sha256',
      'answer_headers',
      'kept_answer',
      'chain',
      'block',
      'payer_fault',
    ],
    answers: {
      kept_answer: {
        read: '(SELECT sha256 FROM answers WHERE number = kept_answer) AS kept_answer',
        into: 'kept_answer',
      },
    },
    computed: { standing: { from: 'state', sql: (state) => `CASE WHEN ${state} <> 'released' THEN 1 END` } },
  },
  { name: 'claims', key: ['lead_id'], columns: ['lead_id', 'purchase_id', 'claimed_at_ms'] },
  {
    name: 'claimed_properties',
    key: ['purchase_id', 'property_key'],
    columns: ['purchase_id', 'property_key', 'standing'],
  },
  {
    name: 'transfers',
    key: ['chain', 'pay_to', 'block', 'log_index'],
    columns: [
      'chain',
      'pay_to',
      'block',
      'log_index',
      'tx_hash',
      'payer',
      'nonce',
      'amount',
      'kind',
      'purchase_id',
      'resolution',
      'booked_at_ms',
    ],
  },
  {
    name: 'audits',
    key: ['chain', 'pay_to'],
    columns: ['chain', 'pay_to', 'through_block', 'through_seconds', 'audited_at_ms', 'lease_holder', 'lease_until_ms'],
  },
  { name: 'gas_days', key: ['account', 'day'], columns: ['account', 'day', 'gas'] },
  { name: 'deliveries', key: ['number'], columns: ['purchase_id', 'kind', 'at_ms', 'complete'] },
  { name: 'used_tokens', key: ['token'], columns: ['token', 'until_ms'] },
  { name: 'withheld_leads', key: ['lead_id'], columns: ['lead_id', 'purchase_id', 'payer', 'nonce', 'at_ms'] },
  { name: 'withheld_properties', key: ['property_key'], columns: ['property_key', 'lead_id'] },
  { name: 'money', key: ['one'], columns: ['one', 'kind'] },
];

/** Columns with numbers, which PostgreSQL returns as text. */
const NUMBERS = new Set([
  'bytes',
  'whole',
  'chunk',
  'number',
  'complete',
  'one',
  'answer',
  'block',
  'log_index',
  'payer_fault',
  'standing',
  'through_block',
  'through_seconds',
  'gas',
]);
const isNumber = (column: string): boolean => NUMBERS.has(column) || column.endsWith('_ms');

/** A value of the database as JSON of a backup. */
export const jsonValue = (column: string, value: unknown): unknown => {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  return isNumber(column) ? Number(value) : value;
};

/** A row with its body decompressed. */
export const decompressed = (row: Row): Row => (row['coding'] === undefined ? row : { ...row, body: decodeChunk(row) });

/** The columns to insert for a row of a backup. */
function insertedColumns({ columns, codings }: Table, values: readonly unknown[]): Readonly<Record<string, Value>> {
  const row = Object.fromEntries(columns.map((column, i) => [column, values[i] as Value]));
  return codings ? { ...row, ...encodeChunk(Buffer.from(String(row['body']), 'base64')) } : row;
}

/** The statement that inserts a row of a backup, with its parameters. */
export function insertion(table: Table, values: readonly unknown[]): readonly [sql: string, ...parameters: Value[]] {
  const { name, answers = {}, computed = {} } = table;
  const row = insertedColumns(table, values);
  const columns = Object.keys(row);
  const parameter = (column: string): string => `$${columns.indexOf(column) + 1}`;
  const targets = [
    ...columns.map((column) => {
      const answer = answers[column];
      return answer
        ? [answer.into, `(SELECT number FROM answers WHERE sha256 = ${parameter(column)})`]
        : [column, parameter(column)];
    }),
    ...Object.entries(computed).map(([column, { from, sql }]) => [column, sql(parameter(from))]),
  ];
  const [into, expressions] = [targets.map(([column]) => column), targets.map(([, expression]) => expression)];
  const sql = `INSERT INTO ${name} (${into.join(', ')}) VALUES (${expressions.join(', ')})`;
  return [sql, ...Object.values(row)];
}
