/** The terminal screen of a command: its output in a terminal emulator, as text or as HTML with colors. */
import { spawnSync } from 'node:child_process';
import xterm from '@xterm/headless';

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

interface Command {
  readonly run: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

type Emulator = InstanceType<typeof xterm.Terminal>;
type Line = NonNullable<ReturnType<Emulator['buffer']['active']['getLine']>>;

/** Lines that the emulator remembers above its screen. */
const SCROLLBACK = 1000;
/** Colors by the number of the terminal. */
const COLORS: Readonly<Record<number, string>> = {
  1: '#f2767f',
  2: '#4fc79b',
  3: '#e0a450',
  6: '#57c4d8',
  8: '#8d96a8',
};
const DIM = '#8d96a8';

/** Run a command in a terminal and play what it wrote, redrawn lines included, into an emulator. */
export async function terminalOf({ run, folder, env }: Command, { columns, rows }: TerminalSize): Promise<Emulator> {
  const { stdout, error } = spawnSync('script', ['-qec', `stty cols ${columns} rows ${rows}; ${run}`, '/dev/null'], {
    cwd: folder,
    input: '',
    env: { ...process.env, ...env, TERM: 'xterm-256color' },
    maxBuffer: 64_000_000,
  });
  if (error) throw error;
  return play(stdout, { columns, rows });
}

/** An emulator that has received these bytes. */
export async function play(written: Uint8Array, { columns, rows }: TerminalSize): Promise<Emulator> {
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: SCROLLBACK, allowProposedApi: true });
  await new Promise<void>((resolve) => {
    terminal.write(written, resolve);
  });
  return terminal;
}

function linesOf({ buffer: { active } }: Emulator): readonly Line[] {
  return Array.from({ length: active.length }, (_, n) => active.getLine(n)).filter((line) => line !== undefined);
}

/** Lines above and on the screen, without empty ones at the end. */
export function textOf(terminal: Emulator): string[] {
  const lines = linesOf(terminal).map((line) => line.translateToString(true));
  return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** A line as HTML: a span for each stretch of one color. */
function htmlOfLine(line: Line): string {
  let html = '';
  let color: string | undefined;
  for (let column = 0; column < line.length; column += 1) {
    const cell = line.getCell(column);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const own = cell.isFgPalette() ? COLORS[cell.getFgColor()] : cell.isDim() ? DIM : undefined;
    if (own !== color) html += `${color === undefined ? '' : '</span>'}${own ? `<span style="color:${own}">` : ''}`;
    color = own;
    html += escaped(cell.getChars() || ' ');
  }
  return `${html}${color === undefined ? '' : '</span>'}`.trimEnd();
}

/** The first lines of a terminal as HTML. @param most number of lines */
export const htmlOf = (terminal: Emulator, most = Number.POSITIVE_INFINITY): string =>
  linesOf(terminal)
    .slice(0, Math.min(textOf(terminal).length, most))
    .map(htmlOfLine)
    .join('\n');
