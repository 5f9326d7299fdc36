/** Adaptation of a bundle and its runtime classes to a pool of features, as the bundle's network extracts them. */
import type { Manifest } from '../bundle/manifest.js';
import { Failure } from '../failures.js';
import { picturesOf, seenLabelOf } from '../fitting/rows/pictures-of-class.js';
import type { RowAssembly } from '../fitting/rows/row-assembly.js';
import { knownShareOf, synthesiseRows } from '../fitting/rows/synthetic-class.js';
import type { RuntimeClass } from '../fitting/runtime-class.js';
import { servingBiases, unseenSharesOf } from '../fitting/serving-bias.js';
import { compactRoomLike } from '../half-rows.js';
import { directRows } from '../head/feature-map.js';
import { drawsPerPrototype, seenPrototype } from '../head/synthetic-rows.js';
import { isStored, matrix, releaseRows, type RowSource } from '../matrix.js';
import { meanOfRows } from '../mean.js';
import { adapt } from './adapt.js';
import { adaptationSettingsOf } from './adaptation-settings.js';
import type { CompetingPrototype } from './adaptation-input.js';
import { guardRows } from './guard-rows.js';
import type { Adaptation, AdaptationSettings } from './adaptation.js';

export function requireHeadTemperature({ head }: Pick<Manifest, 'head'>): void {
  if (head.temperature === null)
    throw new Failure(
      'config-invalid',
      'A bundle whose head sees features at the length that they have (temperature null) cannot be adapted. Train one with a temperature.',
    );
}

/**
 * What the pool says of the classes. It starts from what attributes and labelled pictures say: `assigned` of an earlier adaptation is left
 * out of account, so that pictures do not count twice. Nothing is changed: what is found is given to a fit as `assigned` of each class that moves.
 */
export async function adaptClasses(
  assembly: RowAssembly,
  classes: readonly RuntimeClass[],
  features: RowSource, // (N, features)
  given?: AdaptationSettings,
  signal?: AbortSignal,
): Promise<Adaptation> {
  const { bundle } = assembly.context;
  const { manifest } = bundle;
  const settings = given ?? adaptationSettingsOf(manifest);
  requireHeadTemperature(manifest);
  const described = classes.map(({ name, attributes, examples }): RuntimeClass => ({
    name,
    attributes,
    ...(examples && { examples }),
  }));
  const competing = await competingPrototypes(assembly, described, settings);
  const { context } = assembly;
  const mapped = await context.mapper.mapAll(
    features,
    Int32Array.from({ length: features.rows }, (_, i) => i),
    compactRoomLike(features, features.rows, manifest.featureMap.mappedWidth),
  );
  try {
    const pool = isStored(mapped) ? mapped : directRows(mapped, 1);
    const input = {
      pool,
      classes: competing,
      guard: guardRows(bundle, context.donors.means),
      evidence: context.evidence,
      picturesAlone: context.picturesAlone,
      meanLength: context.donors.meanLength,
    };
    return await adapt(context.products, input, settings, { signal });
  } finally {
    releaseRows(mapped);
  }
}

/** Where every class that competes lies, without the head's fit: the bundle's classes that no runtime class replaces, then the runtime classes. */
export async function competingPrototypes(
  assembly: RowAssembly,
  classes: readonly RuntimeClass[],
  { offset }: Pick<AdaptationSettings, 'offset'>,
): Promise<CompetingPrototype[]> {
  const { context } = assembly;
  const { manifest } = context.bundle;
  const { temperature, realPrior } = manifest.head;
  const shares = unseenSharesOf(manifest, classes);
  const offsets = servingBiases(manifest, classes).map((bias, c) => bias / temperature! + shares[c] * offset);
  const replaced = new Set(classes.map(({ name }) => name));
  const competing: CompetingPrototype[] = [];
  const room = matrix(drawsPerPrototype, context.donors.features.columns); // for the draws of one class after the other
  for (const [c, { name, seen, attributes }] of manifest.classes.entries()) {
    if (replaced.has(name)) continue;
    const described = { name, attributes: context.encode(attributes) };
    const { prototype: attributed } = await synthesiseRows(context, described, 1, 'own', room);
    const examples = context.ownExamples(name);
    const { prototype: placed } = examples
      ? await synthesiseRows(context, { ...described, examples }, 1, 'own', room)
      : { prototype: attributed };
    const mean = context.donors.means.get(c);
    const prototype = mean && seen ? seenPrototype(attributed, mean, realPrior) : placed;
    competing.push({
      name,
      seen,
      label: c,
      prototype,
      bias: offsets[c],
      labelled: examples && { mean: meanOfRows(examples), pictures: examples.rows },
      attributed,
      knownShare: 1,
    });
  }
  for (const [c, one] of classes.entries()) {
    const examples = await context.examplesOf(one);
    const described = { name: one.name, attributes: context.encode(one.attributes) };
    const knownShare = knownShareOf(one.attributes);
    const { prototype: attributed } = await synthesiseRows(context, described, 1, 'runtime', room);
    const pictured = { ...described, ...picturesOf(context, one.name, examples), knownShare };
    const { prototype } = await synthesiseRows(context, pictured, 1, 'runtime', room);
    const label = seenLabelOf(context, one.name);
    competing.push({
      name: one.name,
      seen: label >= 0,
      label: label >= 0 ? label : null,
      prototype,
      bias: offsets[manifest.classes.length + c],
      labelled: examples && { mean: meanOfRows(examples), pictures: examples.rows },
      attributed,
      knownShare,
    });
  }
  return competing;
}
