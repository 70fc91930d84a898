/** The screen of a terminal emulator that received the bytes of a command, redrawn lines included. */
import xterm from '@xterm/headless';

type Emulator = InstanceType<typeof xterm.Terminal>;

/** Lines that the emulator remembers above its screen. */
const SCROLLBACK = 1000;

/** An emulator that has received these bytes. */
export async function play(
  written: Uint8Array,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): Promise<Emulator> {
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: SCROLLBACK, allowProposedApi: true });
  await new Promise<void>((resolve) => {
    terminal.write(written, resolve);
  });
  return terminal;
}

/** Lines above and on the screen, without empty ones at the end. */
export function textOf({ buffer: { active } }: Emulator): string[] {
  const lines = Array.from({ length: active.length }, (_, n) => active.getLine(n)?.translateToString(true) ?? '');
  return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
}
