/** Plots of the profile report: Vega-Lite made into SVG here, its colours names that the page's style sheet fills in, light or dark. */
import { compile, type TopLevelSpec } from 'vega-lite';
import { parse, View, Warn, type Spec } from 'vega';
import type { FactName, Row } from './facts.ts';

/** Colours by meaning. In a plot they stand as colours of their own, and are then replaced by the style sheet's. */
const COLOURS = {
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

/** Width beyond which a label is cut, in pixels. Without a screen Vega takes letters for wider than they are. */
const LABEL_LIMIT = 500;

const CONFIG = {
  background: 'transparent',
  font: 'system-ui, sans-serif',
  axis: {
    labelColor: COLOURS.muted,
    titleColor: COLOURS.muted,
    gridColor: COLOURS.grid,
    domainColor: COLOURS.grid,
    tickColor: COLOURS.grid,
    labelFontSize: 12,
    titleFontSize: 12,
    titleFontWeight: 400,
    labelLimit: LABEL_LIMIT,
  },
  legend: {
    labelLimit: LABEL_LIMIT,
    labelColor: COLOURS.ink,
    titleColor: COLOURS.muted,
    labelFontSize: 12,
    titleFontSize: 12,
    titleFontWeight: 400,
    orient: 'top',
    symbolType: 'square',
  },
  view: { stroke: null },
  text: { fill: COLOURS.ink, fontSize: 11 },
} as const;

const WIDTH = 860;

/** Replace the stand-ins by the names that the style sheet gives a colour. */
function themed(svg: string): string {
  let text = svg;
  for (const [name, colour] of Object.entries(COLOURS))
    text = text.replaceAll(new RegExp(`(fill|stroke)="${colour}"`, 'gu'), `$1="var(--${name})"`);
  return text;
}

/**
 * A plot as SVG without size of its own, so that the page scales it.
 * @param label what it shows, for who cannot see it
 */
export async function svgOf(spec: TopLevelSpec, label: string): Promise<string> {
  const view = new View(parse(compile({ ...spec, config: CONFIG } as TopLevelSpec).spec as Spec), {
    renderer: 'none',
    logLevel: Warn,
  });
  const svg = await view.toSVG();
  view.finalize();
  const [, width = '', height = ''] = /<svg[^>]* width="([\d.]+)" height="([\d.]+)"/u.exec(svg) ?? [];
  const title = label.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
  return themed(
    svg.replace(
      /<svg[^>]*>/u,
      `<svg role="img" aria-label="${title}" viewBox="0 0 ${width} ${height}" style="max-width:${width}px" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">`,
    ),
  );
}

const values = (rows: readonly Row[]): { values: Row[] } => ({ values: [...rows] });
const scale = (names: Readonly<Record<string, string>>): { domain: string[]; range: string[] } => ({
  domain: Object.keys(names),
  range: Object.values(names),
});

/** A legend of words that are joined by underscores in the data. */
const WORDS = { labelExpr: "replace(datum.label, /_/g, ' ')" };

/** Plots by the figures they are made of; each takes the rows of its query. */
export const PLOTS: Readonly<Record<FactName, (rows: readonly Row[]) => TopLevelSpec>> = {
  gap_by_metro: (rows) =>
    ({
      data: values(rows),
      width: WIDTH - 300,
      height: { step: 22 },
      encoding: {
        y: { field: 'metro', type: 'nominal', sort: null, axis: { title: null, grid: false } },
        x: {
          type: 'quantitative',
          axis: { tickMinStep: 0.5, title: 'claimed less HUD-underwritten cap rate, points' },
        },
      },
      layer: [
        { mark: { type: 'rule', color: COLOURS.ink, strokeWidth: 1 }, encoding: { x: { datum: 0 }, y: null } },
        {
          mark: { type: 'bar', height: 8, color: COLOURS.one, opacity: 0.35, cornerRadius: 4 },
          encoding: { x: { field: 'low', type: 'quantitative' }, x2: { field: 'high' } },
        },
        {
          mark: { type: 'circle', size: 70, color: COLOURS.one, opacity: 1 },
          encoding: { x: { field: 'middle', type: 'quantitative' } },
        },
        {
          mark: { type: 'text', align: 'left', dx: 8, fill: COLOURS.muted },
          encoding: { x: { field: 'high', type: 'quantitative' }, text: { field: 'deals' } },
        },
      ],
    }) as TopLevelSpec,
  dscr_against_price: (rows) =>
    ({
      data: values(rows),
      width: WIDTH - 60,
      height: 320,
      layer: [
        {
          mark: { type: 'circle', size: 26, opacity: 0.7, clip: true },
          encoding: {
            x: {
              field: 'price',
              type: 'quantitative',
              scale: { type: 'log', nice: false, padding: 14 },
              axis: {
                title: 'asking price, dollars (logarithmic)',
                format: '$~s',
                values: [50_000, 100_000, 200_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 20_000_000],
              },
            },
            y: { field: 'dscr', type: 'quantitative', axis: { title: 'debt coverage, underwritten' } },
            color: {
              field: 'rental',
              type: 'nominal',
              title: 'rental path',
              scale: scale({ Hot: COLOURS.good, Warm: COLOURS.thin, Pass: COLOURS.three }),
            },
          },
        },
        {
          mark: { type: 'rule', color: COLOURS.ink, strokeDash: [4, 4] },
          data: { values: [{}] },
          encoding: { y: { datum: 1.25 } },
        },
      ],
    }) as TopLevelSpec,
  score_parts: (rows) =>
    ({
      data: values(rows),
      width: WIDTH - 60,
      height: 260,
      transform: [
        { fold: ['yield', 'coverage', 'motivation', 'distress'], as: ['part', 'points'] },
        { calculate: "indexof(['yield', 'coverage', 'motivation', 'distress'], datum.part)", as: 'place' },
      ],
      layer: [
        {
          mark: { type: 'bar', width: { band: 0.8 } },
          encoding: {
            x: { field: 'band', type: 'ordinal', axis: { title: 'deal score, from', labelAngle: 0 } },
            y: { field: 'points', type: 'quantitative', axis: { title: 'points of each part, on average' } },
            order: { field: 'place' },
            color: {
              field: 'part',
              type: 'nominal',
              title: 'part',
              scale: scale({
                yield: COLOURS.one,
                coverage: COLOURS.two,
                motivation: COLOURS.three,
                distress: COLOURS.four,
              }),
            },
          },
        },
        {
          mark: { type: 'text', dy: -6 },
          transform: [
            { filter: "datum.part == 'yield'" },
            { calculate: 'datum.yield + datum.coverage + datum.motivation + datum.distress', as: 'top' },
          ],
          encoding: {
            x: { field: 'band', type: 'ordinal' },
            y: { field: 'top', type: 'quantitative' },
            text: { field: 'deals', format: ',' },
          },
        },
      ],
    }) as TopLevelSpec,
  confidence: (rows) =>
    ({
      data: values(rows),
      width: WIDTH - 60,
      height: 180,
      mark: { type: 'bar', color: COLOURS.two, width: { band: 0.85 } },
      encoding: {
        x: { field: 'band', type: 'ordinal', axis: { title: 'confidence, from', format: '.2f', labelAngle: 0 } },
        y: { field: 'deals', type: 'quantitative', axis: { title: 'deals' } },
      },
    }) as TopLevelSpec,
  coverage_by_county: (rows) =>
    ({
      data: values(rows),
      width: { step: 130 },
      height: { step: 24 },
      encoding: {
        x: {
          field: 'family',
          type: 'nominal',
          axis: { title: null, orient: 'top', labelAngle: 0, grid: false, domain: false, ticks: false },
        },
        y: { field: 'county', type: 'nominal', axis: { title: null, grid: false, domain: false, ticks: false } },
      },
      layer: [
        {
          mark: { type: 'rect', cornerRadius: 3, stroke: COLOURS.paper, strokeWidth: 2 },
          encoding: {
            color: {
              field: 'state',
              type: 'nominal',
              title: null,
              scale: scale({ fresh: COLOURS.good, kept: COLOURS.thin, late: COLOURS.bad, 'never read': COLOURS.grid }),
            },
          },
        },
        {
          mark: { type: 'text', fill: COLOURS.paper, fontWeight: 600 },
          transform: [
            { filter: "datum.state != 'never read'" },
            { calculate: "format(datum.rows, ',') + ' rows, ' + datum.age + ' d'", as: 'said' },
          ],
          encoding: { text: { field: 'said' } },
        },
        {
          mark: { type: 'text', fill: COLOURS.muted },
          transform: [{ filter: "datum.state == 'never read'" }],
          encoding: { text: { value: 'no list yet' } },
        },
      ],
    }) as TopLevelSpec,
  auctions_by_week: (rows) =>
    ({
      data: values(rows),
      width: WIDTH - 60,
      height: 200,
      mark: { type: 'bar', width: { band: 0.8 } },
      encoding: {
        x: { field: 'week', type: 'ordinal', axis: { title: 'week from', labelAngle: -40 } },
        y: { field: 'sales', type: 'quantitative', axis: { title: 'sales to come' } },
        color: {
          field: 'kind',
          type: 'nominal',
          title: null,
          legend: WORDS,
          scale: scale({
            mortgage_foreclosure: COLOURS.one,
            tax_foreclosure: COLOURS.two,
            other_judgment: COLOURS.three,
            unknown: COLOURS.four,
          }),
        },
      },
    }) as TopLevelSpec,
  lead_scores: (rows) =>
    ({
      data: values(rows),
      width: WIDTH - 60,
      height: 220,
      mark: { type: 'bar', width: { band: 0.85 } },
      encoding: {
        x: { field: 'band', type: 'ordinal', axis: { title: 'lead score, from', labelAngle: 0 } },
        y: { field: 'leads', type: 'quantitative', axis: { title: 'leads' } },
        color: {
          field: 'kind',
          type: 'nominal',
          title: null,
          legend: WORDS,
          scale: scale({ tax_delinquent: COLOURS.two, sheriff_sale_auction: COLOURS.one }),
        },
      },
    }) as TopLevelSpec,
};

/** Rows of each table that came, went and changed. */
export const changesPlot = (rows: readonly Row[]): TopLevelSpec =>
  ({
    data: values(rows),
    width: WIDTH - 200,
    height: { step: 16 },
    transform: [{ fold: ['added', 'changed', 'removed'], as: ['kind', 'n'] }],
    encoding: {
      y: { field: 'table', type: 'nominal', sort: null, axis: { title: null, grid: false } },
      yOffset: { field: 'kind', sort: ['added', 'changed', 'removed'] },
      x: {
        field: 'n',
        type: 'quantitative',
        scale: { type: 'symlog' },
        axis: {
          title: 'rows (small numbers spread out)',
          values: [0, 1, 10, 100, 1000, 10_000, 100_000],
          labelExpr: "format(datum.value, ',d')",
        },
      },
      color: {
        field: 'kind',
        type: 'nominal',
        title: null,
        scale: scale({ added: COLOURS.good, changed: COLOURS.one, removed: COLOURS.bad }),
      },
    },
    layer: [
      { mark: 'bar' },
      {
        mark: { type: 'text', align: 'left', dx: 4 },
        transform: [{ filter: 'datum.n > 0' }],
        encoding: { text: { field: 'n', format: ',' }, color: { value: COLOURS.ink } },
      },
    ],
  }) as TopLevelSpec;
