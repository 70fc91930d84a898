/** The prompt of `make sql`: statements over several lines, history that stays, completion, commands that begin with a dot. */
import { readFile } from 'node:fs/promises';
import { createInterface, type Interface } from 'node:readline';
import type { DuckDBConnection } from '@duckdb/node-api';
import { writeWhole } from '../../lib/files.ts';
import { literal } from '../../lib/sql.ts';
import { catalogOf, complete, type Catalog } from './completion.ts';
import { queryNamed, workedQueries } from './queries.ts';
import { answer, asTable, readable, upright } from './show.ts';
import { isEmpty, splitStatements } from './statements.ts';

const MOST_ROWS = 200;
const HISTORY_SIZE = 500;
const [FIRST, FURTHER] = ['dealfeed> ', '     ...> '];

const HELP = [
  'A statement ends with a semicolon and may take several lines. Tab completes; the arrow keys go through history.',
  '.tables            tables with their rows and what one row is',
  '.describe TABLE    its columns with type and meaning',
  '.queries           worked queries; .query NAME answers one',
  '.x                 rows upright instead of in a table, and back',
  '.quit              or Ctrl-D. Ctrl-C gives up what is typed, or stops a query that runs',
];

export interface PromptOptions {
  readonly connection: DuckDBConnection;
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** Whether a person sits at it. */
  readonly terminal: boolean;
  /** Width of the screen; asked for at each answer. */
  readonly width: () => number;
  /** File of the statements of earlier sessions; null for none. */
  readonly historyFile: string | null;
}

/** Earlier statements, newest first, as readline wants them. */
async function historyOf(file: string | null): Promise<string[]> {
  if (file === null) return [];
  return (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean).reverse();
}

class Prompt {
  readonly #o: PromptOptions;
  readonly #catalog: Catalog;
  readonly #past: string[];
  #buffer = '';
  #upright = false;
  #running = false;
  #failed = false;

  constructor(options: PromptOptions, catalog: Catalog, past: string[]) {
    this.#o = options;
    this.#catalog = catalog;
    this.#past = past;
  }

  #say(line: string): void {
    this.#o.output.write(`${line}\n`);
  }

  async #ask(sql: string): Promise<void> {
    this.#running = true;
    try {
      const found = await answer(this.#o.connection, sql, MOST_ROWS);
      for (const line of this.#upright ? upright(found) : asTable(found, this.#o.width())) this.#say(line);
    } catch (error) {
      this.#failed = true;
      this.#say(readable(error));
    } finally {
      this.#running = false;
    }
  }

  /** @returns false where it was told to end */
  async #command(line: string): Promise<boolean> {
    const [command = '', word = ''] = line.trim().replace(/;$/u, '').split(/\s+/u);
    switch (command) {
      case '.quit':
      case '.exit':
      case '\\q':
        return false;
      case '.help':
        for (const l of HELP) this.#say(l);
        break;
      case '.x':
      case '\\x':
        this.#upright = !this.#upright;
        this.#say(this.#upright ? 'rows upright' : 'rows in a table');
        break;
      case '.tables':
      case '\\dt':
        await this.#ask(
          "SELECT table_name AS \"table\", estimated_size AS rows, regexp_extract(comment, '^[^.]*\\.') AS what FROM duckdb_tables() WHERE database_name = 'snapshot' ORDER BY table_name",
        );
        break;
      case '.describe':
      case '.columns':
      case '\\d':
        if (this.#catalog.tables.has(word))
          await this.#ask(
            `SELECT column_name AS "column", data_type AS type, comment AS meaning FROM duckdb_columns() WHERE database_name = 'snapshot' AND table_name = ${literal(word)} ORDER BY column_index`,
          );
        else
          this.#say(
            `there is no table ${JSON.stringify(word)}; tables: ${[...this.#catalog.tables.keys()].join(', ')}`,
          );
        break;
      case '.queries':
        for (const q of workedQueries()) this.#say(`${q.name.padEnd(24)}${q.answers}`);
        break;
      case '.query':
        try {
          const { sql } = queryNamed('.query', word);
          this.#say(`${sql};`);
          await this.#ask(sql);
        } catch (error) {
          this.#say(readable(error));
        }
        break;
      default:
        this.#say(`there is no command ${command}; .help names them`);
    }
    return true;
  }

  /** @returns false where it was told to end */
  async #take(line: string): Promise<boolean> {
    if (this.#buffer === '' && /^\s*[.\\]\w/u.test(line)) return this.#command(line);
    this.#buffer += `${this.#buffer === '' ? '' : '\n'}${line}`;
    const { statements, rest } = splitStatements(this.#buffer);
    this.#buffer = isEmpty(rest) && !/\S/u.test(rest) ? '' : rest.trimStart();
    for (const statement of statements) {
      this.#past.unshift(`${statement.replaceAll(/\s*\n\s*/gu, ' ')};`);
      await this.#ask(statement);
    }
    return true;
  }

  #listenForInterrupt(readline: Interface): void {
    readline.on('SIGINT', () => {
      if (this.#running) return this.#o.connection.interrupt();
      if (this.#buffer === '' && readline.line === '') this.#say('\n(.quit or Ctrl-D ends)');
      else this.#o.output.write('\n');
      this.#buffer = '';
      // Empties the line that was being typed.
      readline.write(null, { ctrl: true, name: 'e' });
      readline.write(null, { ctrl: true, name: 'u' });
      readline.setPrompt(FIRST);
      readline.prompt();
    });
  }

  /** Read until the end. @returns whether every statement was answered */
  async run(): Promise<boolean> {
    const { input, output, terminal, historyFile } = this.#o;
    const queries = workedQueries().map((q) => q.name);
    const readline = createInterface({
      input,
      terminal,
      ...(terminal ? { output } : {}),
      prompt: FIRST,
      historySize: HISTORY_SIZE,
      removeHistoryDuplicates: true,
      history: [...this.#past],
      completer: (line: string) => complete(this.#catalog, this.#buffer, line, queries),
    });
    this.#listenForInterrupt(readline);
    let open = true;
    readline.on('close', () => {
      open = false;
    });
    const prompt = (): void => {
      readline.setPrompt(this.#buffer === '' ? FIRST : FURTHER);
      if (terminal && open) readline.prompt();
    };
    prompt();
    for await (const line of readline) {
      if (!(await this.#take(line))) break;
      prompt();
    }
    readline.close();
    // A file that is fed in may end without a last semicolon.
    if (!isEmpty(this.#buffer)) await this.#ask(this.#buffer);
    if (terminal) output.write('\n');
    if (terminal && historyFile !== null) {
      // A folder that cannot be written into has no history.
      await writeWhole(
        historyFile,
        [...new Set(this.#past)]
          .slice(0, HISTORY_SIZE)
          .reverse()
          .map((l) => `${l}\n`)
          .join(''),
      ).catch(() => undefined);
    }
    return !this.#failed;
  }
}

/** Hold a conversation. @returns whether every statement was answered */
export async function converse(options: PromptOptions): Promise<boolean> {
  return new Prompt(options, await catalogOf(options.connection), await historyOf(options.historyFile)).run();
}
