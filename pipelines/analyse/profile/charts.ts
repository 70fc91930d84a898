/** The plots of the profile report, as Vega-Lite specifications. */
import type { TopLevelSpec } from 'vega-lite';
import type { FactName, Row } from './facts.ts';
import { COLORS, WIDTH } from './svg.ts';

const values = (rows: readonly Row[]): { values: Row[] } => ({ values: [...rows] });
const scale = (names: Readonly<Record<string, string>>): { domain: string[]; range: string[] } => ({
  domain: Object.keys(names),
  range: Object.values(names),
});

/** A legend that shows underscores as blanks. */
const BLANKS_FOR_UNDERSCORES = { labelExpr: "replace(datum.label, /_/g, ' ')" };

/** Plots by name. Each takes the rows of its query. */
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
        { mark: { type: 'rule', color: COLORS.ink, strokeWidth: 1 }, encoding: { x: { datum: 0 }, y: null } },
        {
          mark: { type: 'bar', height: 8, color: COLORS.one, opacity: 0.35, cornerRadius: 4 },
          encoding: { x: { field: 'low', type: 'quantitative' }, x2: { field: 'high' } },
        },
        {
          mark: { type: 'circle', size: 70, color: COLORS.one, opacity: 1 },
          encoding: { x: { field: 'middle', type: 'quantitative' } },
        },
        {
          mark: { type: 'text', align: 'left', dx: 8, fill: COLORS.muted },
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
              scale: scale({ Hot: COLORS.good, Warm: COLORS.thin, Pass: COLORS.three }),
            },
          },
        },
        {
          mark: { type: 'rule', color: COLORS.ink, strokeDash: [4, 4] },
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
                yield: COLORS.one,
                coverage: COLORS.two,
                motivation: COLORS.three,
                distress: COLORS.four,
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
      mark: { type: 'bar', color: COLORS.two, width: { band: 0.85 } },
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
          mark: { type: 'rect', cornerRadius: 3, stroke: COLORS.paper, strokeWidth: 2 },
          encoding: {
            color: {
              field: 'state',
              type: 'nominal',
              title: null,
              scale: scale({
                fresh: COLORS.good,
                'earlier rows': COLORS.thin,
                late: COLORS.bad,
                'never read': COLORS.grid,
              }),
            },
          },
        },
        {
          mark: { type: 'text', fill: COLORS.paper, fontWeight: 600 },
          transform: [
            { filter: "datum.state != 'never read'" },
            { calculate: "format(datum.rows, ',') + ' rows, ' + datum.age + ' d'", as: 'label' },
          ],
          encoding: { text: { field: 'label' } },
        },
        {
          mark: { type: 'text', fill: COLORS.muted },
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
        y: { field: 'sales', type: 'quantitative', axis: { title: 'upcoming sales' } },
        color: {
          field: 'kind',
          type: 'nominal',
          title: null,
          legend: BLANKS_FOR_UNDERSCORES,
          scale: scale({
            mortgage_foreclosure: COLORS.one,
            tax_foreclosure: COLORS.two,
            other_judgment: COLORS.three,
            unknown: COLORS.four,
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
          legend: BLANKS_FOR_UNDERSCORES,
          scale: scale({ tax_delinquent: COLORS.two, sheriff_sale_auction: COLORS.one }),
        },
      },
    }) as TopLevelSpec,
};

/** Added, changed and removed rows of each table. */
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
        scale: scale({ added: COLORS.good, changed: COLORS.one, removed: COLORS.bad }),
      },
    },
    layer: [
      { mark: 'bar' },
      {
        mark: { type: 'text', align: 'left', dx: 4 },
        transform: [{ filter: 'datum.n > 0' }],
        encoding: { text: { field: 'n', format: ',' }, color: { value: COLORS.ink } },
      },
    ],
  }) as TopLevelSpec;
