/** The prompt of `make sql`: statements over several lines, history, completion, and dot commands. */
import { readFile } from 'node:fs/promises';
import { createInterface, type Interface } from 'node:readline';
import type { DuckDBConnection } from '@duckdb/node-api';
import { writeWhole } from '../../lib/files.ts';
import { literal } from '../../lib/sql.ts';
import { readColumnCatalog, complete, type Catalog } from './completion.ts';
import { queryNamed, workedQueries } from './queries.ts';
import { formatRecords, formatTable, queryErrorText, runQuery } from './query_result.ts';
import { isEmpty, splitStatements } from './statements.ts';

const MAX_ROWS = 200;
const HISTORY_SIZE = 500;
const [PROMPT, CONTINUATION_PROMPT] = ['dealfeed> ', '     ...> '];

const HELP = [
  'A statement ends with a semicolon and may have several lines.',
  'Tab completes; the arrow keys recall earlier statements.',
  '.tables            tables with their number of rows and the meaning of a row',
  '.describe TABLE    its columns with type and meaning',
  '.queries           worked queries; .query NAME runs one',
  '.x                 switch between a table and one line per value',
  '.quit              or Ctrl-D. Ctrl-C discards the typed text, or stops a running query',
];

const TABLES_SQL = `
  SELECT table_name AS "table", estimated_size AS rows, regexp_extract(comment, '^[^.]*\\.') AS meaning
  FROM duckdb_tables() WHERE database_name = 'snapshot'
  UNION ALL
  SELECT view_name, NULL, regexp_extract(comment, '^[^.]*\\.')
  FROM duckdb_views() WHERE database_name = 'snapshot' AND NOT internal
  ORDER BY 1`;
const columnsSql = (table: string): string => `
  SELECT column_name AS "column", data_type AS type, comment AS meaning FROM duckdb_columns()
  WHERE database_name = 'snapshot' AND table_name = ${literal(table)} ORDER BY column_index`;

export interface PromptOptions {
  readonly connection: DuckDBConnection;
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** Whether input and output are a terminal. */
  readonly isTerminal: boolean;
  /** Current width of the screen. */
  readonly width: () => number;
  /** File of the statements of earlier sessions; null for none. */
  readonly historyFile: string | null;
}

/** Earlier statements, newest first, as readline expects them. */
async function readHistory(file: string | null): Promise<string[]> {
  if (file === null) return [];
  return (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean).reverse();
}

class Prompt {
  readonly #options: PromptOptions;
  readonly #catalog: Catalog;
  readonly #history: string[];
  /** Typed lines of the statement that has no semicolon yet. */
  #buffer = '';
  #printsRecords = false;
  #isRunning = false;
  #hasFailed = false;

  constructor(options: PromptOptions, catalog: Catalog, history: string[]) {
    this.#options = options;
    this.#catalog = catalog;
    this.#history = history;
  }

