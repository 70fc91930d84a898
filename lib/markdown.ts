/** Markdown for generated pages and files: table cells, tables, and prose wrapped at 120 columns. */
const WIDTH = 120;
/** A word, an inline code span or a link: never broken over two lines. */
const TOKEN = /(?:`[^`]*`|!?\[[^\]]*\]\([^)\s]*\)|\S)+/gu;
/** A token that would start a list or a heading at the beginning of a line. */
const MARKER = /^(?:[-+*>]|#+|\d+[.)])$/u;
const ITEM = /^(\s*)((?:[-*]|\d+\.)\s+)/u;
/** Lines that stay as they are: headings, tables, comments and pictures. */
const FIXED = /^(?:#|\||<!--|!\[|\[!\[)/u;

/** Text that stays in its table cell. */
export const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---').join('|')}|`,
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
  ].join('\n');

/** A paragraph or list item, with the prefix of its first line and that of the others. */
interface Block {
  readonly first: string;
  readonly rest: string;
  text: string;
}

function fill({ first, rest, text }: Block): string[] {
  const lines: string[] = [];
  let line: string[] = [];
  let prefix = first;
  for (const token of text.match(TOKEN) ?? []) {
    if (line.length > 0 && [...line, token].join(' ').length + prefix.length > WIDTH) {
      // A list marker must not start a line: its predecessor moves down with it.
      const moved = MARKER.test(token) && line.length > 1 ? line.splice(-1) : [];
      lines.push(prefix + line.join(' '));
      line = moved;
      prefix = rest;
    }
    line.push(token);
  }
  return [...lines, prefix + line.join(' ')];
}

/** The block that a line starts: a list item with its hanging indent, or a paragraph. */
function blockFrom(line: string): Block {
  const [first = '', indent = '', marker = ''] = ITEM.exec(line) ?? /^(\s*)/u.exec(line) ?? [];
  return { first, rest: indent + ' '.repeat(marker.length), text: line.slice(first.length) };
}

/** Wrap the paragraphs and list items of a page. Tables, headings, code blocks and pictures stay. */
export function wrap(page: string): string {
  const parts: (string | Block)[] = [];
  let inCode = false;
  for (const line of page.split('\n')) {
    const isFence = /^\s*```/u.test(line);
    const last = parts.at(-1);
    if (inCode || isFence || line.trim() === '' || FIXED.test(line)) parts.push(line);
    else if (typeof last === 'object' && !ITEM.test(line)) last.text += ` ${line.trim()}`;
    else parts.push(blockFrom(line));
    if (isFence) inCode = !inCode;
  }
  return parts.flatMap((part) => (typeof part === 'string' ? part : fill(part))).join('\n');
}
