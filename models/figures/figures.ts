/**
 * The figures of models, read from their SQL. A model with figures joins what they need in a CTE called `inputs`. Each
 * SELECT after it computes further figures row by row, each under a name of its own, from the columns before them. A
 * model without that CTE computes its figures in its last SELECT.
 */
import type { DuckDBConnection } from '@duckdb/node-api';
import { isObject, type JsonObject } from '../../lib/json.ts';
import { parseTrees } from '../graph.ts';
import { columnsOf, nodes, readExpression, type Expression } from './expression.ts';

/** A macro as an expression over its parameters. */
export interface Macro {
  readonly params: readonly string[];
  /** For readers: what it means, if the macro says so, else its body. */
  readonly body: Expression;
  readonly hasMeaning: boolean;
}

/** A SELECT of a model: a CTE, or the last one. */
export interface Select {
  readonly name: string;
  readonly node: JsonObject;
  /** Whether it computes figures. */
  readonly isRowwise: boolean;
}

export interface FigureModel {
  readonly name: string;
  /** Its SQL up to the CTE `inputs`; empty if it has none. */
  readonly inputsSql: string;
  readonly selects: readonly Select[];
  /** Expressions of its figures, by name. */
  readonly figures: ReadonlyMap<string, Expression>;
  /** Columns of its table. */
  readonly columns: ReadonlySet<string>;
}

/** Root of a syntax tree. @throws Error if the SQL did not parse */
function rootOf(text: string): JsonObject {
  // A location of 2^64 - 1 is no number of JavaScript.
  const tree = JSON.parse(text.replaceAll(/"query_location":\d+/gu, '"query_location":0')) as {
    readonly error_message?: string;
    readonly statements?: readonly { readonly node: JsonObject }[];
  };
  const root = tree.statements?.[0]?.node;
  if (!root) throw new Error(tree.error_message ?? 'no statement');
  return root;
}

const objectIn = (value: unknown, key: string): JsonObject => {
  const found = isObject(value) ? value[key] : undefined;
  return isObject(found) ? found : {};
};

/** The SELECT itself, or the first one of a UNION. */
const firstSelect = (node: JsonObject): JsonObject => (isObject(node['left']) ? firstSelect(node['left']) : node);

function selectsOf(root: JsonObject): readonly Select[] {
  const ctes = nodes(objectIn(root, 'cte_map')['map']).map(({ key, value }) => ({
    name: String(key),
    node: objectIn(objectIn(value, 'query'), 'node'),
  }));
  const inputs = ctes.findIndex(({ name }) => name === 'inputs');
  return [
    ...ctes.map((cte, at) => ({ ...cte, isRowwise: inputs >= 0 && at > inputs })),
    { name: 'the last SELECT', node: firstSelect(root), isRowwise: true },
  ];
}

/** The columns that a SELECT computes or renames, in their order, with their names. */
export const computedIn = ({ node }: Select): readonly (readonly [name: string, expression: Expression])[] =>
  nodes(node['select_list']).flatMap((raw) => {
    if (raw['class'] === 'STAR') return [];
    const expression = readExpression(raw);
    const name = String(raw['alias']).toLowerCase();
    return name === '' || (expression.kind === 'column' && expression.name === name)
      ? []
      : [[name, expression] as const];
  });

/** Read the figures of models. @throws Error if a model's SQL does not parse */
export async function readFigures(
  connection: DuckDBConnection,
  models: readonly { readonly name: string; readonly sql: string }[],
): Promise<readonly FigureModel[]> {
  const trees = await parseTrees(
    connection,
    models.map(({ sql }) => sql),
  );
  return models.map(({ name, sql }, at) => {
    const root = rootOf(trees[at] ?? '');
    const selects = selectsOf(root);
    const last = nodes(root['select_list']).map((raw) => {
      const names = Array.isArray(raw['column_names']) ? (raw['column_names'] as string[]) : [];
      return String(raw['alias'] === '' ? names.at(-1) : raw['alias']).toLowerCase();
    });
    return {
      name,
      inputsSql: /^with\n[^]*?^inputs as \(\n[^]*?^\)/mu.exec(sql)?.[0] ?? '',
      selects,
      figures: new Map(selects.filter(({ isRowwise }) => isRowwise).flatMap((select) => computedIn(select))),
      columns: new Set(last),
    };
  });
}

/** Where a figure's input comes from: a column of a table that `inputs` joins. */
export interface Origin {
  readonly table: string;
  readonly column: string;
}

