/**
 * Are explanations true? Test pictures that a bundle answers right are explained; what is called present must be present in the table of the
 * class (more of it than usual), what is called absent must not be:
 *   npm run bench -- explanations DATA BUNDLE [pictures]
 * Beside it, in the same run, what was shown before: readings of the bundle's predictor, the five most unusual of those above usual.
 */
import { readBundle } from '../core/bundle/read.js';
import { Classifier, type Classification } from '../core/head/classifier.js';
import { HeadTable } from '../core/head/head-table.js';
import { readingRows } from '../core/head/reading-rows.js';
import { takeRows } from '../core/matrix.js';
import { Random } from '../core/random.js';
import { loadDataset } from '../trainer/datasets/load.js';
import { Claims, Tally } from './explanations/claims.js';

const [data, folder, most = '1500'] = process.argv.slice(2);
if (!folder) {
  console.error('Usage: npm run bench -- explanations DATA BUNDLE [pictures]');
  process.exit(2);
}
const bundle = await readBundle(folder);
const dataset = await loadDataset(data);
const claims = new Claims(bundle.manifest);
const { testSeen, testUnseen } = dataset.splits;
const rows = Random.stream(1, 'pictures')
  .shuffle([...testSeen, ...testUnseen])
  .slice(0, Number(most))
  .filter((row) => claims.knows(dataset.classNames[dataset.labels[row]]));

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
const [present, absent, inFavour, against] = [new Tally(), new Tally(), new Tally(), new Tally()];
for (const { name, answer } of explained) {
  const { attributes: read, classes: evidence } = answer.explanation!;
  present.add(read.filter((one) => one.present === true).map(({ attribute }) => claims.has(name, attribute)));
  absent.add(
    read.filter((one) => one.present === false).map(({ attribute }) => !claims.has(name, attribute)),
  );
  const above = evidence[0].for.filter(({ attribute, read: value }) => claims.isAboveUsual(attribute, value));
  inFavour.add(above.map(({ attribute }) => claims.has(name, attribute)));
  against.add(
    evidence[0].against.map(
      ({ attribute, read: value }) => claims.has(name, attribute) !== claims.isAboveUsual(attribute, value),
    ),
  );
}
console.log(present.line('called present, and the class has it'));
console.log(absent.line('called absent, and the class lacks it'));
console.log(inFavour.line('speaks for it as present, and it has it'));
console.log(against.line('speaks against it, and is read otherwise'));
const before = new Tally();
for (const { name, answer } of await correctAnswers(false)) {
  const unusual = answer.explanation!.attributes.toSorted(
    (a, b) => Math.abs(b.salience) - Math.abs(a.salience),
  );
  before.add(
    unusual
      .filter(({ salience }) => salience > 0)
      .slice(0, 5)
      .map(({ attribute }) => claims.has(name, attribute)),
  );
}
console.log(before.line('before: the most unusual five of the predictor'));
