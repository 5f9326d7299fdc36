/** Missing classes among pictures, by their features: groups of pictures that are of no class of the table, each with a draft of what it is. */
import type { Bundle } from '../bundle/bundle.js';
import type { SessionOptions } from '../compute/session.js';
import { requireFeatureWidth } from '../bundle/require-feature-width.js';
import { Failure } from '../failures.js';
import { AttributeReader } from '../head/attribute-reading.js';
import { Classifier, type Classification } from '../head/classifier.js';
import { FeatureMapper } from '../head/feature-map.js';
import type { HeadTable } from '../head/head-table.js';
import { NoveltyObserver, unpackGeometry } from '../head/novelty/geometry.js';
import { piecesOf, rowOf, takeRows, type Matrix } from '../matrix.js';
import { roundedWithin } from '../rounded-within.js';
import { stopIfAsked } from '../stop.js';
import { placeVariance } from './belief.js';
import type { DiscoveredGroup, Discovery, DraftAttribute } from './discovery.js';
import {
  findGroups,
  usualDiscovery,
  type DiscoverySettings,
  type FoundGroup,
  type PictureRows,
} from './find-groups.js';
import type { Belief, LikelyClasses } from './mixture.js';

/** Of each picture, so many classes are considered; with all of them the groups are the same (docs/experiments.md). */
const classesPerPicture = 20;
const namedNearest = 3;
/** Of the range of an attribute, in a draft; what is read is far less sure. */
const draftDigits = 4;
/** Fewer are no class that anybody could judge. */
const enoughPictures = 5;
/** Groups that are looser were mixed, on folds of seen classes (docs/experiments.md). */
const maxLooseness = 1.1;
export const minToSearch = 3;

interface DiscoverOptions extends SessionOptions {
  readonly settings?: DiscoverySettings;
  /** Aborted by who no longer wants the result. */
  readonly signal?: AbortSignal;
}

/** `features` as the backbone extracts them: (n, features). */
export async function discoverClasses(
  bundle: Bundle,
  table: HeadTable,
  features: Matrix,
  { settings = usualDiscovery, signal, ...options }: DiscoverOptions = {},
): Promise<Discovery> {
  requireUsable(bundle, features);
  const answers = await answersOf(bundle, table, features, options, signal);
  const mapper = await FeatureMapper.open(bundle.featureMap, bundle.manifest.featureMap.mappedWidth, options);
  try {
    const mapped = await mapper.map(features); // (n, D)
    const found = await findGroups(
      await pictureRows(bundle, table, mapped, answers, options),
      settings,
      signal,
    );
    const reader = found.length > 0 ? new AttributeReader(bundle) : null;
    return {
      pictures: features.rows,
      ungrouped: ungroupedOf(answers, found),
      groups: found.map((group) => draftOf(group, answers, attributesOf(bundle, reader!, mapped, group))),
    };
  } finally {
    await mapper.release();
  }
}

function requireUsable({ manifest, novelty }: Bundle, features: Matrix): void {
  if (!manifest.confidence?.novelty || !novelty)
    throw new Failure(
      'config-invalid',
      'The bundle was not measured for pictures of none of its classes, which finding missing ones needs. Train it again with this version, and with seen classes to validate on.',
    );
  requireFeatureWidth(manifest, features);
  if (features.rows < minToSearch)
    throw new Failure(
      'too-few-pictures',
      `${features.rows === 1 ? 'One picture makes' : `${features.rows} pictures make`} no group. Give ${minToSearch} or more: with twenty of a missing class it is found more surely.`,
    );
}

async function answersOf(
  bundle: Bundle,
  table: HeadTable,
  features: Matrix,
  options: SessionOptions,
  signal: AbortSignal | undefined,
): Promise<Classification[]> {
  const classifier = await Classifier.over(bundle, table, options);
  try {
    const answers: Classification[] = [];
    for (const piece of piecesOf(features, 512)) {
      if (signal) stopIfAsked(signal);
      answers.push(...(await classifier.classify(piece, { topK: classesPerPicture })));
    }
    return answers;
  } finally {
    await classifier.release();
  }
}

