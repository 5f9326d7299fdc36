import { counted, percentInWords } from '../state/figures.js';
import { commitLearning, dismissLearning, learning, type AdaptationPreview } from '../state/learning.js';

const maxShown = 30;

/** What learning from the pictures would change, before anything does. */
export function LearningPreview() {
  const { value } = learning;
  if (value.step !== 'shown' && value.step !== 'committing') return null;
  const { report, names } = value.preview;
  const isBusy = value.step === 'committing';
  const { mass, changedAnswers, seenRows } = report;
  return (
    <div class="learning-preview" role="region" aria-label="What would change">
      <p>
        Of {counted(report.pictures, 'picture')}, {percentInWords(mass.seen)} are of seen classes,{' '}
        {percentInWords(mass.unseen)} of unseen ones, {percentInWords(mass.none)} of none of these.{' '}
        {counted(report.movedClasses, 'class', 'classes')} would move, and{' '}
        {counted(changedAnswers.pictures, 'picture')} would be answered differently. Of the training pictures{' '}
        {percentInWords(seenRows.after)} would be answered right, now {percentInWords(seenRows.before)}.
      </p>
      {report.warnings.map((warning) => (
        <p key={warning} class="learning-warning">
          {warning}
        </p>
      ))}
      <Distribution report={report} />
      <Names title="look like none of the classes" lines={report.none.map((id) => names.get(id) ?? id)} />
      <Names
        title="would be answered differently"
        lines={changedAnswers.examples.map(
          ({ id, before, after }) => `${names.get(id) ?? id}: ${before}, then ${after}`,
        )}
      />
      <div class="learning-actions">
        <button
          type="button"
          class="button button-main"
          disabled={isBusy || report.movedClasses === 0}
          onClick={() => void commitLearning()}
        >
          Learn this
        </button>
        <button type="button" class="button" disabled={isBusy} onClick={() => void dismissLearning()}>
          Forget the pictures
        </button>
        {!report.isRecommended && <span class="fine">The server does not recommend it.</span>}
      </div>
    </div>
  );
}

function Distribution({ report }: Pick<AdaptationPreview, 'report'>) {
  const shown = report.classes.slice(0, maxShown);
  const most = Math.max(1, ...shown.map(({ pictures }) => pictures));
  return (
    <table class="learning-table">
      <caption>
        How the pictures are distributed
        {report.classes.length > maxShown && `, over the first ${maxShown} classes`}
      </caption>
      <thead>
        <tr>
          <th scope="col">Class</th>
          <th scope="col">Pictures</th>
          <th scope="col">By mistake</th>
          <th scope="col">Moves</th>
        </tr>
      </thead>
      <tbody>
        {shown.map(({ name, pictures, byMistake, moved }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>
              <span
                class="learning-bar"
                style={{ inlineSize: `${(100 * pictures) / most}%` }}
                aria-hidden="true"
              />
              {pictures.toFixed(1)}
            </td>
            <td>{byMistake.toFixed(1)}</td>
            <td>{moved > 0 ? moved.toFixed(2) : 'no'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Names({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <details class="learning-list">
      <summary>
        {counted(lines.length, 'picture')} {title}
      </summary>
      <ul>
        {lines.slice(0, 200).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </details>
  );
}
