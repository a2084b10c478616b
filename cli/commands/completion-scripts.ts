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
  # What of an option is typed; of all others fish itself finds what fits, also in the middle.
  set -l option (string match -r -- '^-.*' (commandline -ct))
  deposit __complete -- $words "$option" 2>/dev/null
end
complete -c deposit -f -n 'test -n "$(__deposit_complete)"' -a '(__deposit_complete)'
`

/** Completion scripts by shell. */
export const scripts: Readonly<Record<string, string>> = { bash, zsh, fish }