/** The tables of a FROM clause, by their aliases. */
function tablesIn(from: JsonObject): ReadonlyMap<string, string> {
  if (from['type'] === 'JOIN')
    return new Map([from['left'], from['right']].flatMap((side) => (isObject(side) ? [...tablesIn(side)] : [])));
  const table = String(from['table_name']);
  return new Map([[from['alias'] === '' ? table : String(from['alias']), table]]);
}

/** Names of the columns of each table. */
type Columns = ReadonlyMap<string, readonly { readonly name: string }[]>;

/**
 * Origins of the inputs of a model, by the name that formulas have for them: several if an expression joins tables. Of
 * several tables with a column of one name, a star and a name without a table have that of the first.
 */
function inputsOf(
  { name: model, selects }: FigureModel,
  columnsOfTables: Columns,
): ReadonlyMap<string, readonly Origin[]> {
  const inputs = selects.find(({ name }) => name === 'inputs');
  const tables = inputs ? tablesIn(objectIn(inputs.node, 'from_table')) : new Map<string, string>();
  const firstWith = (column: string): string | undefined =>
    [...tables.values()].find((table) => columnsOfTables.get(table)?.some(({ name }) => name === column));
  return new Map(
    nodes(inputs?.node['select_list']).flatMap((raw): (readonly [string, readonly Origin[]])[] => {
      if (raw['class'] === 'STAR') {
        const excluded = JSON.stringify(raw['exclude_list']);
        return [...tables]
          .filter(([alias]) => raw['relation_name'] === '' || raw['relation_name'] === alias)
          .flatMap(([, table]) => (columnsOfTables.get(table) ?? []).map(({ name }) => ({ table, column: name })))
          .filter(({ column }) => !excluded.includes(`"${column}"`))
          .map((origin) => [origin.column, [origin]] as const)
          .toReversed();
      }
      const columns = columnsOf(readExpression(raw)).map((column) => {
        const [first = '', own] = column.split('.');
        return own === undefined
          ? { table: firstWith(first), column: first }
          : { table: tables.get(first), column: own };
      });
      const name = String(raw['alias'] === '' ? columns[0]?.column : raw['alias']);
      return [
        [
          name,
          columns.flatMap(({ table, column }) => {
            if (table === undefined) return [];
            // A CTE of the model itself is no table.
            return [
              selects.every((select) => select.name !== table) ? { table, column } : { table: model, column: name },
            ];
          }),
        ],
      ];
    }),
  );
}

/**
 * Where a column of a model comes from: columns of the tables from which its figures are computed, in their order.
 * @param columns of all tables
 * @param isSource whether to look no further than a column
 */
export function originsIn(
  models: readonly FigureModel[],
  columns: Columns,
  isSource: (origin: Origin) => boolean,
): (model: string, column: string) => readonly Origin[] {
  const byName = new Map(models.map((model) => [model.name, { ...model, inputs: inputsOf(model, columns) }]));
  /** Each place once: it may be reached in very many ways. */
  const find = (table: string, column: string, seen: Set<string>): readonly Origin[] => {
    const place = `${table}.${column}`;
    if (seen.has(place)) return [];
    seen.add(place);
    if (isSource({ table, column })) return [{ table, column }];
    const model = byName.get(table);
    const origins = model?.inputs.get(column) ?? [];
    if (origins.length > 0)
      return origins.flatMap((origin) => (origin.table === table ? [origin] : find(origin.table, origin.column, seen)));
    const figure = model?.figures.get(column);
    return figure ? columnsOf(figure).flatMap((name) => find(table, name, seen)) : [{ table, column }];
  };
  return (model, column) => find(model, column, new Set());
}

const MACRO = /^CREATE OR REPLACE MACRO (\w+)\(\s*([^)]*?)\s*\) AS(?:\s+-- reads as (.+)\n)?([^]*)$/u;

/** Read macros. A comment after AS, "-- reads as ...", is the meaning of a macro that divides or rounds. */
export async function readMacros(connection: DuckDBConnection, sql: string): Promise<ReadonlyMap<string, Macro>> {
  const found = sql.split(/^(?=CREATE )/mu).flatMap((statement) => {
    const [, name = '', params = '', meaning, body = ''] = MACRO.exec(statement) ?? [];
    const text = meaning ?? body.replace(/;[^;]*$/u, '');
    return name === '' ? [] : [{ name, params: params.split(', '), hasMeaning: meaning !== undefined, text }];
  });
  const trees = await parseTrees(
    connection,
    found.map(({ text }) => `SELECT ${text}`),
  );
  return new Map(
    found.map(({ name, params, hasMeaning }, at) => {
      const [body = {}] = nodes(rootOf(trees[at] ?? '')['select_list']);
      return [name, { params, hasMeaning, body: readExpression(body) }];
    }),
  );
}
