/** POST /admin/import: classes from a backup, all of them or none, and what would not fit before anything is stored. */
import { Router } from 'express';
import { Failure } from '../../core/failures.js';
import { didYouMean } from '../../core/similar-names.js';
import { checkAttributes } from '../classes/attribute-vector.js';
import type { Classes, NewExample, RegistryChange } from '../classes/contract.js';
import { namesOf } from '../classes/no-such-class.js';
import { etagOf, groupEtagOf } from '../classes/store/content.js';
import { backupSchema, importQuerySchema, type ClassBackup } from '../contract/class-schemas.js';
import { onlyMethods } from '../http/errors.js';
import { readJson, validateBody } from '../http/json.js';
import { named } from '../http/request-context.js';
import { validate } from '../http/validate.js';
import type { ServedModel } from '../model/contract.js';
import { refuseTooMany } from './class-candidates.js';
import type { RouteDependencies } from './dependencies.js';
import { answerOnce, type StoredAnswer } from './idempotency.js';

interface ImportPlan {
  readonly created: string[];
  readonly replaced: string[];
  readonly unchanged: string[];
  /** How many are new, and how many another network made. */
  examples: number;
  unusableExamples: number;
  readonly problems: { readonly name: string; readonly pointer: string; readonly detail: string }[];
  readonly warnings: string[];
  readonly groups: Record<'created' | 'replaced' | 'unchanged', string[]>;
  readonly changes: RegistryChange[];
}

/** An answer that lists more would be larger than the backup. */
const maxSuggestions = 10;
const maxProblems = 1000;

export function importRoute(dependencies: RouteDependencies): Router {
  const { serving, settings, admin } = dependencies;
  const router = Router();
  router
    .route('/admin/import')
    .all(named('import'))
    .post(admin, (request, response) =>
      serving.use(async (model) => {
        const { dryRun, replace } = validate(importQuerySchema, request.query, 'query');
        const { value, bytes } = await readJson(request, response, dependencies);
        refuseTooMany(value, model.manifest.attributes);
        const backup = validateBody(backupSchema, value);
        const { changes, ...report } = planImport(backup, model, replace, settings.attributesOutOfRange);
        const answer = (registryRevision: number): StoredAnswer => ({
          status: 200,
          headers: { 'Registry-Revision': String(registryRevision) },
          body: { dryRun, ...report, registryRevision },
        });
        if (dryRun) {
          response.json(answer(model.classes.revision).body);
          return;
        }
        refuseProblems(report.problems);
        await answerOnce(request, response, bytes, model.classes, changes, ({ revision }) =>
          answer(revision),
        );
      }),
    )
    .all(onlyMethods('POST'));
  return router;
}

function planImport(
  { classes: given, groups = [] }: ClassBackup,
  { classes, manifest }: ServedModel,
  replace: boolean,
  outOfRange: 'warn' | 'refuse',
): ImportPlan {
  const plan: ImportPlan = {
    created: [],
    replaced: [],
    unchanged: [],
    examples: 0,
    unusableExamples: 0,
    problems: [],
    warnings: [],
    groups: { created: [], replaced: [], unchanged: [] },
    changes: [],
  };
  const names = new Set<string>();
  given.forEach(({ name, attributes: values, own = false, examples: stored = [] }, index) => {
    const complain = (pointer: string, detail: string): void => {
      if (plan.problems.length < maxProblems)
        plan.problems.push({ name, pointer: `/classes/${index}${pointer}`, detail });
    };
    if (names.has(name)) complain('/name', 'this name is given twice');
    names.add(name);
    const read = readExamples(stored, classes.exampleBackbone, manifest.featureMap.width);
    for (const { pointer, detail } of read.problems) complain(pointer, detail);
    const known = classes.get(name);
    const there = new Set(classes.examplesOf(known?.name ?? name).map(({ id }) => id));
    const examples = read.usable.filter(({ id }) => !there.has(id));
    plan.examples += examples.length;
    plan.unusableExamples += read.foreign;
    if (read.foreign > 0) plan.warnings.push(`${name}: ${foreignWarning(read.foreign)}`);
    if (own) {
      if (known?.runtime !== false) complain('/name', 'the model has no class of this name itself');
      else plan.unchanged.push(name);
      if (examples.length > 0) plan.changes.push({ kind: 'add-examples', name, examples });
      return;
    }
    const path = ['classes', index, 'attributes'];
    const { attributes, problems, warnings } = checkAttributes(values, manifest, outOfRange, path);
    for (const { pointer, detail } of problems) complain(pointer.slice(`/classes/${index}`.length), detail);
    plan.warnings.push(...warnings.map((warning) => `${name}: ${warning}`));
    const content = { name, attributes };
    const outcome = outcomeOf(content, classes, replace);
    if (typeof outcome === 'object') complain('/name', outcome.problem);
    else plan[outcome].push(name);
    if (Object.keys(attributes).length + read.usable.length + there.size === 0)
      complain(
        '/attributes',
        'nothing is known of it: it needs an attribute, or an example that can be used',
      );
    if (outcome === 'created') plan.changes.push({ kind: 'create', content, examples });
    else if (examples.length > 0) plan.changes.push({ kind: 'add-examples', name, examples });
    if (outcome === 'replaced') plan.changes.push({ kind: 'put', content, ifMatch: '*' });
  });
  planGroups(groups, names, classes, replace, plan);
  return plan;
}

