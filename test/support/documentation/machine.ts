/**
 * A reader's machine: a folder that looks like a checkout, in which the documentation's commands are given to a shell one
 * after another. They are run as they are written, except for the changes of `adapted`: ports that are free, and sizes that take
 * seconds. What they suppose to be there is put there.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../../../core/project-folder.js';
import { newcomerFlag } from '../../../demo/flags/newcomer.js';
import { finishedOf, type Finished } from '../command-line.js';
import { props, quickSettings } from './props.js';
import { shellCommands } from './shell-commands.js';

/** In place of what takes minutes, or a port that may be taken. */
const adaptations: readonly (readonly [RegExp, string])[] = [
  [/draw-example\.js \S+/, '$& 2'],
  [/unseen (?:train|reproduce|sweep)\b/, '$& --config quick.json'],
  [/unseen train.* --data example\/data/, '$& --no-report'], // README's trainings make theirs
  [/unseen reproduce\b/, '$& --seeds 1'],
  [/bench -- extraction PHOTOS.*/, 'bench -- extraction PHOTOS 1 2 1 2'],
  [/bench -- server-start/, '$& 1'],
  [/unseen classes versions NAME/, `unseen classes versions "${newcomerFlag.name}"`],
  [/--port 8080/, '--port 0'],
  [/unseen demo\b/, '$& --port 0'],
];

/** Where another reader begins, one with ready-made features: what was extracted before is not theirs. */
const comesWithFeatures = /unseen dataset check DATA/;
/** A class that the reader has added before. */
const namesAnAddedClass = /unseen classes versions NAME/;
const serves = /unseen (?:serve|demo)\b(?!.*--help)/;
const asksServer = /localhost:8080|127\.0\.0\.1:8080|\bSERVER\b|unseen (?:classify|classes|groups|reload)\b/;
const announced = /Serving .*?(https?:\/\/[\d.]+:\d+)/;

export class Machine {
  private server: { child: ChildProcess; url: string; ended: Promise<Finished> } | null = null;

  constructor(readonly folder: string) {
    const root = projectFolder();
    const own = ['.git', 'out'];
    for (const name of readdirSync(root).filter((one) => !own.includes(one)))
      symlinkSync(join(root, name), join(folder, name));
    for (const name of ['bin', 'weights']) mkdirSync(join(folder, name));
    const weights = join(root, 'models/weights');
    for (const name of readdirSync(weights)) symlinkSync(join(weights, name), join(folder, 'weights', name));
    const start = `exec "${process.execPath}" "${join(root, 'dist/cli/main.js')}" "$@"\n`;
    writeFileSync(join(folder, 'bin/unseen'), `#!/bin/sh\n${start}`, { mode: 0o755 });
    writeFileSync(join(folder, 'bin/npx'), `#!/bin/sh\n[ "$1" = unseen ] || exit 127\nshift\n${start}`, {
      mode: 0o755,
    });
    writeFileSync(join(folder, '.curlrc'), 'fail\nsilent\nshow-error\n'); // a refusal is a failure of the command
    writeFileSync(join(folder, 'quick.json'), JSON.stringify(quickSettings));
  }

  /** A server is left running, and ended when the next is started. */
  async run(text: string): Promise<Finished> {
    await this.prepare(text);
    if (namesAnAddedClass.test(text)) {
      const { code, stderr } = await this.run('unseen classes add new-classes.csv');
      if (code !== 0) throw new Error(stderr);
    }
    if (serves.test(text)) return this.serve(text);
    return this.started(await this.adapted(text)).ended;
  }

  /** The server's own address: the one that the documentation started, or else one with the demonstration. */
  async url(): Promise<string> {
    if (!this.server) {
      const { code, stderr } = await this.serve('unseen serve --bundle models/demo');
      if (code !== 0) throw new Error(stderr);
    }
    return this.server!.url;
  }

  /** As an operator ends it. */
  async stop(): Promise<Finished> {
    const running = this.server;
    this.server = null;
    running?.child.kill('SIGTERM');
    return (await running?.ended) ?? { code: 0, stdout: '', stderr: '' };
  }

  private async serve(text: string): Promise<Finished> {
    const before = await this.stop();
    if (before.code !== 0) return before;
    const { child, ended } = this.started(await this.adapted(text));
    const url = await new Promise<string | null>((resolve) => {
      let output = '';
      const listen = (chunk: Buffer): void => {
        output += chunk.toString();
        const found = announced.exec(output);
        if (found) resolve(found[1]);
      };
      child.stdout!.on('data', listen);
      child.stderr!.on('data', listen);
      void ended.then(() => {
        resolve(null);
      });
    });
    if (url === null) return ended;
    this.server = { child, url, ended };
    return { code: 0, stdout: url, stderr: '' };
  }

  /** Puts the inputs in place, and removes outputs that the command is going to make. */
  private async prepare(text: string): Promise<void> {
    const words = shellCommands(text).flatMap((command) => command.words);
    const out = words.includes('--out') ? words[words.indexOf('--out') + 1] : 'TO';
    for (const made of [out, `${out}.work`, `${out}.report.html`])
      rmSync(join(this.folder, made), { recursive: true, force: true });
    if (comesWithFeatures.test(text)) rmSync(join(this.folder, 'DATA'), { recursive: true, force: true });
    for (const name of words.map((word) => word.replace(/^@/, '')))
      if (name !== out && name in props && !existsSync(join(this.folder, name)))
        await props[name](this.folder);
  }

  private async adapted(text: string): Promise<string> {
    let result = text;
    for (const [pattern, replacement] of adaptations) result = result.replace(pattern, replacement);
    if (!asksServer.test(result)) return result;
    const url = await this.url();
    const asked = result
      .replace(/(?:http:\/\/)?(?:localhost|127\.0\.0\.1):8080|\bSERVER\b/g, url)
      .replace(
        /unseen (?:classify(?!.*--bundle)|groups \w+|reload|classes (?:examples )?\w+)/,
        `$& --url ${url}`,
      );
    // Each command has a shell of its own: what an `export` before has set is set again.
    return result.includes('$UNSEEN_KEY')
      ? `export UNSEEN_KEY=$(unseen classes key --url ${url}); ${asked}`
      : asked;
  }

  private started(text: string): { child: ChildProcess; ended: Promise<Finished> } {
    const child = spawn('bash', ['-o', 'pipefail', '-c', text], {
      cwd: this.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        PATH: `${join(this.folder, 'bin')}:${process.env.PATH}`,
        CURL_HOME: this.folder,
        UNSEEN_CACHE: join(this.folder, 'weights'),
        XDG_STATE_HOME: join(this.folder, 'state'),
        UNSEEN_PORT: '0',
        UNSEEN_GRACE_SECONDS: '0',
      },
    });
    return { child, ended: finishedOf(child) };
  }
}
