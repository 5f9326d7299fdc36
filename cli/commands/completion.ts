import { Argument, type Command } from 'commander';
import { completionScript, shells, type Shell } from '../completion-script.js';
import { createProgram, type AddCommand } from '../program.js';

/** Prints what a shell needs to complete commands and options with Tab. */
export const addCompletionCommand: AddCommand = (program, run) => {
  program
    .command('completion')
    .description('Print a script that lets a shell complete commands and options.')
    .addArgument(new Argument('<shell>', 'the shell').choices([...shells]))
    .addHelpText(
      'after',
      `
Examples:
  source <(unseen completion bash)                                     for this terminal; into ~/.bashrc for all
  unseen completion zsh > "\${fpath[1]}/_unseen"
  unseen completion fish > ~/.config/fish/completions/unseen.fish`,
    )
    .action(async (shell: Shell) => {
      await run(false, async (context) => {
        const { loadCommands } = await import('./index.js');
        const whole: Command = createProgram(await loadCommands(undefined), run);
        context.result(completionScript(shell, whole), null);
      });
    });
};