/** After the classes, which they may name. */
function planGroups(
  groups: NonNullable<ClassBackup['groups']>,
  imported: ReadonlySet<string>,
  classes: Classes,
  replace: boolean,
  plan: ImportPlan,
): void {
  const names = new Set<string>();
  groups.forEach((given, index) => {
    const { name } = given;
    const complain = (pointer: string, detail: string): void => {
      if (plan.problems.length < maxProblems)
        plan.problems.push({ name, pointer: `/groups/${index}${pointer}`, detail });
    };
    if (names.has(name)) complain('/name', 'this name is given twice');
    names.add(name);
    given.classes.forEach((member, i) => {
      if (!imported.has(member) && !classes.get(member)) {
        const isFew = plan.problems.length < maxSuggestions; // each looks through all names
        const meant = isFew ? didYouMean(member, [...imported, ...namesOf(classes)]) : '';
        complain(`/classes/${i}`, `there is no class "${member}".${meant}`);
      }
    });
    const known = classes.group(name);
    const members = given.classes.map((member) => classes.get(member)?.name ?? member);
    const content = { name, family: given.family, classes: members };
    const isSame = known?.etag === groupEtagOf(content);
    if (known && !isSame && !replace)
      complain('/name', 'a group of this name exists with other classes; replace=true replaces it');
    plan.groups[isSame ? 'unchanged' : known ? 'replaced' : 'created'].push(name);
    if (!isSame) plan.changes.push({ kind: 'put-group', content, ifMatch: known ? '*' : undefined });
  });
}

/** Those of the network that serves; how many are of another one; and what is wrong with them. */
function readExamples(
  stored: NonNullable<ClassBackup['classes'][number]['examples']>,
  backbone: string,
  width: number,
) {
  const problems: { readonly pointer: string; readonly detail: string }[] = [];
  const usable: NewExample[] = [];
  stored.forEach(({ id, backbone: made, features: text, createdAt, by }, index) => {
    if (made !== backbone) return;
    const bytes = Buffer.from(text, 'base64');
    const features = Uint16Array.from({ length: bytes.length >> 1 }, (_, i) => bytes.readUInt16LE(2 * i));
    const pointer = `/examples/${index}/features`;
    if (bytes.length !== 2 * width)
      problems.push({
        pointer,
        detail: `${width} half-precision numbers are expected, ${bytes.length} bytes were given`,
      });
    else if (features.some(isNotFinite)) problems.push({ pointer, detail: 'not all of them are finite' });
    else usable.push({ id, backbone, features, createdAt: Date.parse(createdAt), createdBy: by });
  });
  return { usable, problems, foreign: stored.filter((one) => one.backbone !== backbone).length };
}

/** Of the exponent all bits are set. */
function isNotFinite(half: number): boolean {
  return (half & 0x7c00) === 0x7c00;
}

function foreignWarning(count: number): string {
  return `${count} example pictures are left out, because another network made their features: add the pictures again`;
}

function outcomeOf(
  content: { readonly name: string; readonly attributes: Readonly<Record<string, number>> },
  classes: Classes,
  replace: boolean,
): 'created' | 'replaced' | 'unchanged' | { readonly problem: string } {
  const known = classes.get(content.name);
  if (!known) return 'created';
  if (known.etag === etagOf(content)) return 'unchanged';
  if (!known.runtime) return { problem: 'the model has a class of this name itself, with other attributes' };
  if (known.name !== content.name)
    return { problem: 'it exists under a name whose letters are written in another way' };
  return replace ? 'replaced' : { problem: 'it exists with other attributes; replace=true replaces it' };
}

function refuseProblems(problems: ImportPlan['problems']): void {
  if (problems.length === 0) return;
  const list = problems.slice(0, 5).map(({ name, detail }) => `"${name}": ${detail}`);
  const more = problems.length > 5 ? ` (and ${problems.length - 5} more)` : '';
  throw new Failure(
    'attributes-invalid',
    `Nothing was imported, because some of it does not fit: ${list.join('; ')}${more}. A dry run lists everything.`,
    { fields: problems.slice(0, 100).map(({ pointer, detail }) => ({ pointer, detail })) },
  );
}
