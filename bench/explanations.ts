/**
 * Are explanations true? Test pictures that a bundle answers right are explained; what is called present must be present in the table of the
 * class (more of it than usual), what is called absent must not be:
 *   npm run bench -- explanations DATA BUNDLE [pictures]
 * Beside it, in the same run, what was shown before: readings of the bundle's predictor, the five most unusual of those above usual.
 */
import { readBundle } from '../core/bundle/read.js';
import { ClassStatistics } from '../core/head/class-statistics.js';
import { Classifier, type Classification } from '../core/head/classifier.js';
import { HeadTable } from '../core/head/head-table.js';
import { readingRows } from '../core/head/reading-rows.js';
import { takeRows } from '../core/matrix.js';
import { Random } from '../core/random.js';
import { loadDataset } from '../trainer/datasets/load.js';

const [data, folder, most = '1500'] = process.argv.slice(2);
if (!folder) {
  console.error('Usage: npm run bench -- explanations DATA BUNDLE [pictures]');
  process.exit(2);
}
const bundle = await readBundle(folder);
const dataset = await loadDataset(data);
const { attributes, classes } = bundle.manifest;
const statistics = new ClassStatistics(classes.map((one) => one.attributes));
const indexOf = new Map(attributes.map(({ name }, k) => [name, k]));
const tableOf = new Map(classes.map((one) => [one.name, one.attributes]));
const { testSeen, testUnseen } = dataset.splits;
const rows = Random.stream(1, 'pictures')
  .shuffle([...testSeen, ...testUnseen])
  .slice(0, Number(most))
  .filter((row) => tableOf.has(dataset.classNames[dataset.labels[row]]));

/** Whether a class has more of it than usual. */
const has = (name: string, attribute: string): boolean => {
  const k = indexOf.get(attribute)!;
  return statistics.standardised(k, tableOf.get(name)![k]) > 0;
};

class Tally {
  private right = 0;
  private all = 0;
  private empty = 0;
  private pictures = 0;

  add(shown: readonly boolean[]): void {
    this.right += shown.filter(Boolean).length;
    this.all += shown.length;
    this.empty += shown.length === 0 ? 1 : 0;
    this.pictures += 1;
  }

  line(label: string): string {
    const share = ((100 * this.right) / this.all).toFixed(1).padStart(6);
    const each = (this.all / this.pictures).toFixed(1).padStart(5);
    const none = ((100 * this.empty) / this.pictures).toFixed(0).padStart(3);
    return `${label.padEnd(44)} ${share} %   ${each} for each picture, none for ${none} %`;
  }
}

async function correctAnswers(withReplay: boolean): Promise<{ name: string; answer: Classification }[]> {
  const served = withReplay
    ? { ...bundle, replay: readingRows(bundle.replay) }
    : { ...bundle, replay: undefined };
  const classifier = await Classifier.over(served, HeadTable.ofBundle(bundle), { threads: 2 });
  const found: { name: string; answer: Classification }[] = [];
  for (let start = 0; start < rows.length; start += 64) {
    const part = rows.slice(start, start + 64);
    const answers = await classifier.classify(takeRows(dataset.features, part), { topK: 1, explain: true });
    answers.forEach((answer, i) => {
      const name = dataset.classNames[dataset.labels[part[i]]];
      if (answer.predictions[0].class === name) found.push({ name, answer });
    });
  }
  await classifier.release();
  return found;
}

const started = performance.now();
const explained = await correctAnswers(true);
const seconds = (performance.now() - started) / 1000;
console.log(
  `${dataset.name}: ${rows.length} test pictures, ${explained.length} answered right, explained in ${seconds.toFixed(1)} s.`,
);
const [present, absent, inFavour] = [new Tally(), new Tally(), new Tally()];
for (const { name, answer } of explained) {
  const { attributes: read, classes: evidence } = answer.explanation!;
  present.add(read.filter((one) => one.present === true).map(({ attribute }) => has(name, attribute)));
  absent.add(read.filter((one) => one.present === false).map(({ attribute }) => !has(name, attribute)));
  const above = evidence[0].for.filter(
    ({ attribute, read: value }) => statistics.standardised(indexOf.get(attribute)!, value) > 0,
  );
  inFavour.add(above.map(({ attribute }) => has(name, attribute)));
}
console.log(present.line('called present, and the class has it'));
console.log(absent.line('called absent, and the class lacks it'));
console.log(inFavour.line('speaks for it as present, and it has it'));
const before = new Tally();
for (const { name, answer } of await correctAnswers(false)) {
  const unusual = answer.explanation!.attributes.toSorted(
    (a, b) => Math.abs(b.salience) - Math.abs(a.salience),
  );
  before.add(
    unusual
      .filter(({ salience }) => salience > 0)
      .slice(0, 5)
      .map(({ attribute }) => has(name, attribute)),
  );
}
console.log(before.line('before: the most unusual five of the predictor'));
