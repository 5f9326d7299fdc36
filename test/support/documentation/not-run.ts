/** The commands of README and docs that no test can run, by how they start, each with the reason, and what is done instead. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../../../core/project-folder.js';
import { readDockerfile } from '../dockerfile.js';
import { shellCommands } from './shell-commands.js';
import { hasTool } from '../tools.js';

interface NotRun {
  readonly start: string;
  readonly reason: string;
  /** A lesser check; what is wrong, or nothing. */
  readonly instead?: (text: string) => string[];
}

const root = projectFolder();
const byHand = 'measured by hand: it takes minutes, and its figures need a machine without other work';

export const notRun: readonly NotRun[] = [
  { start: 'npm ci', reason: 'it would replace what the tests run with; it has been run before the tests' },
  { start: 'npm test', reason: 'it is what runs this' },
  { start: 'npm run build', reason: 'npm test begins with it; here it would change files under other tests' },
  { start: 'npm run demo:build', reason: 'it trains for minutes, and writes models/demo anew' },
  {
    start: 'npm install --ignore-scripts',
    reason: 'it would fetch 200 packages; test/end-to-end/package.test.ts unpacks and runs the same tarball',
  },
  ...['unseen-0.1.0.tgz', 'unseen-client-0.1.0.tgz'].map((tarball) => ({
    start: `npm install ./${tarball}`,
    reason: 'the tarballs are installed by test/end-to-end/package.test.ts',
  })),
  { start: 'npm pack', reason: 'named as what fetching a backbone does: test/core/backbone/pull.test.ts' },
  { start: 'node dist/demo/flags/samples.js', reason: 'it draws pictures of the sources anew' },
  { start: 'unseen backbone pull --force', reason: 'it fetches 95 MB; without --force it is run' },
  {
    start: 'unseen reproduce --data CUB',
    reason: 'it takes most of an hour; README shows it with a small dataset, on which it is run',
  },
  {
    start: 'unseen adapt',
    reason: 'it needs pictures by the hundred; test/core/adaptation/adapt.test.ts adapts and writes a bundle',
  },
  {
    start: 'unseen discover',
    reason:
      'it needs pictures of a missing class; test/end-to-end/discover.test.ts runs it, and adds its table',
  },
  {
    start: 'unseen classes add found/classes.csv',
    reason: 'the table is made by unseen discover, see there',
  },
  { start: 'docker build', reason: 'there is no Docker where tests run', instead: checkDockerBuild },
  { start: 'docker run', reason: 'there is no Docker where tests run' },
  {
    start: 'docker compose up',
    reason: 'there is no Docker where tests run; test/deployment/compose.test.ts',
  },
  {
    start: 'POSTGRES_PASSWORD=SECRET docker compose up',
    reason: 'there is no Docker where tests run; test/deployment/compose.test.ts',
  },
  { start: 'kubectl create', reason: 'there is no cluster where tests run' },
  { start: 'kubectl -n unseen', reason: 'there is no cluster where tests run' },
  { start: 'kubectl apply -k', reason: 'there is no cluster where tests run', instead: renderOverlay },
  {
    start: 'scripts/calibration/',
    reason: 'it fetches 300 MB of Debian packages',
    instead: parseScript,
  },
  { start: 'node scripts/calibration/make-ranges.js', reason: 'it needs those pictures' },
  { start: 'scripts/image/', reason: 'it needs root, buildah and debootstrap', instead: parseScript },
  ...[
    ...['accuracy', 'adaptation-cost', 'adaptation-durability', 'adaptation-serving', 'capacity'],
    ...['classes-disturbance', 'classes-durability', 'classes-scale'],
    ...['feature-parity', 'head', 'imagenet-memory', 'int8', 'int8-accuracy', 'int8-training', 'playground'],
    ...['fingerprint', 'replicas', 'restricted-classes', 'explanations', 'shrink-on-load'],
    ...[
      'runtime-fit',
      'runtime-parity',
      'examples',
      'examples-offline',
      'examples-latency',
      'attribute-reading',
      'missing-attributes',
    ],
    ...[
      'server-abuse',
      'server-faults',
      'server-large-pictures',
      'server-memory',
      'server-overload',
      'server-refusals',
      'server-throughput',
    ],
    ...[
      'adaptation',
      'discover',
      'small-data',
      'training-step',
      'transductive',
      'transport',
      'trust',
      'tsne',
      'unseen-bias',
    ],
  ].map((name) => ({ start: `npm run bench -- ${name}`, reason: byHand, instead: checkBenchmark })),
];

/** By whole words: `npm run bench -- head` is not the start of another benchmark's name. */
export function notRunFor(text: string): NotRun | undefined {
  return notRun.find(({ start }) => text === start || text.startsWith(start.replace(/[^ /]$/, '$& ')));
}

function checkBenchmark(text: string): string[] {
  const file = `dist/bench/${shellCommands(text)[0].words[4]}.js`;
  return existsSync(join(root, file)) ? [] : [`there is no ${file}`];
}

function checkDockerBuild(text: string): string[] {
  const [{ words }] = shellCommands(text);
  const { text: dockerfile, stages } = readDockerfile(new URL(`file://${join(root, 'Dockerfile')}`));
  return words.flatMap((word, i) => {
    const value = words[i + 1];
    if (word === '--target' && !stages.some(({ name }) => name === value)) return [`no stage ${value}`];
    if (word !== '--build-arg') return [];
    const name = value.split('=')[0];
    return dockerfile.includes(`ARG ${name}=`) ? [] : [`no argument ${name}`];
  });
}

function renderOverlay(text: string): string[] {
  const folder = join(root, shellCommands(text)[0].words[3]);
  if (!existsSync(join(folder, 'kustomization.yaml'))) return [`${folder} is no kustomization`];
  return hasTool('kubectl') ? complaintOf('kubectl', ['kustomize', folder]) : [];
}

function parseScript(text: string): string[] {
  return complaintOf('bash', ['-n', join(root, shellCommands(text)[0].words[0])]);
}

function complaintOf(program: string, options: readonly string[]): string[] {
  const { status, stderr } = spawnSync(program, options, { encoding: 'utf8' });
  return status === 0 ? [] : [`${program} ${options.join(' ')}: ${stderr}`];
}
