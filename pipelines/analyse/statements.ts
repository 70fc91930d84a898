/** Splits typed SQL into statements. Pure. */

/** Regions in which a semicolon does not end a statement: strings, quoted names, comments, dollar-quoted text. */
const REGION = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/|\$([A-Za-z_]*)\$[\s\S]*?\$\1\$/y;
/** The beginning of a region that has no end yet. */
const OPEN = /'|"|\/\*|\$[A-Za-z_]*\$/y;

export interface Split {
  /** Complete statements, without their semicolon. */
  readonly statements: readonly string[];
  /** Text after the last semicolon. */
  readonly rest: string;
}

/** Split text at the semicolons that end statements. */
export function splitStatements(text: string): Split {
  const statements: string[] = [];
  let start = 0;
  let at = 0;
  while (at < text.length) {
    REGION.lastIndex = at;
    OPEN.lastIndex = at;
    if (REGION.test(text)) at = REGION.lastIndex;
    else if (OPEN.test(text)) break;
    else if (text[at] === ';') {
      statements.push(text.slice(start, at).trim());
      at += 1;
      start = at;
    } else at += 1;
  }
  return { statements: statements.filter((statement) => !isEmpty(statement)), rest: text.slice(start) };
}

/** Whether SQL has nothing but spaces and comments. */
export const isEmpty = (sql: string): boolean => sql.replaceAll(/--[^\n]*|\/\*[\s\S]*?\*\//gu, '').trim() === '';

/** A statement without its strings and comments, for completion. */
export const withoutText = (sql: string): string => sql.replaceAll(/'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\//gu, ' ');
