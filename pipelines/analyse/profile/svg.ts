/** Renders Vega-Lite plots as SVG. Colors are CSS variables of the page, for light and dark themes. */
import { compile, type TopLevelSpec } from 'vega-lite';
import { parse, View, Warn, type Spec } from 'vega';

/** Placeholder colors by meaning. The SVG's CSS variables replace them. */
export const COLORS = {
  ink: '#010101',
  muted: '#020202',
  grid: '#030303',
  good: '#040404',
  thin: '#050505',
  bad: '#060606',
  one: '#070707',
  two: '#080808',
  three: '#090909',
  four: '#0a0a0a',
  paper: '#0b0b0b',
} as const;

/** Width of a plot, in pixels. */
export const WIDTH = 860;

/** Width in pixels beyond which a label is cut. Without a screen Vega overestimates the width of letters. */
const LABEL_LIMIT = 500;

const CONFIG = {
  background: 'transparent',
  font: 'system-ui, sans-serif',
  axis: {
    labelColor: COLORS.muted,
    titleColor: COLORS.muted,
    gridColor: COLORS.grid,
    domainColor: COLORS.grid,
    tickColor: COLORS.grid,
    labelFontSize: 12,
    titleFontSize: 12,
    titleFontWeight: 400,
    labelLimit: LABEL_LIMIT,
  },
  legend: {
    labelLimit: LABEL_LIMIT,
    labelColor: COLORS.ink,
    titleColor: COLORS.muted,
    labelFontSize: 12,
    titleFontSize: 12,
    titleFontWeight: 400,
    orient: 'top',
    symbolType: 'square',
  },
  view: { stroke: null },
  text: { fill: COLORS.ink, fontSize: 11 },
} as const;

/** Replace the placeholder colors by CSS variables. */
function withThemeColors(svg: string): string {
  let text = svg;
  for (const [name, color] of Object.entries(COLORS))
    text = text.replaceAll(new RegExp(`(fill|stroke)="${color}"`, 'gu'), `$1="var(--${name})"`);
  return text;
}

/**
 * A plot as SVG without a fixed size, so that the page scales it.
 * @param label description for screen readers
 */
export async function renderSvg(spec: TopLevelSpec, label: string): Promise<string> {
  const view = new View(parse(compile({ ...spec, config: CONFIG } as TopLevelSpec).spec as Spec), {
    renderer: 'none',
    logLevel: Warn,
  });
  const svg = await view.toSVG();
  view.finalize();
  const [, width = '', height = ''] = /<svg[^>]* width="([\d.]+)" height="([\d.]+)"/u.exec(svg) ?? [];
  const title = label.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
  const attributes = [
    'role="img"',
    `aria-label="${title}"`,
    `viewBox="0 0 ${width} ${height}"`,
    `style="max-width:${width}px"`,
    'xmlns="http://www.w3.org/2000/svg"',
    'xmlns:xlink="http://www.w3.org/1999/xlink"',
  ];
  return withThemeColors(svg.replace(/<svg[^>]*>/u, `<svg ${attributes.join(' ')}>`));
}
