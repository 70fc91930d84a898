/** The comparison of the underwriting with the NOI of real buildings, for a buyer. */
import {
  AIM_WORDS,
  aimsBySize,
  comparedSizes,
  errorRanges,
  unitsText,
  WHOSE_NOI,
} from '../../../../models/calibration/comparison_by_size.ts';
import { html, type Html } from '../../html.ts';
import { cardTable } from '../../layout.ts';
import { countText } from '../../format.ts';

const quartiles = (q1: string, median: string, q3: string): Html =>
  html`<strong>${median}</strong><span class="sub">${q1} to ${q3}</span>`;

const COLUMNS = [
  { label: 'Units' },
  { label: 'Source of NOI' },
  { label: 'Buildings', num: true },
  { label: 'Our NOI over theirs', num: true },
  { label: 'Simple proxy over theirs', num: true },
  { label: 'Aim' },
];

/** The table by size and data set, and how to read it. It is the same for every snapshot. */
export function realNoi(): Html {
  const { small, large, recent } = errorRanges();
  return html`<h2 id="real-noi">How close is it to real buildings?</h2>
    <p>
      We underwrote buildings whose income is known and divided our NOI by theirs. The large figure is the median: 1.10
      means that our NOI is at least 10% too high for half of the buildings. Half of all buildings lie in the range
      below it. The aim is a median near 1 and less spread than the simple proxy, which uses HUD’s 2-bedroom rent for
      every unit. ${aimsBySize()}
    </p>
    ${cardTable(
      'Our NOI over the NOI of real buildings: median, and the range of the middle half',
      COLUMNS,
      comparedSizes().map((row) => [
        unitsText(row.size),
        WHOSE_NOI[row.population],
        countText(row.n),
        quartiles(row.underwriting_q1, row.underwriting_median, row.underwriting_q3),
        quartiles(row.proxy_q1, row.proxy_median, row.proxy_q3),
        AIM_WORDS[row.aim],
      ]),
    )}
    <p>
      <strong>Errors:</strong> too high for 2 to 12 units (medians of ${small} by owners and assessor), too low for 50
      units and more (${large}) and for buildings since 2000 (${recent}). The underwriting knows place, size, year and
      bedrooms. It cannot know the rent roll, the quality and condition of the units, staff, or a bad year: ask the
      seller for twelve months of rents and bills. <code>models/reference/noi_comparisons.csv</code> has every group by
      size and age.
    </p>`;
}
