/** The rows that are ours: the configuration as given, and the same with one thing changed. */
import { transductiveSchema, type Configuration } from '../configuration.js';
import type { TableName } from './published.js';

export interface TrainingVariant {
  readonly name: string;
  readonly configuration: Configuration;
  /** How much of what the generator learns is used; left out, validation classes choose where there is a choice. */
  readonly share?: number;
}

/** The weight that the regulariser gets when the configuration has none. */
const defaultBeta = 0.1;

export function variantsOf(base: Configuration, table: TableName, withAblations: boolean): TrainingVariant[] {
  const start = configurationFor(table, base);
  const ours = { name: 'Unseen', configuration: start };
  return withAblations ? [ours, ...ofClosedForm(start), ...ofGenerator(start)] : [ours];
}

/** The configuration from which all rows of a table start. */
export function configurationFor(table: TableName, base: Configuration): Configuration {
  if (table !== 'tzsl') return base;
  const transductive = base.transductive ?? base.experiments?.transductive ?? transductiveSchema.parse({});
  return { ...base, transductive: { ...transductive, rows: 'test-unseen' } };
}

/** What each part of the model is worth, where there is a closed form to stand on. */
function ofClosedForm(base: Configuration): TrainingVariant[] {
  const { generator } = base;
  if (generator.closedForm === 'none') return [];
  // Nothing of what is learnt is used, so that nothing needs to be learnt.
  const alike = { ...generator, attributeWeights: 'equal' as const, epochs: 1 };
  return [
    { name: 'closed form only', configuration: base, share: 0 },
    { name: 'closed form and all that is learnt', configuration: base, share: 1 },
    {
      name: 'closed form only, attributes count alike',
      configuration: { ...base, generator: alike, validation: { ...base.validation, shares: [0] } },
      share: 0,
    },
    { name: 'generator alone', configuration: generatorAlone(base) },
  ];
}

/** Enough to settle a bias, as for the baselines (baseline/baseline.ts). */
const foldsOfAblations = 2;

/**
 * Without the closed form a generator has to learn where classes are as well, which takes larger steps and more of them: the settings
 * that validation classes chose for it.
 */
function generatorAlone(base: Configuration): Configuration {
  const { generator, validation } = base;
  if (generator.closedForm === 'none') return base;
  return {
    ...base,
    generator: { ...generator, closedForm: 'none', share: 1, learningRate: 2e-3, epochs: 15 },
    validation: { ...validation, folds: Math.min(foldsOfAblations, validation.folds) },
  };
}

/**
 * How the generator is trained. These rows stand on no closed form: on one, validation classes may give what is learnt no share,
 * and all of them would be the same model.
 */
function ofGenerator(start: Configuration): TrainingVariant[] {
  const base = generatorAlone(start);
  const prefix = base === start ? '' : 'generator alone, ';
  const { generator, transductive } = base;
  const { transport } = generator;
  const beta = generator.beta > 0 ? generator.beta : defaultBeta;
  const changed = (name: string, over: Partial<Configuration['generator']>): TrainingVariant => ({
    name: `${prefix}${name}`,
    configuration: { ...base, generator: { ...generator, ...over } },
  });
  const often = { transportProbability: 0.9 };
  const rows = [
    changed(`with f (beta ${beta})`, { beta }),
    changed('w/o f', { beta: 0 }),
    changed('Sinkhorn (epsilon 0.1), p = 0.9', {
      ...often,
      transport: { ...transport, solver: 'sinkhorn', epsilon: 0.1 },
    }),
    changed('IPOT, p = 0.9', { ...often, transport: { ...transport, solver: 'ipot' } }),
    changed('p = 0', { transportProbability: 0 }),
    changed('supervised plan as printed', { supervisedForm: 'paper' }),
    changed('gamma^2 = 0.5, with f', { beta, gammaSquared: 0.5 }),
    changed('lambda = 0.1, p = 0.9', { ...often, transport: { ...transport, lambda: 0.1 } }),
    changed('T = 10, p = 0.9', { ...often, transport: { ...transport, iterations: 10 } }),
    changed('T = 200, p = 0.9', { ...often, transport: { ...transport, iterations: 200 } }),
  ];
  if (transductive?.algorithm === 'rounds') {
    const epochs = transductive.epochs > 0 ? 0 : 3;
    rows.push({
      name: `${prefix}${epochs > 0 ? `unlabelled rows in ${epochs} epochs too` : 'unlabelled rows in no epoch'}`,
      configuration: { ...base, transductive: { ...transductive, epochs } },
    });
    rows.push({
      name: `${prefix}without rounds of assignment`,
      configuration: { ...base, transductive: { ...transductive, rounds: 0, epochs: Math.max(3, epochs) } },
    });
  }
  return rows;
}
