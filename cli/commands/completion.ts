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
      'Print the script with which a shell completes commands, options, ids of deposits and ' +
        'names of their files. Ids and names come from the daemon, if it runs.',
    )
    .argument('<shell>', 'bash, zsh or fish')
    .action((shell: string) => printScript(context, shell))
}

function printScript({ streams }: CliContext, shell: string): void {
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

const bash = `# Completion of deposit for bash. In ~/.bashrc:  source <(deposit completion bash)
_deposit() {
  local typed
  COMPREPLY=()
  while IFS= read -r typed; do
    COMPREPLY+=("$typed")
  done < <(deposit __complete --bash "\${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null)
}
complete -o default -F _deposit deposit
`

const zsh = `#compdef deposit
# Completion of deposit for zsh. In ~/.zshrc, behind compinit:  source <(deposit completion zsh)
_deposit() {
  local -a found
  local value what
  while IFS=$'\\t' read -r value what; do
    found+=("\${value//:/\\\\:}:$what")
  done < <(deposit __complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)
  if (( \${#found} )); then _describe 'deposit' found; else _files; fi
}
compdef _deposit deposit
`

const fish = `# Completion of deposit for fish. Once:  deposit completion fish > ~/.config/fish/completions/deposit.fish
function __deposit_complete
  set -l words (commandline -opc)[2..-1]
  # Only the typed part of an option: for other words fish itself also matches in the middle.
  set -l option (string match -r -- '^-.*' (commandline -ct))
  deposit __complete -- $words "$option" 2>/dev/null
end
complete -c deposit -f -n 'test -n "$(__deposit_complete)"' -a '(__deposit_complete)'
`

/** Completion scripts by shell. */
const scripts: Readonly<Record<string, string>> = { bash, zsh, fish }
