import { advice } from '../advice.ts'
import type { Command } from 'commander'
import type { CliContext } from '../session/context.ts'
import { UsageFailure } from '../failure.ts'
import { newCommand } from './command.ts'

/** `deposit completion <shell>`: the script that a shell reads. */
export function completionCommand(context: CliContext): Command {
  return newCommand('completion', {
    'source <(deposit completion bash)': 'in ~/.bashrc',
    'source <(deposit completion zsh)': 'in ~/.zshrc, behind compinit',
    'deposit completion fish > ~/.config/fish/completions/deposit.fish': 'once, for fish',
  })
    .description(
      'Print the script with which a shell completes commands, options, ids of deposits and names ' +
        'of their files. Ids and names are asked of the daemon, where it runs.',
    )
    .argument('<shell>', 'bash, zsh or fish')
    .action((shell: string) => printScript(context, shell))
}

async function printScript({ streams }: CliContext, shell: string): Promise<void> {
  const { scripts } = await import('./completion-scripts.ts')
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined
  if (script === undefined) throw unknownShell(shell)
  streams.out(script.trimEnd())
}

function unknownShell(shell: string): UsageFailure {
  return new UsageFailure({
    tried: `complete for ${shell}`,
    said: 'there is a script for bash, zsh and fish',
    next: advice.seeHelp('deposit completion'),
  })
}
