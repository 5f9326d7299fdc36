import type { AddCommand } from '../program.js';

/** In the order of the help page. Loaded on demand, so that starting a server does not wait for the trainer's modules. */
const loaders: Readonly<Record<string, () => Promise<AddCommand>>> = {
  demo: async () => (await import('./demo.js')).addDemoCommand,
  serve: async () => (await import('./serve.js')).addServeCommand,
  classify: async () => (await import('./classify.js')).addClassifyCommand,
  classes: async () => (await import('./classes.js')).addClassesCommand,
  groups: async () => (await import('./groups.js')).addGroupsCommand,
  reload: async () => (await import('./reload.js')).addReloadCommand,
  train: async () => (await import('./train.js')).addTrainCommand,
  adapt: async () => (await import('./adapt.js')).addAdaptCommand,
  discover: async () => (await import('./discover.js')).addDiscoverCommand,
  evaluate: async () => (await import('./evaluate.js')).addEvaluateCommand,
  report: async () => (await import('./report.js')).addReportCommand,
  baseline: async () => (await import('./baseline.js')).addBaselineCommand,
  reproduce: async () => (await import('./reproduce.js')).addReproduceCommand,
  sweep: async () => (await import('./sweep.js')).addSweepCommand,
  dataset: async () => (await import('./dataset.js')).addDatasetCommand,
  inspect: async () => (await import('./inspect.js')).addInspectCommand,
  backbone: async () => (await import('./backbone.js')).addBackboneCommand,
  extract: async () => (await import('./extract.js')).addExtractCommand,
  completion: async () => (await import('./completion.js')).addCompletionCommand,
};

/** The named command alone; all of them when none was named or the name is unknown, so that help lists them. */
export async function loadCommands(named: string | undefined): Promise<AddCommand[]> {
  const asked = Object.keys(loaders).filter((name) => name === named);
  const names = asked.length > 0 ? asked : Object.keys(loaders);
  return Promise.all(names.map((name) => loaders[name]()));
}