async function pictureRows(
  { manifest, novelty }: Bundle,
  table: HeadTable,
  mapped: Matrix,
  answers: readonly Classification[],
  options: SessionOptions,
): Promise<PictureRows> {
  const description = manifest.confidence!.novelty!;
  const observer = await NoveltyObserver.open(unpackGeometry(novelty!), options);
  try {
    const { projected } = await observer.observe(mapped); // (n, k)
    const known: Belief[] = [];
    const places = new Map<string, number>(); // of the classes that any picture may be of
    for (const { predictions } of answers)
      for (const { class: name } of predictions) {
        if (places.has(name)) continue;
        places.set(name, known.length);
        const place = table.placeOf(name)!;
        known.push({
          mean: observer.placeOf(rowOf(table.head.weights, place), description),
          variance: placeVariance(table.unseenShares[place], description),
        });
      }
    const spread = {
      within: Float64Array.from(description.within),
      between: Float64Array.from(description.between),
    };
    const novelty = Float32Array.from(answers, (answer) => answer.novelty ?? 0);
    return { projected, likely: likelyClasses(answers, places), known, spread, novelty };
  } finally {
    await observer.release();
  }
}

function likelyClasses(
  answers: readonly Classification[],
  places: ReadonlyMap<string, number>,
): LikelyClasses {
  const perRow = Math.max(1, ...answers.map(({ predictions }) => predictions.length));
  const classes = new Int32Array(answers.length * perRow).fill(-1);
  const probabilities = new Float32Array(answers.length * perRow);
  answers.forEach(({ predictions }, i) => {
    const total = predictions.reduce((sum, { probability }) => sum + probability, 0);
    predictions.forEach(({ class: name, probability }, t) => {
      classes[i * perRow + t] = places.get(name)!;
      probabilities[i * perRow + t] = probability / total;
    });
  });
  return { perRow, classes, probabilities };
}

function attributesOf(
  { manifest }: Bundle,
  reader: AttributeReader,
  mapped: Matrix,
  { members }: FoundGroup,
): DraftAttribute[] {
  const nothing = manifest.attributes.map(() => NaN);
  const { values, errors } = reader.estimate(nothing, takeRows(mapped, members));
  return manifest.attributes.map(({ name, minimum, maximum }, k) => ({
    name,
    value: roundedWithin(values[k], minimum, maximum, draftDigits),
    certainty: 1 - errors[k],
  }));
}

function ungroupedOf(answers: readonly Classification[], groups: readonly FoundGroup[]): number[] {
  const grouped = new Set(groups.flatMap(({ members }) => members));
  const noveltyAt = (i: number): number => answers[i].novelty ?? 0;
  return Array.from(answers.keys())
    .filter((i) => answers[i].verdict === 'unknown' && !grouped.has(i))
    .sort((a, b) => noveltyAt(b) - noveltyAt(a) || a - b);
}

function draftOf(
  group: FoundGroup,
  answers: readonly Classification[],
  attributes: readonly DraftAttribute[],
): DiscoveredGroup {
  const { members, looseness } = group;
  const sums = new Map<string, number>();
  let novelty = 0;
  for (const i of members) {
    novelty += (answers[i].novelty ?? 0) / members.length;
    for (const { class: name, probability } of answers[i].predictions)
      sums.set(name, (sums.get(name) ?? 0) + probability / members.length);
  }
  const nearest = [...sums]
    .sort(([a, p], [b, q]) => q - p || (a < b ? -1 : 1))
    .slice(0, namedNearest)
    .map(([name, probability]) => ({ name, probability }));
  return { ...group, novelty, attributes, nearest, doubts: doubtsOf(members.length, looseness, nearest) };
}

function doubtsOf(pictures: number, looseness: number, [first]: DiscoveredGroup['nearest']): string[] {
  return [
    ...(pictures < enoughPictures
      ? [`${pictures} pictures are few: look at them closely, or give more of the kind.`]
      : []),
    ...(looseness > maxLooseness
      ? [
          `The pictures differ more than those of one class usually do (${looseness.toFixed(2)} times): there may be several classes among them.`,
        ]
      : []),
    ...(first.probability > 0.5
      ? [
          `Most of the pictures are taken for ${first.name}. It may be that class, lying elsewhere than its attributes say: then add them to it as examples.`,
        ]
      : []),
  ];
}
