/** The process in which rows are fitted, at a lower priority than those that answer pictures. */
import { setPriority } from 'node:os';
import { RuntimeFitter } from '../../../core/head/runtime/fitter.js';
import type { RuntimeClass } from '../../../core/head/runtime/runtime-class.js';
import { rowOf } from '../../../core/matrix.js';
import type { Consolidated, Draft, FittedDraft, FromFitter, ToFitter } from './protocol.js';

setPriority(5); // low enough to let pictures go first, high enough to get on under load
let fitter: RuntimeFitter | undefined;
let standing = new Map<string, RuntimeClass>();
let bundleClasses: readonly string[] = [];
let drafted: Map<string, RuntimeClass> | null = null;

async function fit({ upserts, removals }: Draft): Promise<FittedDraft> {
  const next = new Map(standing);
  for (const name of removals) next.delete(name);
  for (const content of upserts) next.set(content.name, content);
  const classes = [...next.values()];
  const { rows, changed, converged } = await fitter!.fit(classes);
  classes.forEach(({ name, attributes }, i) => next.set(name, { name, attributes, row: rows[i] }));
  drafted = next;
  return { rows: changed.map((i) => ({ name: classes[i].name, ...rows[i] })), converged };
}

async function consolidate(): Promise<Consolidated> {
  const classes = [...standing.values()];
  const { base, rows, before, after, isBetter } = await fitter!.consolidate(classes);
  return {
    before,
    after,
    isBetter,
    rows: rows.map((row, i) => ({ name: classes[i].name, ...row })),
    base: bundleClasses.map((name, c) => ({
      name,
      weights: rowOf(base.weights, c).slice(),
      bias: base.bias[c],
    })),
  };
}

async function answer(message: ToFitter): Promise<FromFitter | null> {
  switch (message.kind) {
    case 'start':
      bundleClasses = message.bundle.manifest.classes.map(({ name }) => name);
      fitter = await RuntimeFitter.open(message.bundle, { threads: message.threads });
      return null;
    case 'mirror':
      for (const name of message.removed) standing.delete(name);
      for (const content of message.put) standing.set(content.name, content);
      return null;
    case 'adopt':
      standing = drafted!;
      return null;
    case 'fit':
      return { kind: 'fitted', fitted: await fit(message.draft) };
    case 'consolidate':
      return { kind: 'consolidated', consolidated: await consolidate() };
    case 'confusion': {
      const confusion = await fitter!.confusion(message.candidate, [...standing.values()]);
      return { kind: 'confusion', confusion };
    }
  }
}

let last = Promise.resolve();
process.on('message', (message: ToFitter) => {
  last = last.then(async () => {
    const said = await answer(message).catch((error: unknown): FromFitter => {
      if (message.kind === 'start') throw error; // it cannot work without a model
      return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
    });
    if (said) process.send!(said);
  });
});
// Ctrl-C reaches every process of a terminal; the server ends this one itself.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit());
