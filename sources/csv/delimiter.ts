/** The character that separates the cells of a text file. */

const DELIMITERS = [',', '\t', ';', '|'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/** Length of the part of a file to inspect. */
const LOOKED_AT = 50_000;

/**
 * The delimiter that the largest number of lines has equally often, outside of quotes; of two such delimiters, the more
 * frequent one. Commas in addresses and amounts vary from line to line. A comma if the text has none.
 */
export function detectDelimiter(text: string): Delimiter {
  const lines = text
    .slice(0, LOOKED_AT)
    .replace(/"[^"]*"/gu, '')
    .split(/\r?\n|\r/u)
    .filter((line) => line.trim() !== '');
  const scored = DELIMITERS.map((delimiter) => {
    const counts = lines.map((line) => line.split(delimiter).length - 1).filter((count) => count > 0);
    const [most] = [...Map.groupBy(counts, (count) => count)]
      .map(([count, same]) => ({ count, lines: same.length }))
      .sort((a, b) => b.lines - a.lines || b.count - a.count);
    return { delimiter, lines: most?.lines ?? 0, count: most?.count ?? 0 };
  });
  return scored.sort((a, b) => b.lines - a.lines || b.count - a.count)[0]?.delimiter ?? ',';
}
