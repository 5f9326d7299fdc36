/** POST /classes?dryRun=true: whether there could be such a class, how well it would be recognised, and what its pictures would be taken for. */
import { Failure } from '../../core/failures.js';
import { isIgnored } from '../../core/head/attribute-encoder.js';
import type { Manifest } from '../../core/bundle/manifest.js';
import { roundedWithin } from '../../core/rounded-within.js';
import { likeName } from '../../core/similar-names.js';
import type { ClassPreview, NewExample } from '../classes/contract.js';
import { etagOf } from '../classes/store/content.js';
import type { ClassContent } from '../classes/store/contract.js';
import type { ServedModel } from '../model/contract.js';
import type { Candidate } from './class-candidates.js';

/** Each takes a fit of its own. */
const maxPreviews = 50;

interface NamedExamples {
  readonly examples: readonly NewExample[];
  /** As the files were called, in the same order. */
  readonly names: readonly string[];
}

export async function previewClasses(
  candidates: readonly Candidate[],
  { examples, names }: NamedExamples,
  { classes, manifest }: Pick<ServedModel, 'classes' | 'manifest'>,
  signal: AbortSignal,
) {
  if (candidates.length > maxPreviews)
    throw new Failure('attributes-invalid', `A dry run takes at most ${maxPreviews} classes at a time.`, {
      fields: [{ pointer: '/classes', detail: `at most ${maxPreviews}` }],
    });
  const known = classes.list().map(({ name }) => name);
  const filled = await classes.filledIn(candidates.map(({ content }) => ({ content, examples })));
  const previews = [];
  for (const [at, { content, warnings }] of candidates.entries()) {
    const similar = likeName(content.name, known);
    const { warnings: own = [], ...preview } = await previewOf(
      content,
      { examples, names },
      { classes, manifest },
      signal,
    );
    const present = classes.get(content.name);
    const all = [
      ...(present && present.etag !== etagOf(content) ? [takenWarning] : []),
      ...warnings,
      ...(similar === null ? [] : [`the name is nearly that of "${similar}"`]),
      ...own,
    ];
    previews.push({
      ...{ name: content.name, ...preview, ...filled[at] },
      ...(all.length > 0 && { warnings: all }),
    });
  }
  return { previews, registryRevision: classes.revision };
}

/** Of a class that may be there already, with these pictures of it. */
export async function previewOf(
  content: ClassContent,
  { examples, names }: NamedExamples,
  { classes, manifest }: Pick<ServedModel, 'classes' | 'manifest'>,
  signal: AbortSignal,
) {
  const dryRun = await classes.preview(content, signal, examples);
  const problems = problemsOf(content, dryRun, manifest);
  const { recognised, expected, confusedWith, nearest, pictures, twin } = dryRun;
  const nameOf = new Map(examples.map(({ id }, i) => [id, names[i]]));
  const warnings = [
    ...(twin !== null && examples.length === 0 ? [twinWarning(twin)] : []),
    ...(pictures.size > 0 && pictures.size < nameOf.size ? [someJudged(pictures.size, nameOf.size)] : []),
  ];
  return {
    ...(warnings.length > 0 && { warnings }),
    plausible: problems.length === 0,
    problems,
    // Nothing is known of what becomes of classes that cannot be: those held out in training were all real.
    expected: problems.length === 0 ? expected : null,
    recognised,
    confusedWith,
    nearest,
    ...(examples.length > 0 && {
      pictures: [...pictures].flatMap(([id, one]) => (one ? [{ name: nameOf.get(id) ?? '', ...one }] : [])),
    }),
  };
}

function problemsOf(
  { attributes }: ClassContent,
  { strangeness, misfits, nearest }: ClassPreview,
  manifest: Manifest,
): string[] {
  const problems: string[] = [];
  for (const [k, { name: attribute, minimum, maximum }] of manifest.attributes.entries()) {
    if (isIgnored(manifest.attributeEncoding, k)) continue; // a warning says so; the class is no worse for it
    const value = (attributes as Readonly<Record<string, number | undefined>>)[attribute];
    const reach = maximum - minimum;
    const shown = (one: number): number => roundedWithin(one, minimum, maximum);
    if (value !== undefined && (value < minimum - reach || value > maximum + reach))
      problems.push(
        `${attribute} is ${shown(value)}, far outside of what training saw (${shown(minimum)} to ${shown(maximum)})`,
      );
  }
  if (strangeness !== null && strangeness > 1) {
    const changes = misfits.map(
      ({ attribute, given, likely }) => `${attribute} ${likely} instead of ${given}`,
    );
    const near = nearest.length > 0 ? ` The nearest class is ${nearest[0].name}.` : '';
    const likelier = changes.length > 0 ? ` Likelier beside the others would be: ${changes.join(', ')}.` : '';
    problems.push(
      `this combination of attributes is unlike that of any class in training.${likelier}${near}`,
    );
  }
  return problems;
}

/** Those of the model are refused. */
const takenWarning =
  'it would replace the class of this name, which has other attributes; POST /classes refuses it, PUT /classes/NAME replaces it';

function someJudged(judged: number, given: number): string {
  return `only the first ${judged} of ${given} pictures were tried one by one, because each takes a fit of its own`;
}

function twinWarning(twin: string): string {
  return (
    `its attributes are nearly those of "${twin}", more alike than any two classes of training: pictures will hardly tell the two apart. ` +
    'Give attributes in which they differ, or pictures of it.'
  );
}
