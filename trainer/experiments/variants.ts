/** The rows that are ours: the configuration as given, and the same with one thing changed. */
import { transductiveSchema, type Configuration } from '../configuration.js';
import type { TableName } from './published.js';

export interface Variant {
  readonly name: string;
  readonly configuration: Configuration;
}

/** The weight that the regulariser gets when the configuration has none. */
const defaultBeta = 0.1;

export function variantsOf(base: Configuration, table: TableName, withAblations: boolean): Variant[] {
  const start = table === 'tzsl' ? inTransductiveSetting(base) : base;
  const ours = { name: 'Unseen', configuration: start };
  return withAblations ? [ours, ...ablations(start)] : [ours];
}

function inTransductiveSetting(base: Configuration): Configuration {
  const transductive = base.transductive ?? base.experiments?.transductive ?? transductiveSchema.parse({});
  return { ...base, transductive };
}

function ablations(base: Configuration): Variant[] {
  const { generator, transductive } = base;
  const { transport } = generator;
  const beta = generator.beta > 0 ? generator.beta : defaultBeta;
  const changed = (name: string, over: Partial<Configuration['generator']>): Variant => ({
    name,
    configuration: { ...base, generator: { ...generator, ...over } },
  });
  const rows = [
    changed(`with f (beta ${beta})`, { beta }),
    changed('w/o f', { beta: 0 }),
    changed('Sinkhorn (epsilon 0.1), p = 0.9', {
      transportProbability: 0.9,
      transport: { ...transport, solver: 'sinkhorn', epsilon: 0.1 },
    }),
    changed('IPOT, p = 0.9', { transportProbability: 0.9, transport: { ...transport, solver: 'ipot' } }),
    changed('p = 0', { transportProbability: 0 }),
    changed('supervised plan as printed', { supervisedForm: 'paper' }),
    changed('gamma^2 = 0.5, with f', { beta, gammaSquared: 0.5 }),
    changed('lambda = 0.1, p = 0.9', {
      transportProbability: 0.9,
      transport: { ...transport, lambda: 0.1 },
    }),
    changed('T = 10, p = 0.9', { transportProbability: 0.9, transport: { ...transport, iterations: 10 } }),
    changed('T = 200, p = 0.9', { transportProbability: 0.9, transport: { ...transport, iterations: 200 } }),
  ];
  if (transductive?.algorithm === 'rounds') {
    const epochs = transductive.epochs > 0 ? 0 : 3;
    rows.push({
      name: epochs > 0 ? `unlabelled rows in ${epochs} epochs too` : 'unlabelled rows in no epoch',
      configuration: { ...base, transductive: { ...transductive, epochs } },
    });
    rows.push({
      name: 'without rounds of assignment',
      configuration: { ...base, transductive: { ...transductive, rounds: 0, epochs: Math.max(3, epochs) } },
    });
  }
  return rows;
}
