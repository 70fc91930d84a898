/** The finding on real buildings: the income that the assessor of Cook County publishes, against two underwritings. */
import { comparedSizes, unitsText } from '../../../../models/calibration/comparison_by_size.ts';
import { barChart } from '../../charts.ts';
import { countText } from '../../format.ts';
import { html, type Html } from '../../html.ts';

/** 1.27 as "27% too high". */
const errorText = (ratio: number): string => {
  const percent = Math.round((ratio - 1) * 100);
  return percent === 0 ? 'equal' : `${Math.abs(percent)}% too ${percent > 0 ? 'high' : 'low'}`;
};

/** @throws Error if the comparison has no such buildings; it is a reference table of the models */
export function realFinding(): Html {
  const row = comparedSizes().find(({ population, size }) => population === 'assessor' && size === '5_12');
  if (!row) throw new Error('the comparison with real NOI has no buildings of 5 to 12 units in Cook County');
  const [ours, shortcut] = [Number(row.underwriting_median), Number(row.proxy_median)];
  return html`<section class="panel">
    <p class="eyebrow">On real buildings</p>
    <h2>How close is it?</h2>
    ${barChart({
      caption: html`Computed NOI against the NOI that Cook County’s assessor publishes, for ${countText(row.n)}
      buildings of ${unitsText(row.size)} units: median`,
      head: ['Method', 'Error'],
      bars: [
        { label: 'HUD rent less a flat share', figure: errorText(shortcut), to: shortcut, mark: 1, tone: 'claimed' },
        { label: 'Dealfeed', figure: errorText(ours), to: ours, mark: 1, tone: 'hud' },
      ],
    })}
    <p>
      The mark is the assessor’s figure. Other sizes and ages differ:
      <a href="/scores#real-noi">all sizes and ages, with the errors of the underwriting</a>.
    </p>
  </section>`;
}
