import { percent, percentWithin } from '../../../../core/percent.js';
import type { ValidationFigures } from '../../../baseline/baseline.js';
import type { ReportData } from '../../report-data.js';
import { withThousands } from '../format.js';
import { biasOriginInWords } from '../../../evaluation/bias-origin.js';
import type { Interval } from '../../../evaluation/intervals.js';
import { missingRows } from '../../../evaluation/missing-rows.js';
import { html, type Markup } from '../html.js';
import { table } from '../table.js';

export function summarySection(data: ReportData): Markup {
  const { summary, baseline, kernelRidge, dataset, model, environment } = data;
  const { generalized: g, generalizedWithoutBias: plain, standard, ausuc, upperBound } = summary;
  const { intervals } = summary;
  const others = baseline?.intervals;
  const ridge = kernelRidge?.intervals;
  const lines = [
    [
      'Every class competes: H',
      percentWithin(g.harmonicMean, intervals.harmonicMean),
      other(kernelRidge?.harmonicMean, ridge?.harmonicMean),
      other(baseline?.harmonicMean, others?.harmonicMean),
      `the bias: ${biasOriginInWords(data.biasOrigin)}`,
    ],
    [
      'Every class competes: unseen (A_u)',
      percentWithin(g.unseenAccuracy, intervals.unseenAccuracy),
      other(kernelRidge?.unseenAccuracy, ridge?.unseenAccuracy),
      other(baseline?.unseenAccuracy, others?.unseenAccuracy),
      '',
    ],
    [
      'Every class competes: seen (A_s)',
      percentWithin(g.seenAccuracy, intervals.seenAccuracy),
      other(kernelRidge?.seenAccuracy, ridge?.seenAccuracy),
      other(baseline?.seenAccuracy, others?.seenAccuracy),
      '',
    ],
    [
      'H without the bias',
      percent(plain.harmonicMean),
      other(kernelRidge?.withoutBias?.harmonicMean),
      other(baseline?.withoutBias?.harmonicMean),
      'scores as they are',
    ],
    [
      'H with the best bias of all',
      percent(upperBound.harmonicMean),
      '–',
      '–',
      'chosen on the test rows: an upper bound, not a result',
    ],
    ['AUSUC', percent(ausuc), '–', '–', 'area under the curve of seen against unseen accuracy'],
    [
      'Unseen classes only: top-1',
      percentWithin(standard.top1, intervals.top1),
      other(kernelRidge?.standardAccuracy, ridge?.top1),
      other(baseline?.standardAccuracy, others?.top1),
      '',
    ],
    ['Unseen classes only: top-5', percent(standard.top5), '–', '–', ''],
  ] as const;
  const missing = missingRows(g);
  const tile = (
    value: number | null,
    name: string,
    remark: string,
    interval: Interval | null = null,
  ): Markup | false =>
    value !== null &&
    html`<li>
      <strong>${percent(value)} %</strong> ${name}
      ${interval && html`<span>95 %: ${percent(interval[0])} – ${percent(interval[1])}</span>`}
      <span>${remark}</span>
    </li>`;
  const against = (value: number | null | undefined): string =>
    value === undefined || value === null
      ? 'kernel ridge: not recorded'
      : `kernel ridge: ${percent(value)} %`;
  return html`<header>
      <h1>${dataset.name}: how well the model does</h1>
      <p class="quiet">
        ${withThousands(dataset.seenClasses)} seen and ${withThousands(dataset.unseenClasses)} unseen classes,
        ${withThousands(dataset.attributes)} attributes. ${withThousands(dataset.rows.train)} training rows,
        ${withThousands(dataset.rows.testSeen)} test rows of seen and
        ${withThousands(dataset.rows.testUnseen)} of unseen classes, ${withThousands(dataset.featureWidth)}
        features each. Model
        <code>${model.identity.slice(0, 12)}</code>, seed ${model.seed}. Report made
        ${environment.madeAt.slice(0, 16).replace('T', ' ')} UTC by Unseen ${environment.version}.
      </p>
      ${!dataset.isTrainingData && html`<p class="warning">This dataset is not the one that the model was trained with: its fingerprint differs.</p>`}
    </header>
    <section id="summary">
      <h2>Summary</h2>
      <p>
        Accuracies are means over classes. H is the harmonic mean of seen and unseen accuracy: it is high only
        if both are. Brackets hold 95 % intervals: the range to expect with other test rows of the same
        classes. Kernel ridge and ESZSL are closed forms that take seconds, with a bias chosen in the same
        way. What the model achieves beyond them is what training is worth.
      </p>
      ${missing !== null && html`<p class="warning">There are ${missing}: figures that need them cannot be measured. The bias on unseen classes, ${g.unseenBias.toFixed(3)}, is ${biasOriginInWords(data.biasOrigin)}. ${onValidation(data)}</p>`}
      <ul class="tiles">
        ${tile(g.harmonicMean, 'H', against(kernelRidge?.harmonicMean), intervals.harmonicMean)}
        ${tile(g.unseenAccuracy, 'unseen classes', against(kernelRidge?.unseenAccuracy), intervals.unseenAccuracy)}
        ${tile(g.seenAccuracy, 'seen classes', against(kernelRidge?.seenAccuracy), intervals.seenAccuracy)}
        ${tile(ausuc, 'AUSUC', 'over every bias')}
        ${tile(standard.top1, 'top-1, unseen only', against(kernelRidge?.standardAccuracy), intervals.top1)}
      </ul>
      ${table(
        [
          { title: 'Figure', show: ([name]) => name },
          { title: 'Model (%)', show: ([, value]) => value, isNumber: true },
          { title: 'Kernel ridge (%)', show: ([, , value]) => value, isNumber: true },
          { title: 'ESZSL (%)', show: ([, , , value]) => value, isNumber: true },
          { title: 'Remark', show: ([, , , , remark]) => remark },
        ],
        lines,
        { caption: 'All figures' },
      )}
    </section>`;
}

function other(value: number | null | undefined, interval?: Interval | null): string {
  return value === undefined ? '–' : percentWithin(value, interval);
}

/** What the model and the closed forms reached on validation classes, where it has to stand in for test rows. */
function onValidation({ validation, kernelRidge, baseline }: ReportData): string {
  const trial = validation.at(-1);
  if (!trial) return '';
  const figures = ({ harmonicMean, standardTop1 }: ValidationFigures): string =>
    `H ${percent(harmonicMean)} % and top-1 ${percent(standardTop1)} %`;
  const others = [
    { name: 'Kernel ridge', own: kernelRidge?.validation },
    { name: 'ESZSL', own: baseline?.validation },
  ].flatMap(({ name, own }) => (own ? [` ${name} had ${figures(own)} there.`] : []));
  return `On validation classes, seen ones that played unseen, the model had ${figures(trial)}.${others.join('')}`;
}