  #print(line: string): void {
    this.#options.output.write(`${line}\n`);
  }

  async #runStatement(sql: string): Promise<void> {
    this.#isRunning = true;
    try {
      const result = await runQuery(this.#options.connection, sql, MAX_ROWS);
      const lines = this.#printsRecords ? formatRecords(result) : formatTable(result, this.#options.width());
      for (const line of lines) this.#print(line);
    } catch (error) {
      this.#hasFailed = true;
      this.#print(queryErrorText(error));
    } finally {
      this.#isRunning = false;
    }
  }

  async #describe(table: string): Promise<void> {
    if (this.#catalog.tables.has(table)) return this.#runStatement(columnsSql(table));
    const tables = [...this.#catalog.tables.keys()].join(', ');
    this.#print(`There is no table ${JSON.stringify(table)}. Tables: ${tables}`);
  }

  async #runWorkedQuery(name: string): Promise<void> {
    try {
      const { sql } = queryNamed('.query', name);
      this.#print(`${sql};`);
      await this.#runStatement(sql);
    } catch (error) {
      this.#print(queryErrorText(error));
    }
  }

  /** Run a dot command. @returns false if the prompt must end */
  async #runCommand(line: string): Promise<boolean> {
    const [command = '', word = ''] = line.trim().replace(/;$/u, '').split(/\s+/u);
    switch (command) {
      case '.quit':
      case '.exit':
      case '\\q':
        return false;
      case '.help':
        for (const help of HELP) this.#print(help);
        break;
      case '.x':
      case '\\x':
        this.#printsRecords = !this.#printsRecords;
        this.#print(this.#printsRecords ? 'One line per value.' : 'Rows as a table.');
        break;
      case '.tables':
      case '\\dt':
        await this.#runStatement(TABLES_SQL);
        break;
      case '.describe':
      case '.columns':
      case '\\d':
        await this.#describe(word);
        break;
      case '.queries':
        for (const q of workedQueries()) this.#print(`${q.name.padEnd(24)}${q.answers}`);
        break;
      case '.query':
        await this.#runWorkedQuery(word);
        break;
      default:
        this.#print(`There is no command ${command}. .help lists the commands.`);
    }
    return true;
  }

  /** Process a typed line. @returns false if the prompt must end */
  async #processLine(line: string): Promise<boolean> {
    if (this.#buffer === '' && /^\s*[.\\]\w/u.test(line)) return this.#runCommand(line);
    this.#buffer += `${this.#buffer === '' ? '' : '\n'}${line}`;
    const { statements, rest } = splitStatements(this.#buffer);
    this.#buffer = isEmpty(rest) && !/\S/u.test(rest) ? '' : rest.trimStart();
    for (const statement of statements) {
      this.#history.unshift(`${statement.replaceAll(/\s*\n\s*/gu, ' ')};`);
      await this.#runStatement(statement);
    }
    return true;
  }

  #handleInterrupt(readline: Interface): void {
    readline.on('SIGINT', () => {
      if (this.#isRunning) return this.#options.connection.interrupt();
      if (this.#buffer === '' && readline.line === '') this.#print('\n(.quit or Ctrl-D ends)');
      else this.#options.output.write('\n');
      this.#buffer = '';
      // Clear the line being typed.
      readline.write(null, { ctrl: true, name: 'e' });
      readline.write(null, { ctrl: true, name: 'u' });
      readline.setPrompt(PROMPT);
      readline.prompt();
    });
  }

  async #writeHistory(file: string): Promise<void> {
    const lines = [...new Set(this.#history)].slice(0, HISTORY_SIZE).reverse();
    // A read-only folder has no history.
    await writeWhole(file, lines.map((line) => `${line}\n`).join('')).catch(() => undefined);
  }

  /** Read until the end of the input. @returns whether every statement succeeded */
  async run(): Promise<boolean> {
    const { input, output, isTerminal, historyFile } = this.#options;
    const queries = workedQueries().map((query) => query.name);
    const readline = createInterface({
      input,
      terminal: isTerminal,
      ...(isTerminal ? { output } : {}),
      prompt: PROMPT,
      historySize: HISTORY_SIZE,
      removeHistoryDuplicates: true,
      history: [...this.#history],
      completer: (line: string) => complete(this.#catalog, this.#buffer, line, queries),
    });
    this.#handleInterrupt(readline);
    let isOpen = true;
    readline.on('close', () => {
      isOpen = false;
    });
    const prompt = (): void => {
      readline.setPrompt(this.#buffer === '' ? PROMPT : CONTINUATION_PROMPT);
      if (isTerminal && isOpen) readline.prompt();
    };
    prompt();
    for await (const line of readline) {
      if (!(await this.#processLine(line))) break;
      prompt();
    }
    readline.close();
    // A piped script may end without a last semicolon.
    if (!isEmpty(this.#buffer)) await this.#runStatement(this.#buffer);
    if (isTerminal) output.write('\n');
    if (isTerminal && historyFile !== null) await this.#writeHistory(historyFile);
    return !this.#hasFailed;
  }
}

/** Run the prompt. @returns whether every statement succeeded */
export async function runPrompt(options: PromptOptions): Promise<boolean> {
  return new Prompt(options, await readColumnCatalog(options.connection), await readHistory(options.historyFile)).run();
}
