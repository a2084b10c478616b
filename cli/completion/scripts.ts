const bash = `# Completion of deposit for bash. In ~/.bashrc:  source <(deposit completion bash)
_deposit() {
  local IFS=$'\\n' word
  COMPREPLY=()
  while IFS=$'\\t' read -r word _; do
    COMPREPLY+=("$(printf '%q' "$word")")
  done < <(deposit __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
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
  done < <(deposit __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then _describe 'deposit' found; else _files; fi
}
compdef _deposit deposit
`

const fish = `# Completion of deposit for fish. Once:  deposit completion fish > ~/.config/fish/completions/deposit.fish
function __deposit_complete
  set -l words (commandline -opc)[2..-1] (commandline -ct)
  deposit __complete -- $words 2>/dev/null
end
complete -c deposit -f -n 'test -n "$(__deposit_complete)"' -a '(__deposit_complete)'
`

/** What a shell reads, by its name. */
export const scripts: Readonly<Record<string, string>> = { bash, zsh, fish }
