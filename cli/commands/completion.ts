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
    'deposit completion powershell | Out-String | Invoke-Expression': 'in $PROFILE, for PowerShell',
  })
    .description(
      'Print the script with which a shell completes commands, options, ids of deposits and ' +
        'names of their files. Ids and names come from the daemon, if it runs. The tests type into ' +
        'bash, zsh and fish; the script for PowerShell (5.1 and later) is not run by them.',
    )
    .argument('<shell>', 'bash, zsh, fish or powershell')
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
    said: `there are scripts for ${shells.join(', ')}`,
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

// Words that are complete end before the cursor. With no answer, PowerShell completes names of files.
const powershell = `# Completion of deposit for PowerShell. In $PROFILE:
#   deposit completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName deposit, deposit.cmd, deposit.ps1 -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements |
    Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
    ForEach-Object {
      if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value }
      else { $_.Extent.Text }
    })
  $text = (@($words) + @($wordToComplete)) -join [char]10
  $encoded = [Convert]::ToBase64String([System.Text.Encoding]::UTF8.GetBytes($text))
  $answer = deposit __complete --powershell $encoded 2>$null
  if (-not $answer) { return }
  foreach ($one in ($answer | ConvertFrom-Json)) {
    [System.Management.Automation.CompletionResult]::new($one.typed, $one.value, 'ParameterValue', $one.what)
  }
}
`

/** Completion scripts by shell. */
const scripts: Readonly<Record<string, string>> = { bash, zsh, fish, powershell }

/** Shells that there is a script for. */
export const shells = Object.keys(scripts)
